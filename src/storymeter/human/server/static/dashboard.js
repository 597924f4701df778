// The dashboard refreshes itself, unless somebody is in the middle of something.
const EVERY = 20000;

async function refresh() {
  const here = document.getElementById("live");
  if (document.hidden || here.contains(document.activeElement)) return;
  try {
    const reply = await fetch(location.href, { cache: "no-store" });
    if (!reply.ok || reply.redirected) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    here.replaceWith(document.adoptNode(page.getElementById("live")));
  } catch { /* the next time */ }
}

setInterval(refresh, EVERY);

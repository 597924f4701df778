// A clip that has to be watched to its end: play events go to the server, which keeps the evidence.
import { make } from "./page.js";

export function clip(url, { words, report, changed, skip }) {
  const video = make("video", { preload: "auto", playsInline: true, controls: false, disablePictureInPicture: true, "aria-label": words.clip });
  video.setAttribute("controlslist", "nodownload noplaybackrate");
  const button = make("button", { type: "button", id: "play", textContent: words.play });
  const over = make("div", { className: "over" }, button);
  const loading = make("p", { className: "loading", textContent: words.loading });
  const status = make("div", { className: "clip-status notice bad", hidden: true, role: "alert" });
  const retry = make("button", { type: "button", textContent: words.try_again });
  const leave = make("button", { type: "button", id: "skip-clip", textContent: words.skip_clip });
  const element = make("div", {}, make("div", { className: "clip" }, video, over, loading), status);
  const listeners = [];
  let watched = false;
  let playing = false;
  let reached = 0; // how far it has been seen without jumping

  function broken() {
    loading.hidden = true;
    status.replaceChildren(make("p", { textContent: words.clip_failed }), retry, " ", leave);
    status.hidden = false;
  }
  async function play() {
    if (playing) return;
    status.hidden = true;
    try {
      await video.play();
    } catch (error) {
      if (error.name !== "AbortError") broken();
    }
  }
  retry.addEventListener("click", () => { video.load(); play(); });
  leave.addEventListener("click", skip);
  button.addEventListener("click", play);
  video.addEventListener("click", () => (video.paused ? play() : watched && video.pause()));
  video.addEventListener("loadeddata", () => { loading.hidden = true; });
  video.addEventListener("waiting", () => { loading.hidden = false; });
  video.addEventListener("playing", () => {
    loading.hidden = true;
    over.classList.add("again"); // out of the way, but the keyboard does not lose its place
    button.textContent = words.playing;
    button.setAttribute("aria-disabled", "true");
    playing = true;
    report("play");
    changed();
  });
  video.addEventListener("pause", () => { if (watched) stopped(); });
  video.addEventListener("timeupdate", () => {
    if (!watched && !video.seeking) reached = Math.max(reached, video.currentTime);
  });
  video.addEventListener("seeking", () => {
    if (!watched && video.currentTime > reached + 0.5) video.currentTime = reached;
  });
  video.addEventListener("ended", () => {
    watched = true;
    stopped();
    report("ended");
    listeners.forEach((told) => told());
    changed();
  });
  video.addEventListener("error", () => { playing = false; broken(); });

  function stopped() {
    playing = false;
    button.textContent = words.replay;
    button.removeAttribute("aria-disabled");
  }

  video.src = url;
  return {
    element, button,
    get watched() { return watched; },
    get playing() { return playing; },
    again() { watched = false; reached = 0; over.classList.remove("again"); button.textContent = words.play; },
    // from a moment of the clip, once all of it has been seen
    jump(seconds) { if (watched) { video.currentTime = seconds; play(); } },
    onWatched(told) { listeners.push(told); },
  };
}

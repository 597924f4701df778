// The task page: shows the item at hand, says why Next is not ready, sends the answer, shows the next item.
import { make, fill } from "./page.js";
import { insist, attempt, pause } from "./wire.js";

const setup = document.getElementById("setup").dataset;
const words = JSON.parse(setup.words);
const [stage, next, back, why, notice, heading, dock] = ["stage", "next", "back", "why", "notice", "heading", "dock"].map((id) => document.getElementById(id));
// every kind of study is a module of its own name
const { build } = await import(`./${setup.task}.js`);
let item = null;
let view = null;
let following = null; // after a practice item: what comes once the feedback has been read
let sending = false;
let changing = false; // the item at hand is the last one, whose answer is being changed
let expires = null; // when the last answer can no longer be changed
const comment = make("textarea", { id: "comment", rows: 2, maxLength: 500, "aria-label": words.comment_label });
const help = document.getElementById("help");
document.getElementById("help-open").addEventListener("click", () => help.showModal());
document.getElementById("help-close").addEventListener("click", () => help.close());
let unsent = new Set(); // play events that did not get through yet; they travel with the answer

function tell(text, kind = "") {
  notice.textContent = text;
  notice.className = `notice ${kind}`;
  notice.hidden = !text;
}

function refresh() {
  if (!view) return;
  const reason = following ? null : sending ? words.why_sending : view.why();
  const text = reason ?? words.ready;
  if (why.textContent !== text) why.textContent = text;
  next.setAttribute("aria-disabled", String(reason !== null));
}

async function report(event) {
  const now = item;
  unsent.add(event);
  const through = await attempt(`${setup.base}/event`, { id: now.id, at: now.at, event });
  if (through && item === now) unsent.delete(event);
}

const trouble = (text) => tell(text === null ? words.offline : fill(words.unavailable, { reason: text }), "bad");

// The answer, until the server has decided. The few seconds of watching or reading that its clock misses are waited for here: nobody
// has to watch a clip twice because of the network, or to press Next again because of fast reading.
async function deliver() {
  for (let late = 0; ; late += 1) {
    const body = { id: item.id, at: item.at, answer: view.answer(), events: [...unsent], comment: comment.value.trim() };
    const reply = await insist(`${setup.base}/${changing ? "correct" : "answer"}`, body, trouble);
    const { status, missing, message } = reply.data;
    const wait = status === "early" || (status === "unwatched" && missing <= 5 && late < 3);
    if (!wait) return reply;
    if (status === "early") tell(message);
    await Promise.all([...unsent].map(report));
    await pause(missing + 0.1);
  }
}

async function skip(note = words.skip_note) {
  if (sending) return;
  sending = true;
  refresh();
  const reply = await insist(`${setup.base}/skip`, { id: item.id, at: item.at }, trouble);
  sending = false;
  arrive(reply.data, note);
}

// For so many seconds the last answer can be changed; the server's clock decides.
function offer(seconds) {
  clearTimeout(expires);
  back.hidden = !(seconds > 0);
  if (!back.hidden) expires = setTimeout(() => { if (!changing) back.hidden = true; }, seconds * 1000);
}

async function change() {
  if (sending || following) return;
  if (changing) { await load(true); return; } // it stays as it is
  const reply = await insist(`${setup.base}/last`, undefined, trouble);
  if (reply.data.go) { location.replace(reply.data.go); return; }
  if (!reply.data.next) { tell(reply.data.message ?? "", "bad"); offer(0); return; }
  tell(words.back_note);
  show(reply.data.next);
}

function show(data, focus = true) {
  if (data.go) { location.replace(data.go); return; }
  item = data;
  changing = "answer" in item;
  next.textContent = changing ? words.back_save : words.next;
  back.textContent = changing ? words.back_keep : words.back;
  if (changing) back.hidden = false;
  unsent = new Set();
  view = build(item, { words, statement: setup.statement, report, changed: refresh, skip: () => skip(), seen: changing });
  const text = fill(item.practice ? words.practice_of : words.of, { n: item.n, total: item.of });
  document.getElementById("count").textContent = text;
  heading.textContent = text;
  const bar = document.getElementById("progress");
  const share = Math.round((100 * (item.n - 1)) / item.of);
  bar.setAttribute("aria-valuenow", String(share));
  document.getElementById("progress-fill").style.width = `${share}%`;
  comment.value = item.comment ?? "";
  const [first, ...rest] = view.parts;
  const remark = make("details", { className: "remark" }, make("summary", { textContent: words.comment_label }), comment);
  // shown last, but first in order: one Tab leads from the clip to the question, and from there to Next
  const parts = view.film ? [make("div", { className: "film" }, remark, first), make("div", {}, ...rest)] : [...view.parts, remark];
  stage.className = view.film ? "beside" : "";
  stage.replaceChildren(...(item.practice ? [make("p", { className: "quiet note", textContent: words.practice_note })] : []), ...parts);
  view.submitOn?.addEventListener("keydown", (event) => { if (event.key === "Enter") submit(); });
  dock.hidden = false;
  refresh();
  if (focus) {
    window.scrollTo(0, 0);
    view.first.focus({ preventScroll: true });
  }
}

async function submit() {
  if (sending || !view) return;
  if (following) { tell(""); next.textContent = words.next; const coming = following; following = null; show(coming); return; }
  const reason = view.why();
  if (reason !== null) {
    why.textContent = "";
    requestAnimationFrame(() => { why.textContent = reason; }); // said again, also by screen readers
    return;
  }
  sending = true;
  refresh();
  const reply = await deliver();
  sending = false;
  arrive(reply.data);
}

function arrive({ status, next: coming, feedback, message, go, back: seconds }, note = "") {
  if (go) { location.replace(go); return; }
  if (coming) offer(seconds);
  if (status === "saved" && feedback) {
    following = coming;
    next.textContent = words.go_on;
    stage.replaceChildren();
    tell(feedback.text, feedback.good ? "good" : "");
    why.textContent = "";
    next.setAttribute("aria-disabled", "false");
    window.scrollTo(0, 0);
    next.focus();
  } else if (status === "saved" || status === "stale") {
    tell(status === "stale" ? message : note);
    show(coming);
  } else {
    tell(message ?? "", "bad");
    if (status === "unwatched" && view.film) { view.film.again(); unsent = new Set(); }
    refresh();
  }
}

async function load(focus) {
  const reply = await insist(`${setup.base}/item`, undefined, trouble);
  tell("");
  offer(reply.data.back);
  if (reply.data.go) location.replace(reply.data.go);
  else if (reply.data.next) show(reply.data.next, focus);
  else tell(reply.data.message ?? "", "bad");
}

next.addEventListener("click", submit);
back.addEventListener("click", change);
// the organiser's preview: on to the next page without an answer
document.getElementById("pass")?.addEventListener("click", () => (following ? submit() : changing ? load(true) : skip("")));
window.addEventListener("pageshow", (event) => { if (event.persisted) load(false); }); // the back button brings back an old page
load(false);

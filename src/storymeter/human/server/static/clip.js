// A clip that has to be watched to its end: play events go to the server, which keeps the evidence.
import { make, fill } from "./page.js";

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// whether the study allows a pause
const pausing = document.getElementById("setup").dataset.pause !== "no";

// Under the clip: pause, what is left of it, volume, full screen. The server's clock decides what counts as watched, so that a pause
// costs nothing.
function controls(video, frame, words, play) {
  const pause = make("button", { type: "button", textContent: words.pause, "aria-disabled": "true" });
  const left = make("span", { className: "left" });
  const volume = make("input", { type: "range", min: "0", max: "100", value: String(Math.round(video.volume * 100)), "aria-label": words.volume });
  const full = make("button", { type: "button", textContent: words.full_screen, hidden: !document.fullscreenEnabled && !video.webkitEnterFullscreen });
  const show = () => {
    const rest = video.duration - video.currentTime;
    left.textContent = Number.isFinite(rest) ? fill(words.time_left, { time: clock(Math.ceil(Math.max(0, rest))) }) : "";
  };
  for (const name of ["loadedmetadata", "durationchange", "timeupdate", "ended"]) video.addEventListener(name, show);
  for (const name of ["playing", "pause", "ended"]) video.addEventListener(name, () => pause.setAttribute("aria-disabled", String(video.paused)));
  pause.addEventListener("click", () => { if (!video.paused) video.pause(); });
  volume.addEventListener("input", () => { video.volume = volume.value / 100; video.muted = volume.value === "0"; });
  full.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (frame.requestFullscreen) frame.requestFullscreen().then(play, () => {});
    else video.webkitEnterFullscreen();
  });
  video.addEventListener("ended", () => { if (document.fullscreenElement) document.exitFullscreen(); });
  return make("div", { className: "clip-bar" }, ...(pausing ? [pause] : []), left, make("label", { className: "volume" }, make("span", { textContent: words.volume, "aria-hidden": "true" }), volume), full);
}

export function clip(url, { words, report, changed, skip, seen = false }) {
  const video = make("video", { preload: "auto", playsInline: true, controls: false, disablePictureInPicture: true, "aria-label": words.clip });
  video.setAttribute("controlslist", "nodownload noplaybackrate");
  const button = make("button", { type: "button", id: "play", textContent: seen ? words.replay : words.play });
  const over = make("div", { className: "over" }, button);
  const loading = make("p", { className: "loading", textContent: words.loading });
  const status = make("div", { className: "clip-status notice bad", hidden: true, role: "alert" });
  const retry = make("button", { type: "button", textContent: words.try_again });
  const leave = make("button", { type: "button", id: "skip-clip", textContent: words.skip_clip });
  const frame = make("div", { className: "clip" }, video, over, loading);
  // the bar is shown below the clip, but comes before it: one Tab leads from the play button to the question
  const element = make("div", { className: "player" }, controls(video, frame, words, play), frame, status);
  const listeners = [];
  let watched = seen; // in full; of an answer that is changed it was
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
  video.addEventListener("click", () => { if (video.paused) play(); else if (pausing) video.pause(); });
  if (!pausing) navigator.mediaSession?.setActionHandler("pause", () => {}); // keys of the keyboard or headphones
  video.addEventListener("loadeddata", () => { loading.hidden = true; });
  video.addEventListener("waiting", () => { loading.hidden = false; });
  video.addEventListener("playing", () => {
    loading.hidden = true;
    over.classList.add("again"); // out of the way, but the keyboard does not lose its place
    button.textContent = words.playing;
    button.setAttribute("aria-disabled", "true");
    playing = true;
    if (!seen) report("play");
    changed();
  });
  video.addEventListener("pause", stopped);
  video.addEventListener("timeupdate", () => {
    if (!watched && !video.seeking) reached = Math.max(reached, video.currentTime);
  });
  video.addEventListener("seeking", () => {
    if (!watched && video.currentTime > reached + 0.5) video.currentTime = reached;
  });
  video.addEventListener("ended", () => {
    watched = true;
    stopped();
    if (!seen) report("ended");
    listeners.forEach((told) => told());
    changed();
  });
  video.addEventListener("error", () => { playing = false; broken(); });

  function stopped() {
    playing = false;
    button.textContent = watched ? words.replay : words.play;
    button.removeAttribute("aria-disabled");
    changed();
  }

  video.src = url;
  return {
    element, button,
    get watched() { return watched; },
    get playing() { return playing; },
    again() { watched = false; reached = 0; over.classList.remove("again"); button.textContent = words.play; },
    // from a moment of the clip, once all of it has been seen
    jump(seconds) { if (watched) { video.currentTime = seconds; play(); } },
    onWatched(told) { listeners.push(told); if (watched) told(); },
  };
}

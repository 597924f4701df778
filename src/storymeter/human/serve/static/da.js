// Direct Assessment: a clip, a caption, a slider.
import { make } from "./page.js";
import { clip } from "./clip.js";
import { slider } from "./slider.js";

export function da(item, words, statement, report, changed) {
  const film = clip(item.media[0], words, report, changed);
  const label = make("p", { className: "statement", id: "statement", textContent: statement || words.statement_da });
  const scale = slider(words, "statement", changed);
  const ends = make("div", { className: "ends", "aria-hidden": "true" }, make("span", { textContent: words.slider_low }), make("span", { textContent: words.slider_high }));
  const range = make("span", { className: "unseen", textContent: `0: ${words.slider_low}, 100: ${words.slider_high}. ` }); // the labels at the ends, for ears
  const help = make("p", { className: "help", id: "slider-help" }, range, words.slider_help);
  const parts = [make("section", { className: "card", "aria-label": words.clip }, film.element),
    make("section", { className: "card" }, make("h2", { className: "unseen", textContent: words.text }), make("blockquote", { id: "caption", textContent: item.caption }), label, scale.element, ends, help)];
  return {
    parts, first: film.button, film,
    why: () => (!film.watched ? (film.playing ? words.why_watching : words.why_watch) : scale.value === null ? words.why_rate : null),
    answer: () => ({ value: scale.value }),
    submitOn: scale.element,
  };
}

// What Direct Assessment and error spans share: the statement, the slider and its ends.
import { make } from "./page.js";
import { slider } from "./slider.js";

export function rating(statement, words, changed, value = null) {
  const label = make("p", { className: "statement", id: "statement", textContent: statement });
  const scale = slider(words, "statement", changed, value);
  const ends = make("div", { className: "ends", "aria-hidden": "true" }, make("span", { textContent: words.slider_low }), make("span", { textContent: words.slider_high }));
  const range = make("span", { className: "unseen", textContent: `0: ${words.slider_low}, 100: ${words.slider_high}. ` }); // the labels at the ends, for ears
  const help = make("p", { className: "help", id: "slider-help" }, range, words.slider_help);
  return { scale, parts: [label, scale.element, ends, help] };
}

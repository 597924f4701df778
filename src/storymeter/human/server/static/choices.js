// One question, several answers, one of them chosen: native radio buttons, styled as tiles.
// With `scale` the answers are numbered, and a phone shows the numbers in one row with words at the ends.
import { make, fill } from "./page.js";

export function choices(legend, options, name, changed, { scale = "", chosen = null } = {}) {
  const list = make("div", { className: scale ? "choices scale" : "choices" });
  options.forEach((text, number) => {
    const input = make("input", { type: "radio", name, value: String(number), checked: number === chosen });
    input.addEventListener("change", () => { chosen = number; changed(); });
    const tile = scale
      ? make("span", {}, make("b", { textContent: String(number + 1), "aria-hidden": "true" }), make("i", { textContent: text }))
      : make("span", { textContent: text });
    list.append(make("label", { className: "choice" }, input, tile));
  });
  const ends = scale ? [make("p", { className: "scale-ends", "aria-hidden": "true", textContent: fill(scale, { low: options[0], high: options.at(-1) }) })] : [];
  const element = make("fieldset", {}, make("legend", { textContent: legend }), list, ...ends);
  return { element, get chosen() { return chosen; } };
}

export function sentences(texts) {
  return make("ol", {}, ...texts.map((text) => make("li", { textContent: text })));
}

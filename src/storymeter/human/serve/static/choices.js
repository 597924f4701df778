// One question, several answers, one of them chosen: native radio buttons, styled as tiles.
import { make } from "./page.js";

export function choices(legend, options, name, changed, { stack = false } = {}) {
  let chosen = null;
  const list = make("div", { className: stack ? "choices stack" : "choices" });
  options.forEach((text, number) => {
    const input = make("input", { type: "radio", name, value: String(number) });
    input.addEventListener("change", () => { chosen = number; changed(); });
    list.append(make("label", { className: "choice" }, input, make("span", { textContent: text })));
  });
  const element = make("fieldset", {}, make("legend", { textContent: legend }), list);
  return { element, get chosen() { return chosen; } };
}

export function told(sentences) {
  return make("ol", {}, ...sentences.map((text) => make("li", { textContent: text })));
}

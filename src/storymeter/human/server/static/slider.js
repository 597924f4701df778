// A slider without a start position: it has no value until the rater gives it one.
import { make, fill } from "./page.js";

export function slider(words, labelledby, changed, given = null) {
  const rail = make("div", { className: "rail" });
  const bar = make("div", { className: "fill" });
  const knob = make("div", { className: "knob" });
  const number = make("div", { className: "value", "aria-hidden": "true" });
  const element = make("div", { className: "slider", role: "slider", tabIndex: 0, id: "slider",
    "aria-labelledby": labelledby, "aria-describedby": "slider-help", "aria-valuemin": "0", "aria-valuemax": "100",
    "aria-valuenow": "0", "aria-valuetext": words.slider_empty }, rail, bar, knob, number);
  let value = null;

  function set(to, silent = false) {
    value = Math.max(0, Math.min(100, Math.round(to)));
    element.classList.add("set");
    knob.style.left = number.style.left = `${value}%`;
    bar.style.width = `calc(${value}% + 4px)`;
    number.textContent = String(value);
    element.setAttribute("aria-valuenow", String(value));
    element.setAttribute("aria-valuetext", fill(words.slider_value, { value }));
    if (!silent) changed(value);
  }

  function point(event) {
    const box = element.getBoundingClientRect();
    set(((event.clientX - box.left) / box.width) * 100);
  }

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    point(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (element.hasPointerCapture(event.pointerId)) point(event);
  });
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    const step = steps[event.key];
    // the first arrow key starts from the end it comes from: no place in between is suggested to anybody
    if (step) set(value === null ? (step > 0 ? 0 : 100) : value + step);
    else if (event.key === "Home") set(0);
    else if (event.key === "End") set(100);
    else if (/^[0-9]$/.test(event.key)) set(Number(event.key) * 10);
    else return;
    event.preventDefault();
  });
  if (given !== null) set(given, true);
  return { element, get value() { return value; } };
}

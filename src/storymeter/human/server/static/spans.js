// Error spans: a clip, a caption whose wrong words are marked, what is missing, a slider.
import { make } from "./page.js";
import { clip } from "./clip.js";
import { marker } from "./marker.js";
import { rating } from "./rating.js";

export function build(item, page) {
  const { words, statement, changed } = page;
  const film = clip(item.media[0], page);
  const caption = marker(item.caption, item.kinds, words, changed, item.answer?.spans);
  const none = make("input", { type: "checkbox", id: "nothing-wrong", checked: item.answer?.spans.length === 0 });
  none.addEventListener("change", changed);
  const nothing = make("label", { className: "tick" }, none, ` ${words.spans_none}`);
  const missing = make("textarea", { id: "missing", rows: 2, maxLength: 500, value: item.answer?.missing ?? "" });
  const { scale, parts } = rating(statement || words.statement_spans, words, changed, item.answer?.value);
  const unsure = () => (caption.spans.length ? !caption.complete : !none.checked);
  caption.onChange(() => { nothing.hidden = caption.spans.length > 0; if (caption.spans.length) none.checked = false; });
  return {
    parts: [make("section", { className: "card", "aria-label": words.clip }, film.element),
      make("section", { className: "card" }, make("h2", { textContent: words.spans_label, id: "spans-label" }), caption.element, nothing,
        make("label", { className: "missing", htmlFor: "missing", textContent: words.missing_label }), missing),
      make("section", { className: "card" }, ...parts)],
    first: film.button, film,
    why: () => (!film.watched ? (film.playing ? words.why_watching : words.why_watch)
      : unsure() ? (caption.spans.length ? words.why_span : words.why_spans)
        : scale.value === null ? words.why_rate : null),
    answer: () => ({ value: scale.value, spans: caption.spans, missing: missing.value.trim() }),
    submitOn: scale.element,
  };
}

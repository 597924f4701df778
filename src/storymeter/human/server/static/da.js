// Direct Assessment: a clip, a caption, a slider.
import { make } from "./page.js";
import { clip } from "./clip.js";
import { rating } from "./rating.js";

export function build(item, page) {
  const { words, statement, changed } = page;
  const film = clip(item.media[0], page);
  const { scale, parts } = rating(statement || words.statement_da, words, changed, item.answer?.value);
  return {
    parts: [make("section", { className: "card", "aria-label": words.clip }, film.element),
      make("section", { className: "card" }, make("h2", { className: "unseen", textContent: words.text }), make("blockquote", { id: "caption", textContent: item.caption }), ...parts)],
    first: film.button, film,
    why: () => (!film.watched ? (film.playing ? words.why_watching : words.why_watch) : scale.value === null ? words.why_rate : null),
    answer: () => ({ value: scale.value }),
    submitOn: scale.element,
  };
}

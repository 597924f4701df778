// Story survey: pictures, several stories, three marks each, one vote.
import { make, fill } from "./page.js";
import { choices, sentences } from "./choices.js";

const CRITERIA = ["grounded", "coherent", "no_repetition"];

export function build(item, { words, statement, changed }) {
  const total = item.media.length;
  const large = make("dialog", { className: "large", "aria-label": words.pictures });
  large.addEventListener("click", () => large.close());
  function picture(url, k) {
    const alt = fill(words.picture, { n: k + 1, total });
    const button = make("button", { type: "button", className: "enlarge", title: fill(words.enlarge, { n: k + 1 }) }, make("img", { src: url, alt }));
    button.addEventListener("click", () => {
      large.replaceChildren(make("img", { src: url, alt }), make("button", { type: "button", className: "primary", textContent: words.close }));
      large.showModal();
    });
    return button;
  }
  const pictures = make("ul", { className: "pictures", tabIndex: 0, "aria-label": words.pictures },
    ...item.media.map((url, k) => make("li", {}, picture(url, k))));
  pictures.style.setProperty("--count", String(Math.min(total, 5)));
  const marks = [];
  const cards = item.stories.map((texts, story) => {
    const given = item.answer?.marks[story];
    const rows = CRITERIA.map((name, k) => choices(words[`criterion_${name}`], words.likert, `mark-${story}-${name}`, changed, { scale: words.likert_ends, chosen: given ? given[k] - 1 : null }));
    marks.push(rows);
    return make("section", { className: "card" }, make("h2", { textContent: fill(words.story, { n: story + 1 }) }), sentences(texts), make("br"), ...rows.map((row) => row.element));
  });
  const vote = choices(statement || words.vote_label, item.stories.map((_, k) => fill(words.story, { n: k + 1 })), "vote", changed, { chosen: item.answer?.vote ?? null });
  const missing = () => marks.flat().filter((row) => row.chosen === null).length;
  return {
    parts: [make("section", { className: "card in-view", "aria-label": words.pictures }, pictures, large), ...cards, make("section", { className: "card" }, vote.element)], first: pictures, film: null,
    why: () => (missing() ? fill(words.why_marks, { count: missing() }) : vote.chosen === null ? words.why_vote : null),
    answer: () => ({ marks: marks.map((rows) => rows.map((row) => row.chosen + 1)), vote: vote.chosen }),
  };
}

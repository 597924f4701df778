// Story survey: pictures, several stories, three marks each, one vote.
import { make, fill } from "./page.js";
import { choices, sentences } from "./choices.js";

const CRITERIA = ["grounded", "coherent", "no_repetition"];

export function build(item, { words, statement, changed }) {
  const total = item.media.length;
  const pictures = make("ul", { className: "pictures", tabIndex: 0, "aria-label": words.pictures },
    ...item.media.map((url, k) => make("li", {}, make("img", { src: url, alt: fill(words.picture, { n: k + 1, total }) }))));
  pictures.style.setProperty("--count", String(Math.min(total, 5)));
  const marks = [];
  const cards = item.stories.map((texts, story) => {
    const rows = CRITERIA.map((name) => choices(words[`criterion_${name}`], words.likert, `mark-${story}-${name}`, changed, { scale: words.likert_ends }));
    marks.push(rows);
    return make("section", { className: "card" }, make("h2", { textContent: fill(words.story, { n: story + 1 }) }), sentences(texts), make("br"), ...rows.map((row) => row.element));
  });
  const vote = choices(statement || words.vote_label, item.stories.map((_, k) => fill(words.story, { n: k + 1 })), "vote", changed);
  const missing = () => marks.flat().filter((row) => row.chosen === null).length;
  return {
    parts: [make("section", { className: "card in-view", "aria-label": words.pictures }, pictures), ...cards, make("section", { className: "card" }, vote.element)], first: pictures, film: null,
    why: () => (missing() ? fill(words.why_marks, { count: missing() }) : vote.chosen === null ? words.why_vote : null),
    answer: () => ({ marks: marks.map((rows) => rows.map((row) => row.chosen + 1)), vote: vote.chosen }),
  };
}

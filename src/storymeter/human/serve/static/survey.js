// Story survey: pictures, several stories, three marks each, one vote.
import { make, fill } from "./page.js";
import { choices, told } from "./choices.js";

const CRITERIA = ["grounded", "coherent", "no_repetition"];

export function survey(item, words, statement, report, changed) {
  const total = item.media.length;
  const pictures = make("ul", { className: "pictures", tabIndex: 0, "aria-label": words.pictures },
    ...item.media.map((url, k) => make("li", {}, make("img", { src: url, alt: fill(words.picture, { n: k + 1, total }) }))));
  const marks = [];
  const cards = item.stories.map((sentences, story) => {
    const rows = CRITERIA.map((name) => choices(words[`criterion_${name}`], words.likert, `mark-${story}-${name}`, changed));
    marks.push(rows);
    return make("section", { className: "card" }, make("h2", { textContent: fill(words.story, { n: story + 1 }) }), told(sentences), make("br"), ...rows.map((row) => row.element));
  });
  const vote = choices(statement || words.vote_label, item.stories.map((_, k) => fill(words.story, { n: k + 1 })), "vote", changed);
  const missing = () => marks.flat().filter((row) => row.chosen === null).length;
  return {
    parts: [make("section", { className: "card", "aria-label": words.pictures }, pictures), ...cards, make("section", { className: "card" }, vote.element)], first: pictures, film: null,
    why: () => (missing() ? fill(words.why_marks, { count: missing() }) : vote.chosen === null ? words.why_vote : null),
    answer: () => ({ marks: marks.map((rows) => rows.map((row) => row.chosen + 1)), vote: vote.chosen }),
  };
}

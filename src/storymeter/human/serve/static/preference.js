// Story preference: a clip, two descriptions, which is better?
import { make } from "./page.js";
import { clip } from "./clip.js";
import { choices, told } from "./choices.js";

export function preference(item, words, statement, report, changed) {
  const film = clip(item.media[0], words, report, changed);
  const sides = make("div", { className: "two" },
    make("section", { className: "card" }, make("h2", { textContent: words.story_a }), told(item.left)),
    make("section", { className: "card" }, make("h2", { textContent: words.story_b }), told(item.right)));
  const scale = choices(statement || words.preference_label, words.preference_options, "preference", changed);
  const test = item.question ? choices(`${words.test_label}: ${item.question.text}`, item.question.options, "test", changed) : null;
  const asked = make("section", { className: "card" }, ...(test ? [test.element] : []), scale.element);
  return {
    parts: [make("section", { className: "card", "aria-label": words.clip }, film.element), sides, asked], first: film.button, film,
    why: () => (!film.watched ? (film.playing ? words.why_watching : words.why_watch) : test && test.chosen === null ? words.why_test : scale.chosen === null ? words.why_choose : null),
    answer: () => ({ value: scale.chosen - 2, ...(test ? { test: test.chosen } : {}) }),
  };
}

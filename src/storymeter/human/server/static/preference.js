// Story preference: a clip, two descriptions, which is better? Captions with times lead to their moment in the clip.
import { make, fill } from "./page.js";
import { clip } from "./clip.js";
import { choices, sentences } from "./choices.js";

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function timed(texts, times, film, words) {
  return make("ol", { className: "timed" }, ...texts.map((text, k) => {
    const [start, end] = times[k];
    const button = make("button", { type: "button", className: "time", textContent: `${clock(start)}–${clock(end)}`, title: words.jump_later, "aria-disabled": "true" });
    button.addEventListener("click", () => film.jump(start));
    film.onWatched(() => { button.removeAttribute("aria-disabled"); button.title = fill(words.jump, { start: clock(start), end: clock(end) }); });
    return make("li", {}, button, " ", make("span", { textContent: text }));
  }));
}

export function build(item, page) {
  const { words, statement, changed } = page;
  const film = clip(item.media[0], page);
  const side = (title, texts, times) => make("section", { className: "card" }, make("h2", { textContent: title }), times ? timed(texts, times, film, words) : sentences(texts));
  const sides = make("div", { className: "two" },
    side(words.story_a, item.left, item.times?.[0]), side(words.story_b, item.right, item.times?.[1]));
  const scale = choices(statement || words.preference_label, words.preference_options, "preference", changed, { chosen: item.answer ? item.answer.value + 2 : null });
  const test = item.question ? choices(`${words.test_label}: ${item.question.text}`, item.question.options, "test", changed, { chosen: item.answer?.test ?? null }) : null;
  const asked = make("section", { className: "card" }, ...(test ? [test.element] : []), scale.element);
  return {
    parts: [make("section", { className: "card", "aria-label": words.clip }, film.element), sides, asked], first: film.button, film,
    why: () => (!film.watched ? (film.playing ? words.why_watching : words.why_watch) : test && test.chosen === null ? words.why_test : scale.chosen === null ? words.why_choose : null),
    answer: () => ({ value: scale.chosen - 2, ...(test ? { test: test.chosen } : {}) }),
  };
}

// A text whose words can be marked, by mouse, by touch and by keyboard. Places in the text are counted in code points, as the server
// counts them. A mark is a run of words with a severity and a kind; marks do not overlap.
import { make, fill } from "./page.js";
import { choices } from "./choices.js";

const SEVERITIES = ["minor", "major"];

// the words of a text, also where there are no blanks between them: [{ text, start, end }] with the signs between them
function pieces(text) {
  const segments = [...new Intl.Segmenter(document.documentElement.lang, { granularity: "word" }).segment(text)];
  let at = 0;
  return segments.map(({ segment, isWordLike }) => {
    const start = at;
    at += [...segment].length;
    return { text: segment, start, end: at, word: isWordLike };
  });
}

export function marker(text, kinds, words, changed, given = []) {
  // behind the text: the mark for what it does not tell
  const length = [...text].length;
  const parts = [...pieces(text), { text: " " }, { text: words.missing_mark, start: length, end: length, word: true, omission: true }];
  const marks = []; // { first, last, severity, kind }: numbers of words
  const listeners = [];
  const buttons = [];
  let anchor = null; // where a selection began
  let focus = 0;
  let serial = 0;
  const found = parts.filter((part) => part.word);
  const line = make("div", { className: "words", id: "caption", role: "group", "aria-labelledby": "spans-label", "aria-describedby": "spans-help" });
  for (const part of parts) {
    if (part.omission) line.append(make("br"));
    if (!part.word) { line.append(make("span", { textContent: part.text })); continue; }
    const button = make("button", { type: "button", className: "word", textContent: part.text, tabIndex: buttons.length ? -1 : 0 });
    button.dataset.n = String(buttons.length);
    buttons.push(button);
    line.append(button);
  }
  const help = make("p", { className: "help", id: "spans-help", textContent: words.spans_help });
  const list = make("div", { className: "marks", role: "region", "aria-label": words.spans_marked, hidden: true });
  const element = make("div", {}, line, help, list);
  const at = (n) => marks.find((mark) => mark.first <= n && n <= mark.last);
  const last = found.length - 1; // the omission, which is a mark by itself
  const shown = (mark) => (mark.first === last ? words.missing_mark : [...text].slice(found[mark.first].start, found[mark.last].end).join(""));

  function paint(selected = null) {
    buttons.forEach((button, n) => {
      const mark = at(n);
      const inside = selected && selected[0] <= n && n <= selected[1];
      button.className = `word${mark ? ` marked ${mark.severity ?? ""}` : ""}${inside ? " selected" : ""}`;
      button.setAttribute("aria-pressed", String(Boolean(mark)));
      button.setAttribute("aria-label", fill(mark ? words.span_word_marked : words.span_word, { word: found[n].text }));
    });
  }

  function row(mark) {
    const update = () => {
      mark.severity = severity.chosen === null ? null : SEVERITIES[severity.chosen];
      if (mark.first !== last) mark.kind = kind.chosen === null ? null : kinds[kind.chosen];
      paint();
      changed();
    };
    const severity = choices(words.span_severity, SEVERITIES.map((name) => words.severities[name]), `severity-${mark.id}`, update, { chosen: mark.severity ? SEVERITIES.indexOf(mark.severity) : null });
    const kind = choices(words.span_kind, kinds.map((name) => words.kinds[name] ?? name), `kind-${mark.id}`, update, { chosen: mark.kind ? kinds.indexOf(mark.kind) : null });
    kind.element.classList.add("kinds");
    const remove = make("button", { type: "button", className: "remove", textContent: words.span_remove });
    remove.addEventListener("click", () => { take(mark); buttons[mark.first].focus(); });
    return make("section", { className: "mark", "aria-label": shown(mark) },
      make("div", { className: "mark-head" }, make("strong", { textContent: `“${shown(mark)}”` }), remove), severity.element, ...(mark.first === last ? [] : [kind.element]));
  }

  function refresh() {
    marks.sort((a, b) => a.first - b.first);
    list.hidden = !marks.length;
    list.replaceChildren(...marks.map(row));
    paint();
    listeners.forEach((told) => told());
    changed();
  }

  // a new mark over these words; marks that it touches become part of it
  function put(first, to) {
    const end = to === last && first < last ? last - 1 : to;
    const touched = marks.filter((mark) => mark.first <= end && first <= mark.last);
    const whole = { id: (serial += 1), first: Math.min(first, ...touched.map((m) => m.first)), last: Math.max(end, ...touched.map((m) => m.last)),
      severity: touched[0]?.severity ?? null, kind: first === last ? "missing" : touched[0]?.kind ?? null };
    touched.forEach((mark) => marks.splice(marks.indexOf(mark), 1));
    marks.push(whole);
    refresh();
  }

  function take(mark) {
    marks.splice(marks.indexOf(mark), 1);
    refresh();
  }

  function toggle(n) {
    const mark = at(n);
    if (mark) take(mark);
    else put(n, n);
  }

  function go(n, extend) {
    const to = Math.max(0, Math.min(buttons.length - 1, n));
    if (extend && anchor === null) anchor = focus;
    if (!extend) anchor = null;
    buttons[focus].tabIndex = -1;
    focus = to;
    buttons[to].tabIndex = 0;
    buttons[to].focus();
    paint(anchor === null ? null : [Math.min(anchor, to), Math.max(anchor, to)]);
  }

  const number = (event) => {
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".word");
    return under && line.contains(under) ? Number(under.dataset.n) : null;
  };
  let down = null;
  line.addEventListener("pointerdown", (event) => { if (event.button === 0) down = number(event); });
  line.addEventListener("pointermove", (event) => {
    const n = down === null ? null : number(event);
    if (n !== null && n !== down) paint([Math.min(down, n), Math.max(down, n)]);
  });
  line.addEventListener("pointercancel", () => { down = null; paint(); });
  line.addEventListener("pointerup", (event) => {
    const from = down;
    const to = number(event);
    down = null;
    if (from === null || to === null) { paint(); return; }
    go(to, false);
    if (from === to) toggle(to);
    else put(Math.min(from, to), Math.max(from, to));
  });
  line.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key in steps) go(focus + steps[event.key], event.shiftKey);
    else if (event.key === "Home") go(0, event.shiftKey);
    else if (event.key === "End") go(buttons.length - 1, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") {
      if (anchor === null) toggle(focus);
      else put(Math.min(anchor, focus), Math.max(anchor, focus));
      anchor = null;
    } else if ((event.key === "Delete" || event.key === "Backspace") && at(focus)) take(at(focus));
    else return;
    event.preventDefault();
  });
  for (const { start, end, severity, kind } of given) {
    const [first, to] = start === end ? [last, last] : [found.findIndex((part) => part.end > start), found.findLastIndex((part) => part.start < end)];
    marks.push({ id: (serial += 1), first, last: to, severity, kind });
  }
  list.hidden = !marks.length;
  list.append(...marks.map(row));
  paint();
  return {
    element,
    get spans() { return marks.map((mark) => ({ start: found[mark.first].start, end: found[mark.last].end, severity: mark.severity, kind: mark.kind })); },
    get complete() { return marks.every((mark) => mark.severity && mark.kind); },
    onChange(told) { listeners.push(told); },
  };
}

"use strict";
/* The report's script: sorts, filters, brushes, opens documents, plays clips. The state is in the address. */
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const SVG = "http://www.w3.org/2000/svg";
const ROW = 34;
const PRINTED = 500; // rows of the table of documents; about fifteen sheets
const several = data.systems.length > 1;
const place = new Map(data.ids.map((id, k) => [id, k]));

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* ---- the state, which is the address ---- */

const state = { d: "", m: 0, a: 0, b: several ? 1 : 0, q: "", low: "", high: "", order: "id", brush: "", al: 0, ann: "", words: data.unsupported ? "facts" : "" };
const defaults = { ...state };

function readAddress() {
  const text = location.hash.slice(1);
  const given = text.includes("=") ? new URLSearchParams(text) : new URLSearchParams();
  for (const key of Object.keys(state)) {
    const value = given.get(key);
    state[key] = value === null ? defaults[key] : typeof defaults[key] === "number" ? Number(value) || 0 : value;
  }
  state.m = Math.min(state.m, data.metrics.length - 1);
  state.a = Math.min(state.a, data.systems.length - 1);
  state.b = Math.min(state.b, data.systems.length - 1);
}

function writeAddress(push = false) {
  const kept = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== defaults[key]) kept.set(key, value);
  const text = kept.toString();
  const address = text ? `#${text}` : location.pathname + location.search;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/* ---- numbers as people read them ---- */

function shown(value, metric) {
  if (value === null || value === undefined) return "–";
  const facts = data.metrics[metric];
  return (value * (facts.percent ? 100 : 1)).toFixed(2);
}
const valueOf = (system, document) => data.values[system][state.m][document];
const clock = (seconds) => {
  const whole = Math.max(0, Math.round(seconds * 10) / 10);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${(whole - 60 * minutes).toFixed(1).padStart(4, "0")}`;
};

/* ---- captions and their partners ---- */

function events(list, document) {
  const flat = list[document];
  if (!flat) return null;
  const found = [];
  for (let k = 0; k < flat.length; k += 3) found.push({ start: flat[k], end: flat[k + 1], text: data.texts[flat[k + 2]], at: k / 3 });
  return numbered(found);
}

/* in the order of time, and numbered so; `at` stays the place as read, by which links are kept */
function numbered(list) {
  const sorted = [...list].sort((x, y) => (x.start ?? 0) - (y.start ?? 0) || x.at - y.at);
  sorted.forEach((e, n) => { e.number = n + 1; });
  return sorted;
}

function linksOf(system, document, alignment = state.al) {
  const flat = data.alignments[alignment] && data.alignments[alignment].links[system][document];
  if (!flat) return null;
  const pairs = [];
  for (let k = 1; k < flat.length; k += 4) {
    const spelled = data.words[alignment] ? data.words[alignment][system][document][(k - 1) / 4] : undefined;
    pairs.push({ caption: flat[k], reference: flat[k + 1], iou: flat[k + 2], f: flat[k + 3], words: spelled });
  }
  return { annotator: flat[0], pairs };
}

function withoutPartner(system, document) {
  const flat = data.alignments[0] && data.alignments[0].links[system][document];
  const told = data.captions[system][document];
  return flat && told ? told.length / 3 - (flat.length - 1) / 4 : null;
}

/* ---- documents: filter, order, table ---- */

let order = [];
const searched = new Map();

function haystack(k) {
  if (!searched.has(k)) {
    const parts = [data.ids[k]];
    for (const list of [...data.captions, ...data.references]) {
      const flat = list[k];
      for (let n = 2; flat && n < flat.length; n += 3) parts.push(data.texts[flat[n]]);
    }
    searched.set(k, parts.join("\n").toLowerCase());
  }
  return searched.get(k);
}

function filter() {
  const scale = data.metrics[state.m].percent ? 100 : 1;
  const low = state.low === "" ? -Infinity : Number(state.low) / scale;
  const high = state.high === "" ? Infinity : Number(state.high) / scale;
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const box = state.brush ? state.brush.split(",").map(Number) : null;
  const kept = [];
  for (let k = 0; k < data.ids.length; k++) {
    const a = valueOf(state.a, k);
    if ((low > -Infinity || high < Infinity) && (a === null || a < low || a > high)) continue;
    if (box) {
      const b = valueOf(state.b, k);
      if (a === null || b === null || a < box[0] || a > box[1] || b < box[2] || b > box[3]) continue;
    }
    if (words.length && !words.every((word) => haystack(k).includes(word))) continue;
    kept.push(k);
  }
  const sign = data.metrics[state.m].sign || 1;
  const number = (value) => (value === null || value === undefined ? -Infinity : value);
  const difference = (k) => (valueOf(state.a, k) === null || valueOf(state.b, k) === null ? null : sign * (valueOf(state.a, k) - valueOf(state.b, k)));
  const keys = {
    worst: (k) => { const value = valueOf(state.a, k); return value === null ? -Infinity : -sign * value; },
    ab: (k) => number(difference(k)),
    ba: (k) => { const value = difference(k); return value === null ? -Infinity : -value; },
    single: (k) => number(withoutPartner(state.a, k)),
  };
  const [name, direction] = state.order.split(":");
  let key = keys[name];
  if (name.startsWith("s")  && name !== "single") { const system = Number(name.slice(1)); key = (k) => number(valueOf(system, k)); }
  if (key) {
    const sorted = new Map(kept.map((k) => [k, key(k)]));
    const turn = direction === "up" ? -1 : 1;
    kept.sort((x, y) => turn * (sorted.get(y) - sorted.get(x)) || x - y || 0);
  } else if (direction === "down") kept.reverse();
  order = kept;
}

function columns() {
  const found = data.systems.map((name, k) => ({ title: name, key: `s${k}`, cell: (row) => shown(valueOf(k, row), state.m) }));
  if (several) {
    found.push({ title: "A – B", key: "ab", cell: (row) => {
      const a = valueOf(state.a, row), b = valueOf(state.b, row);
      const text = a === null || b === null ? "–" : shown(a - b, state.m);
      return text === "–" ? text : Number(text) === 0 ? "0.00" : text.startsWith("-") ? text : `+${text}`;
    } });
  }
  if (data.alignments.length) {
    found.push({ title: "no partner", key: "single", cell: (row) => {
      const value = withoutPartner(state.a, row);
      return value === null ? "–" : String(value);
    } });
  }
  return found;
}

function head() {
  const [sorted, direction] = state.order.split(":");
  const cells = [{ title: "document", key: "id" }, ...columns()].map(({ title, key }, k) => {
    const active = sorted === key;
    const up = key === "id" ? direction !== "down" : direction === "up";
    const button = make("button", { type: "button", class: "sort", dir: "auto", title }, title);
    button.addEventListener("click", () => {
      const next = key === "id" ? (active && up ? ":down" : "") : active && !up ? ":up" : "";
      change({ order: key + next });
    });
    return make("th", { scope: "col", class: k ? "number" : null, "aria-sort": active ? (up ? "ascending" : "descending") : null }, button);
  });
  $("rows").querySelector("thead").replaceChildren(make("tr", {}, ...cells));
  $("rows").querySelector("table").style.minWidth = `${12 + 6.8 * (cells.length - 1)}rem`;
}

let drawnFrom = -1, drawnTo = -1, printing = false;
function body(force = false) {
  const view = $("rows");
  const from = printing ? 0 : Math.max(0, Math.floor(view.scrollTop / ROW) - 8);
  const to = printing ? Math.min(order.length, PRINTED) : Math.min(order.length, from + Math.ceil(view.clientHeight / ROW) + 16);
  if (!force && from === drawnFrom && to === drawnTo) return;
  drawnFrom = from; drawnTo = to;
  const list = columns();
  const rows = [];
  const space = (count) => {
    const row = make("tr", { class: "space", "aria-hidden": "true" }, make("td", { colspan: list.length + 1 }));
    row.style.height = row.firstChild.style.height = `${count * ROW}px`;
    return row;
  };
  if (from && !printing) rows.push(space(from));
  for (let n = from; n < to; n++) {
    const k = order[n], id = data.ids[k];
    const link = make("a", { href: `#d=${encodeURIComponent(id)}`, title: id, dir: "auto" }, id);
    link.addEventListener("click", (event) => { event.preventDefault(); open(id); });
    const row = make("tr", { "aria-rowindex": n + 2, class: id === state.d ? "open" : null }, make("td", {}, link));
    for (const column of list) row.append(make("td", { class: "number" }, column.cell(k)));
    rows.push(row);
  }
  if (to < order.length && !printing) rows.push(space(order.length - to));
  const table = view.querySelector("table");
  table.setAttribute("aria-rowcount", order.length + 1);
  table.querySelector("tbody").replaceChildren(...rows);
}

/* ---- A against B ---- */

const SIZE = 360, EDGE = 54;
let scaleOf = null;

/* as much of a name as an axis has room for; Chinese and Japanese letters are twice as wide */
function fitted(name, room = 40) {
  let used = 0, kept = "";
  for (const letter of name) {
    used += letter.codePointAt(0) >= 0x1100 ? 2 : 1;
    if (used > room) return `${kept.trimEnd()}…`;
    kept += letter;
  }
  return name;
}

function plane() {
  const figure = $("plane");
  figure.hidden = !several || state.a === state.b;
  if (figure.hidden) return;
  const xs = data.values[state.a][state.m], ys = data.values[state.b][state.m];
  let low = Infinity, high = -Infinity;
  for (let k = 0; k < xs.length; k++) for (const v of [xs[k], ys[k]]) if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(high > low)) { low = (low === Infinity ? 0 : low) - .5; high = low + 1; }
  const x = (v) => EDGE + ((v - low) / (high - low)) * (SIZE - EDGE - 8);
  const y = (v) => SIZE - EDGE - ((v - low) / (high - low)) * (SIZE - EDGE - 8);
  scaleOf = { x, y, low, high, xs, ys };
  const dots = (list) => list.filter((k) => xs[k] !== null && ys[k] !== null).map((k) => `M${x(xs[k]).toFixed(1)} ${y(ys[k]).toFixed(1)}h0`).join("");
  const label = (text, attributes) => draw("text", { class: "soft", ...attributes }, text);
  const nameA = fitted(data.systems[state.a]), nameB = fitted(data.systems[state.b]);
  const picture = draw("svg", { class: "figure", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": `Every document: ${nameA} across, ${nameB} upwards` },
    draw("path", { class: "axis", d: `M${EDGE} 8V${SIZE - EDGE}H${SIZE - 8}` }),
    draw("path", { class: "zero", d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}` }),
    draw("path", { class: "all", d: dots([...data.ids.keys()]) }),
    draw("path", { class: "kept", d: dots(order) }),
    draw("rect", { class: "brush", width: 0, height: 0, x: 0, y: 0 }),
    draw("circle", { class: "near", r: 6, cx: -20, cy: -20 }),
    label(`${nameA} →`, { x: SIZE - 8, y: SIZE - 8, "text-anchor": "end" }),
    label(`${nameB} →`, { transform: `translate(14 ${SIZE - EDGE}) rotate(-90)` }),
    label(shown(low, state.m), { x: EDGE, y: SIZE - EDGE + 16 }), label(shown(high, state.m), { x: SIZE - 8, y: SIZE - EDGE + 16, "text-anchor": "end" }),
    label(shown(high, state.m), { x: EDGE - 5, y: 18, "text-anchor": "end" }));
  figure.firstElementChild.replaceChildren(picture);
  figure.lastElementChild.textContent = "One dot per document; below the dashed line A scores higher. Click a dot to open it, drag a box to select documents.";
  if (state.brush) {
    const [x0, x1, y0, y1] = state.brush.split(",").map(Number);
    frame(picture.querySelector(".brush"), x(x0), y(y1), x(x1), y(y0));
  }
  pointer(picture);
}

function frame(rect, x0, y0, x1, y1) {
  for (const [key, value] of [["x", Math.min(x0, x1)], ["y", Math.min(y0, y1)], ["width", Math.abs(x1 - x0)], ["height", Math.abs(y1 - y0)]]) rect.setAttribute(key, value);
}

function pointer(picture) {
  const at = (event) => { const box = picture.getBoundingClientRect(); return [((event.clientX - box.left) / box.width) * SIZE, ((event.clientY - box.top) / box.height) * SIZE]; };
  const nearest = ([px, py]) => {
    let best = -1, least = 12 * 12;
    for (const k of order) {
      if (scaleOf.xs[k] === null || scaleOf.ys[k] === null) continue;
      const distance = (scaleOf.x(scaleOf.xs[k]) - px) ** 2 + (scaleOf.y(scaleOf.ys[k]) - py) ** 2;
      if (distance < least) { least = distance; best = k; }
    }
    return best;
  };
  let begin = null;
  picture.addEventListener("pointerdown", (event) => { begin = at(event); picture.setPointerCapture(event.pointerId); });
  picture.addEventListener("pointermove", (event) => {
    const now = at(event);
    if (begin) { frame(picture.querySelector(".brush"), ...begin, ...now); return; }
    const k = nearest(now), ring = picture.querySelector(".near");
    ring.setAttribute("cx", k < 0 ? -20 : scaleOf.x(scaleOf.xs[k])); ring.setAttribute("cy", k < 0 ? -20 : scaleOf.y(scaleOf.ys[k]));
    $("plane").lastElementChild.textContent = k < 0 ? "Click a dot to open it, drag a box to select documents." : `${data.ids[k].slice(0, 80)}: ${shown(scaleOf.xs[k], state.m)} and ${shown(scaleOf.ys[k], state.m)}`;
  });
  picture.addEventListener("pointerup", (event) => {
    const end = at(event), from = begin;
    begin = null;
    if (!from) return;
    if (Math.hypot(end[0] - from[0], end[1] - from[1]) < 6) {
      const k = nearest(end);
      if (k >= 0) open(data.ids[k]);
      return;
    }
    const { low, high } = scaleOf, range = SIZE - EDGE - 8;
    const vx = (px) => low + ((px - EDGE) / range) * (high - low), vy = (py) => low + ((SIZE - EDGE - py) / range) * (high - low);
    const box = [Math.min(vx(from[0]), vx(end[0])), Math.max(vx(from[0]), vx(end[0])), Math.min(vy(from[1]), vy(end[1])), Math.max(vy(from[1]), vy(end[1]))];
    change({ brush: box.map((v) => v.toPrecision(5)).join(",") });
  });
}

function change(values) {
  Object.assign(state, values);
  writeAddress();
  refresh();
}

function refresh() {
  filter();
  $("search").value = state.q; $("metric").value = state.m; $("a").value = state.a; $("b").value = state.b; $("low").value = state.low; $("high").value = state.high;
  const total = `${data.ids.length.toLocaleString("en")} document${data.ids.length === 1 ? "" : "s"}`;
  $("count").textContent = order.length === data.ids.length ? total : `${order.length.toLocaleString("en")} of ${total}`;
  for (const button of all("[data-order]")) button.setAttribute("aria-pressed", state.order === button.dataset.order);
  head();
  $("rows").scrollTop = 0;
  body(true);
  plane();
}

/* ---- one document ---- */

let video = null;
function open(id, push = true) {
  state.d = id;
  state.ann = "";
  writeAddress(push);
  showOne(true);
}

function step(by) {
  const now = order.indexOf(place.get(state.d));
  const next = now < 0 ? 0 : now + by;
  if (next >= 0 && next < order.length) open(data.ids[order[next]]);
}

function showOne(scroll = false) {
  const box = $("one"), k = place.get(state.d);
  video = null;
  box.hidden = k === undefined;
  body(true);
  if (k === undefined) { box.replaceChildren(); return; }
  const button = (text, act, title) => { const made = make("button", { type: "button", title }, text); made.addEventListener("click", act); return made; };
  const bar = make("div", { class: "controls" }, button("← previous (K)", () => step(-1)), button("next (J) →", () => step(1)), button("Close", () => { state.d = ""; writeAddress(); showOne(); }, "Close this document"));
  const scores = make("table", {}, make("thead", {}, make("tr", {}, make("th", {}, "system"), ...data.metrics.map((m) => make("th", { class: "number" }, m.name)))),
    make("tbody", {}, ...data.systems.map((name, s) => make("tr", {}, make("th", { scope: "row", dir: "auto" }, name), ...data.metrics.map((_, m) => make("td", { class: "number" }, shown(data.values[s][m][k], m)))))));
  box.replaceChildren(make("h3", { dir: "auto", tabindex: "-1" }, state.d), bar, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores of this document" }, scores),
    ...(data.kind === "dense" ? denseView(k) : data.kind === "story" ? storyView(k) : captionView(k)));
  if (scroll) box.scrollIntoView({ block: "start" });
}

const media = /^v_([\w-]{11})$/;
function source(seconds) {
  const found = media.exec(state.d);
  return found ? `https://www.youtube.com/watch?v=${found[1]}&t=${Math.floor(seconds)}s` : null;
}

function denseView(k) {
  const parts = [];
  const address = data.videos[state.d];
  if (address) {
    video = make("video", { controls: true, preload: "metadata", src: address, playsinline: true, "aria-label": `Video ${state.d}` });
    parts.push(video);
  }
  const present = data.annotators.map((name, n) => [name, n]).filter(([, n]) => data.references[n][k]);
  const controls = make("div", { class: "controls" });
  if (data.alignments.length > 1) controls.append(choice("Matching by", "al", data.alignments.map((a, n) => [data.metrics[a.metric].name, n])));
  if (present.length > 1) controls.append(choice("References by", "ann", [["the one that counts", ""], ...present.map(([name], n) => [name, String(n)])]));
  if (data.alignments.length || data.unsupported) controls.append(choice("Words", "words", [["plain", ""], ...(data.words.length ? [["METEOR's word links", "links"]] : []), ["not in any reference", "unsaid"], ...(data.unsupported ? [["unsupported by the references", "facts"]] : [])]));
  parts.push(controls, lanes(k, present));
  if (data.alignments.length) parts.push(make("p", { class: "note" }, "Filled bars are matched, dashed ones are not. Point at a caption to see its links: overlap in time (IoU) times the similarity of the sentences (f). Click a time to play the video there."));
  return parts;
}

function choice(name, key, options) {
  const select = make("select", {}, ...options.map(([text, value]) => make("option", { value }, text)));
  select.value = state[key];
  select.addEventListener("change", () => { state[key] = typeof defaults[key] === "number" ? Number(select.value) : select.value; writeAddress(); showOne(); });
  return make("label", {}, `${name} `, select);
}

function lanes(k, present) {
  const counting = data.systems.map((_, s) => linksOf(s, k));
  const duration = data.durations[k] || 1;
  const wanted = state.ann !== "" ? [Number(state.ann)] : [...new Set(counting.filter(Boolean).map((c) => c.annotator))];
  const shownTracks = wanted.length ? wanted : present.map((_, n) => n);
  const overlay = draw("svg", { class: "links", "aria-hidden": "true" });
  const box = make("div", { class: "lanes" });
  const rows = { references: new Map(), captions: data.systems.map(() => new Map()) };
  const told = new Set(data.references.flatMap((list) => (events(list, k) || []).flatMap((e) => e.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [])));
  const tracks = shownTracks.includes(-1) ? [{ name: "all annotators", key: -1, list: numbered(merged(present, k)) }]
    : shownTracks.filter((n) => present[n]).map((n) => ({ name: present[n][0], key: n, list: events(data.references[present[n][1]], k) }));
  const numbers = { references: data.systems.map((_, s) => numbersOf(tracks.find((t) => counting[s] && t.key === counting[s].annotator))), captions: data.systems.map((_, s) => numbersOf({ list: events(data.captions[s], k) || [] })) };
  for (const track of tracks) {
    const linked = counting.map((c) => (c && c.annotator === track.key ? c.pairs : []));
    box.append(lane(k, `References: ${track.name}`, "g", null, track.list, duration, (e) => linked.flatMap((pairs, s) => pairs.filter((p) => p.reference === e.at).map((p) => ({ ...p, s }))),
      (e, row) => rows.references.set(`${track.key}:${e.at}`, row), null, numbers));
  }
  data.systems.forEach((name, s) => {
    const pairs = counting[s] ? counting[s].pairs : [];
    box.append(lane(k, name, "p", s, events(data.captions[s], k) || [], duration, (e) => pairs.filter((p) => p.caption === e.at).map((p) => ({ ...p, s })), (e, row) => rows.captions[s].set(e.at, row), told, numbers));
  });
  box.append(overlay);
  const partners = (row, links, side) => links.map((p) => [p, side === "g" ? rows.captions[p.s].get(p.caption) : counting[p.s] && rows.references.get(`${counting[p.s].annotator}:${p.reference}`)]).filter(([, other]) => other);
  for (const [map, side] of [[rows.references, "g"], ...rows.captions.map((map) => [map, "p"])]) {
    for (const row of map.values()) {
      const enter = () => {
        const found = partners(row, row.links, side);
        for (const each of all(".event", box)) each.classList.toggle("quiet", found.length > 0 && each !== row && !found.some(([, other]) => other === each));
        overlay.replaceChildren(...found.map(([, other]) => curve(row, other, box)), ...all("line", overlay));
        for (const [, other] of found) other.classList.add("linked");
      };
      const leave = () => { for (const each of all(".event", box)) each.classList.remove("quiet", "linked"); overlay.replaceChildren(...all("line", overlay)); };
      row.addEventListener("pointerenter", enter); row.addEventListener("pointerleave", leave); row.addEventListener("focusin", enter); row.addEventListener("focusout", leave);
    }
  }
  if (video) playhead(video, box, overlay, duration);
  return box;
}

/* the tracks of all annotators one after the other, as they were read */
function merged(present, k) {
  return present.flatMap(([, n]) => events(data.references[n], k).sort((x, y) => x.at - y.at)).map((e, at) => ({ ...e, at }));
}

function curve(from, to, box) {
  const frameBox = box.getBoundingClientRect();
  const middle = (row) => { const r = row.querySelector("rect").getBoundingClientRect(); return [(r.left + r.right) / 2 - frameBox.left, (r.top + r.bottom) / 2 - frameBox.top]; };
  const [[x0, y0], [x1, y1]] = [middle(from), middle(to)];
  return draw("path", { d: `M${x0} ${y0}C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}` });
}

function playhead(player, box, overlay, duration) {
  const line = draw("line", { y1: 0, y2: "100%", x1: -9, x2: -9 });
  overlay.append(line);
  const move = () => {
    const track = box.querySelector("svg.track");
    if (!track) return;
    const outer = box.getBoundingClientRect(), inner = track.getBoundingClientRect();
    const x = inner.left - outer.left + Math.min(1, player.currentTime / duration) * inner.width;
    line.setAttribute("x1", x); line.setAttribute("x2", x);
  };
  for (const name of ["timeupdate", "seeked", "loadedmetadata"]) player.addEventListener(name, move);
}

const numbersOf = (track) => new Map(track ? track.list.map((e) => [e.at, e.number]) : []);

function lane(k, title, letter, system, list, duration, linksFor, register, told, numbers) {
  const items = list.map((e) => {
    const links = linksFor(e), single = data.alignments.length > 0 && !links.length;
    const left = (Math.max(0, e.start || 0) / duration) * 1000, width = Math.max(3, (((e.end || 0) - (e.start || 0)) / duration) * 1000);
    const colour = system === null ? 7 : system % 8;
    const bar = draw("svg", { class: "track", viewBox: "0 0 1000 18", preserveAspectRatio: "none", "aria-hidden": "true" }, draw("rect", { class: single ? `single s${colour}` : `bar c${colour}`, x: left, y: 2, width: Math.min(width, 1000 - Math.min(left, 990)), height: 14, rx: 3 }));
    const when = make("button", { type: "button", class: "when" }, `${clock(e.start || 0)} – ${clock(e.end || 0)}`);
    when.addEventListener("click", () => play(e.start || 0));
    const text = make("div", { class: "text", dir: "auto" }, ...spelled(e, links, told, letter, lacking(system, k, e.at)));
    const outside = video ? null : source(e.start || 0);
    const place = make("div", {}, text, when, ...(outside ? [" ", make("a", { href: outside, target: "_blank", rel: "noopener noreferrer", class: "soft source" }, "source")] : []));
    const partner = !data.alignments.length ? "" : single ? "no partner" : letter === "p" ? links.map((p) => `→ g${numbers.references[p.s].get(p.reference) ?? p.reference + 1}: ${p.iou.toFixed(2)} × ${p.f.toFixed(2)} = ${(p.iou * p.f).toFixed(2)}`).join("; ") : links.map((p) => `${several ? `${data.systems[p.s].slice(0, 14)} ` : ""}p${numbers.captions[p.s].get(p.caption)}`).join(", ");
    const row = make("li", { class: "event", tabindex: "0" }, make("span", { class: "code" }, `${letter}${e.number}`), place, bar, make("span", { class: "partner", dir: "auto" }, partner));
    row.links = links;
    row.dataset.start = e.start;
    register(e, row);
    return row;
  });
  const mark = system === null ? null : all("#board tbody tr").map((row) => row.dataset.system).includes(String(system)) ? document.querySelector(`#board tr[data-system="${system}"] svg.legend`).cloneNode(true) : null;
  return make("section", {}, make("h4", { dir: "auto" }, mark, title), items.length ? make("ol", {}, ...items) : make("p", { class: "soft" }, "no caption"));
}

const LETTERS = { "": 0, s: 1, y: 2, p: 3 };
const UNSUPPORTED = { class: "unsaid", title: "unsupported by the references (facts)" };
const lacking = (system, document, caption) => new Set((data.unsupported && system !== null && data.unsupported[system][document] && data.unsupported[system][document][caption]) || []);
function spelled(e, links, told, letter, unsupported) {
  if (letter !== "p" || !state.words) return [e.text];
  const kinds = new Map();
  for (const link of links) for (const found of (link.words || "").matchAll(/(\d+)-\d+([syp]?)/g)) kinds.set(Number(found[1]), LETTERS[found[2]]);
  let at = -1;
  return e.text.split(/(\s+)/).map((word) => {
    if (!word.trim()) return word;
    at += 1;
    if (state.words === "links") return kinds.has(at) ? make("span", { class: `w${kinds.get(at)}`, title: ["exact", "same stem", "synonym", "paraphrase"][kinds.get(at)] }, word) : word;
    if (state.words === "facts") return unsupported.has(at) ? make("mark", UNSUPPORTED, word) : word;
    const letters = word.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
    return letters.length && letters.some((part) => !told.has(part)) ? make("span", { class: "unsaid", title: "in no reference" }, word) : word;
  });
}

function play(seconds) {
  if (video) { video.currentTime = seconds; video.play().catch(() => {}); return; }
  const address = source(seconds);
  if (address) window.open(address, "_blank", "noopener,noreferrer");
}

/* ---- stories and captions ---- */

function storyView(k) {
  const parts = [];
  const sides = [...data.systems.map((name, s) => [name, events(data.captions[s], k), data.stories && data.stories[s] ? data.stories[s][k] : null, s]), ...data.annotators.map((name, n) => [`Reference: ${name}`, events(data.references[n], k), null, null])];
  for (const [name, list, found, system] of sides) {
    if (!list) continue;
    const repeated = new Set(found ? found.repeated : []);
    const told = found && found.sentences ? found.sentences.map((text) => ({ text, at: null })) : list;
    const pictures = found && found.images ? found.images : [];
    const frame = (picture, n) => data.images[picture] ? make("div", { class: "frame" }, make("img", { src: data.images[picture], alt: `picture ${n + 1}: ${picture}` }), ...regions(found, n)) : null;
    const items = told.map((e, n) => {
      // pictures beyond the last sentence stand at the last one
      const views = pictures.map(frame).slice(n, n === told.length - 1 ? pictures.length : n + 1);
      const unsupported = e.at === null ? new Set() : lacking(system, k, e.at);
      let at = -1;
      const words = e.text.split(/(\s+)/).map((word) => {
        if (word.trim()) at += 1;
        if (word.trim() && unsupported.has(at)) return make("mark", UNSUPPORTED, word);
        return repeated.has(word.toLowerCase().replace(/[^\p{L}\p{N}']/gu, "")) ? make("mark", {}, word) : word;
      });
      const strength = found && found.links && n < found.links.length ? make("p", { class: n === found.weakest ? "strength weakest" : "strength" }, `→ ${found.links[n].toFixed(2)}${n === found.weakest ? " the weakest link" : ""}`) : null;
      return make("li", {}, ...views, make("p", { dir: "auto" }, ...words), strength);
    });
    parts.push(make("h4", { dir: "auto" }, name), make("ol", { class: "story" }, ...items));
  }
  parts.push(make("p", { class: "note" }, `→: the probability that the next sentence follows. Marked words are repeated${data.unsupported ? ", or (orange) no reference supports them" : ""}. Boxes: the best region for each noun, in whatever picture it is; (2): a noun of sentence 2.`));
  return parts;
}

/** The corner of a box where a label of this width, as a share of the picture, hides the least of others. */
function freeCorner(box, width, taken) {
  const height = 0.15;
  const shared = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  const places = [[false, false], [false, true], [true, false], [true, true]].map(([right, bottom]) => {
    const left = right ? Math.max(0, box[2] - width) : box[0];
    const top = bottom ? box[3] - height : box[1];
    const area = [left, top, left + width, top + height];
    return { right, bottom, area, hidden: taken.reduce((sum, other) => sum + shared(area, other), 0) };
  });
  const best = places.reduce((a, b) => b.hidden < a.hidden ? b : a);
  taken.push(best.area);
  return best;
}

/** Boxes of a picture with the nouns that they show best. */
function regions(found, picture) {
  const boxes = new Map();
  for (const r of (found.regions || []).filter((one) => one.picture === picture)) {
    const key = r.box.join();
    if (!boxes.has(key)) boxes.set(key, { box: r.box, nouns: [] });
    boxes.get(key).nouns.push(r.sentence === picture ? r.noun : `${r.noun} (${r.sentence + 1})`);
  }
  const list = [...boxes.values()];
  const outlines = draw("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }, ...list.map(({ box }) => draw("rect", { x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1] })));
  const taken = [];
  const labels = list.map(({ box, nouns }) => {
    const text = nouns.join(", ");
    const corner = freeCorner(box, Math.min(0.05 + 0.035 * text.length, 1), taken);
    const label = make("span", { class: "noun" }, text);
    if (corner.right) label.style.right = `${100 * (1 - box[2])}%`;
    else label.style.left = `${100 * box[0]}%`;
    label.style.top = `${100 * (corner.bottom ? box[3] : box[1])}%`;
    if (corner.bottom) label.style.transform = "translateY(-100%)";
    label.style.maxWidth = `${100 * (corner.right ? box[2] : 1 - box[0])}%`;
    return label;
  });
  return [outlines, ...labels];
}

function captionView(k) {
  const parts = [];
  data.systems.forEach((name, s) => {
    const list = events(data.captions[s], k) || [];
    const told = list.map((e) => e.text).join(" ");
    const unsupported = new Set();
    let before = 0;
    for (const e of list) { for (const at of lacking(s, k, e.at)) unsupported.add(before + at); before += e.text.split(/\s+/).filter(Boolean).length; }
    parts.push(make("h4", { dir: "auto" }, name), make("p", { dir: "auto" }, told || "no caption"));
    const pair = data.pairs && data.pairs[s] ? data.pairs[s][k] : null;
    if (!pair && !data.unsupported) return;
    const kinds = new Map([...(pair ? pair.words : "").matchAll(/(\d+)-(\d+)([syp]?)/g)].map((m) => [Number(m[1]), LETTERS[m[3]]]));
    let at = -1;
    const marked = told.split(/(\s+)/).map((word) => { if (!word.trim()) return word; at += 1; if (data.unsupported && unsupported.has(at)) return make("mark", UNSUPPORTED, word); return kinds.has(at) ? make("span", { class: `w${kinds.get(at)}` }, word) : data.unsupported ? word : make("span", { class: "unsaid" }, word); });
    parts[parts.length - 1].replaceChildren(...marked);
    if (pair && pair.facts.length) parts.push(make("table", { class: "facts" }, make("thead", {}, make("tr", {}, make("th", {}, ""), make("th", {}, "caption"), make("th", {}, ""), make("th", {}, "references"))), make("tbody", {}, ...pair.facts.map((row) => make("tr", {}, ...row.map((cell) => make("td", { dir: "auto" }, cell)))))));
  });
  parts.push(make("h4", {}, "References"), make("ul", {}, ...data.references.flatMap((list) => events(list, k) || []).map((e) => make("li", { dir: "auto" }, e.text))));
  parts.push(make("p", { class: "note" }, `Underlined: METEOR matches the word with one of the closest reference (dotted: same stem, wavy: synonym or paraphrase); ${data.unsupported ? "marked: no reference supports it" : "the rest is marked"}. = the same words, ~ words of one WordNet synset.`));
  return parts;
}

/* ---- leaderboard: sorting, columns, copies ---- */

const hiddenColumns = new Set();
function boardOrder(column, button) {
  const head = button.closest("th"), table = $("board");
  const down = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : column >= 0 && data.metrics[column].sign >= 0;
  for (const th of all("th", table.tHead)) th.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => { const s = Number(row.dataset.system); return column < 0 ? data.systems[s] : data.scores[s][column][0] ?? -Infinity; };
  const rows = all("tbody tr", table).sort((x, y) => { const [u, v] = [key(x), key(y)]; return (u < v ? -1 : u > v ? 1 : 0) * (down ? -1 : 1); });
  table.tBodies[0].append(...rows);
}

const latexEscapes = { "&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}", "†": "$^\\dagger$", "<": "\\textless{}", ">": "\\textgreater{}" };
const latex = (text) => [...text].map((c) => latexEscapes[c] || c).join("");

function copyText(what) {
  if (["signatures", "paragraph", "bibtex"].includes(what)) return $(what) ? $(what).textContent.trim() + "\n" : "";
  const chosen = data.metrics.map((m, n) => n).filter((n) => !hiddenColumns.has(n));
  const rows = all("#board tbody tr").map((row) => ({ s: Number(row.dataset.system), cells: chosen.map((n) => row.querySelector(`td[data-column="${n}"]`)) }));
  if (what === "csv") {
    const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = ["system,metric,value,low,high"];
    for (const { s } of rows) for (const n of chosen) { const [value, low, high] = data.scores[s][n]; lines.push([cell(data.systems[s]), cell(data.metrics[n].name), value ?? "", low ?? "", high ?? ""].join(",")); }
    return lines.join("\n") + "\n";
  }
  const texts = rows.map(({ s, cells }) => [data.systems[s], ...cells.map((td) => ({ bold: Boolean(td.querySelector("strong")), text: td.firstChild.textContent.trim() + (td.querySelector(".near")?.textContent.trim() ?? "") }))]);
  const names = ["system", ...chosen.map((n) => data.metrics[n].name)];
  if (what === "latex") {
    const line = (row) => row.map((c) => (typeof c === "string" ? latex(c) : c.bold ? `\\textbf{${latex(c.text)}}` : latex(c.text))).join(" & ") + " \\\\";
    return ["% needs \\usepackage{booktabs}", `\\begin{tabular}{l${"r".repeat(chosen.length)}}`, "\\toprule", line(names), "\\midrule", ...texts.map(line), "\\bottomrule", "\\end{tabular}", ""].join("\n");
  }
  const plain = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
  const line = (row) => `| ${row.map((c) => (typeof c === "string" ? plain(c) : c.bold ? `**${plain(c.text)}**` : plain(c.text))).join(" | ")} |`;
  return [line(names), `|:--|${"--:|".repeat(chosen.length)}`, ...texts.map(line), ""].join("\n");
}

async function copy(what) {
  const text = copyText(what);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  document.documentElement.dataset.copied = text;
  $("copied").textContent = "Copied.";
}

/* ---- begin ---- */

function options(select, names) {
  select.replaceChildren(...names.map((name, k) => make("option", { value: k }, name)));
}

for (const part of all("[data-script]")) part.hidden = false;
for (const part of all("[data-several]")) part.hidden = !several;
for (const part of all("[data-aligned]")) part.hidden = !data.alignments.length;
options($("metric"), data.metrics.map((m) => m.name));
options($("a"), data.systems);
options($("b"), data.systems);
for (const th of all("#board thead th")) {
  const column = Number(th.dataset.column);
  const button = make("button", { type: "button", class: "sort" });
  button.append(...th.childNodes);
  button.addEventListener("click", () => boardOrder(column, button));
  th.append(button);
}
for (const box of all("#columns input")) {
  box.addEventListener("change", () => {
    const column = Number(box.value);
    hiddenColumns[box.checked ? "delete" : "add"](column);
    for (const cell of all(`#board [data-column="${column}"]`)) cell.hidden = !box.checked;
  });
}
const luck = $("luck-metric");
if (luck) {
  const pick = () => { for (const part of all(".luck")) part.hidden = part.dataset.metric !== luck.value; };
  luck.addEventListener("change", pick);
  pick();
}
for (const button of all("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
for (const link of all("nav.top a")) link.addEventListener("click", (event) => { event.preventDefault(); document.querySelector(link.getAttribute("href")).scrollIntoView(); });
for (const button of all("[data-order]")) button.addEventListener("click", () => change({ order: button.dataset.order }));
for (const key of ["m", "a", "b"]) { const select = $({ m: "metric", a: "a", b: "b" }[key]); select.addEventListener("change", () => change({ [key]: Number(select.value), brush: "", low: key === "b" ? state.low : "", high: key === "b" ? state.high : "" })); }
let waiting = 0;
$("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => change({ q: $("search").value }), 120); });
for (const key of ["low", "high"]) $(key).addEventListener("change", () => change({ [key]: $(key).value }));
$("reset").addEventListener("click", () => change({ q: "", low: "", high: "", brush: "", order: "id" }));
let asked = false;
$("rows").addEventListener("scroll", () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; body(); }); } }, { passive: true });
addEventListener("resize", () => body(true));
const unbuttoned = [];
addEventListener("beforeprint", () => {
  printing = true;
  body(true);
  for (const button of all("thead button.sort")) { // browsers repeat headings on each sheet only without controls
    const heading = make("span", { class: "sort" }, ...[...button.childNodes].map((node) => node.cloneNode(true)));
    button.replaceWith(heading);
    unbuttoned.push([heading, button]);
  }
  $("printed").hidden = order.length <= PRINTED;
  $("printed").textContent = `The first ${PRINTED} of ${$("count").textContent} in this order. Search, filter or sort the table to print others.`;
});
addEventListener("afterprint", () => {
  for (const [heading, button] of unbuttoned.splice(0)) heading.replaceWith(button);
  $("printed").hidden = true;
  printing = false;
  body(true);
});
addEventListener("hashchange", () => { readAddress(); refresh(); showOne(true); });
addEventListener("popstate", () => { readAddress(); refresh(); showOne(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === "j" || event.key === "J") step(1);
  else if (event.key === "k" || event.key === "K") step(-1);
  else if (event.key === "Escape" && state.d) { state.d = ""; writeAddress(); showOne(); }
});
readAddress();
refresh();
showOne(Boolean(state.d));
document.documentElement.dataset.ready = "yes";
})();

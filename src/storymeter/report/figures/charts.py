"""Bars with whiskers, lines, shares, steps, heat maps, lanes of time and scene graphs.

A heat map shows blue above zero and orange below; the number stands in every cell with a sign that needs no
colour.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from ...pairs.scene_graph import SceneGraph
from .marks import COLOURS, Frame, Scale, mark, shortened, span, svg, tag, wide

CELL, HIGH = 78, 30


@dataclass(frozen=True, slots=True)
class Tile:
    """`strength` from -1 to 1 chooses the colour; None is an empty cell. `flag` draws a thick border."""

    text: str
    strength: float | None = None
    title: str = ""
    flag: bool = False


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    tiles: Sequence[Sequence[Tile]],
    *,
    alternative: str,
) -> Markup:
    """Names of columns stand upright above them, so that none is cut or overlaps."""
    left = min(260.0, max([40.0, *(wide(name) for name in rows)])) + 8
    top = min(200.0, max([30.0, *(wide(name) for name in columns)])) + 8
    parts = [
        tag(
            "text",
            tag("title", name),
            shortened(name, 200),
            transform=f"translate({left + CELL * k + CELL / 2 + 4:.1f} {top - 6:.1f}) rotate(-90)",
        )
        for k, name in enumerate(columns)
    ]
    for i, name in enumerate(rows):
        y = top + HIGH * i
        parts.append(
            tag(
                "text",
                tag("title", name),
                shortened(name, 260),
                x=left - 8,
                y=y + HIGH / 2 + 4,
                text_anchor="end",
            )
        )
        parts += [_tile(tile, left + CELL * j, y) for j, tile in enumerate(tiles[i])]
    return svg(left + CELL * len(columns) + 2, top + HIGH * len(rows) + 2, alternative, *parts)


def _tile(tile: Tile, x: float, y: float) -> Markup:
    return tag(
        "g",
        *([tag("title", tile.title)] if tile.title else []),
        tag(
            "rect",
            klass=f"tile {step(tile.strength)}{' flag' if tile.flag else ''}",
            x=x + 1,
            y=y + 1,
            width=CELL - 2,
            height=HIGH - 2,
            rx=3,
        ),
        tag(
            "text",
            tile.text,
            klass=f"on-{step(tile.strength)}",
            x=x + CELL / 2,
            y=y + HIGH / 2 + 4,
            text_anchor="middle",
        ),
    )


def step(strength: float | None) -> str:
    """Seven steps, for which the stylesheet has colours of good contrast in light and dark.

    >>> [step(x) for x in (-1, -0.2, 0, 0.4, 1, None)]
    ['down3', 'down1', 'flat', 'up2', 'up3', 'empty']
    """
    if strength is None or math.isnan(strength):
        return "empty"
    k = min(3, math.ceil(abs(strength) * 3 - 0.05))
    return "flat" if k <= 0 else f"{'up' if strength > 0 else 'down'}{k}"


# One video on a time axis: references above, captions below, matched pairs joined and labelled.


LANES_WIDTH, LANE, BAR, GAP, LEFT = 1000, 46, 22, 120, 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A caption: its number with a letter, its text, its segment, and whether it has a partner."""

    code: str
    text: str
    start: float
    end: float
    single: bool


def lanes(
    upper: Sequence[Bar],
    lower: Sequence[Bar],
    joins: Sequence[tuple[int, int, str]],
    duration: float,
    alternative: str,
) -> Markup:
    """`joins`: the number of a bar above, that of its partner below, and what stands at the line between."""
    across = Scale(0.0, max(duration, 1e-9), LEFT, LANES_WIDTH - LEFT)
    top, below = 30, 30 + LANE * max(1, len(upper)) + GAP
    height = below + LANE * max(1, len(lower)) + 20
    parts = [_second(across, across.high * k / 4, k, height) for k in range(5)]
    for above, beneath, label in joins:
        x1, y1 = _middle(upper[above], across), top + LANE * above + 16 + BAR
        x2, y2 = _middle(lower[beneath], across), below + LANE * beneath + 16
        y = top + LANE * len(upper) + GAP / 2 + 14 * (above % 3 - 1)
        half = (y1 + y2) / 2
        path = f"M{x1:.1f},{y1} C{x1:.1f},{half:.1f} {x2:.1f},{half:.1f} {x2:.1f},{y2}"
        parts += [
            tag("path", klass="link", d=path),
            tag("text", label, klass="small", text_anchor="middle", x=(x1 + x2) / 2, y=y),
        ]
    for bars, y0 in ((upper, top), (lower, below)):
        parts += [_bar(bar, y0 + LANE * number, across) for number, bar in enumerate(bars)]
    return svg(LANES_WIDTH, height, alternative, *parts, klass="figure timeline")


def _second(across: Scale, seconds: float, k: int, height: float) -> Markup:
    x = across(seconds)
    anchor = "start" if k == 0 else "end" if k == 4 else "middle"
    return tag(
        "g",
        tag("path", klass="axis", d=f"M{x:.1f} 22V{height}"),
        tag("text", f"{seconds:.1f} s", klass="small", x=x, y=15, text_anchor=anchor),
    )


def _middle(bar: Bar, across: Scale) -> float:
    return (across(bar.start) + across(bar.end)) / 2


def _bar(bar: Bar, y: float, across: Scale) -> Markup:
    left, right = across(bar.start), across(bar.end)
    anchor, at = ("start", left) if left < LANES_WIDTH * 0.55 else ("end", right)
    room = LANES_WIDTH - left if anchor == "start" else right
    return tag(
        "g",
        tag("title", f"{bar.text} [{bar.start:g}, {bar.end:g}]"),
        tag(
            "rect",
            klass="single" if bar.single else "matched",
            x=left,
            y=y + 16,
            width=max(2.0, right - left),
            height=BAR,
            rx=4,
        ),
        tag("text", shortened(f"{bar.code}  {bar.text}", room), text_anchor=anchor, x=at, y=y + 11),
    )


WIDTH, HEIGHT = 96, 14


def bar_and_whisker(
    value: float,
    interval: tuple[float, float] | None,
    limits: tuple[float, float],
    *,
    colour: int,
    alternative: str,
) -> Markup:
    """The bar reaches from zero (or the lower limit) to the value, the whisker over its interval."""
    scale = Scale(*limits, 1.0, WIDTH - 1.0)
    zero = scale(0.0)
    left, right = sorted((zero, scale(value)))
    parts = [
        tag("rect", klass="track", x=0, y=3, width=WIDTH, height=8),
        tag("rect", klass=f"bar c{colour}", x=left, y=3, width=max(1.0, right - left), height=8),
    ]
    if interval is not None:
        low, high = scale(interval[0]), scale(interval[1])
        path = f"M{low:.1f} 7H{high:.1f}M{low:.1f} 3.5V10.5M{high:.1f} 3.5V10.5"
        parts.append(tag("path", klass="whisker", d=path))
    return svg(WIDTH, HEIGHT, alternative, *parts, klass="figure cell")


# Lines over a common axis, each with the mark of its group; the legend stands below.


FRAME = Frame(640, 300, left=56, top=12, right=636, bottom=254)


def lines(
    groups: Mapping[str, Sequence[float]],
    ticks: Sequence[str],
    *,
    labels: tuple[str, str],
    alternative: str,
    errors: Mapping[str, Sequence[float]] | None = None,
    zero: bool = True,
) -> Markup:
    """A point per tick and group; `errors` are half widths around the points."""
    errors = errors or {}
    values = [
        end
        for name, row in groups.items()
        for value, half in zip(row, errors.get(name, [0.0] * len(row)), strict=True)
        for end in (value - half, value + half)
    ]
    across = Scale(0, max(1, len(ticks) - 1), FRAME.left + 16, FRAME.width - 16)
    up = Scale(*span(values, zero=zero), FRAME.bottom, FRAME.top)
    grid = [
        tag("path", klass="grid", d=f"M{FRAME.left} {up(value):.1f}H{FRAME.right}") for value in up.ticks()
    ]
    parts = [*grid, *FRAME.axes(labels), *FRAME.numbers_beside(up)]
    parts += FRAME.below((across(k), text) for k, text in enumerate(ticks))
    for number, (name, row) in enumerate(groups.items()):
        parts += _line(number, name, row, across, up, errors.get(name))
    legend, height = FRAME.legend(groups, lambda number, x, y: mark(number, x + 6, y, 4.5), 16)
    return svg(FRAME.width, height, alternative, *parts, *legend)


def _line(
    number: int, name: str, row: Sequence[float], across: Scale, up: Scale, errors: Sequence[float] | None
) -> list[Markup]:
    points = [(across(k), up(value)) for k, value in enumerate(row) if value == value]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) if points else ""
    parts = [tag("path", klass=f"interval s{number % COLOURS}", d=path)]
    for k, half in enumerate(errors or ()):
        parts.append(
            tag(
                "path",
                klass=f"interval s{number % COLOURS}",
                d=f"M{across(k):.1f} {up(row[k] - half):.1f}V{up(row[k] + half):.1f}",
            )
        )
    parts += [
        mark(number, across(k), up(value), 4, title=f"{name}: {value:.4g}")
        for k, value in enumerate(row)
        if value == value
    ]
    return parts


# Two sides and what lies between them: a bar per pair, cut into wins of the left, undecided, wins of the
# right.


SHARES_ROW, SHARES_WIDTH = 36, 720


def shares(rows: Sequence[tuple[str, str, int, int, int]], *, alternative: str) -> Markup:
    """(left name, right name, wins of the left, undecided, wins of the right)"""
    left = min(180.0, max([40.0, *(wide(row[0]) for row in rows)]))
    right = min(180.0, max([40.0, *(wide(row[1]) for row in rows)]))
    begin, end = left + 12, SHARES_WIDTH - right - 12
    parts: list[Markup] = []
    for k, (a, b, *counts) in enumerate(rows):
        y, x = SHARES_ROW * k + 4.0, begin
        parts.append(tag("text", tag("title", a), shortened(a, left), x=left, y=y + 19, text_anchor="end"))
        parts.append(tag("text", tag("title", b), shortened(b, right), x=end + 12, y=y + 19))
        total = max(1, sum(counts))
        for count, klass in zip(counts, ("share c0", "share between", "share c1"), strict=True):
            width = (end - begin) * count / total
            if count:
                parts.append(tag("rect", klass=klass, x=x, y=y, width=width, height=SHARES_ROW - 8))
                parts.append(
                    tag("text", str(count), x=x + width / 2, y=y + 19, text_anchor="middle", klass="over")
                )
            x += width
    return svg(SHARES_WIDTH, SHARES_ROW * len(rows) + 4, alternative, *parts)


# Histograms in one place, as outlines: each with its own dash beside its colour, named in a legend below.


STEPS_FRAME = Frame(720, 280, left=56, top=10, right=710, bottom=234)
DASHES = (None, "7 3", "2 3", "9 3 2 3")


def steps(
    groups: Mapping[str, NDArray[np.float64]],
    edges: NDArray[np.float64],
    *,
    labels: tuple[str, str],
    alternative: str,
    medians: bool = False,
) -> Markup:
    """The share of each group's values in every bin, in per cent."""
    shares = {name: 100 * np.histogram(v, edges)[0] / max(1, v.size) for name, v in groups.items()}
    across = Scale(float(edges[0]), float(edges[-1]), STEPS_FRAME.left, STEPS_FRAME.right)
    highest = max([1.0, *(float(s.max()) for s in shares.values())])
    up = Scale(0.0, highest * 1.05, STEPS_FRAME.bottom, STEPS_FRAME.top)
    parts = [*STEPS_FRAME.axes(labels), *STEPS_FRAME.numbers_below(across), *STEPS_FRAME.numbers_beside(up)]
    for number, (name, share) in enumerate(shares.items()):
        parts.append(_outline(number, share.tolist(), edges.tolist(), across, up))
        if medians and groups[name].size:
            x = across(float(np.median(groups[name])))
            upright = f"M{x:.1f} {STEPS_FRAME.top}V{STEPS_FRAME.bottom}"
            parts.append(tag("path", klass=f"interval thin s{number % COLOURS}", d=upright))
    legend, height = STEPS_FRAME.legend(groups, lambda number, x, y: _dashed(number, f"M{x:.1f} {y}h26"), 32)
    return svg(STEPS_FRAME.width, height, alternative, *parts, *legend)


def _outline(number: int, share: Sequence[float], edges: Sequence[float], across: Scale, up: Scale) -> Markup:
    path = f"M{across(edges[0]):.1f} {up(0.0):.1f}"
    for k, value in enumerate(share):
        path += f"V{up(value):.1f}H{across(edges[k + 1]):.1f}"
    return _dashed(number, f"{path}V{up(0.0):.1f}")


def _dashed(number: int, path: str) -> Markup:
    dash = DASHES[number % len(DASHES)]
    return tag("path", klass=f"interval s{number % COLOURS}", d=path, stroke_dasharray=dash)


# What a text says is there, as a graph.


GRAPH_WIDTH, BOX, BOX_HIGH, BOX_STEP = 480, 190, 44, 62


def scene_graph(graph: SceneGraph, matched: frozenset[tuple[str, ...]], whose: str) -> Markup | None:
    """Objects below each other, relations as arrows at their side; None where no object was read."""
    names = sorted(
        {
            *graph.objects,
            *(a for a, _ in graph.attributes),
            *(end for a, _, b in graph.relations for end in (a, b)),
        }
    )
    if not names:
        return None
    both = dict.fromkeys(matched, "both")
    place = {name: 12 + BOX_STEP * k for k, name in enumerate(names)}
    parts: list[Markup] = []
    leaving = dict.fromkeys(names, 0)
    for number, fact in enumerate(sorted(graph.relations)):
        a, how, b = fact
        y1, y2 = place[a] + 10 + 8 * (leaving[a] % 4), place[b] + BOX_HIGH / 2
        leaving[a] += 1
        out = BOX + 30 + 22 * (number % 5) + 6 * abs(names.index(a) - names.index(b))
        path = f"M{BOX},{y1:.0f} C{out},{y1:.0f} {out},{y2:.0f} {BOX + 2},{y2:.0f} m8,-4 l-8,4 l8,4"
        said = tag("text", f"{a} {how} {b}", klass="small", x=(BOX + 3 * out) / 4 + 6, y=(y1 + y2) / 2 + 4)
        parts.append(tag("g", tag("path", d=path), said, klass=both.get(fact)))
    for name in names:
        described = [
            tag("tspan", f"{fact[1]}  ", klass=both.get(fact))
            for fact in sorted(graph.attributes)
            if fact[0] == name
        ]
        box = tag("rect", x=2, y=place[name], width=BOX - 2, height=BOX_HIGH, rx=6)
        text = tag("text", tag("title", name), shortened(name, BOX - 20), x=12, y=place[name] + 18)
        parts.append(tag("g", box, text, klass=both.get((name,))))
        parts.append(tag("text", *described, klass="small", x=12, y=place[name] + 35))
    height = place[names[-1]] + BOX_HIGH + 12
    return svg(GRAPH_WIDTH, height, f"scene graph of {whose}", *parts, klass="figure graph")

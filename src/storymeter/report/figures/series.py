"""A bar with a whisker, small enough for the cell of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .marks import COLOURS, Frame, Scale, mark, shortened, span, svg, tag, wide

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
        value
        for name, row in groups.items()
        for k, each in enumerate(row)
        for value in _ends(name, k, each, errors)
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


def _ends(name: str, k: int, value: float, errors: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    half = errors[name][k] if name in errors else 0.0
    return value - half, value + half


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


ROW, SHARES_WIDTH = 36, 720


def shares(rows: Sequence[tuple[str, str, int, int, int]], *, alternative: str) -> Markup:
    """(left name, right name, wins of the left, undecided, wins of the right)"""
    left = min(180.0, max([40.0, *(wide(row[0]) for row in rows)]))
    right = min(180.0, max([40.0, *(wide(row[1]) for row in rows)]))
    begin, end = left + 12, SHARES_WIDTH - right - 12
    parts: list[Markup] = []
    for k, (a, b, *counts) in enumerate(rows):
        y, x = ROW * k + 4.0, begin
        parts.append(tag("text", tag("title", a), shortened(a, left), x=left, y=y + 19, text_anchor="end"))
        parts.append(tag("text", tag("title", b), shortened(b, right), x=end + 12, y=y + 19))
        total = max(1, sum(counts))
        for count, klass in zip(counts, ("share c0", "share between", "share c1"), strict=True):
            width = (end - begin) * count / total
            if count:
                parts.append(tag("rect", klass=klass, x=x, y=y, width=width, height=ROW - 8))
                parts.append(
                    tag("text", str(count), x=x + width / 2, y=y + 19, text_anchor="middle", klass="over")
                )
            x += width
    return svg(SHARES_WIDTH, ROW * len(rows) + 4, alternative, *parts)


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

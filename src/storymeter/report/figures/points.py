"""Distributions as boxes, dots with intervals on one axis or in panels, and points with names.

A box is the middle half, its whiskers reach from the worst to the best twentieth, the line in it is the
median, and the mark is the mean with its interval.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .marks import Frame, Scale, grid, mark, shortened, span, svg, tag, wide

ROW, WIDTH, AXIS = 30, 720, 34


@dataclass(frozen=True, slots=True)
class Spread:
    name: str
    values: NDArray[np.float64]
    mean: float | None = None
    interval: tuple[float, float] | None = None
    colour: int = 0


def boxes(rows: Sequence[Spread], *, label: str, alternative: str, zero: bool = False) -> Markup:
    drawn = [np.quantile(row.values, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist() for row in rows]
    room = min(260.0, max([60.0, *(wide(row.name) for row in rows)]))
    ends = [value for five in drawn for value in five] + [end for row in rows for end in row.interval or ()]
    scale = Scale(*span(ends, zero=zero), room + 14, WIDTH - 12)
    bottom = ROW * len(rows) + 2
    parts = grid(scale, 0, bottom)
    if zero:
        parts.append(tag("path", klass="zero", d=f"M{scale(0.0):.1f} 0V{bottom}"))
    for k, (row, five) in enumerate(zip(rows, drawn, strict=True)):
        parts += _row(row, five, ROW * k + ROW / 2, room, scale)
    middle = (scale.begin + scale.end) / 2
    parts.append(tag("text", label, klass="soft", x=middle, y=bottom + 30.0, text_anchor="middle"))
    return svg(WIDTH, bottom + AXIS, alternative, *parts)


def _row(row: Spread, five: Sequence[float], y: float, room: float, scale: Scale) -> list[Markup]:
    low, first, median, third, high = (scale(value) for value in five)
    stroke = f"interval s{row.colour % 8}"
    parts = [
        tag("text", tag("title", row.name), shortened(row.name, room), x=room, y=y + 4, text_anchor="end"),
        tag("path", klass=stroke, d=f"M{low:.1f} {y}H{first:.1f}M{third:.1f} {y}H{high:.1f}"),
        tag(
            "rect",
            tag("title", f"{row.name}: median {five[2]:.3g}"),
            klass=f"box {stroke}",
            x=first,
            y=y - 9,
            width=max(1.0, third - first),
            height=18,
        ),
        tag("path", klass=stroke, d=f"M{median:.1f} {y - 9}v18"),
    ]
    if row.interval is not None:
        parts.append(
            tag(
                "path",
                klass="whisker thick",
                d=f"M{scale(row.interval[0]):.1f} {y}H{scale(row.interval[1]):.1f}",
            )
        )
    if row.mean is not None:
        parts.append(mark(row.colour, scale(row.mean), y, 4.5, title=f"{row.name}: mean {row.mean:.3g}"))
    return parts


# Dots with intervals on one axis: a forest plot of differences, means of systems, metrics against people.


INTERVALS_ROW, INTERVALS_WIDTH, INTERVALS_AXIS = 28, 720, 38
#: the names of rows take at most so much
NAMES = 280.0


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: its name, a value with its interval, what stands at the right, and the mark it is drawn
    with.
    """

    name: str
    value: float
    interval: tuple[float, float] | None = None
    remark: str = ""
    colour: int = 0
    #: hollow where the difference may be luck
    hollow: bool = False
    #: what stands at the left where the name itself is too long; '': its beginning
    short: str = ""


def dots(
    rows: Sequence[Dot],
    *,
    label: str,
    alternative: str,
    zero: bool = False,
    limits: tuple[float, float] | None = None,
) -> Markup:
    """A row per dot; `zero` draws the line of no difference."""
    room = min(NAMES, max([60.0, *(wide(row.name) for row in rows)]))
    beside = min(230.0, max([10.0, *(wide(row.remark, 6.6) for row in rows)]))
    ends = [end for row in rows for end in (row.value, *(row.interval or ()))]
    scale = Scale(*(limits or span(ends, zero=zero, air=0.06)), room + 14, INTERVALS_WIDTH - beside - 14)
    height = INTERVALS_ROW * len(rows) + INTERVALS_AXIS
    bottom = INTERVALS_ROW * len(rows) + 2
    parts = grid(scale, 0, bottom)
    if zero:
        parts.append(tag("path", klass="zero", d=f"M{scale(0.0):.1f} 0V{bottom}"))
    for k, row in enumerate(rows):
        parts += _row_of_intervals(row, INTERVALS_ROW * k + INTERVALS_ROW / 2, room, scale)
    middle = (scale.begin + scale.end) / 2
    parts.append(tag("text", label, klass="soft", x=middle, y=height - 6.0, text_anchor="middle"))
    return svg(INTERVALS_WIDTH, height, alternative, *parts)


def both_names(a: str, b: str) -> str:
    """Two names that share the room of one, each as long as the other leaves it room.

    >>> both_names("ours", "a baseline whose name would fill the whole of the row")
    'ours – a baseline whose name would …'
    """
    room = NAMES - wide(" – ")
    return f"{shortened(a, max(room / 2, room - wide(b)))} – {shortened(b, max(room / 2, room - wide(a)))}"


def _row_of_intervals(row: Dot, y: float, room: float, scale: Scale) -> list[Markup]:
    said = f"{row.name}: {row.value:.4g}"
    if row.interval:
        said += f" [{row.interval[0]:.4g}, {row.interval[1]:.4g}]"
    parts = [
        tag(
            "text",
            tag("title", row.name),
            row.short if row.short and wide(row.name) > room else shortened(row.name, room),
            x=room,
            y=y + 4,
            text_anchor="end",
            klass="name",
        )
    ]
    if row.interval:
        low, high = scale(row.interval[0]), scale(row.interval[1])
        path = f"M{low:.1f} {y:.1f}H{high:.1f}M{low:.1f} {y - 4:.1f}v8M{high:.1f} {y - 4:.1f}v8"
        parts.append(tag("path", klass=f"interval s{row.colour % 8}", d=path))
    parts.append(
        tag(
            "g",
            mark(row.colour, scale(row.value), y, title=said),
            klass="hollow" if row.hollow else "solid",
        )
    )
    if row.remark:
        parts.append(tag("text", row.remark, klass="soft", x=scale.end + 12, y=y + 4))
    return parts


# Dots with intervals, a row per name and a panel per column, each panel with its own axis.


PANELS_ROW, PANEL, GAP, HEAD, FOOT = 24, 150, 18, 40, 22


@dataclass(frozen=True, slots=True)
class Panel:
    """A column: two lines of heading, and by name a value with its interval."""

    title: str
    label: str
    dots: Mapping[str, tuple[float, tuple[float, float] | None]]


def panels(names: Sequence[str], columns: Sequence[Panel], *, alternative: str) -> Markup:
    room = min(200.0, max([60.0, *(wide(name) for name in names)]))
    bottom = HEAD + PANELS_ROW * len(names)
    parts: list[Markup] = []
    for k, name in enumerate(names):
        y = HEAD + PANELS_ROW * k + PANELS_ROW / 2
        text = tag("title", name)
        parts.append(
            tag("text", text, shortened(name, room), x=room, y=y + 4, text_anchor="end", klass="name")
        )
    for p, panel in enumerate(columns):
        left = room + 14 + p * (PANEL + GAP)
        ends = [end for value, interval in panel.dots.values() for end in (value, *(interval or ()))]
        scale = Scale(*span(ends, air=0.08), left, left + PANEL)
        middle = left + PANEL / 2
        title = (tag("title", panel.title), shortened(panel.title, PANEL + GAP))
        parts.append(tag("text", *title, x=middle, y=14.0, text_anchor="middle"))
        parts.append(tag("text", panel.label, klass="soft", x=middle, y=30.0, text_anchor="middle"))
        parts += grid(scale, HEAD, bottom, most=3)
        for k, name in enumerate(names):
            if name in panel.dots and not math.isnan(panel.dots[name][0]):
                parts += _dot(name, panel, scale, HEAD + PANELS_ROW * k + PANELS_ROW / 2)
    width = room + 14 + len(columns) * (PANEL + GAP)
    return svg(width, bottom + FOOT, alternative, *parts)


def _dot(name: str, panel: Panel, scale: Scale, y: float) -> list[Markup]:
    value, interval = panel.dots[name]
    said = f"{name}, {panel.title}: {value:.3f}"
    parts = []
    if interval is not None:
        low, high = scale(interval[0]), scale(interval[1])
        said += f" [{interval[0]:.3f}, {interval[1]:.3f}]"
        parts.append(tag("path", klass="interval s0", d=f"M{low:.1f} {y:.1f}H{high:.1f}"))
    parts.append(tag("g", mark(0, scale(value), y, 4.0, title=said), klass="solid"))
    return parts


# Points with names: the names move aside until none lies on another or on a point.


FRAME = Frame(460, 340, left=58, top=26, right=450, bottom=294)
_Box = tuple[float, float, float, float]


def scatter(
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    *,
    labels: tuple[str, str],
    alternative: str,
    title: str = "",
    line: tuple[float, float] | None = None,
    diagonal: bool = False,
    colours: Sequence[int] | None = None,
) -> Markup:
    """`line`: slope and offset of a line through the points; `diagonal`: where both are equal."""
    ends = [*x, *y] if diagonal else list(x)
    across = Scale(*span(ends, air=0.12), FRAME.left, FRAME.right)
    up = Scale(*span([*x, *y] if diagonal else list(y), air=0.12), FRAME.bottom, FRAME.top)
    parts = [*FRAME.axes(labels), *FRAME.numbers_below(across), *FRAME.numbers_beside(up)]
    if title:
        parts.append(tag("text", title, klass="soft", x=FRAME.left, y=14))
    if line is not None and len(x) > 1:
        first, last = min(x), max(x)
        places = [(across(v), up(line[0] * v + line[1])) for v in (first, last)]
        parts.append(tag("path", klass="zero", d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)))
    if diagonal:
        low, high = across.low, across.high
        parts.append(
            tag(
                "path",
                klass="zero",
                d=f"M{across(low):.1f} {up(low):.1f}L{across(high):.1f} {up(high):.1f}",
            )
        )
    points = [(across(a), up(b)) for a, b in zip(x, y, strict=True)]
    for k, (a, b) in enumerate(points):
        said = f"{names[k]}: {x[k]:.4g}, {y[k]:.4g}"
        parts.append(mark(colours[k] if colours else 0, a, b, 4, title=said))
    for name, place in zip(names, places_of(points, names), strict=True):
        if place is not None:
            parts.append(tag("text", shortened(name, 150, 6.2), klass="label", x=place[0], y=place[1]))
    return svg(FRAME.width, FRAME.height, alternative, *parts)


def places_of(
    points: Sequence[tuple[float, float]], names: Sequence[str]
) -> list[tuple[float, float] | None]:
    """Where each name is written: at one of eight places around its point, where it covers nothing; None
    where there is no such place (the mark still says its name)."""
    taken: list[_Box] = [(a - 5, b - 5, a + 5, b + 5) for a, b in points]
    found: list[tuple[float, float] | None] = []
    for (a, b), name in zip(points, names, strict=True):
        w, h = min(150.0, wide(name, 6.2)), 12.0
        offers = [
            (7, 4),
            (7, -6),
            (7, 14),
            (-w - 7, 4),
            (-w / 2, -9),
            (-w / 2, 19),
            (-w - 7, -6),
            (-w - 7, 14),
        ]
        for dx, dy in offers:
            box = (a + dx, b + dy - h + 2, a + dx + w, b + dy + 2)
            inside = (
                FRAME.left + 2 <= box[0] and box[2] <= FRAME.width and box[1] >= 18 and box[3] <= FRAME.bottom
            )
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found.append((a + dx, b + dy))
                break
        else:
            found.append(None)
    return found


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

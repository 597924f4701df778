"""Distributions below each other: a box for the middle half, whiskers from the worst to the best twentieth,
the median as a line, and a mark for the mean with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .frame import grid
from .marks import Scale, mark, shortened, span, svg, tag, wide

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

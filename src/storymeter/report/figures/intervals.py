"""Dots with intervals on one axis: a forest plot of differences, means of systems, metrics against people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .frame import grid
from .marks import Scale, mark, shortened, span, svg, tag, wide

ROW, WIDTH, AXIS = 28, 720, 38
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
    number: str = "g",
) -> Markup:
    """A row per dot; `zero` draws the line of no difference."""
    room = min(NAMES, max([60.0, *(wide(row.name) for row in rows)]))
    beside = min(230.0, max([10.0, *(wide(row.remark, 6.6) for row in rows)]))
    ends = [end for row in rows for end in (row.value, *(row.interval or ()))]
    scale = Scale(*(limits or span(ends, zero=zero, air=0.06)), room + 14, WIDTH - beside - 14)
    height = ROW * len(rows) + AXIS
    bottom = ROW * len(rows) + 2
    parts = grid(scale, 0, bottom, number=number)
    if zero:
        parts.append(tag("path", klass="zero", d=f"M{scale(0.0):.1f} 0V{bottom}"))
    for k, row in enumerate(rows):
        parts += _row(row, ROW * k + ROW / 2, room, scale)
    middle = (scale.begin + scale.end) / 2
    parts.append(tag("text", label, klass="soft", x=middle, y=height - 6.0, text_anchor="middle"))
    return svg(WIDTH, height, alternative, *parts)


def both_names(a: str, b: str) -> str:
    """Two names that share the room of one, each as long as the other leaves it room.

    >>> both_names("ours", "a baseline whose name would fill the whole of the row")
    'ours – a baseline whose name would …'
    """
    room = NAMES - wide(" – ")
    return f"{shortened(a, max(room / 2, room - wide(b)))} – {shortened(b, max(room / 2, room - wide(a)))}"


def _row(row: Dot, y: float, room: float, scale: Scale) -> list[Markup]:
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

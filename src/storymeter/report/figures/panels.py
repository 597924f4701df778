"""Dots with intervals, a row per name and a panel per column, each panel with its own axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .frame import grid
from .marks import Scale, mark, shortened, span, svg, tag, wide

ROW, PANEL, GAP, HEAD, FOOT = 24, 150, 18, 40, 22


@dataclass(frozen=True, slots=True)
class Panel:
    """A column: two lines of heading, and by name a value with its interval."""

    title: str
    label: str
    dots: Mapping[str, tuple[float, tuple[float, float] | None]]


def panels(names: Sequence[str], columns: Sequence[Panel], *, alternative: str) -> Markup:
    room = min(200.0, max([60.0, *(wide(name) for name in names)]))
    bottom = HEAD + ROW * len(names)
    parts: list[Markup] = []
    for k, name in enumerate(names):
        y = HEAD + ROW * k + ROW / 2
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
                parts += _dot(name, panel, scale, HEAD + ROW * k + ROW / 2)
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

"""A matrix of coloured cells: blue above zero, orange below, the number in every cell and a sign that needs
no colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .marks import Scale, shortened, svg, tag, wide

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


WIDTH, ROW, BAR, GAP, LEFT = 1000, 46, 22, 120, 8


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
    across = Scale(0.0, max(duration, 1e-9), LEFT, WIDTH - LEFT)
    top, below = 30, 30 + ROW * max(1, len(upper)) + GAP
    height = below + ROW * max(1, len(lower)) + 20
    parts = [_second(across, across.high * k / 4, k, height) for k in range(5)]
    for above, beneath, label in joins:
        x1, y1 = _middle(upper[above], across), top + ROW * above + 16 + BAR
        x2, y2 = _middle(lower[beneath], across), below + ROW * beneath + 16
        y = top + ROW * len(upper) + GAP / 2 + 14 * (above % 3 - 1)
        half = (y1 + y2) / 2
        path = f"M{x1:.1f},{y1} C{x1:.1f},{half:.1f} {x2:.1f},{half:.1f} {x2:.1f},{y2}"
        parts += [
            tag("path", klass="link", d=path),
            tag("text", label, klass="small", text_anchor="middle", x=(x1 + x2) / 2, y=y),
        ]
    for bars, y0 in ((upper, top), (lower, below)):
        parts += [_bar(bar, y0 + ROW * number, across) for number, bar in enumerate(bars)]
    return svg(WIDTH, height, alternative, *parts, klass="figure timeline")


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
    anchor, at = ("start", left) if left < WIDTH * 0.55 else ("end", right)
    room = WIDTH - left if anchor == "start" else right
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

"""A matrix of coloured cells: blue above zero, orange below, the number in every cell and a sign that needs
no colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .marks import shortened, svg, tag, wide

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

"""Histograms in one place, as outlines: each with its own dash beside its colour, named in a legend below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .marks import COLOURS, Scale, shortened, svg, tag, wide

WIDTH, HEIGHT, LEFT, BOTTOM = 720, 280, 56, 46
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
    across = Scale(float(edges[0]), float(edges[-1]), LEFT, WIDTH - 10)
    up = Scale(0.0, max([1.0, *(float(s.max()) for s in shares.values())]) * 1.05, HEIGHT - BOTTOM, 10)
    bottom = HEIGHT - BOTTOM
    parts = [tag("path", klass="axis", d=f"M{LEFT} 10V{bottom}H{WIDTH - 10}")]
    for value in across.ticks():
        parts.append(
            tag("text", f"{value:g}", klass="soft", x=across(value), y=bottom + 16.0, text_anchor="middle")
        )
    for value in up.ticks(4):
        parts.append(
            tag("text", f"{value:g}", klass="soft", x=LEFT - 6.0, y=up(value) + 4, text_anchor="end")
        )
    for number, (name, share) in enumerate(shares.items()):
        parts.append(_outline(number, share.tolist(), edges.tolist(), across, up))
        if medians and groups[name].size:
            x = across(float(np.median(groups[name])))
            parts.append(tag("path", klass=f"interval thin s{number % COLOURS}", d=f"M{x:.1f} 10V{bottom}"))
    parts.append(
        tag("text", labels[0], klass="soft", x=(LEFT + WIDTH) / 2, y=HEIGHT - 8.0, text_anchor="middle")
    )
    turned = f"translate(13 {bottom / 2:.1f}) rotate(-90)"
    parts.append(tag("text", shortened(labels[1], 220), klass="soft", transform=turned, text_anchor="middle"))
    legend, height = _legend(list(groups))
    return svg(WIDTH, height, alternative, *parts, *legend)


def _outline(number: int, share: Sequence[float], edges: Sequence[float], across: Scale, up: Scale) -> Markup:
    path = f"M{across(edges[0]):.1f} {up(0.0):.1f}"
    for k, value in enumerate(share):
        path += f"V{up(value):.1f}H{across(edges[k + 1]):.1f}"
    dash = DASHES[number % len(DASHES)]
    return tag(
        "path", klass=f"interval s{number % COLOURS}", d=f"{path}V{up(0.0):.1f}", stroke_dasharray=dash
    )


def _legend(names: Sequence[str]) -> tuple[list[Markup], float]:
    parts: list[Markup] = []
    x, y = float(LEFT), HEIGHT + 14.0
    for number, name in enumerate(names):
        text = shortened(name, 300)
        needed = wide(text) + 46
        if x + needed > WIDTH and x > LEFT:
            x, y = float(LEFT), y + 20
        dash = DASHES[number % len(DASHES)]
        parts.append(
            tag(
                "path",
                klass=f"interval s{number % COLOURS}",
                d=f"M{x:.1f} {y - 4}h26",
                stroke_dasharray=dash,
            )
        )
        parts.append(tag("text", text, x=x + 32, y=y))
        x += needed
    return parts, y + 10

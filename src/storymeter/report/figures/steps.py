"""Histograms in one place, as outlines: each with its own dash beside its colour, named in a legend below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .frame import Frame
from .marks import COLOURS, Scale, svg, tag

FRAME = Frame(720, 280, left=56, top=10, right=710, bottom=234)
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
    across = Scale(float(edges[0]), float(edges[-1]), FRAME.left, FRAME.right)
    highest = max([1.0, *(float(s.max()) for s in shares.values())])
    up = Scale(0.0, highest * 1.05, FRAME.bottom, FRAME.top)
    parts = [*FRAME.axes(labels), *FRAME.numbers_below(across), *FRAME.numbers_beside(up)]
    for number, (name, share) in enumerate(shares.items()):
        parts.append(_outline(number, share.tolist(), edges.tolist(), across, up))
        if medians and groups[name].size:
            x = across(float(np.median(groups[name])))
            upright = f"M{x:.1f} {FRAME.top}V{FRAME.bottom}"
            parts.append(tag("path", klass=f"interval thin s{number % COLOURS}", d=upright))
    legend, height = FRAME.legend(groups, lambda number, x, y: _dashed(number, f"M{x:.1f} {y}h26"), 32)
    return svg(FRAME.width, height, alternative, *parts, *legend)


def _outline(number: int, share: Sequence[float], edges: Sequence[float], across: Scale, up: Scale) -> Markup:
    path = f"M{across(edges[0]):.1f} {up(0.0):.1f}"
    for k, value in enumerate(share):
        path += f"V{up(value):.1f}H{across(edges[k + 1]):.1f}"
    return _dashed(number, f"{path}V{up(0.0):.1f}")


def _dashed(number: int, path: str) -> Markup:
    dash = DASHES[number % len(DASHES)]
    return tag("path", klass=f"interval s{number % COLOURS}", d=path, stroke_dasharray=dash)

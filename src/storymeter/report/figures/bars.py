"""A bar with a whisker, small enough for the cell of a table."""

from __future__ import annotations

from markupsafe import Markup

from .marks import Scale, svg, tag

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

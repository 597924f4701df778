"""Lines over a common axis, each with the mark of its group; the legend stands below, on nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from .marks import COLOURS, Scale, mark, shortened, span, svg, tag, wide

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 300, 56, 46


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
    across = Scale(0, max(1, len(ticks) - 1), LEFT + 16, WIDTH - 16)
    up = Scale(*span(values, zero=zero), HEIGHT - BOTTOM, 12)
    bottom = HEIGHT - BOTTOM
    parts = [tag("path", klass="axis", d=f"M{LEFT} 12V{bottom}H{WIDTH - 4}")]
    for value in up.ticks():
        parts.append(tag("path", klass="grid", d=f"M{LEFT} {up(value):.1f}H{WIDTH - 4}"))
        parts.append(
            tag("text", f"{value:g}", klass="soft", x=LEFT - 6.0, y=up(value) + 4, text_anchor="end")
        )
    for k, text in enumerate(ticks):
        parts.append(tag("text", text, klass="soft", x=across(k), y=bottom + 16.0, text_anchor="middle"))
    for number, (name, row) in enumerate(groups.items()):
        parts += _line(number, name, row, across, up, errors.get(name))
    parts.append(
        tag("text", labels[0], klass="soft", x=(LEFT + WIDTH) / 2, y=HEIGHT - 8.0, text_anchor="middle")
    )
    turned = f"translate(13 {bottom / 2:.1f}) rotate(-90)"
    parts.append(tag("text", shortened(labels[1], 240), klass="soft", transform=turned, text_anchor="middle"))
    legend, height = _legend(list(groups))
    return svg(WIDTH, height, alternative, *parts, *legend)


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


def _legend(names: Sequence[str]) -> tuple[list[Markup], float]:
    """The marks with their names in rows below the figure, and the height of it all."""
    parts: list[Markup] = []
    x, y = float(LEFT), HEIGHT + 14.0
    for number, name in enumerate(names):
        text = shortened(name, 260)
        needed = wide(text) + 30
        if x + needed > WIDTH and x > LEFT:
            x, y = float(LEFT), y + 20
        parts += [mark(number, x + 6, y - 4, 4.5), tag("text", text, x=x + 16, y=y)]
        x += needed
    return parts, y + 10

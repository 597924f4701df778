"""Lines over a common axis, each with the mark of its group; the legend stands below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from .frame import Frame
from .marks import COLOURS, Scale, mark, span, svg, tag

FRAME = Frame(640, 300, left=56, top=12, right=636, bottom=254)


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
    across = Scale(0, max(1, len(ticks) - 1), FRAME.left + 16, FRAME.width - 16)
    up = Scale(*span(values, zero=zero), FRAME.bottom, FRAME.top)
    grid = [
        tag("path", klass="grid", d=f"M{FRAME.left} {up(value):.1f}H{FRAME.right}") for value in up.ticks()
    ]
    parts = [*grid, *FRAME.axes(labels), *FRAME.numbers_beside(up)]
    parts += FRAME.below((across(k), text) for k, text in enumerate(ticks))
    for number, (name, row) in enumerate(groups.items()):
        parts += _line(number, name, row, across, up, errors.get(name))
    legend, height = FRAME.legend(groups, lambda number, x, y: mark(number, x + 6, y, 4.5), 16)
    return svg(FRAME.width, height, alternative, *parts, *legend)


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

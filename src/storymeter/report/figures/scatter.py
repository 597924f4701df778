"""Points with names: the names move aside until none lies on another or on a point."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .marks import Scale, mark, shortened, span, svg, tag, wide

WIDTH, HEIGHT, LEFT, BOTTOM = 460, 340, 58, 46
_Box = tuple[float, float, float, float]


def scatter(
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    *,
    labels: tuple[str, str],
    alternative: str,
    title: str = "",
    line: tuple[float, float] | None = None,
    diagonal: bool = False,
    colours: Sequence[int] | None = None,
) -> Markup:
    """`line`: slope and offset of a line through the points; `diagonal`: where both are equal."""
    ends = [*x, *y] if diagonal else list(x)
    across = Scale(*span(ends, air=0.12), LEFT, WIDTH - 10)
    up = Scale(*span([*x, *y] if diagonal else list(y), air=0.12), HEIGHT - BOTTOM, 26)
    parts = [*_axes(across, up, labels)]
    if title:
        parts.append(tag("text", title, klass="soft", x=LEFT, y=14))
    if line is not None and len(x) > 1:
        first, last = min(x), max(x)
        places = [(across(v), up(line[0] * v + line[1])) for v in (first, last)]
        parts.append(tag("path", klass="zero", d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)))
    if diagonal:
        low, high = across.low, across.high
        parts.append(
            tag(
                "path",
                klass="zero",
                d=f"M{across(low):.1f} {up(low):.1f}L{across(high):.1f} {up(high):.1f}",
            )
        )
    points = [(across(a), up(b)) for a, b in zip(x, y, strict=True)]
    for k, (a, b) in enumerate(points):
        said = f"{names[k]}: {x[k]:.4g}, {y[k]:.4g}"
        parts.append(mark(colours[k] if colours else 0, a, b, 4, title=said))
    for name, place in zip(names, places_of(points, names), strict=True):
        if place is not None:
            parts.append(tag("text", shortened(name, 150, 6.2), klass="label", x=place[0], y=place[1]))
    return svg(WIDTH, HEIGHT, alternative, *parts)


def _axes(across: Scale, up: Scale, labels: tuple[str, str]) -> list[Markup]:
    bottom = HEIGHT - BOTTOM
    parts = [tag("path", klass="axis", d=f"M{LEFT} 26V{bottom}H{WIDTH - 10}")]
    for value in across.ticks():
        parts.append(
            tag("text", f"{value:g}", klass="soft", x=across(value), y=bottom + 15, text_anchor="middle")
        )
    for value in up.ticks():
        parts.append(
            tag("text", f"{value:g}", klass="soft", x=LEFT - 6.0, y=up(value) + 4, text_anchor="end")
        )
    middle = (LEFT + WIDTH) / 2
    parts.append(
        tag("text", shortened(labels[0], 380), klass="soft", x=middle, y=HEIGHT - 8, text_anchor="middle")
    )
    turned = f"translate(13 {(HEIGHT - BOTTOM + 26) / 2:.1f}) rotate(-90)"
    parts.append(tag("text", shortened(labels[1], 260), klass="soft", transform=turned, text_anchor="middle"))
    return parts


def places_of(
    points: Sequence[tuple[float, float]], names: Sequence[str]
) -> list[tuple[float, float] | None]:
    """Where each name is written: at one of eight places around its point, where it covers nothing; None
    where there is no such place (the mark still says its name)."""
    taken: list[_Box] = [(a - 5, b - 5, a + 5, b + 5) for a, b in points]
    found: list[tuple[float, float] | None] = []
    for (a, b), name in zip(points, names, strict=True):
        w, h = min(150.0, wide(name, 6.2)), 12.0
        offers = [
            (7, 4),
            (7, -6),
            (7, 14),
            (-w - 7, 4),
            (-w / 2, -9),
            (-w / 2, 19),
            (-w - 7, -6),
            (-w - 7, 14),
        ]
        for dx, dy in offers:
            box = (a + dx, b + dy - h + 2, a + dx + w, b + dy + 2)
            inside = box[0] >= LEFT + 2 and box[2] <= WIDTH and box[1] >= 18 and box[3] <= HEIGHT - BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found.append((a + dx, b + dy))
                break
        else:
            found.append(None)
    return found


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

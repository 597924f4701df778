"""Points with names: the names move aside until none lies on another or on a point."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .frame import Frame
from .marks import Scale, mark, shortened, span, svg, tag, wide

FRAME = Frame(460, 340, left=58, top=26, right=450, bottom=294)
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
    across = Scale(*span(ends, air=0.12), FRAME.left, FRAME.right)
    up = Scale(*span([*x, *y] if diagonal else list(y), air=0.12), FRAME.bottom, FRAME.top)
    parts = [*FRAME.axes(labels), *FRAME.numbers_below(across), *FRAME.numbers_beside(up)]
    if title:
        parts.append(tag("text", title, klass="soft", x=FRAME.left, y=14))
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
    return svg(FRAME.width, FRAME.height, alternative, *parts)


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
            inside = (
                FRAME.left + 2 <= box[0] and box[2] <= FRAME.width and box[1] >= 18 and box[3] <= FRAME.bottom
            )
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found.append((a + dx, b + dy))
                break
        else:
            found.append(None)
    return found


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

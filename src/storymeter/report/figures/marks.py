"""What all figures share: tags that escape their text, the eight marks of the systems, scales and their
ticks.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape
from rich.cells import cell_len

from ..fitting import clip, escape_controls

#: how many colours the stylesheet has (Okabe and Ito's, which colour-blind people can tell apart); each comes
#: with a shape of its own
COLOURS = 8


def tag(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """An element; texts and attributes are escaped, `klass` is `class`, and `_` in a name is `-`.

    >>> print(tag("text", "a < b", klass="soft", text_anchor="end", x=1.50))
    <text class="soft" text-anchor="end" x="1.5">a &lt; b</text>
    """
    written = "".join(
        f' {"class" if key == "klass" else key.replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(
        child if isinstance(child, Markup) else escape(escape_controls(child)) for child in children
    )
    return Markup(f"<{name}{written}>{inside}</{name}>")  # noqa: S704 - all parts are escaped above


def _short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def svg(width: float, height: float, alternative: str, *children: Markup, klass: str = "figure") -> Markup:
    """The figure with its alternative in words; it shrinks with the page and never grows beyond its size."""
    return tag(
        "svg",
        tag("title", alternative),
        *children,
        klass=klass,
        role="img",
        viewBox=f"0 0 {width:g} {height:g}",
        width=float(width),
        height=float(height),
        preserveAspectRatio="xMinYMid meet",
    )


def mark(number: int, x: float, y: float, size: float = 5.0, *, title: str = "") -> Markup:
    """The mark of a system: a shape in its colour."""
    return tag(
        "path",
        *([tag("title", title)] if title else []),
        d=shape(number, x, y, size),
        klass=f"mark c{number % COLOURS}",
    )


def shape(number: int, x: float, y: float, r: float) -> str:
    """Circle, square, triangle, diamond, cross, triangle upside down, flat bar, upright bar."""
    k = number % COLOURS
    if k == 0:
        return f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"
    if k == 4:
        a, b = r * 0.35, r * 1.1
        corners = [(-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a)]
        return _polygon(x, y, [*corners, (-b, -a), (-a, -a)])
    polygons = {
        1: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2: [(0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        3: [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        5: [(0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
        6: [(-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)],
        7: [(-0.5, -1.2), (0.5, -1.2), (0.5, 1.2), (-0.5, 1.2)],
    }
    return _polygon(x, y, [(r * dx, r * dy) for dx, dy in polygons[k]])


def _polygon(x: float, y: float, corners: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners) + "Z"


class Scale:
    """Values to places: `low` at `begin`, `high` at `end`."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        if not high > low:
            low, high = low - 0.5, low + 0.5
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers inside the scale.

        >>> Scale(0, 23, 0, 100).ticks()
        [0.0, 5.0, 10.0, 15.0, 20.0]
        """
        raw = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        count = math.floor(self.high / step + 1e-9) - first
        return [round((first + k) * step, 10) + 0.0 for k in range(count + 1)]


def span(values: Sequence[float], *, zero: bool = False, air: float = 0.05) -> tuple[float, float]:
    """The range of the values with some air; `zero` makes 0 part of it."""
    known = [value for value in values if math.isfinite(value)] + ([0.0] if zero else [])
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = (high - low) * air
    return (low if zero and low == 0 else low - room), high + room


#: widths of letters in DejaVu Sans, the widest of the usual fonts, in letters of the usual width
_WIDTHS = {
    letter: width
    for letters, width in (("ijlIJ'.,:;|/ ", 0.6), ("frt-()[]!", 0.74), ("mwMW%@&…+=<>#~^", 1.8))
    for letter in letters
}


def wide(text: str, letter: float = 7.2) -> float:
    """At most how wide a text is drawn, in the widest of the usual fonts: a Chinese or Japanese letter takes
    the place of two.

    >>> wide("gamma") > wide("gable") > wide("title")
    True
    """

    def of(each: str) -> float:
        cells = cell_len(each)
        return _WIDTHS.get(each) or (cells if cells != 1 else 1.46 if each.isupper() else 1.17)

    return letter * sum(map(of, text))


def shortened(text: str, room: float, letter: float = 7.2) -> str:
    """The text, cut where it would not fit; its whole is in the title of the element."""
    text = escape_controls(text)
    for cells in range(int(room / (0.6 * letter)) + 1, 3, -1):
        if wide(shown := clip(text, cells), letter) <= room:
            return shown
    return clip(text, 3)


# What carries the marks of a figure: upright lines with numbers below; or a plane with two axes, their
# numbers and names, and a legend below, on nothing.


def grid(scale: Scale, top: float, bottom: float, *, most: int = 5) -> list[Markup]:
    """Upright lines at the ticks of a scale, each with its number below."""
    return [
        tag(
            "g",
            tag("path", klass="grid", d=f"M{scale(value):.1f} {top:g}V{bottom:g}"),
            tag(
                "text",
                f"{value:g}",
                klass="soft",
                x=scale(value),
                y=bottom + 13,
                text_anchor="middle",
            ),
        )
        for value in scale.ticks(most)
    ]


@dataclass(frozen=True, slots=True)
class Frame:
    """Its size, and where the plane lies in it."""

    width: int
    height: int
    left: int
    top: int
    right: int
    bottom: int

    def axes(self, labels: tuple[str, str]) -> list[Markup]:
        """Both axes with their names."""
        across, up = self.right - self.left, self.bottom - self.top
        middle = (self.left + self.width) / 2
        turned = f"translate(13 {(self.top + self.bottom) / 2:.1f}) rotate(-90)"
        return [
            tag("path", klass="axis", d=f"M{self.left} {self.top}V{self.bottom}H{self.right}"),
            self._soft(shortened(labels[0], across), x=middle, y=self.height - 8),
            self._soft(shortened(labels[1], up), transform=turned),
        ]

    def below(self, texts: Iterable[tuple[float, str]]) -> list[Markup]:
        """Texts below the plane, each at its place."""
        return [self._soft(text, x=x, y=self.bottom + 16) for x, text in texts]

    def numbers_below(self, scale: Scale) -> list[Markup]:
        return self.below((scale(value), f"{value:g}") for value in scale.ticks())

    def numbers_beside(self, scale: Scale) -> list[Markup]:
        return [
            self._soft(f"{value:g}", x=self.left - 6, y=scale(value) + 4, anchor="end")
            for value in scale.ticks()
        ]

    def legend(
        self, names: Iterable[str], drawn: Callable[[int, float, float], Markup], indent: int
    ) -> tuple[list[Markup], float]:
        """What is `drawn(number, x, y)` for each name, and the name behind it, in rows below the figure; and
        the height of it all.
        """
        parts: list[Markup] = []
        x, y = float(self.left), self.height + 14.0
        for number, name in enumerate(names):
            text = shortened(name, 300)
            needed = wide(text) + indent + 14
            if x + needed > self.width and x > self.left:
                x, y = float(self.left), y + 20
            parts += [drawn(number, x, y - 4), tag("text", text, x=x + indent, y=y)]
            x += needed
        return parts, y + 10

    @staticmethod
    def _soft(text: str, *, anchor: str = "middle", **place: object) -> Markup:
        return tag("text", text, klass="soft", **place, text_anchor=anchor)

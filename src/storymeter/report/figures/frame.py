"""What carries the marks of a figure: upright lines with numbers below; or a plane with two axes, their
numbers and names, and a legend below, on nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup

from .marks import Scale, shortened, tag, wide


def grid(scale: Scale, top: float, bottom: float, *, most: int = 5, number: str = "g") -> list[Markup]:
    """Upright lines at the ticks of a scale, each with its number below."""
    return [
        tag(
            "g",
            tag("path", klass="grid", d=f"M{scale(value):.1f} {top:g}V{bottom:g}"),
            tag(
                "text",
                format(value, number),
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

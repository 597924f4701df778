"""Figures as files: SVG without a stylesheet, and PNG.

`charts` and `points` draw every figure once, as SVG whose classes the stylesheet of the pages colours, in
light and dark. Here the light colours become attributes of the shapes, so that an SVG file can go into a
paper; Matplotlib, which brings a font and finds other letters in the fonts of the machine, draws them as PNG.
"""

import functools
import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from ..presentation import static

#: pixels of a PNG for each unit of a figure, and the most along a side
PIXELS, LARGEST = 2.0, 12_000
#: units of air around a figure; Matplotlib's font is wider than those of browsers
AIR, NARROWER = 8, 0.92
#: families with the letters that Matplotlib's own lacks, the usual ones of each system
_MORE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "PingFang SC",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def svg_file(figure: Markup) -> bytes:
    """The figure as an SVG file that needs no stylesheet.

    figure: one of `Presentation.figures()`.
    """
    root = _styled(figure)
    root.set("xmlns", "http://www.w3.org/2000/svg")
    text: bytes = ElementTree.tostring(root, encoding="utf-8")
    return text + b"\n"


def themed_svg(drawn: Markup) -> str:
    """The figure as an SVG file with the styles of light and dark screens in it."""
    style = (
        "<style>text{font:13px sans-serif;fill:#1b1f24}.soft{fill:#59636e;font-size:12px}"
        ".grid{stroke:#d1d9e0}.interval{stroke:#0969da;stroke-width:2}.mark{fill:#0969da}"
        "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.grid{stroke:#3d444d}"
        ".interval{stroke:#4493f8}.mark{fill:#4493f8}}</style>"
    )
    text = str(drawn).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    begin = text.index(">") + 1
    return text[:begin] + style + text[begin:] + "\n"


def png(figure: Markup) -> bytes:
    """The figure as a PNG file on white; the same figure gives the same bytes on one machine.

    figure: one of `Presentation.figures()`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    root = _styled(figure)
    width, height = (float(root.get(side, 0)) + 2 * AIR for side in ("width", "height"))
    drawn = Figure(figsize=(width / 72, height / 72), dpi=72 * min(PIXELS, LARGEST / max(width, height)))
    FigureCanvasAgg(drawn)
    axes = drawn.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(-AIR, width - AIR), ylim=(height - AIR, -AIR))
    axes.set_axis_off()
    for element in root.iter():
        if element.tag in ("path", "rect"):
            axes.add_patch(_patch(element))
        elif element.tag == "text":
            _write(axes, element)
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a letter that no font has is drawn as a box
        drawn.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


@functools.cache
def fonts() -> list[str]:
    """The families to look for a letter in, one after the other."""
    from matplotlib.font_manager import get_font_names

    here = set(get_font_names())
    return ["DejaVu Sans", *(name for name in _MORE_FONTS if name in here)]


def _write(axes: Any, text: ElementTree.Element) -> None:
    x, y = float(text.get("x", 0)), float(text.get("y", 0))
    turned = re.match(r"translate\((\S+) (\S+)\) rotate\(-90\)", text.get("transform", ""))
    if turned is not None:
        x, y = float(turned[1]), float(turned[2])
    axes.text(
        x,
        y,
        (text.text or "") + "".join(child.tail or "" for child in text),  # without its title
        size=NARROWER * float(text.get("font-size", "13px").removesuffix("px")),
        family=fonts(),
        weight="bold" if "font-weight" in text.attrib else "normal",
        color=text.get("fill", "black"),
        ha=_ANCHORS[text.get("text-anchor", "start")],
        va="baseline",
        rotation=90 if turned else 0,
        rotation_mode="anchor",
        parse_math=False,
    )


def _patch(shape: ElementTree.Element) -> Any:
    from matplotlib.patches import PathPatch, Rectangle

    stroke, width = shape.get("stroke", "none"), float(shape.get("stroke-width", 1))
    dashes = [float(part) / width for part in shape.get("stroke-dasharray", "").split()]
    look: dict[str, Any] = {
        "facecolor": shape.get("fill", "black"),
        "edgecolor": stroke,
        "linewidth": width if stroke != "none" else 0,
        "linestyle": (0, dashes) if dashes else "solid",
        "alpha": float(shape.get("opacity", 1)),
        "capstyle": "butt",
    }
    if shape.tag == "path":
        return PathPatch(_outline(shape.get("d", "")), **look)
    x, y, across, down = (float(shape.get(name, 0)) for name in ("x", "y", "width", "height"))
    return Rectangle((x, y), across, down, **look)


def _outline(d: str) -> Any:
    """The path of Matplotlib for the commands that the kit writes: `a` draws half a circle."""
    from matplotlib.path import Path

    points: list[tuple[float, float]] = []
    codes: list[int] = []
    x = y = 0.0
    for command, written in re.findall(r"([MLHVhvaCZ])([^MLHVhvaCZ]*)", d):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", written)]
        places = list(zip(numbers[::2], numbers[1::2], strict=False))
        if command in "Hh":
            places = [(numbers[0] + (x if command == "h" else 0), y)]
        elif command in "Vv":
            places = [(x, numbers[0] + (y if command == "v" else 0))]
        elif command == "a":
            half, angles = numbers[5] / 2, [math.pi * k / 24 for k in range(1, 25)]
            places = [(x + half * (1 - math.cos(a)), y + half * math.sin(a)) for a in angles]
        elif command == "Z":
            places = [(x, y)]
        kind = {"M": Path.MOVETO, "C": Path.CURVE4, "Z": Path.CLOSEPOLY}.get(command, Path.LINETO)
        points += places
        codes += [int(kind)] * len(places)
        x, y = places[-1]
    return Path(points or [(0.0, 0.0)], codes or [int(Path.MOVETO)])


@dataclass(frozen=True, slots=True)
class _Rule:
    """The selector as (tag, classes) from the outermost element to the one it is for."""

    selector: tuple[tuple[str, frozenset[str]], ...]
    style: dict[str, str]

    def fits(self, family: Sequence[ElementTree.Element]) -> bool:
        """Whether the last of the family, an element after its ancestors, is selected."""
        if not _is(family[-1], *self.selector[-1]):
            return False
        above = iter(family[:-1])
        return all(any(_is(element, *part) for element in above) for part in self.selector[:-1])

    def weight(self) -> tuple[int, int]:
        return sum(len(classes) for _, classes in self.selector), sum(tag != "" for tag, _ in self.selector)


def _is(element: ElementTree.Element, tag: str, classes: frozenset[str]) -> bool:
    return tag in ("", element.tag) and classes <= set(element.get("class", "").split())


@functools.cache
def _rules() -> list[_Rule]:
    """The light rules of the figures' stylesheet, the weakest first."""
    css = re.sub(r"/\*.*?\*/", "", static("figures.css"), flags=re.DOTALL)
    css = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", css)
    named = dict(re.findall(r"(--[\w-]+):\s*([^;]+);", css))
    found = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        body = re.sub(r"var\((--[\w-]+)\)", lambda name: named[name[1]], body)
        body = re.sub(r"font: (\d+px) ([^;]+);", r"font-size: \1; font-family: \2;", body)
        style = dict(re.findall(r"((?:fill|stroke|opacity|font)[a-z-]*): ([^;]+);", body))
        for selector in selectors.split(","):
            parts = [part.split(".") for part in selector.split()]
            found.append(_Rule(tuple((tag, frozenset(classes)) for tag, *classes in parts), style))
    return sorted(found, key=_Rule.weight)


def _styled(figure: Markup) -> ElementTree.Element:
    """The figure as a tree in which attributes stand in place of classes."""
    root = ElementTree.fromstring(str(figure))  # noqa: S314 - our own markup, in which all texts are escaped
    families = [(family, [rule for rule in _rules() if rule.fits(family)]) for family in _families((root,))]
    for family, rules in families:
        for rule in rules:
            family[-1].attrib.update(rule.style)
        family[-1].attrib.pop("class", None)
    return root


def _families(family: tuple[ElementTree.Element, ...]) -> Iterator[tuple[ElementTree.Element, ...]]:
    """Every element after its ancestors."""
    yield family
    for child in family[-1]:
        yield from _families((*family, child))

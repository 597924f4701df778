"""What figures for files share: PNG and SVG bytes, no display, no global state."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Sequence
from typing import Any

from .table import harmless

BLUE = "#1b66c9"


def figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return drawn, axes


#: fonts with the letters that matplotlib's own lacks, the usual ones of each system
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


@functools.cache
def fonts() -> list[str]:
    """The families to look for a letter in, one after the other: matplotlib's own, then those that are
    here.
    """
    from matplotlib.font_manager import get_font_names

    here = set(get_font_names())
    return ["DejaVu Sans", *(name for name in _MORE_FONTS if name in here)]


def png(drawn: Any) -> bytes:
    from matplotlib.text import Text

    for text in drawn.findobj(Text):
        text.set_fontfamily(fonts())
    dpi = min(130, 12_000 / max(drawn.get_size_inches()))
    return _saved(drawn, format="png", dpi=dpi, metadata={"Software": None})


def svg(drawn: Any) -> bytes:
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "storymeter", "svg.fonttype": "none"}):  # same input, same bytes
        return _saved(drawn, format="svg", metadata={"Date": None})


def _saved(drawn: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a letter that the font lacks is drawn as a box
        drawn.savefig(out, **how)
    return out.getvalue()


def beyond(labels: Sequence[str]) -> float:
    """Inches that long names need beside a figure, more than ordinary ones."""
    return 0.09 * max(0, max(map(len, labels), default=0) - 16)


def label(name: str) -> str:
    """A name as the figures may write it: a dollar sign begins no formula, and no name fills the picture."""
    return (harmless(name) if len(name) <= 60 else harmless(name[:59]) + "…").replace("$", r"\$")

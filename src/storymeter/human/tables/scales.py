"""Scores in cells, and the scale that they are on.

>>> number("4 - good"), number("3,5"), number("★★★"), number("80%"), number("left")
(4.0, 3.5, 3.0, 80.0, None)
>>> found_scale([1, 3, 5, 4]), found_scale([0.2, 1.0]), found_scale([12, 88]), found_scale([1, 6])
((1.0, 5.0), (0.0, 1.0), (0.0, 100.0), (1.0, 7.0))
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import UsageError

Bounds = tuple[float, float]
_LEADING = re.compile(
    r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:%|$|[-–—:.)(/=]\s*\D.*|\s*/\s*\d+|\s+[^\W\d].*)", re.DOTALL
)
_STARS = re.compile(r"[★⭐*]+[☆]*")
#: answers in words, from the lowest
_WORDS = (
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "excellent"),
    ("very poor", "poor", "average", "good", "very good"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("very bad", "bad", "ok", "good", "very good"),
    ("terrible", "bad", "ok", "good", "excellent"),
    ("bad", "poor", "fair", "good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("not at all", "slightly", "moderately", "very", "extremely"),
)


def number(cell: Any) -> float | None:
    """The score in a cell; None where there is none."""
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, int | float):
        return float(cell) if math.isfinite(cell) else None
    if not isinstance(cell, str):
        return None
    try:
        value = float(cell)
        return value if math.isfinite(value) else None
    except ValueError:
        pass
    if _STARS.fullmatch(cell.strip()):
        return float(sum(mark != "☆" for mark in cell.strip()))
    found = _LEADING.fullmatch(cell)
    return float(found[1].replace(",", ".")) if found else None


def worded(cells: Iterable[Any]) -> dict[str, float] | None:
    """What each answer in words counts, 1 to 5, where all cells are such answers; else None."""
    there = {" ".join(str(cell).lower().split()) for cell in cells if cell is not None}
    if len(there) < 2:
        return None
    return next(
        (
            {word: float(mark) for mark, word in enumerate(words, 1)}
            for words in _WORDS
            if there <= set(words)
        ),
        None,
    )


def numeric(cells: Sequence[Any]) -> bool:
    """Whether every cell that is filled holds a number, and some are filled."""
    filled = [cell for cell in cells if cell is not None]
    return bool(filled) and all(number(cell) is not None for cell in filled)


def found_scale(values: Iterable[float]) -> Bounds:
    """The usual scale that these scores fit; where none fits, from the lowest to the highest."""
    seen = sorted(set(values))
    low, high = seen[0], seen[-1]
    if low < 0 or high > 100:
        ends = max(abs(low), abs(high))
        return (-ends, ends) if low < 0 and float(ends).is_integer() and ends <= 10 else (low, high)
    for bounds in ((0.0, 1.0), (1.0, 5.0), (1.0, 7.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0)):
        if bounds[0] <= low and high <= bounds[1]:
            return bounds
    return 0.0, 100.0


def stated_scale(text: str) -> Bounds:
    """`1-5` as its two ends."""
    ends = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)\s*", text)
    if ends is None or float(ends[1]) >= float(ends[2]):
        raise UsageError(
            f"{text!r} is no scale.", hint="Give its ends: --scale 1-5; z where the scores are standardised."
        )
    return float(ends[1]), float(ends[2])


def scale_name(bounds: Bounds) -> str:
    """A scale as it is printed: `1-5`, `-2..2`."""
    low, high = bounds
    return f"{low:g}..{high:g}" if low < 0 else f"{low:g}-{high:g}"

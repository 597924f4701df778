"""Texts and times as they stand in a file, judged: kept as they are and reported, or left out."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from .problem_log import MISSING, ProblemLog, named
from .problems import Path

ROUNDING = 0.05  #: seconds that a caption may end after its video before it is worth a warning
LONG, ENDLESS = 10_000, 1_000_000  #: characters: a caption this long is doubtful; this long, it is none
FOREVER = 1e9  #: seconds that no video lasts
REPORTED: Any = object()  #: a value whose problem is already known
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Values(ProblemLog):
    """Judges texts and times; with `repair` some are mended, and `repairs` counts how many."""

    def __init__(self, file: str = "", *, repair: bool = False) -> None:
        super().__init__(file)
        self.repair = repair
        self.repairs: Counter[str] = Counter()
        #: of the document that is being read
        self._duration: float | None = None

    def text(self, value: Any, at: Path, *, index: int | None = None) -> str | None:
        """A sentence, checked; None where it is none."""
        id = self._id or None
        if not isinstance(value, str):
            if value is MISSING:
                self.error("missing-key", f"the key {str(at[-1])!r} is missing", at[:-1], id=id, index=index)
            else:
                self.error(
                    "null-text" if value is None else "wrong-type",
                    "the sentence is not a string",
                    at,
                    detail=f"found {named(value)}",
                    id=id,
                    index=index,
                )
            return None
        if not value.strip():
            self.warn("empty-text", "the sentence is empty", at, id=id, index=index)
        if len(value) >= LONG:
            report, limit = (self.error, ENDLESS) if len(value) >= ENDLESS else (self.warn, LONG)
            report(
                "long-text",
                f"the sentence is longer than {limit:,} characters",
                at,
                detail=f"{len(value):,} characters",
                id=id,
                index=index,
            )
        if not value.isprintable():
            value = self.characters(value, at, id, index)
        sentence: str = value
        if self.repair and sentence != sentence.strip():
            self.repairs["trimmed"] += 1
            sentence = sentence.strip()
        return sentence

    def characters(self, value: str, at: Path, id: str | None, index: int | None) -> str:
        """The text without halves of characters, which are reported as control characters are."""
        if _SURROGATE.search(value):
            self.error(
                "bad-character",
                "the text holds half of a character (a lone surrogate)",
                at,
                id=id,
                index=index,
            )
        if found := _CONTROL.search(value):
            self.warn(
                "control-character",
                "the text holds a control character",
                at,
                detail=f"U+{ord(found[0]):04X}",
                id=id,
                index=index,
            )
        return _SURROGATE.sub("\ufffd", value)

    def seconds(self, value: Any, at: Path, *, index: int | None = None) -> float | None:
        """A time, checked; None where it is none. Whole numbers stay whole, so that a conversion gives them
        back.
        """
        id = self._id or None
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value != value:
                self.error("nan", "a number is NaN", at, id=id, index=index)
            elif abs(value) > FOREVER:
                self.error(
                    "infinity",
                    "a time is infinite or too large",
                    at,
                    detail="infinite" if abs(value) == math.inf else f"above {FOREVER:g} s",
                    id=id,
                    index=index,
                )
            else:
                return value
        elif value is MISSING:
            self.error("missing-key", f"the key {str(at[-1])!r} is missing", at[:-1], id=id, index=index)
        elif value is not REPORTED:
            self.error(
                "time-not-number",
                "a time is not a number",
                at,
                detail=f"found {named(value)}",
                id=id,
                index=index,
            )
        return None

    def _span(self, start: float, end: float, at: Path, index: int) -> tuple[float, float]:
        detail, id = f"{start:g} to {end:g}", self._id
        if end < start:
            if self.repair:
                self.repairs["swapped"] += 1
                self.warn(
                    "reversed",
                    "the segment ended before it started: swapped",
                    at,
                    detail=detail,
                    id=id,
                    index=index,
                )
                start, end = end, start
            else:
                self.error(
                    "reversed", "the segment ends before it starts", at, detail=detail, id=id, index=index
                )
        if start == end:
            self.warn("zero-length", "the segment has no length", at, detail=detail, id=id, index=index)
        highest = self._duration if self._duration is not None else math.inf
        outside = max(start, end) > highest + ROUNDING
        if min(start, end) < 0:
            self.warn(
                "negative-time", "the segment starts before the video", at, detail=detail, id=id, index=index
            )
        if outside:
            self.warn(
                "past-the-end",
                "the segment ends after the video",
                at,
                detail=f"{detail} of {highest:g}",
                id=id,
                index=index,
            )
        if self.repair and (start < 0 or end > highest):
            self.repairs["clipped"] += 1
            start, end = min(max(start, 0), highest), min(max(end, 0), highest)
        return start, end

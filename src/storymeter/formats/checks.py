"""The one place that judges values: texts, times, ids. Readers hand it what they found and get records back.

Report, never repair: a doubtful value is kept as it is and reported; a value that cannot be kept (a time that
is no number, a sentence that is no string) is reported and its caption left out. With `repair=True` reversed
segments are swapped, times clipped to the video and blanks at the edges trimmed; `repairs` counts what was
done.

Errors stop `read`: reversed segments, times and texts of a wrong type, missing keys, doubled ids. Warnings do
not: zero-length segments, empty sentences, captions out of order, ends more than 0.05 s past the video."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..captions import Caption, Document
from ..errors import first_few
from .problems import MISSING, Path, ProblemLog, is_number, named, others, where

ROUNDING = 0.05  #: seconds that a caption may end after its video before it is worth a warning
LONG, ENDLESS = 10_000, 1_000_000  #: characters: a caption this long is doubtful; this long, it is none
FOREVER = 1e9  #: seconds that no video lasts
REPORTED: Any = object()  #: a value whose problem is already known
INDEX: Any = object()  #: stands for the caption's number in a path template
_NUMBERS = frozenset((int, float))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
#: what tables hold in place of a caption that is missing, as pandas and R write it
_NOTHING = frozenset(("nan", "none", "null", "<na>", "n/a", "#n/a", "na"))
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def stands_for_nothing(text: str) -> bool:
    """Whether the text is a word that tables hold in place of a caption that is missing.

    >>> stands_for_nothing("NaN"), stands_for_nothing("Nan bakes bread."), stands_for_nothing("")
    (True, False, False)
    """
    return len(text) < 8 and text.strip().lower() in _NOTHING


class Check(ProblemLog):
    """Collects the problems of one file and builds its records. With `repair` some texts and times are
    mended, and `repairs` counts how many."""

    def __init__(self, file: str = "", *, repair: bool = False) -> None:
        super().__init__(file)
        self.repair = repair
        self.repairs: Counter[str] = Counter()
        #: what the corpus will carry in its meta: kind, the file's own top-level keys
        self.meta: dict[str, Any] = {}
        #: of the document that is being read: its length, its place, and those of texts and times within it
        self._duration: float | None = None
        self._at: Path = ()
        self._text: Path = (INDEX,)
        self._time: Path = (INDEX,)
        self._limit = FOREVER

    def take(self, other: Check) -> None:
        """Take over all that another check has found in the same file."""
        for problem in other.problems:
            if (problem.code, problem.where) not in self._seen:
                self._seen.add((problem.code, problem.where))
                self.problems.append(problem)
        self.repairs.update(other.repairs)
        self.meta.update(other.meta)

    @property
    def asks(self) -> bool:
        """Is there a question to the user among the errors?"""
        return any(problem.code == "ambiguous" for problem in self.problems)

    def open(
        self, id: Any, at: Path, *, text: Path = (INDEX,), time: Path = (INDEX,), duration: Any = None
    ) -> str:
        """Begin a document: its id, its place, and where within it the text and time of caption number INDEX
        stand.
        """
        self._at, self._text, self._time = at, text, time
        if isinstance(id, float) and id.is_integer() and abs(id) < 1e15:
            id = int(id)  # a table of ids with a gap has them as 391895.0
        if isinstance(id, int) and not isinstance(id, bool):
            id = str(id)
        if not isinstance(id, str) or not id.strip():
            kind = "missing-key" if id is MISSING else "bad-id"
            self.error(
                kind,
                (
                    "the document has no id"
                    if id is MISSING
                    else "an id must be a string or a whole number, and not empty"
                ),
                at,
                detail="" if id is MISSING else f"found {named(id)}{_field_of(id)}",
            )
            id = where(at)
        elif not id.isprintable():
            id = self.characters(id, at, id, None)
        self._id = id
        self._duration = self.seconds(duration, (*at, "duration")) if duration is not None else None
        if self._duration is not None and self._duration <= 0:
            self.warn(
                "bad-duration",
                "the duration is not above zero",
                (*at, "duration"),
                detail=f"{self._duration:g}",
                id=id,
            )
            self._duration = None
        self._limit = FOREVER if self._duration is None else self._duration + ROUNDING
        return self._id

    def move(self, at: Path) -> None:
        """The open document goes on at another place (another line)."""
        self._at = at

    def caption(
        self,
        index: int,
        text: Any,
        start: Any = None,
        end: Any = None,
        image: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> Caption | None:
        """Caption number `index` of the open document, or None where it cannot be kept."""
        if (
            type(text) is str
            and text
            and text.isprintable()
            and len(text) < LONG
            and not self.repair
            and not text.isspace()
            and not stands_for_nothing(text)
        ):
            if start is None and end is None:
                return Caption(text, image=image, meta=meta or {})
            if type(start) in _NUMBERS and type(end) in _NUMBERS and 0 <= start < end <= self._limit:
                return Caption(text, start, end, image, meta or {})
        return self._careful(index, text, start, end, image, meta or {})

    def _careful(
        self, index: int, text: Any, start: Any, end: Any, image: str | None, meta: dict[str, Any]
    ) -> Caption | None:
        time_at = self._place(self._time, index)
        sentence = self.text(text, self._place(self._text, index), index=index)
        timed = not (start is None and end is None)
        left = self.seconds(start, time_at, index=index) if timed else None
        right = self.seconds(end, time_at, index=index) if end is not None else None
        if sentence is None or (timed and left is None) or (end is not None and right is None):
            return None
        if left is not None and right is not None:
            left, right = self._span(left, right, time_at, index)
        return Caption(sentence, left, right, image, meta)

    def events(self, listed: list[Any], at: Path, what: str, text: str, time: str) -> list[Caption | None]:
        """The captions of a list of objects that have a text and [start, end] under these keys; their other
        keys are kept.
        """
        known = frozenset((text, time))
        return [
            self.caption(
                i,
                event.get(text, MISSING),
                *self.pair(event.get(time, MISSING), i),
                None,
                others(event, known) if len(event) > 2 else None,
            )
            for i, event in self.objects(enumerate(listed), at, what)
        ]

    def pair(self, value: Any, index: int) -> tuple[Any, Any]:
        """Start and end out of a list of two; what cannot be one is handed on, to be reported by
        `caption`.
        """
        if type(value) is list and len(value) == 2 and None not in value:
            return value[0], value[1]
        if value is None or isinstance(value, list):
            found = "null" if value is None or None in value else f"{len(value):,} values"
            self.error(
                "bad-segment",
                "a segment must be [start, end]",
                self._place(self._time, index),
                detail=f"found {found}",
                id=self._id,
                index=index,
            )
            return REPORTED, REPORTED
        return value, value

    def given(self, value: Any, index: int) -> Any:
        """A time that may not be null."""
        if value is None:
            self.error(
                "time-not-number",
                "a time is not a number",
                self._place(self._time, index),
                detail="found null",
                id=self._id,
                index=index,
            )
            return REPORTED
        return value

    def close(
        self, id: str, captions: Iterable[Caption | None], *, meta: dict[str, Any] | None = None
    ) -> Document:
        """End the open document; its captions, but those that could not be kept, stay in the order they were
        read.
        """
        kept = tuple(caption for caption in captions if caption is not None)
        last = -math.inf
        for index, caption in enumerate(kept):
            start = caption.start
            if start is not None:
                if start < last:
                    self.warn(
                        "unsorted",
                        "captions are not sorted by start",
                        self._at,
                        detail=f"caption {index} starts before the one ahead of it",
                        id=self._id,
                    )
                    break
                last = start
        return Document(id, kept, self._duration, meta or {})

    # -- texts and times as they stand in a file: kept as they are and reported, or left out

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
        elif stands_for_nothing(value):
            self.warn(
                "missing-text",
                "the sentence is a word that stands for a missing value; it is scored as this word",
                at,
                detail=repr(value),
                id=id,
                index=index,
            )
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
        if is_number(value):
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

    def _place(self, template: Path, index: int) -> Path:
        return (*self._at, *(index if step is INDEX else step for step in template))


def _field_of(id: Any) -> str:
    """The way out where an object stands in place of an id: the option that names the field inside."""
    if not isinstance(id, dict) or not id:
        return ""
    return f" ({first_few(id)}); --columns video=FIELD.{next(iter(id))} names the id in it"

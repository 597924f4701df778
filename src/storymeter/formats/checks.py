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
from collections.abc import Mapping
from typing import Any

from ..captions import Caption, Document
from .problems import Mark, Path, Problem, Severity, where

ROUNDING = 0.05  #: seconds that a caption may end after its video before it is worth a warning
LONG, ENDLESS = 10_000, 1_000_000  #: characters: a caption this long is doubtful; this long, it is none
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()
REPORTED: Any = object()  #: a value whose problem is already known
INDEX: Any = object()  #: stands for the caption's number in a path template
FOREVER = 1e9  #: seconds that no video has
_NUMBERS = frozenset((int, float))
_LACKS = frozenset(("missing-key", "unequal-lists"))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Check:
    """Collects the problems of one file and builds its records."""

    def __init__(self, file: str = "", *, repair: bool = False) -> None:
        self.file = file
        self.repair = repair
        self.problems: list[Problem] = []
        self.repairs: Counter[str] = Counter()
        #: what the corpus will carry in its meta: kind, the file's own top-level keys
        self.meta: dict[str, Any] = {}
        #: where the file breaks off; what is lacking on the way there is the break's fault
        self.broken: Path | None = None
        self._seen: set[tuple[str, str]] = set()
        self._id = ""
        self._at: Path = ()
        self._text: Path = (INDEX,)
        self._time: Path = (INDEX,)
        self._limit = FOREVER
        self._duration: float | None = None

    # -- problems

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        at: Path,
        detail: str,
        id: str | None,
        index: int | None,
    ) -> None:
        if code in _LACKS and self.broken is not None and self.broken[: len(at)] == at:
            return
        place = where(at)
        if (code, place) not in self._seen:
            self._seen.add((code, place))
            self.problems.append(Problem(severity, code, place, message, 1, detail, self.file, id, index))

    def error(
        self,
        code: str,
        message: str,
        at: Path = (),
        *,
        detail: str = "",
        id: str | None = None,
        index: int | None = None,
    ) -> None:
        self._add("error", code, message, at, detail, id, index)

    def warn(
        self,
        code: str,
        message: str,
        at: Path = (),
        *,
        detail: str = "",
        id: str | None = None,
        index: int | None = None,
    ) -> None:
        self._add("warning", code, message, at, detail, id, index)

    @property
    def failed(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)

    # -- shapes

    def mapping(self, value: Any, at: Path, what: str) -> dict[str, Any]:
        """`value` if it is an object; otherwise reported, and empty."""
        return value if isinstance(value, dict) else self._shape(value, at, what, "an object", {})

    def sequence(self, value: Any, at: Path, what: str) -> list[Any]:
        """`value` if it is a list; otherwise reported, and empty."""
        return value if isinstance(value, list) else self._shape(value, at, what, "a list", [])

    def _shape(self, value: Any, at: Path, what: str, wanted: str, empty: Any) -> Any:
        if value is MISSING:
            self.error("missing-key", f"the key {str(at[-1])!r} is missing", at[:-1], id=self._id or None)
        elif at and not isinstance(at[-1], Mark):
            self.error(
                "wrong-type",
                f"{what} must be {wanted}",
                at,
                detail=f"found {named(value)}",
                id=self._id or None,
            )
        else:
            self.error(
                "wrong-top-level",
                f"the file must hold {wanted} at its top",
                at,
                detail=f"found {named(value)}",
            )
        return empty

    # -- documents

    def open(
        self, id: Any, at: Path, *, text: Path = (INDEX,), time: Path = (INDEX,), duration: Any = None
    ) -> str:
        """Begin a document: its id, its place, and where within it the text and time of caption number INDEX
        stand.
        """
        self._at, self._text, self._time = at, text, time
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
                detail="" if id is MISSING else f"found {named(id)}",
            )
            id = where(at)
        elif not id.isprintable():
            self._characters(id, at, id, None)
            id = _SURROGATE.sub("\ufffd", id)
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
        one_ended = end is None
        left = self.seconds(start, time_at, index=index) if timed else None
        right = self.seconds(end, time_at, index=index) if timed and not one_ended else None
        if sentence is None or (timed and left is None) or (timed and not one_ended and right is None):
            return None
        if left is not None and right is not None:
            left, right = self._span(left, right, time_at, index)
        return Caption(sentence, left, right, image, meta)

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
        if len(value) >= ENDLESS:
            self.error(
                "long-text",
                f"the sentence is longer than {ENDLESS:,} characters",
                at,
                detail=f"{len(value):,} characters",
                id=id,
                index=index,
            )
        elif len(value) >= LONG:
            self.warn(
                "long-text",
                f"the sentence is longer than {LONG:,} characters",
                at,
                detail=f"{len(value):,} characters",
                id=id,
                index=index,
            )
        if not value.isprintable():
            self._characters(value, at, id, index)
            value = _SURROGATE.sub("\ufffd", value)
        sentence: str = value
        if self.repair and sentence != sentence.strip():
            self.repairs["trimmed"] += 1
            sentence = sentence.strip()
        return sentence

    def _characters(self, value: str, at: Path, id: str | None, index: int | None) -> None:
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
                    "a time is infinite or absurdly large",
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

    def close(self, id: str, captions: list[Caption], *, meta: dict[str, Any] | None = None) -> Document:
        """End the open document; its captions stay in the order they were read."""
        last = -math.inf
        for index, caption in enumerate(captions):
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
        return Document(id, tuple(captions), self._duration, meta or {})

    def _place(self, template: Path, index: int) -> Path:
        return (*self._at, *(index if step is INDEX else step for step in template))


def others(item: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The keys that a format does not know: kept, so that a conversion gives them back."""
    return {key: value for key, value in item.items() if key not in known}


def named(value: Any) -> str:
    """A value as a message shows it: short, with its type.

    >>> named("1.5"), named(None), named([1, 2])
    ("the string '1.5'", 'null', 'a list of 2')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, str):
        return f"the string {value if len(value) <= 30 else value[:30] + '…'!r}"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return f"an object of {len(value):,} keys"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a huge number"
    return f"the number {value}" if isinstance(value, int | float) else repr(value)

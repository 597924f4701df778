"""Kinds of values in a record: a text, an id, a time or a span.

`TimeFields` finds by their values the two fields of starts and ends whose names are unusual. Times in clock
notation or with seconds (`00:02`, `12.5s`) are certain; plain numbers only count under two names such as
`t_begin` and `t_finish`, since scores, places and counts are numbers, too.
"""

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from . import aliases
from .aliases import sided, tier
from .problems import MISSING, is_number
from .record_rows import Row, get, is_counter, lookup
from .spans import seconds, simple, times
from .tables import number

_FRACTION = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")


def flat(value: Any) -> Any:
    """The one value inside of lists of one: `[["…"]]` is `…`."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def text_id(value: Any) -> str | None:
    value = flat(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value) if str(value).strip() else None


def stem(value: str | None) -> str:
    """The name of a media file without its folder and ending; other names as they are.

    >>> stem("clips/a.mp4"), stem("a.jpg#3"), stem("v1.2"), stem("b/c")
    ('a', 'a', 'v1.2', 'b/c')
    """
    text = str(value)
    bare = re.sub(r"#\d{1,2}$", "", text) if "#" in text else text
    if not aliases.MEDIA.search(bare):
        return text
    name = re.split(r"[/\\]", bare)[-1]
    return aliases.MEDIA.sub("", name) or text


#: where the text of an answer stands in what servers of models send
_ANSWER_KEYS = (
    "completion",
    "content",
    "text",
    "caption",
    "message",
    "body",
    "choices",
    "output_text",
    "value",
)


def deep_text(value: Any, depth: int = 0) -> Any:
    """The one text inside of an answer's object: `{"choices": [{"message": {"content": "…"}}]}`, the last
    turn of a talk; what holds none stays as it is.

    >>> deep_text({"body": {"choices": [{"message": {"content": "a dog"}}]}})
    'a dog'
    >>> deep_text([{"from": "human", "value": "what?"}, {"from": "gpt", "value": "a dog"}])
    'a dog'
    """
    value = flat(value)
    if is_talk(value):
        value = value[-1]
    if isinstance(value, dict) and depth < 8:
        for key in _ANSWER_KEYS:
            if key in value and isinstance(found := deep_text(value[key], depth + 1), str):
                return found
    return value


def all_counting(keys: list[str | None]) -> bool:
    found = [re.fullmatch(r"\D*(\d+)", key or "") for key in keys]
    return all(found) and is_counter([f[1] for f in found if f])


def is_talk(value: Any) -> bool:
    """Turns of a talk, of which only the last one is a model's."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(turn, dict) for turn in value):
        return False
    speakers = [str(turn.get("role", turn.get("from", ""))).lower() for turn in value]
    models = [speaker in ("assistant", "gpt", "model", "bot") for speaker in speakers]
    return models.count(True) == 1 and models[-1]


def is_text(value: Any) -> bool:
    value = flat(value)
    if isinstance(value, dict):
        value = deep_text(value)
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) for v in value)
    return isinstance(value, str)


def is_name(value: Any) -> bool:
    value = text_id(value)
    return (
        value is not None and len(value) < 200 and len(value.split()) == 1 and not _FRACTION.fullmatch(value)
    )


def is_file(value: Any) -> bool:
    """The name of a media file, or an address: no caption."""
    value = flat(value)
    return isinstance(value, str) and bool(
        aliases.MEDIA.search(value) or ("://" in value and len(value.split()) == 1)
    )


def is_time(value: Any) -> bool:
    if isinstance(value, str):
        return (
            any(c.isdigit() for c in value)
            and len(value) < 30
            and not any(c.isspace() for c in value.strip()[:3])
        )
    return is_number(value)


def plain_time(value: Any) -> float | None:
    found = Clock("", None).seconds(value)
    return found if is_number(found) else None


def is_start(value: Any) -> bool:
    """A time of a video, as opposed to a date."""
    if isinstance(value, str):
        return len(value) < 13 and "-" not in value and is_time(value)
    return is_time(value) and abs(value) < 1e8


def is_number_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value)) and value[0] < value[1]


def is_broken_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) < 5 and not any(isinstance(v, list | dict) for v in value)


def is_span(value: Any) -> bool:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        return any(tier(n, aliases.START) for n in value) and any(tier(n, aliases.END) for n in value)
    if isinstance(value, list):
        return len(value) == 2 and all(is_time(v) for v in value)
    return isinstance(value, str) and times(value) is not None


# Times of records: seconds, clock times, and milliseconds or frames where the name of the field says so.


class Clock:
    """Reads the times of one field; `fps` is the frame rate of the record, where it has one.

    >>> Clock("start_ms", None).seconds(1500), Clock("start", None).seconds("1:30")
    (1.5, 90)
    >>> Clock("segment", None).pair("0:05 - 0:09"), Clock("start_frame", 25).seconds(50)
    ((5, 9), 2.0)
    """

    def __init__(self, name: str, fps: Any) -> None:
        self.millis = aliases.unit(name) == "ms"
        self.frames = aliases.unit(name) == "frame"
        rate = number(fps)
        self.fps = rate if is_number(rate) and rate > 0 else None

    def seconds(self, value: Any) -> Any:
        """A time in seconds; what cannot be read is handed on, to be reported."""
        value = number(value)
        if isinstance(value, str):
            found = seconds(simple(value.strip()))
            value = value if found is None else found
        if not is_number(value):
            return value
        if self.millis:
            return value / 1000
        if self.frames:
            return value / self.fps if self.fps else f"frame {value:g} without a field fps"
        return value

    def pair(self, value: Any) -> tuple[Any, Any]:
        """Start and end out of a list of two, an object, or a text."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list | str | dict):
            value = value[0]
        if value is None or value == "":
            return MISSING, MISSING
        if isinstance(value, list) and len(value) == 2:
            return self.seconds(value[0]), self.seconds(value[1])
        if isinstance(value, dict):
            start = next((value[n] for n in value if tier(n, aliases.START)), None)
            end = next((value[n] for n in value if tier(n, aliases.END)), None)
            return self.seconds(start), self.seconds(end)
        if isinstance(value, str) and (found := times(value)):
            return self.seconds(found[0]), self.seconds(found[1])
        wrong = value if isinstance(value, list | str | dict) else [value]
        return wrong, wrong


_MOST = 12  #: fields that are looked at
_NOTATED = re.compile(r".*\d(?::\d\d|\s?(?:s|secs?|seconds?))(?![^\W\d]).*", re.IGNORECASE)


def _time(name: str, value: Any) -> float | None:
    rate = 1 if aliases.unit(name) == "frame" else None
    found = Clock(name, rate).seconds(value)
    return found if is_number(found) and 0 <= found < 1e8 else None


class TimeFields:
    """The fields of a sample of rows that may be starts and ends; `taken` have a role already."""

    def __init__(
        self, rows: Sequence[Row], names: Sequence[str], taken: Sequence[str] = (), start: str = ""
    ) -> None:
        self.rows = rows
        self.values: dict[str, list[Any]] = {}
        #: in clock notation, or with seconds
        self.notated: set[str] = set()
        for name in names:
            if name in taken or (aliases.known(name) and not sided(name) and name != start):
                continue
            values = [get(row.fields, name) for row in rows]
            given = [v for v in values if v is not None and v != ""]
            if not sided(name) and not all(isinstance(v, str) for v in given):
                continue
            times = [v for v in given if _time(name, v) is not None]
            share = 0.5 if sided(name) else 1
            if not given or len(times) < share * len(given) or 2 * len(given) < len(rows):
                continue
            clocks = [isinstance(v, str) and _NOTATED.fullmatch(v) is not None for v in times]
            zeros = [_time(name, v) == 0 for v in times]
            marked = any(clocks) and all(c or z for c, z in zip(clocks, zeros, strict=True))
            if (marked or sided(name)) and len(self.values) < _MOST:
                self.values[name] = values
                self.notated |= {name} if marked else set()

    def telling(self) -> list[str]:
        """The fields that look like times, starts first."""
        return sorted(self.values, key=lambda n: aliases.around(n, 0) is None)

    def pairs(self, ids: Sequence[str] = (), start: str = "", end: str = "") -> list[tuple[str, str]]:
        """The pairs of fields that fit best as start and end; one of them may be given."""
        strong: list[tuple[str, str]] = []
        named, others = strong[:], strong[:]
        for a, b in permutations(self.values, 2):
            if (start and a != start) or (end and b != end) or not self._ordered(a, b):
                continue
            first, second = aliases.around(a, 0), aliases.around(b, 1)
            first = ("", "") if first is None and a == start else first  # `time` beside `t_finish`
            if first is not None and second is not None and self._sure(a, b, any(first)):
                if first == second:
                    strong.append((a, b))
                elif not self._constant(b, ids):
                    named.append((a, b))
            elif {a, b} <= self.notated and aliases.around(a, 1) is None and aliases.around(b, 0) is None:
                others += [(a, b)] * (not any(self._constant(n, ids) for n in (a, b)))
        return strong or named or others

    def _sure(self, a: str, b: str, timely: bool) -> bool:
        """Numbers of one record alone only under names that say more than `to` and `from`."""
        return {a, b} <= self.notated or timely or len(self.rows) > 1

    def _ordered(self, a: str, b: str) -> bool:
        """In every record; under two telling names a few may be wrong, which the reader reports."""
        both = [
            (x, y)
            for v, w in zip(self.values[a], self.values[b], strict=True)
            if (x := _time(a, v)) is not None and (y := _time(b, w)) is not None
        ]
        fits = sum(x <= y for x, y in both)
        least = 0.8 if sided(a) and sided(b) else 1
        return any(x < y for x, y in both) and fits >= least * len(both)

    def _constant(self, name: str, ids: Sequence[str]) -> bool:
        """The same for all captions of each item that has several: a length, or a date."""
        for id in (*ids, ""):
            groups: dict[str, list[Any]] = {}
            for row, value in zip(self.rows, self.values[name], strict=True):
                item = text_id(lookup(row, id, outside=True)) if id else row.key or row.group
                groups.setdefault(str(item), []).append(value)
            several = [group for group in groups.values() if len(group) > 1]
            if several and all(len(set(map(str, group))) == 1 for group in several):
                return True
        return False

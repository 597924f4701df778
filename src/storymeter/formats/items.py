"""Timed captions out of a JSON value of any usual shape: lists of objects, of triples or of lines, an object
that wraps them, parallel lists, or an object whose keys are the times.

    [{"start": 0, "end": 12, "caption": "…"}]        [{"timestamp": ["0:00", "0:12"], "sentence": "…"}]
    {"events": [{"time": "0:00 - 0:12", "event": "…"}]}       [[0, 12, "…"]]       {"0:00 - 0:12": "…"}
    {"timestamps": [[0, 12]], "sentences": ["…"]}             ["[0, 12] …"]

>>> [(i.start, i.end, i.text) for i in items({"events": [{"from": "0:05", "to": "0:09", "label": "a dog"}]})]
[(5, 9, 'a dog')]

Rows under a head that names start, end and caption, in a text: `| Start | End | Caption |`, `start,end,…`

>>> rows = Rows.headed("| Start | End | Caption |")
>>> rows.record("| 0:00 | 0:12 | A dog runs. |")
{'Start': '0:00', 'End': '0:12', 'Caption': 'A dog runs.'}
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .spans import heads, seconds, simple, times

START = frozenset(
    [
        "start",
        "begin",
        "from",
        "starttime",
        "startsec",
        "startseconds",
        "tstart",
        "timestart",
        "starttimestamp",
        "startts",
    ]
)
END = frozenset(
    [
        "end",
        "stop",
        "to",
        "endtime",
        "endsec",
        "endseconds",
        "tend",
        "timeend",
        "endtimestamp",
        "endts",
        "finish",
    ]
)
SPAN = frozenset(
    [
        "timestamp",
        "timestamps",
        "time",
        "times",
        "segment",
        "segments",
        "span",
        "interval",
        "timerange",
        "timeinterval",
        "timespan",
        "range",
    ]
)
#: the first of these that an object has is the caption
TEXT = [
    "caption",
    "sentence",
    "description",
    "text",
    "narration",
    "content",
    "summary",
    "event",
    "action",
    "activity",
    "label",
]


class Item(NamedTuple):
    """A caption, or (`wrong` says why) something that should have been one."""

    path: tuple[str | int, ...]
    start: float | None
    end: float | None
    text: str
    meta: dict[str, Any]
    wrong: str = ""


def plain(key: str) -> str:
    """A key without signs and capitals.

    >>> plain("Start_Time")
    'starttime'
    """
    return re.sub(r"[^a-z]", "", key.lower())


def is_item(value: dict[str, Any]) -> bool:
    """Does the object speak of a time?"""
    keys = {plain(key) for key in value}
    return bool(keys & SPAN) or bool(keys & START and keys & END)


def items(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Item]:
    """All captions of a value, in order, and whatever could not be read as one."""
    if len(path) > 20:
        yield _wrong(path, "nested too deeply")
    elif isinstance(value, dict) and value:
        yield from _of_object(value, path)
    elif isinstance(value, list):
        if len(value) == 3 and isinstance(value[2], str) and not isinstance(value[0], list | dict):
            yield _timed(path, value[0], value[1], value[2], {})
            return
        for i, member in enumerate(value):
            if len(value) == 2 and isinstance(value[0], list) and isinstance(value[1], str):
                yield _timed(path, value[0], None, value[1], {})
                return
            yield from items(member, (*path, i))
    elif isinstance(value, str) and value.strip():
        found = heads(value)
        text = value[found[0].stop :].strip() if found else ""
        if len(found) == 1 and text:
            yield Item(path, found[0].start, found[0].end, text, {})
        else:
            yield _wrong(path, "a text without times")
    elif value is not None and value != {}:
        yield _wrong(path, "neither an object nor a list")


def _of_object(value: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Item]:
    keys = {plain(key): key for key in reversed(value)}
    if is_item(value):
        texts = [keys[form] for word in TEXT for form in (word, f"{word}s") if form in keys]
        span = next((keys[word] for word in keys if word in SPAN), None)
        if texts and span and _parallel(value[span], value[texts[0]]):
            for i, (time, text) in enumerate(zip(value[span], value[texts[0]], strict=True)):
                yield _timed((*path, i), time, None, text, {})
            return
        begin, end = (next((keys[k] for k in keys if k in names), None) for names in (START, END))
        used = [key for key in (span, begin, end, *texts[:1]) if key is not None]
        meta = {key: content for key, content in value.items() if key not in used}
        text = value[texts[0]] if texts else None
        if begin is not None and end is not None:
            meta |= {} if span is None else {span: value[span]}
            yield _timed(path, value[begin], value[end], text, meta)
        else:
            yield _timed(path, value[span or ""], None, text, meta)
    elif all(times(key) for key in value):
        for key, text in value.items():
            yield _timed((*path, key), key, None, text, {})
    else:
        nested = {key: content for key, content in value.items() if isinstance(content, list | dict)}
        for key, content in nested.items():
            yield from items(content, (*path, key))
        if not nested:
            yield _wrong(path, "an object without times")


def _parallel(times: Any, texts: Any) -> bool:
    return isinstance(times, list) and isinstance(texts, list) and len(times) == len(texts)


def _timed(path: tuple[str | int, ...], start: Any, end: Any, text: Any, meta: dict[str, Any]) -> Item:
    if not isinstance(text, str) or not text.strip():
        return _wrong(path, "no text")
    pair = _pair(start) if end is None else (_time(start), _time(end))
    if pair is None or None in pair:
        return _wrong(path, "no start and end that can be read")
    return Item(path, pair[0], pair[1], text, meta)


def _pair(value: Any) -> tuple[float | None, float | None] | None:
    """Start and end out of one value: a list of two, an object, or a text."""
    if isinstance(value, list) and len(value) == 2:
        return _time(value[0]), _time(value[1])
    if isinstance(value, dict) and is_item(value):
        keys = {plain(key): content for key, content in value.items()}
        begin, end = (next((keys[k] for k in keys if k in names), None) for names in (START, END))
        return _time(begin), _time(end)
    return times(value) if isinstance(value, str) else None


def _time(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    return (
        value
        if isinstance(value, int | float)
        else seconds(simple(value))
        if isinstance(value, str)
        else None
    )


def _wrong(path: tuple[str | int, ...], why: str) -> Item:
    return Item(path, None, None, "", {}, why)


_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")


@dataclass(frozen=True, slots=True)
class Rows:
    delimiter: str
    head: tuple[str, ...]

    @classmethod
    def headed(cls, line: str) -> Rows | None:
        """The rows that follow, where the line is such a head."""
        for delimiter in ("|", "\t", ",", ";"):
            if delimiter in line:
                cells = _cells(line, delimiter)
                names = {plain(cell) for cell in cells}
                timed = names & SPAN or (names & START and names & END)
                if (
                    timed
                    and names & {*TEXT, *(f"{word}s" for word in TEXT)}
                    and len(set(cells)) == len(cells)
                ):
                    return cls(delimiter, tuple(cells))
        return None

    def is_rule(self, line: str) -> bool:
        return self.delimiter == "|" and _RULE.fullmatch(line) is not None

    def record(self, line: str) -> dict[str, str] | None:
        """The cells by name; None where the line has not as many as the head."""
        if self.delimiter not in line:
            return None
        cells = _cells(line, self.delimiter)
        return dict(zip(self.head, cells, strict=True)) if len(cells) == len(self.head) else None


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == "|":
        return [cell.strip(" *`\t") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))]

"""What a rater says about the words of a caption: the record of an error span study.

Error Span Annotation (Kocmi et al., WMT 2024, "Error Span Annotation: A Balanced Approach for Human
Evaluation of Machine Translation") asks for the wrong words first and for a score from 0 to 100 after them.
Its judgement is a `Rating` of criterion `spans` whose `value` is the score; `meta` holds the rest:

    text      the caption as it was shown
    spans     [{"start", "end", "severity", "kind"}]: characters start … end - 1 of the text are wrong
    missing   what the caption should have said and does not, in the rater's words
    planted   {"start", "end"}: on controls only, where a wrong word was put in

>>> from storymeter.captions import Rating
>>> one = Rating("v1", "a", "r1", 40.0, criterion="spans", meta={
...     "text": "a dog runs", "spans": [{"start": 2, "end": 5, "severity": "major", "kind": "object"}]})
>>> [one.meta["text"][mark.start : mark.end] for mark in spans_of(one)]
['dog']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from ..captions import Rating

CRITERION = "spans"
#: the share of planted errors that an attentive rater marks
FOUND = 0.5
SEVERITIES = ("minor", "major")
#: what a major error weighs beside a minor one
MAJOR = 5.0
#: what an error is about, unless the organiser has an own list
KINDS = ("object", "action", "place", "person", "number", "order", "other")


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Characters `start` … `end` - 1 of a caption are wrong."""

    start: int
    end: int
    severity: Literal["minor", "major"]
    kind: str


def spans_of(rating: Rating) -> list[Span]:
    """The marked words of one judgement, from left to right."""
    return sorted(msgspec.convert(rating.meta.get("spans", []), list[Span]), key=_place)


def planted_found(records: Iterable[Rating]) -> dict[str, list[bool]]:
    """Per rater, whether each of the planted errors shown was marked."""
    found: dict[str, list[bool]] = {}
    for one in records:
        shown = found.setdefault(one.rater, [])
        place = one.meta.get("planted")
        if place is not None:
            shown.append(
                any(mark.start < place["end"] and place["start"] < mark.end for mark in spans_of(one))
            )
    return found


def meta_of(text: str, spans: Sequence[Span], missing: str) -> dict[str, object]:
    """The `meta` of a judgement."""
    return {"text": text, "spans": msgspec.to_builtins(sorted(spans, key=_place)), "missing": missing}


def _place(mark: Span) -> tuple[int, int]:
    return mark.start, mark.end


def words_at(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end.

    >>> words_at("a dog  runs")
    [(0, 1), (2, 5), (7, 11)]
    """
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append((start, at))
    return found

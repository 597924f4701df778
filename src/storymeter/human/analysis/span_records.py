"""Marked words of a caption: the record of an error span study.

Error Span Annotation (Kocmi et al., WMT 2024, "Error Span Annotation: A Balanced Approach for Human
Evaluation of Machine Translation") asks for the wrong words first and for a score from 0 to 100 after them.
Its judgement is a `Rating` of criterion `spans` whose `value` is the score; `meta` holds the rest:

    text      the caption as it was shown
    spans     [{"start", "end", "severity", "kind"}]: characters start … end - 1 of the text are wrong
    missing   what the caption should have said and does not, in the rater's words
    planted   {"start", "end"}: on controls only, where a wrong word was put in

A mark of the kind `missing` at the end of the text (`start` and `end` are its length) says that something is
not told, and how bad that is; raters set it at the word [missing] behind the caption.

>>> from storymeter.captions import Rating
>>> one = Rating("v1", "a", "r1", 40.0, criterion="spans", meta={
...     "text": "a dog runs", "spans": [{"start": 2, "end": 5, "severity": "major", "kind": "object"}]})
>>> [one.meta["text"][mark.start : mark.end] for mark in spans_of(one)]
['dog']

Which words of a caption do people call wrong? Labels per word, for metrics to be tested against.

A word is marked by a rater when one of the rater's spans covers one of its characters. `wrong` is the share
of raters who marked it, `major` the share who called it a major error; by `storymeter meta words`, a metric
that points at words can be held against them.

>>> from storymeter.captions import Rating
>>> meta = {"text": "a dog runs", "spans": [{"start": 2, "end": 5, "severity": "major", "kind": "object"}]}
>>> said = [Rating("v", "s", "r1", 40.0, meta=meta),
...         Rating("v", "s", "r2", 90.0, meta={"text": "a dog runs"})]
>>> [(word.text, word.wrong, word.major) for word in word_labels(said)[0].words]
[('a', 0.0, 0.0), ('dog', 0.5, 0.5), ('runs', 0.0, 0.0)]
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from ...arrays import IntArray
from ...captions import Rating
from ...errors import DataError, many
from ...text.script import dense

CRITERION = "spans"
#: the share of planted errors that an attentive rater marks
FOUND = 0.5
SEVERITIES = ("minor", "major")
#: what a major error weighs beside a minor one
MAJOR = 5.0
#: what an error is about, unless the organiser has an own list
KINDS = ("object", "action", "place", "person", "number", "order", "other")

#: what a mark at the end of the text is about: something that is not told
OMISSION = "missing"


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Characters `start` … `end` - 1 of a caption are wrong."""

    start: int
    end: int
    severity: Literal["minor", "major"]
    kind: str

    @property
    def omission(self) -> bool:
        """Whether it marks no word, but that something is missing."""
        return self.kind == OMISSION


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


def not_believed(planted: Mapping[str, Sequence[bool]]) -> dict[str, str]:
    """The raters who marked fewer than half of the planted errors, and how many they marked."""
    return {
        rater: f"marked {sum(found)} of {many(len(found), 'planted error')}"
        for rater, found in sorted(planted.items())
        if sum(found) < FOUND * len(found)
    }


def meta_of(text: str, spans: Sequence[Span], missing: str) -> dict[str, object]:
    """The `meta` of a judgement."""
    return {"text": text, "spans": msgspec.to_builtins(sorted(spans, key=_place)), "missing": missing}


def _place(mark: Span) -> tuple[int, int]:
    return mark.start, mark.end


def words_at(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end; in scripts without blanks each letter is a word.

    >>> words_at("a dog  runs"), words_at("犬とTシャツ")
    ([(0, 1), (2, 5), (7, 11)], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)])
    """
    found: list[tuple[int, int]] = []
    for at, letter in enumerate(text):
        if letter.isspace():
            continue
        if found and found[-1][1] == at and not dense(letter) and not dense(text[at - 1]):
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found


class Word(msgspec.Struct, frozen=True):
    text: str
    start: int
    end: int
    #: shares of raters
    wrong: float
    major: float


class Labelled(msgspec.Struct, frozen=True):
    """A caption and what its raters said of each word."""

    item: str
    system: str
    text: str
    raters: int
    words: tuple[Word, ...]


def marks(rating: Rating) -> IntArray:
    """For each word of the caption 0 (not marked), 1 (minor) or 2 (major)."""
    words, spans = words_at(str(rating.meta.get("text", ""))), spans_of(rating)
    level = {"minor": 1, "major": 2}
    return np.array(
        [
            max((level[one.severity] for one in spans if one.start < end and start < one.end), default=0)
            for start, end in words
        ],
        dtype=np.int64,
    )


def by_caption(records: Iterable[Rating]) -> dict[tuple[str, str, str], dict[str, Rating]]:
    """The first judgement of each rater on each caption (item, system, text); damaged captions are no
    captions.
    """
    found: dict[tuple[str, str, str], dict[str, Rating]] = {}
    for one in records:
        if one.kind != "degraded":
            key = one.item, one.system, str(one.meta.get("text", ""))
            found.setdefault(key, {}).setdefault(one.rater, one)
    return found


def word_labels(records: Iterable[Rating]) -> list[Labelled]:
    out = []
    for (item, system, text), said in by_caption(records).items():
        levels = np.stack([marks(one) for one in said.values()])
        wrong, major = (levels > 0).mean(axis=0).tolist(), (levels > 1).mean(axis=0).tolist()
        words = tuple(
            Word(text[start:end], start, end, w, m)
            for (start, end), w, m in zip(words_at(text), wrong, major, strict=True)
        )
        out.append(Labelled(item, system, text, len(said), words))
    return out


def to_jsonl(labels: Sequence[Labelled]) -> str:
    return "".join(msgspec.json.encode(one).decode() + "\n" for one in labels)


def read_labels(path: Path) -> list[Labelled]:
    decoder = msgspec.json.Decoder(Labelled)
    found: list[Labelled] = []
    try:
        content = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", hint="Check the name.") from None
    for number, line in enumerate(content, 1):
        try:
            if line.strip():
                found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise DataError(
                f"{path}, line {number}: {error}",
                hint="Word labels are written by: storymeter human analyse CAMPAIGN --words FILE",
            ) from None
    return found

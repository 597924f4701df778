"""Results of scoring: the rows of a metric, the matching behind them, and the score made from them.

A signature says what a number depends on: an ordered list of `key:value` fields, printed as
`metric:bleu_4|tok:ptb|…`. Two numbers may be compared when their signatures are equal; `diff` names the
fields that are not.

>>> a = Signature.of(metric="bleu_4", tok="ptb"); b = Signature.of(metric="bleu_4", tok="whitespace")
>>> str(a)
'metric:bleu_4|tok:ptb'
>>> Signature.parse(str(a)) == a
True
>>> diff(a, b)
{'tok': ('ptb', 'whitespace')}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple

import msgspec

from .arrays import FloatArray, IntArray, KeyArray
from .errors import UsageError, many

_ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A", "\n": "%0A", "\r": "%0D"}


_IN_KEYS = str.maketrans({char: _ESCAPES[char] for char in "%|:"})
_IN_VALUES = str.maketrans({char: _ESCAPES[char] for char in "%|\n\r"})


def _unescape(text: str) -> str:
    for char, code in reversed(_ESCAPES.items()):  # "%25" last: it may hide another escape
        text = text.replace(code, char)
    return text


class Signature(msgspec.Struct, frozen=True):
    """Everything that a number depends on, as ordered fields; see the module."""

    fields: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, mapping: Mapping[str, object] | None = None, /, **fields: object) -> Signature:
        """Fields in the order given; booleans print as `yes` and `no`, and `None` is left out."""
        merged = {**(mapping or {}), **fields}
        return cls(tuple((key, _text(value)) for key, value in merged.items() if value is not None))

    def add(self, **fields: object) -> Signature:
        """These fields after the present ones; a field that is already there is replaced where it stands."""
        return Signature.of({**dict(self.fields), **fields})

    def get(self, key: str, default: str = "") -> str:
        return dict(self.fields).get(key, default)

    def __str__(self) -> str:
        return "|".join(
            f"{key.translate(_IN_KEYS)}:{value.translate(_IN_VALUES)}" for key, value in self.fields
        )

    @classmethod
    def parse(cls, text: str) -> Signature:
        if not text:
            return cls()
        fields = []
        for part in text.split("|"):
            key, colon, value = part.partition(":")
            if not colon:
                raise UsageError(
                    f"Not a signature: the field {part!r} has no colon.",
                    hint="Fields look like `tok:ptb`, joined by `|`.",
                )
            fields.append((_unescape(key), _unescape(value)))
        return cls(tuple(fields))


def _text(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def short_hash(content: object) -> str:
    """Eight hexadecimal digits that name data that is too long to be printed."""
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:8]


def diff(a: Signature, b: Signature) -> dict[str, tuple[str, str]]:
    """The fields that differ, with both values ('' where a side lacks the field)."""
    left, right = dict(a.fields), dict(b.fields)
    keys = [*left, *(key for key in right if key not in left)]
    return {key: (left.get(key, ""), right.get(key, "")) for key in keys if left.get(key) != right.get(key)}


class Match(NamedTuple):
    """Caption `candidate` of a document was matched with caption `reference` of the track (both as read, from
    0).
    """

    candidate: int
    reference: int
    iou: float
    f: float
    product: float


@dataclass(frozen=True, slots=True)
class Alignment(Mapping[str, tuple[Match, ...]]):
    """Which caption was matched with which reference, by document id: the matching that gave the score.

    Document k owns entries offset[k]:offset[k+1]; `annotator[k]` is the annotator it was compared with, from
    0 among those who have the document, or -1 where the tracks of all annotators were merged into one."""

    ids: tuple[str, ...]
    offset: IntArray
    candidate: IntArray
    reference: IntArray
    iou: FloatArray
    f: FloatArray
    annotator: IntArray
    _places: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def place(self, document: str) -> int:
        if not self._places:
            self._places.update((id, k) for k, id in enumerate(self.ids))
        return self._places[document]

    def __getitem__(self, document: str) -> tuple[Match, ...]:
        k = self.place(document)
        at = slice(self.offset[k], self.offset[k + 1])
        columns = (
            self.candidate[at],
            self.reference[at],
            self.iou[at],
            self.f[at],
            self.iou[at] * self.f[at],
        )
        return tuple(map(Match, *(column.tolist() for column in columns)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Rows:
    """(documents, columns): the additive statistics of each document, and the matching behind them where
    there is one.
    """

    values: FloatArray
    alignment: Alignment | None = None


class CorpusCounts(NamedTuple):
    """What a metric must know of the whole corpus before it can score a part of it: how many items there are,
    and in how many of them each key (the hash of an n-gram) occurs. Parts add up."""

    items: int
    keys: KeyArray
    counts: IntArray


#: measures as people write them
TITLES = {
    "meteor": "METEOR",
    "cider": "CIDEr",
    "cider_d": "CIDEr-D",
    "rouge_l": "ROUGE-L",
    "spice": "SPICE",
    "bertscore": "BERTScore",
    "sts": "STS",
    "wmd": "WMD",
    **{f"bleu_{n}": f"BLEU-{n}" for n in range(1, 5)},
    **{f"soda_{letter}": f"SODA_{letter}" for letter in "abcd"},
}


@dataclass(frozen=True)
class ResampledSums:
    """What is left of rows that were not kept: their sums, the sums of each bootstrap resample, and for each
    permutation the sums over the documents that change places; all (…, columns)."""

    total: FloatArray
    drawn: FloatArray
    swapped: FloatArray
    #: says which documents were summed, whatever their order
    documents: str

    @classmethod
    def of(cls, sums: FloatArray, documents: str) -> ResampledSums:
        """Of (1 + 2 resamples, columns)."""
        resamples = len(sums) // 2
        return cls(sums[0], sums[1 : 1 + resamples], sums[1 + resamples :], documents)

    def first(self, resamples: int) -> ResampledSums:
        """With fewer resamples: the first ones, which do not depend on how many were drawn."""
        return replace(self, drawn=self.drawn[:resamples], swapped=self.swapped[:resamples])


@dataclass(frozen=True, repr=False)
class Score:
    """The number, its parts (precision, recall, …), the per-document rows it came from, and what it depends
    on.

    `value` is the number itself (METEOR: from 0 to 1); `percent`, tables and print() multiply it by 100, as
    papers do, except counts and other values that are no share.
    """

    #: the metric as it was asked for; the signature has its full name
    metric: str
    value: float
    parts: Mapping[str, float]
    n: int
    signature: Signature
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: FloatArray | None = None
    interval: tuple[float, float] | None = None
    alignment: Alignment | None = None
    #: whether tables print the value as a percentage
    as_percent: bool = True
    higher_is_better: bool | None = True
    #: of a run in shards, which keeps no rows: what intervals and tests need of them
    sums: ResampledSums | None = None
    #: of a system with several training runs: the value of each; `value` is their mean
    seeds: tuple[float, ...] = ()

    @property
    def scale(self) -> float:
        """What tables multiply the value by."""
        return 100.0 if self.as_percent else 1.0

    @property
    def percent(self) -> float:
        """The value as tables print it: times 100, unless it is a count or another value that is no share."""
        return self.value * self.scale

    @property
    def title(self) -> str:
        """The metric as people write it: METEOR, `SODA_c(scorer=sts)`."""
        word, bracket, options = self.metric.partition("(")
        return TITLES.get(word, word) + bracket + options

    def __str__(self) -> str:
        """`METEOR 21.59 [20.1, 23.0]`: the value as tables print it and its 95 % interval."""
        around = (
            ""
            if self.interval is None
            else f" [{', '.join(f'{end * self.scale:.1f}' for end in self.interval)}]"
        )
        return f"{self.title} {self.percent:.2f}{around}"

    def __repr__(self) -> str:
        times = " x 100" if self.as_percent else ""
        return f"<Score {self}{times}, n={self.n}, {self.signature}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the number, and below it what it depends on."""
        times = "value × 100; " if self.as_percent else ""
        return (
            f"<div><strong>{escape(str(self))}</strong><br><small>{times}{many(self.n, 'document')}<br>"
            f"<code>{escape(str(self.signature))}</code></small></div>"
        )

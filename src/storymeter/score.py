"""What scoring gives: the rows of a metric, the matching behind them, and the score made from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from .arrays import FloatArray, IntArray, KeyArray

if TYPE_CHECKING:
    from .signature import Signature


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
            f"<div><strong>{escape(str(self))}</strong><br><small>{times}{self.n:,} documents<br>"
            f"<code>{escape(str(self.signature))}</code></small></div>"
        )

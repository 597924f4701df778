"""The Metric seam: a document (with its references) becomes a row of additive statistics; summed rows become
a score.

Corpus BLEU's row holds n-gram counts, SODA's holds P, R, F and a 1. Because only sums matter, per-document
output, bootstrap intervals, paired tests, sharding and resumed runs all merely re-sum rows.

A metric is a subclass of `Metric` with three things: `columns` (names of the statistics), `rows` (documents
to statistics) and `combine` (sums to values, vectorised over leading axes so that a thousand resamples are
one call). One whose value is the mean of document values is a `MeanMetric` with `document_values` alone. What
rows need beside the documents (tokens, pairs, tracks, vectors, the protocol, threads) is on the run's
`Workbench`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from . import __version__
from .arrays import FloatArray, IntArray, KeyArray
from .errors import UsageError, some
from .measure import Measure

if TYPE_CHECKING:
    from .engine.workbench import Workbench
    from .join import Task
    from .protocol import Protocol
    from .signature import Signature
    from .stats.poisson import ResampledSums

#: the names of `text.tokenizers.TOKENIZERS`
Tokenizer = Literal["ptb", "whitespace", "none", "13a", "intl", "zh", "ja"]
#: called as progress(what, done, total); `what` may end in a tab and a remark that changes: tokens a second
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of a library call: none."""


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
    0, or -1 where the tracks of all annotators were merged into one."""

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


@dataclass(frozen=True)
class Score:
    """The number, its parts (precision, recall, …), the per-document rows it came from, and what it depends
    on.
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
    percent: bool = True
    higher_is_better: bool | None = True
    #: of a run in shards, which keeps no rows: what intervals and tests need of them
    sums: ResampledSums | None = None

    @property
    def scale(self) -> float:
        """What tables multiply the value by."""
        return 100.0 if self.percent else 1.0


class Metric(Measure, ABC):
    """See the module."""

    #: whether the metric can say anything without references (stories, counts) or not.
    needs_references: ClassVar[bool] = True
    #: whether tables print the value as a percentage, as the field does.
    percent: ClassVar[bool] = True
    #: whether a higher value is a better text; None where neither is (a count).
    higher_is_better: ClassVar[bool | None] = True

    @property
    def slow(self) -> bool:
        """Whether a model or another program reads every sentence: a run scores by all else first."""
        return bool(getattr(getattr(self, "scorer", None), "slow", False))

    @classmethod
    def from_text(cls, text: str) -> Metric:
        from .registry import metric

        return metric(text)

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]: ...

    @abstractmethod
    def rows(self, task: Task, bench: Workbench) -> Rows | FloatArray:
        """(documents, columns): the additive statistics of each document of the task, in its order."""

    @abstractmethod
    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        """Summed rows, shape (..., columns), to values of shape (...): `value` and any parts beside it."""

    def under(self, protocol: Protocol) -> Metric:
        """This metric with what its columns take from the protocol (its thresholds, say) settled."""
        return self

    def needs_whole(self) -> str:
        """Why the row of a document cannot be found without the other documents; '' where it can, and a
        corpus may be scored in shards.
        """
        scorer = getattr(self, "scorer", None)
        if scorer is None or not getattr(scorer, "learns", False) or scorer.by_group:
            return ""
        return f"{scorer.name} learns from the references of all documents"

    def corpus_counts(self, task: Task, bench: Workbench) -> CorpusCounts | None:
        """Of a part of the corpus: what `with_counts` wants of the whole; None where rows need no such
        thing.
        """
        return None

    def with_counts(self, find: Callable[[KeyArray], CorpusCounts]) -> Metric:
        """This metric, which asks `find` for the counts of the whole corpus instead of counting the task's
        own.
        """
        return self

    def signature(self, bench: Workbench) -> Signature:
        """Subclasses add what else the number depends on."""
        from .signature import Signature

        return Signature.of(
            metric=self.name, tok=bench.tokenizer, protocol=bench.protocol, version=__version__
        )

    def by_document(self, rows: FloatArray) -> FloatArray:
        """The value of each document by itself."""
        return np.asarray(self.combine(rows)["value"], dtype=np.float64)

    def score(self, task: Task, bench: Workbench) -> Score:
        metric = self.under(bench.protocol)
        rows = metric.checked(metric.rows(task, bench), task)
        return metric.score_of_rows(rows, task.ids, metric.signature(bench))

    def score_of_rows(self, rows: Rows, ids: Sequence[str], signature: Signature) -> Score:
        values = {key: float(value) for key, value in self.combine(rows.values.sum(axis=0)).items()}
        return Score(
            self.name,
            values.pop("value"),
            values,
            len(rows.values),
            signature,
            tuple(ids),
            self.columns,
            rows.values,
            alignment=rows.alignment,
            percent=self.percent,
            higher_is_better=self.higher_is_better,
        )

    def checked(self, rows: Rows | FloatArray, task: Task) -> Rows:
        """A metric of somebody's own may give anything; what does not fit is said here, not scored."""
        found = rows if isinstance(rows, Rows) else Rows(np.asarray(rows, dtype=np.float64))
        if found.values.shape != (len(task), len(self.columns)):
            raise UsageError(
                f"{self.name} gave rows of shape {found.values.shape} for {len(task):,} documents and"
                f" {len(self.columns)} columns.",
                hint="rows(task, bench) gives one row per document and one column per name in `columns`.",
            )
        wrong = np.flatnonzero(~np.isfinite(found.values).all(axis=1))
        if len(wrong):
            raise UsageError(
                f"{self.name} gave no number for {len(wrong):,} of {len(task):,} documents:"
                f" {some(task.ids[k] for k in wrong)}",
                hint="A document that cannot be scored must have a value all the same, or be left out.",
            )
        return found


class MeanMetric(Metric):
    """A metric whose corpus value is the mean of document values: write `document_values`, and `parts` where
    there are several; the rows follow.

    Each part is a column, and the last column counts the documents.
    """

    #: the parts in order; the first is the value itself.
    parts: ClassVar[tuple[str, ...]] = ("value",)

    @abstractmethod
    def document_values(self, task: Task, bench: Workbench) -> FloatArray:
        """(documents, parts), or (documents,) where the value is all."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.parts, "documents")

    def rows(self, task: Task, bench: Workbench) -> Rows | FloatArray:
        values = np.asarray(self.document_values(task, bench), dtype=np.float64)
        if values.ndim == 1 and len(self.parts) == 1:
            values = values[:, None]
        if values.shape != (len(task), len(self.parts)):
            raise UsageError(
                f"{self.name} gave values of shape {values.shape} for {len(task):,} documents and"
                f" {len(self.parts)} parts.",
                hint=(
                    "document_values(task, bench) gives one row per document and one column per name in"
                    " `parts`."
                ),
            )
        return np.column_stack([values, np.ones(len(values))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        count = np.maximum(sums[..., -1], 1.0)
        return {part: sums[..., k] / count for k, part in enumerate(self.parts)}

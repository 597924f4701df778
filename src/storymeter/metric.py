"""The Metric seam: a document (with its references) becomes a row of additive statistics; summed rows become
a Score.

Corpus BLEU's row holds n-gram counts, SODA's holds P, R, F and a 1. Because only sums matter, per-document
output, bootstrap intervals, paired tests, sharding and resumed runs all merely re-sum rows.

A metric is a subclass of `Metric` with three things: `columns` (names of the statistics), `rows` (documents
to statistics) and `combine` (sums to values, vectorised over leading axes so that a thousand resamples are
one call)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from . import __version__
from .protocol import Protocol
from .signature import Signature

if TYPE_CHECKING:
    from .join import Task

FloatArray = NDArray[np.float64]
Tokenizer = Literal["ptb", "whitespace", "none"]
#: called as progress(what, done, total)
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of a library call: none."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a run is done. `shared` is the run's workbench: what one metric has worked out, the next one finds
    there (tokenised sentences, scored pairs, embedded images), under a key that names it completely."""

    protocol: Protocol = field(default_factory=Protocol)
    tokenizer: Tokenizer = "ptb"
    jobs: int = 1
    seed: int = 0
    device: str = "cpu"
    images: str | None = None
    progress: Progress = silent
    shared: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """The number, its parts (precision, recall, …), the per-document rows it came from, and what it depends
    on.
    """

    metric: str
    value: float
    parts: Mapping[str, float]
    n: int
    signature: Signature
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: FloatArray | None = None
    interval: tuple[float, float] | None = None


class Metric(ABC):
    """See the module. `name` parses back to an equal metric (`storymeter.registry.metric(name)`)."""

    #: whether the metric can say anything without references (stories, counts) or not.
    needs_references: ClassVar[bool] = True
    #: whether tables print the value as a percentage, as the field does.
    percent: ClassVar[bool] = True
    #: whether a higher value is a better text; None where neither is (a count).
    higher_is_better: ClassVar[bool | None] = True

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]: ...

    @abstractmethod
    def rows(self, task: Task, setting: Setting) -> FloatArray:
        """(documents, columns): the additive statistics of each document of the task, in its order."""

    @abstractmethod
    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        """Summed rows, shape (..., columns), to values of shape (...): `value` and any parts beside it."""

    def under(self, protocol: Protocol) -> Metric:
        """This metric with what its columns take from the protocol (its thresholds, say) settled; most take
        nothing.
        """
        return self

    def signature(self, setting: Setting) -> Signature:
        """Subclasses add what else the number depends on."""
        return Signature.of(
            metric=self.name, tok=setting.tokenizer, protocol=setting.protocol, version=__version__
        )

    def score(self, task: Task, setting: Setting) -> Score:
        metric = self.under(setting.protocol)
        rows = metric.rows(task, setting)
        return metric.score_of_rows(rows, task.ids, metric.signature(setting))

    def score_of_rows(self, rows: FloatArray, ids: Sequence[str], signature: Signature) -> Score:
        values = {key: float(value) for key, value in self.combine(rows.sum(axis=0)).items()}
        return Score(
            self.name, values.pop("value"), values, len(rows), signature, tuple(ids), self.columns, rows
        )


class MeanMetric(Metric):
    """A metric whose corpus value is the mean of document values: write `values` and `parts`; the rows
    follow.

    Each part is a column, and the last column counts the documents.
    """

    #: the parts in order; the first is the value itself.
    parts: tuple[str, ...] = ("value",)

    @abstractmethod
    def document_values(self, task: Task, setting: Setting) -> FloatArray:
        """(documents, parts)"""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.parts, "documents")

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        values = self.document_values(task, setting)
        return np.column_stack([values, np.ones(len(values))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        count = np.maximum(sums[..., -1], 1.0)
        return {part: sums[..., k] / count for k, part in enumerate(self.parts)}

"""The PairScorer seam: how alike are two sentences?

A scorer compares a candidate with a reference and says what its range is and whether it is symmetric, so that
a driver can skip work. Everything is built on one call: distinct sentences in two lists, and two index arrays
that say which pairs are wanted (`score_indexed`). `pairs` and `matrix` are made from it. Roles are
keyword-only everywhere, because swapping them gives another number: METEOR weighs recall."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..metric import Progress

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class PairScorer(ABC):
    #: f(a, b) == f(b, a)
    symmetric: ClassVar[bool] = False
    #: smallest and largest value a pair can get
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    #: whether several threads may call it at once
    threads: ClassVar[bool] = False
    #: whether it reads sentences as they were written: a language model has a tokeniser of its own
    raw_text: ClassVar[bool] = False
    #: how several references of one candidate become one value, where the measure has no rule of its own
    over_references: ClassVar[Literal["max", "mean"]] = "max"

    @property
    @abstractmethod
    def name(self) -> str:
        """Parses back to an equal scorer: `storymeter.registry.scorer(name)`."""

    def fit(self, references: Sequence[Sequence[str]]) -> None:  # noqa: B027  (most scorers learn nothing)
        """Learn what the scorer needs from the whole reference corpus, one list per item (idf). Most need
        nothing.
        """

    def prepare(self, progress: Progress, device: str = "cpu") -> None:  # noqa: B027
        """Do now what the first score would have to wait for (compile tables, load a model). Most need
        nothing.
        """

    def depends_on(self) -> dict[str, object]:
        """What else the numbers depend on, for the signature: the hash of a model's weights, say."""
        return {}

    @abstractmethod
    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        """Value k compares `candidates[candidate_index[k]]` with `references[reference_index[k]]`. Each
        sentence of the two lists is analysed once, whatever the number of pairs."""

    def matrix(self, *, candidates: Sequence[str], references: Sequence[str], jobs: int = 1) -> FloatArray:
        """(candidates, references): every sentence against every other."""
        shape = (len(candidates), len(references))
        c, r = np.indices(shape).reshape(2, -1)
        return self.score_indexed(
            candidates=candidates,
            references=references,
            candidate_index=c.astype(np.int64),
            reference_index=r.astype(np.int64),
            jobs=jobs,
        ).reshape(shape)

    def pairs(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """One value per candidate, which has one or more references."""
        flat = [sentence for group in references for sentence in group]
        sizes = np.array([len(group) for group in references], dtype=np.int64)
        c = np.repeat(np.arange(len(candidates), dtype=np.int64), sizes)
        values = self.score_indexed(
            candidates=candidates,
            references=flat,
            candidate_index=c,
            reference_index=np.arange(len(flat), dtype=np.int64),
            jobs=jobs,
        )
        out = np.zeros(len(candidates))
        filled = np.flatnonzero(sizes)
        if len(filled) == 0:
            return out
        starts = (np.cumsum(sizes) - sizes)[filled]
        if self.over_references == "max":
            out[filled] = np.maximum.reduceat(values, starts)
        else:
            out[filled] = np.add.reduceat(values, starts) / sizes[filled]
        return out

    def statistics_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        """(pairs, columns): what may be summed over pairs and then combined. A measure whose corpus value is
        not the mean of its pairs (BLEU, METEOR) has columns of its own; for the others they are the value and
        a 1."""
        values = self.score_indexed(
            candidates=candidates,
            references=references,
            candidate_index=candidate_index,
            reference_index=reference_index,
            jobs=jobs,
        )
        return np.column_stack([values, np.ones(len(values))])

    def statistics(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """The same for candidates with one or more references each."""
        values = self.pairs(candidates=candidates, references=references, jobs=jobs)
        return np.column_stack([values, np.ones(len(values))])

    def combine(self, sums: FloatArray) -> FloatArray:
        """Summed statistics, shape (..., columns), to values of shape (...)."""
        return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))

    def aggregate(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> float:
        """The value of the whole list as one corpus."""
        return float(
            self.combine(self.statistics(candidates=candidates, references=references, jobs=jobs).sum(axis=0))
        )

"""Batches of sentences for the n-gram kernels: each distinct sentence is analysed once, items point at it by
number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import FloatArray, IntArray
from ..context import Context
from ..join import Task
from ..options import Tokenizer
from .sentences import texts_of

Numbers = NDArray[np.uint32]


class NgramBatch:
    """Items for the kernels: `candidates[i]` against `references[bounds[i]:bounds[i+1]]`, numbers of an
    index.
    """

    def __init__(self, index: Any, candidates: Numbers, references: Numbers, bounds: IntArray) -> None:
        self.index, self.candidates, self.references, self.bounds = index, candidates, references, bounds
        #: the texts of the items, where they came in groups
        self.texts: tuple[Sequence[str], Sequence[Sequence[str]]] = ((), ())
        #: references and bounds of all items, also of those without a candidate: what an idf is counted over
        self.corpus: tuple[Numbers, IntArray] = references, bounds
        self._bleu: FloatArray | None = None

    @classmethod
    def of_groups(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[Sequence[str]],
        unscored: Sequence[Sequence[str]] = (),
        orders: int = 4,
        base: Any = None,
    ) -> NgramBatch:
        """One candidate per item, with its own references; `unscored` are references of items that have no
        candidate here.
        """
        every = [*references, *unscored]
        index, ids = analyse([*candidates, *chain.from_iterable(every)], orders=orders, base=base)
        bounds, against = bounds_of(every), ids[len(candidates) :]
        size = bounds[len(references)]
        batch = cls(index, ids[: len(candidates)], against[:size], bounds[: len(references) + 1])
        batch.corpus = against, bounds
        batch.texts = candidates, references
        return batch

    @classmethod
    def of_index(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        orders: int = 4,
        base: Any = None,
    ) -> NgramBatch:
        """One pair per item, picked from two lists of distinct sentences."""
        index, ids = analyse([*candidates, *references], orders=orders, base=base)
        ours, theirs = ids[: len(candidates)], ids[len(candidates) :]
        bounds = np.arange(len(candidate_index) + 1, dtype=np.int64)
        return cls(index, ours[candidate_index], theirs[reference_index], bounds)

    def arguments(self) -> tuple[Any, Numbers, Numbers, IntArray]:
        return self.index, self.candidates, self.references, self.bounds

    def bleu(self, jobs: int) -> FloatArray:
        """(items, columns): the statistics of BLEU-4, counted once."""
        if self._bleu is None:
            self._bleu = _native.bleu_statistics(*self.arguments(), threads=jobs)
        return self._bleu


def analyse(lines: Sequence[str], *, orders: int = 4, base: Any = None) -> tuple[Any, Numbers]:
    """An index of these tokenised lines, and the number of each line in it."""
    from ..text.script import well_formed

    index = _native.NgramIndex.of(well_formed(lines), orders=orders, base=base)
    return index, index.ids()


def bounds_of(groups: Iterable[Sized]) -> IntArray:
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)


def ngrams_of(context: Context, task: Task, tokenizer: Tokenizer | None = None) -> NgramBatch:
    """The texts of a task for the n-gram kernels."""
    return context.per_task(_ngrams_of, task, tokenizer or context.tokenizer)


def _ngrams_of(context: Context, task: Task, tokenizer: Tokenizer) -> NgramBatch:
    found = texts_of(context, task, tokenizer)
    return NgramBatch.of_groups(
        candidates=found.candidates, references=found.references, unscored=found.unscored
    )

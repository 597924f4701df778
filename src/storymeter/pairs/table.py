"""Each distinct pair of sentences is scored once, in a whole run.

`PairTable` keeps what a scorer said of two numbered sentences. Metrics that want the same pairs, and systems
that repeat each other's sentences, find them there. A pair is (hypothesis, reference) as the scorer sees it;
which side of the data is the hypothesis is the caller's choice, and so both orientations may live in one
table."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import FloatArray, IntArray
from ..context import Context
from ..progress import Progress, silent
from .arguments import PLAIN_COLUMNS
from .model import PairModel
from .scorer import PairScorer, open_scorer
from .sentences import Sentences, sentences_for

#: about so many pairs are scored between two reports of progress
CHUNK = 1_000_000


class PairTable:
    """What `model` says of pairs of `sentences`: a value each, and its additive statistics where it has its
    own.
    """

    def __init__(self, model: PairModel, sentences: Sentences) -> None:
        self.model = model
        self.traits = model.scorer.traits
        self.sentences = sentences
        self._index = _native.PairIndex()
        self._additive = self.traits.pair_columns != PLAIN_COLUMNS
        self._values: FloatArray = np.empty(0)
        self._statistics: NDArray[Any] = np.zeros((0, len(self.traits.pair_columns)), np.uint16)

    def __len__(self) -> int:
        """How many distinct pairs have been scored."""
        return len(self._index)

    def values(
        self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1, progress: Progress = silent
    ) -> FloatArray:
        """Value k compares sentence `hypotheses[k]` with sentence `references[k]`."""
        slots = self._slots(hypotheses, references, jobs, progress)
        return self._values[slots]

    def statistics(
        self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1, progress: Progress = silent
    ) -> NDArray[Any]:
        """(pairs, columns): what the scorer sums over pairs (`PairModel.statistics_indexed`), in a small
        number type.
        """
        slots = self._slots(hypotheses, references, jobs, progress)
        if not self._additive:
            values = self._values[slots]
            there = ~np.isnan(values)  # a judge may have no verdict: neither a value nor a pair
            return np.column_stack([np.where(there, values, 0.0), there])
        return self._statistics[slots]

    def bounds(self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1) -> FloatArray | None:
        """What `values` cannot exceed, where the scorer has a quick way to say so."""
        self.model.prepare()
        return self.model.bounds_indexed(**self._pairs(hypotheses, references), jobs=jobs)

    def _slots(self, hypotheses: IntArray, references: IntArray, jobs: int, progress: Progress) -> IntArray:
        """Where the pairs stand in the table; those that are new are scored first."""
        if self.traits.symmetric and not self._additive:  # the statistics of (b, a) are others
            hypotheses, references = np.minimum(hypotheses, references), np.maximum(hypotheses, references)
        slots: IntArray = self._index.add(
            (hypotheses.astype(np.uint64) << np.uint64(32)) | references.astype(np.uint64)
        )
        keys = self._index.keys(len(self._values))  # also those that an interrupted call left unscored
        if len(keys):
            self._score(keys, jobs, progress)
        return slots

    def _score(self, keys: NDArray[np.uint64], jobs: int, progress: Progress) -> None:
        what = f"scoring pairs ({self.model.name})"
        self.model.prepare()
        # a scorer that several threads may call gets a chunk per thread, so that what surrounds its kernel
        # runs on all of them too
        workers = jobs if self.traits.threads and len(keys) > 10_000 else 1
        size = -(-len(keys) // (workers * max(1, round(len(keys) / CHUNK / workers))))
        chunks = [keys[begin : begin + size] for begin in range(0, len(keys), size)]
        values, statistics, done = [self._values], [self._statistics], 0
        progress(what, 0, len(keys))
        with ThreadPoolExecutor(workers) as pool:
            try:
                for chunk, (fresh, counts) in zip(
                    chunks, pool.map(lambda chunk: self._chunk(chunk, jobs // workers), chunks), strict=True
                ):
                    values.append(fresh)
                    statistics.append(counts)
                    done += len(chunk)
                    progress(what, done, len(keys))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self._statistics = np.concatenate(statistics)
        self._values = np.concatenate(values)

    def _chunk(self, keys: NDArray[np.uint64], jobs: int) -> tuple[FloatArray, NDArray[Any]]:
        """Values and, where the scorer has them, statistics."""
        pairs = self._pairs(
            (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        )
        if not self._additive:
            return self.model.values_indexed(**pairs, jobs=jobs), self._statistics
        values, statistics = self.model.stored_indexed(**pairs, jobs=jobs)
        return values, _small(statistics)

    def _pairs(self, hypotheses: IntArray, references: IntArray) -> dict[str, Any]:
        ours, candidate_index = self._used(hypotheses)
        theirs, reference_index = self._used(references)
        return {
            "candidates": ours,
            "references": theirs,
            "candidate_index": candidate_index,
            "reference_index": reference_index,
        }

    def _used(self, numbers: IntArray) -> tuple[list[str], IntArray]:
        """The sentences that occur, and `numbers` as indices into them."""
        there = np.zeros(len(self.sentences.texts), dtype=bool)
        there[numbers] = True
        used = np.flatnonzero(there)
        return [self.sentences.texts[k] for k in used], (np.cumsum(there) - 1)[numbers]


def _small(statistics: NDArray[Any]) -> NDArray[Any]:
    """Counts in two bytes each where they fit."""
    if statistics.dtype == np.uint16:
        return statistics
    short = np.empty(statistics.shape, dtype=np.uint16)
    for begin in range(0, len(short), 8192):  # block by block: what the processor's cache holds
        block = statistics[begin : begin + 8192]
        short[begin : begin + 8192] = block
        if not np.array_equal(short[begin : begin + 8192], block):
            return statistics
    return short


def pair_table(context: Context, scorer: PairScorer, fitted_on: tuple[str, ...] = ()) -> PairTable:
    """The run's table of a scorer; one that is fitted has a table per corpus it was fitted to, each sentence
    an item.
    """
    return context.per_run(_pair_table, scorer, fitted_on)


def _pair_table(context: Context, scorer: PairScorer, fitted_on: tuple[str, ...]) -> PairTable:
    own = open_scorer(context, scorer)
    fitted = own.fit([[text] for text in fitted_on]) if fitted_on else own
    return PairTable(fitted, sentences_for(context, scorer))

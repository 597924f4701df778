"""Word Mover's Distance: how far must the words of one caption travel to become those of the other (Kusner et
al., ICML 2015)?

    d = min over T >= 0 of  sum_ij T_ij |x_i - y_j|,   rows of T sum to the candidate's word shares, columns
                            to the reference's

by exact optimal transport (POT). Shares are over a caption's words without stop words, in lower case; a
caption of stop words alone keeps them; words without a vector are left out, and so is what follows the first
1,024 distinct words. The score is the similarity 1 / (1 + d), the best over references; `distances` gives d.
A caption without any known word is infinitely far from all: similarity 0.

Of several references only the nearest counts. d is never below the cost of sending each word to its nearest
one on the other side (the larger of both directions, the paper's relaxed distance), so references are tried
in the order of that bound, and those whose bound is not below the best distance so far are skipped: no value
changes."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import DataError, MissingPartError
from ..measure import ENCODER_TRAINING, NOT_STATED, Named, TrainingData, measure
from ..models.word_vectors import Vector, WordVectors, word_vectors
from ..options import option
from ..text.script import well_formed
from ..text.words import words
from .lexicon import STOP_WORDS
from .model import IndexedPairs, PairModel, Unpack
from .scorer import MODEL_TRAITS, PairScorer, Traits

#: distinct words of a caption that count, the first ones; real captions have a dozen
MOST_WORDS = 1024
_OPTIMAL = 1


class Bag(NamedTuple):
    """A caption's distinct words: their shares and vectors. Captions share the vectors, so that many of them
    cost little memory.
    """

    shares: FloatArray
    words: tuple[Vector, ...]

    @property
    def vectors(self) -> FloatArray:
        """One row per word."""
        return np.stack(self.words) if self.words else np.empty((0, 0))


class WmdModel(PairModel):
    """Word Mover's Distance at work; it keeps the words of each caption."""

    scorer: Wmd

    def depends_on(self) -> dict[str, object]:
        return {"vectors": self._source.label}

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return 1.0 / (1.0 + self.distances(**pairs))

    def distances(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
    ) -> FloatArray:
        """The distance itself of the pairs asked for; infinite where a caption has no known word."""
        ours, theirs = self._bags_of(candidates), self._bags_of(references)
        known: dict[tuple[int, int], float] = {}
        out = np.empty(len(candidate_index))
        for k, pair in enumerate(zip(candidate_index.tolist(), reference_index.tolist(), strict=True)):
            if pair not in known:
                a, b = ours[pair[0]], theirs[pair[1]]
                known[pair] = self._exact(a, b, _costs(a, b)) if len(a.shares) and len(b.shares) else np.inf
            out[k] = known[pair]
            if k % 1024 == 0:
                self.progress("moving words", k, len(out))
        return out

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        self._bags_of([*candidates, *chain.from_iterable(references)])
        nearest = np.empty(len(candidates))
        for k, (text, group) in enumerate(zip(candidates, references, strict=True)):
            nearest[k] = self._nearest(self._bags[text], self._bags_of(group))
            if k % 256 == 0:
                self.progress("moving words", k, len(nearest))
        return 1.0 / (1.0 + nearest)

    def _nearest(self, bag: Bag, group: Sequence[Bag]) -> float:
        if not len(bag.shares):
            return np.inf
        tries = []
        for other in group:
            if len(other.shares):
                costs = _costs(bag, other)
                tries.append((lower_bound(bag, other, costs), other, costs))
        tries.sort(key=lambda one: one[0])
        best = np.inf
        for bound, other, costs in tries:
            if bound <= best + 1e-12:  # the bound and the solver round differently
                best = min(best, self._exact(bag, other, costs))
        return best

    def _exact(self, a: Bag, b: Bag, costs: FloatArray) -> float:
        if len(a.shares) == 1 or len(b.shares) == 1:  # there is only one way to send everything
            return float(a.shares @ costs @ b.shares)
        _, distance, _, _, code = _solver()(a.shares, b.shares, costs, 1_000_000, 1)
        if code != _OPTIMAL:
            raise DataError(
                f"The transport between captions of {len(a.shares):,} and {len(b.shares):,} distinct words"
                " was not solved.",
                hint="Shorten the captions.",
            )
        return max(0.0, float(distance))

    def _bags_of(self, texts: Sequence[str]) -> list[Bag]:
        new = [text for text in dict.fromkeys(texts) if text not in self._bags]
        if new:
            counts = [_counted(text) for text in well_formed(new)]
            unknown = list(
                dict.fromkeys(word for count in counts for word in count if word not in self._words)
            )
            self._words.update(zip(unknown, self._source.vectors(unknown), strict=True))
            self._bags.update((text, self._bag(count)) for text, count in zip(new, counts, strict=True))
        return [self._bags[text] for text in texts]

    def _bag(self, counts: dict[str, int]) -> Bag:
        found = [
            (count, vector) for word, count in counts.items() if (vector := self._words[word]) is not None
        ]
        shares = np.array([count for count, _ in found], dtype=np.float64)
        return Bag(shares / max(shares.sum(), 1.0), tuple(vector for _, vector in found))

    @cached_property
    def _source(self) -> WordVectors:
        _solver()
        return word_vectors(self.scorer.vectors, device=self.device)

    @cached_property
    def _words(self) -> dict[str, Vector | None]:
        return {}

    @cached_property
    def _bags(self) -> dict[str, Bag]:
        return {}


@measure(Named("wmd", "Word Mover's Distance, as 1 / (1 + distance)"), papers=("kusner2015",))
@dataclass(frozen=True)
class Wmd(PairScorer):
    vectors: str = option("", "a text file of word vectors; empty: those of the packaged encoder")

    _model = WmdModel

    @property
    def traits(self) -> Traits:
        if self.vectors:
            return MODEL_TRAITS._replace(symmetric=True, trained_on=TrainingData(NOT_STATED))
        return MODEL_TRAITS._replace(symmetric=True, trained_on=ENCODER_TRAINING, stand_in="minilm")


def lower_bound(a: Bag, b: Bag, costs: FloatArray) -> float:
    """Each word to its nearest: what the transport costs at least."""
    return max(float(a.shares @ costs.min(axis=1)), float(b.shares @ costs.min(axis=0)))


def _counted(text: str) -> dict[str, int]:
    """The words of a caption that count, and how often it says them."""
    said = words(text)
    return dict(
        islice(Counter([word for word in said if word not in STOP_WORDS] or said).items(), MOST_WORDS)
    )


def _costs(a: Bag, b: Bag) -> FloatArray:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(a.vectors, b.vectors), dtype=np.float64)


def _solver() -> Any:
    """The network simplex under `ot.emd2`: what POT checks and computes around it costs forty times as much
    for captions of ten words.
    """
    try:
        return importlib.import_module("ot").lp.emd_wrap.emd_c
    except ImportError:
        raise MissingPartError.extra("Word Mover's Distance (wmd)", "neural") from None

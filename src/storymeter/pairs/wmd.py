"""Word Mover's Distance: how far must the words of one caption travel to become those of the other (Kusner et al., ICML 2015)?

    d = min over T >= 0 of  sum_ij T_ij |x_i - y_j|,   rows of T sum to the candidate's word shares, columns to the reference's

by exact optimal transport (POT). Shares are over a caption's words without stop words, in lower case; a caption of stop words alone
keeps them; words without a vector are left out. The score is the similarity 1 / (1 + d), the best over references; `distances` gives d.
A caption without any known word is infinitely far from all: similarity 0.

Of several references only the nearest counts. d is never below the cost of sending each word to its nearest one on the other side
(the larger of both directions, the paper's relaxed distance), so references are tried in the order of that bound, and those whose bound
is not below the best distance so far are skipped: no value changes.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import MissingPartError, UsageError
from ..text.unicode import well_formed
from ..text.words import words
from .base import FloatArray, IntArray, PairScorer
from .sentences import printed
from .word_vectors import EncoderVectors, Vector, VectorFile

_STOP = frozenset(["a", "an", "the", "and", "or", "but", "of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "is", "are", "was", "were", "be", "been", "being", "am", "it", "its", "he",
                   "she", "they", "them", "his", "her", "their", "him", "this", "that", "these", "those", "there", "while", "who", "which", "i", "you", "we", "'s", "has", "have", "had", "do", "does"])


class Bag(NamedTuple):
    """A caption's distinct words: their shares and vectors, one row per word."""

    shares: FloatArray
    vectors: FloatArray


class Wmd(PairScorer):
    symmetric: ClassVar[bool] = True
    raw_text: ClassVar[bool] = True

    def __init__(self, vectors: str = "") -> None:
        self.vectors = vectors
        self.solved = self.skipped = 0
        self._source: VectorFile | EncoderVectors | None = None
        self._words: dict[str, Vector | None] = {}
        self._bags: dict[str, Bag] = {}

    @property
    def name(self) -> str:
        return printed("wmd", {"vectors": ""}, vectors=self.vectors)

    def depends_on(self) -> dict[str, object]:
        return {"vectors": self._loaded().label}

    def score_indexed(self, *, candidates: Sequence[str], references: Sequence[str], candidate_index: IntArray, reference_index: IntArray, jobs: int = 1) -> FloatArray:
        return 1.0 / (1.0 + self.distances(candidates=candidates, references=references, candidate_index=candidate_index, reference_index=reference_index))

    def distances(self, *, candidates: Sequence[str], references: Sequence[str], candidate_index: IntArray, reference_index: IntArray) -> FloatArray:
        """The distance itself of the pairs asked for; infinite where a caption has no known word."""
        ours, theirs = self._read(candidates), self._read(references)
        known: dict[tuple[int, int], float] = {}
        out = np.empty(len(candidate_index))
        for k, pair in enumerate(zip(candidate_index.tolist(), reference_index.tolist(), strict=True)):
            if pair not in known:
                a, b = ours[pair[0]], theirs[pair[1]]
                known[pair] = self._exact(a, b, _costs(a, b)) if len(a.shares) and len(b.shares) else np.inf
            out[k] = known[pair]
        return out

    def pairs(self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1) -> FloatArray:
        if len(candidates) != len(references):
            raise UsageError(f"There are {len(candidates):,} candidates but {len(references):,} lists of references.", hint="Give one list of references per candidate.")
        nearest = [self._nearest(bag, self._read(group)) for bag, group in zip(self._read(candidates), references, strict=True)]
        return 1.0 / (1.0 + np.array(nearest, dtype=np.float64))

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
            if bound > best + 1e-12:  # the bound and the solver round differently
                self.skipped += 1
                continue
            best = min(best, self._exact(bag, other, costs))
        return best

    def _exact(self, a: Bag, b: Bag, costs: FloatArray) -> float:
        self.solved += 1
        return max(0.0, float(_transport().emd2(a.shares, b.shares, costs, numItermax=1_000_000)))

    def _read(self, texts: Sequence[str]) -> list[Bag]:
        for text in dict.fromkeys(texts):
            if text not in self._bags:
                self._bags[text] = self._bag(text)
        return [self._bags[text] for text in texts]

    def _bag(self, text: str) -> Bag:
        said = words(well_formed([text])[0])
        counts = Counter([word for word in said if word not in _STOP] or said)
        found = [(count, vector) for word, count in counts.items() if (vector := self._vector(word)) is not None]
        if not found:
            return Bag(np.empty(0), np.empty((0, 0)))
        shares = np.array([count for count, _ in found], dtype=np.float64)
        return Bag(shares / shares.sum(), np.stack([vector for _, vector in found]))

    def _vector(self, word: str) -> Vector | None:
        if word not in self._words:
            self._words[word] = self._loaded()(word)
        return self._words[word]

    def _loaded(self) -> VectorFile | EncoderVectors:
        if self._source is None:
            _transport()
            self._source = VectorFile(self.vectors) if self.vectors else EncoderVectors()
        return self._source


def lower_bound(a: Bag, b: Bag, costs: FloatArray) -> float:
    """Each word to its nearest: what the transport costs at least."""
    return max(float(a.shares @ costs.min(axis=1)), float(b.shares @ costs.min(axis=0)))


def _costs(a: Bag, b: Bag) -> FloatArray:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(a.vectors, b.vectors), dtype=np.float64)


def _transport() -> Any:
    try:
        return importlib.import_module("ot")
    except ImportError:
        raise MissingPartError.extra("Word Mover's Distance (wmd)", "neural") from None

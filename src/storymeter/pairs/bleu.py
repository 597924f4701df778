"""BLEU (Papineni et al., ACL 2002): clipped n-gram precision against several references, with a brevity
penalty.

    p_n  = matched n-grams / n-grams of the candidate, a match clipped at the count of the reference that has
         most of it
    BP   = 1 if c > r else exp(1 - r/c); c: words of the candidate, r: words of the reference closest in
           length to it, the shorter of two equally close
    BLEU = BP (p_1 ... p_n)^(1/n)

Corpus BLEU sums matches, n-grams and lengths over all documents first: its row is these counts. Sentence BLEU
computes the formula per document and is a mean; there p_n is often 0, so the smoothing must be named:

    coco      (matches + 1e-15) / (n-grams + 1e-9), the same in the length ratio: what captioning's scores are
              made with
    none      no smoothing: 0 as soon as one p_n is 0
    add-one   (matches + 1) / (n-grams + 1) for n > 1 (Lin & Och, COLING 2004)
    floor     0 matches become 0.1 (Chen & Cherry, WMT 2014, technique 1)
    exp       the k-th p_n without a match becomes 1 / (2^k n-grams) (Chen & Cherry, technique 3; NIST's
              mteval)

Under floor and exp, a text of fewer than n words counts as having one n-gram that did not match.

>>> Bleu(2).pairs(candidates=["the cat sat"], references=[["the cat sat down"]]).round(6)
array([0.716531])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import AnyArray, FloatArray
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..options import ScorerTokenizer, option
from ..scores import Rows
from .documents import TextMetric
from .model import IndexedPairs, PairModel, Unpack, tokenized_by
from .scorer import TOKENIZER_OPTION, PairScorer, Traits
from .sentences import NgramBatch, ngrams_of

Smoothing = Literal["coco", "none", "add-one", "floor", "exp"]
ORDERS = 4


def columns(n: int) -> tuple[str, ...]:
    """The additive statistics of BLEU-n."""
    return (
        *(f"matches_{k}" for k in range(1, n + 1)),
        *(f"ngrams_{k}" for k in range(1, n + 1)),
        "words",
        "reference_words",
    )


def of_order(statistics: FloatArray, n: int) -> FloatArray:
    """The columns of BLEU-n among those of BLEU-4."""
    if n == ORDERS:
        return statistics
    return statistics[..., [*range(n), *range(ORDERS, ORDERS + n), 2 * ORDERS, 2 * ORDERS + 1]]


def precisions(sums: FloatArray, n: int, smoothing: Smoothing) -> FloatArray:
    """Summed statistics, shape (..., columns), to the precisions of n-grams of 1 to n words, (..., n)."""
    matches, grams = sums[..., :n], sums[..., n : 2 * n]
    if smoothing == "coco":
        return np.asarray((matches + 1e-15) / (grams + 1e-9))
    some = matches[..., :1] > 0  # a text that shares no word has BLEU 0 however it is smoothed
    if smoothing == "add-one":
        more = (np.arange(n) > 0).astype(float)
        matches, grams = matches + more, grams + more
    elif smoothing == "floor":
        matches, grams = np.where((matches == 0) & some, 0.1, matches), np.maximum(grams, 1.0)
    elif smoothing == "exp":
        misses = (matches == 0) & some
        matches, grams = np.where(misses, 0.5 ** np.cumsum(misses, axis=-1), matches), np.maximum(grams, 1.0)
    return np.asarray(np.divide(matches, grams, out=np.zeros(matches.shape), where=grams > 0))


def brevity(sums: FloatArray, n: int, smoothing: Smoothing) -> FloatArray:
    """Summed statistics, shape (..., columns), to the brevity penalty, 1 or less, of shape (...)."""
    words, reference = sums[..., 2 * n], sums[..., 2 * n + 1]
    if smoothing == "coco":
        ratio = (words + 1e-15) / (reference + 1e-9)
    else:
        ratio = np.divide(words, reference, out=np.ones(words.shape), where=reference > 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.minimum(0.0, 1.0 - 1.0 / ratio)))


def bleu(sums: FloatArray, n: int, smoothing: Smoothing) -> FloatArray:
    """Summed statistics, shape (..., columns), to BLEU-n of shape (...)."""
    product = np.prod(precisions(sums, n, smoothing), axis=-1)
    return np.asarray(product ** (1.0 / n) * brevity(sums, n, smoothing))


class BleuModel(PairModel):
    """BLEU at work."""

    scorer: Bleu

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return self.value_of(self.statistics_indexed(jobs=jobs, **pairs))

    def statistics_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return of_order(NgramBatch.of_index(**pairs).bleu(jobs), self.scorer.n)

    def stored_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> tuple[FloatArray, AnyArray]:
        rows = self.statistics_indexed(jobs=jobs, **pairs)
        return self.value_of(rows), rows

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        values = self.value_of(self._statistics(candidates, references, jobs))
        return np.where([len(group) > 0 for group in references], values, 0.0)

    def _statistics(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        batch = NgramBatch.of_groups(candidates=candidates, references=references)
        return of_order(batch.bleu(jobs), self.scorer.n)


class BleuText(TextMetric):
    """Corpus BLEU, or the mean of sentence BLEU (`level`)."""

    _own = True
    scorer: Bleu

    @property
    def columns(self) -> tuple[str, ...]:
        return columns(self.scorer.n) if self.scorer.level == "corpus" else ("value", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        batch = ngrams_of(context, task, tokenized_by(self.scorer, context.tokenizer))
        statistics = of_order(batch.bleu(context.jobs), self.scorer.n)
        if self.scorer.level == "corpus":
            return statistics
        return np.column_stack([self.scorer._value_of(statistics), np.ones(len(statistics))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        n, smoothing = self.scorer.n, self.scorer.smoothing
        if self.scorer.level == "sentence":
            return {"value": np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))}
        parts = precisions(sums, n, smoothing)
        return {
            "value": bleu(sums, n, smoothing),
            **{f"precision_{k + 1}": parts[..., k] for k in range(n)},
            "brevity_penalty": brevity(sums, n, smoothing),
            "length_ratio": sums[..., -2] / np.maximum(sums[..., -1], 1.0),
        }

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        scorer = self.scorer
        return {"level": scorer.level, "smoothing": scorer.smoothing, "reference_length": "closest"}


@measure(
    Named("bleu_4", "BLEU with n-grams of up to four words", n=4),
    Named("bleu_1", "BLEU with n-grams of one word", n=1),
    Named("bleu_2", "BLEU with n-grams of up to two words", n=2),
    Named("bleu_3", "BLEU with n-grams of up to three words", n=3),
    papers=("papineni2002",),
)
@dataclass(frozen=True)
class Bleu(PairScorer):
    """Sentence BLEU-n of pairs; of documents (`corpus`) it is corpus BLEU."""

    n: int = option(4, "the longest n-grams that are counted", low=1, high=ORDERS)
    smoothing: Smoothing = option("coco", "what happens where no n-gram matches")
    level: Literal["corpus", "sentence"] = option(
        "corpus", "of documents: one formula over summed counts, or the mean of the documents' BLEU"
    )
    tokenizer: ScorerTokenizer = option("run", TOKENIZER_OPTION)

    _model = BleuModel
    _documents = BleuText

    @property
    def traits(self) -> Traits:
        # COCO's own value of a text without words stays: 1e-15 or less
        return Traits(threads=True, needs_words=False, pair_columns=columns(self.n))

    def _value_of(self, sums: FloatArray) -> FloatArray:
        return bleu(sums, self.n, self.smoothing)

"""ROUGE-L (Lin, ACL workshop 2004): the longest common subsequence of words, as captioning uses it.

    P = max over references of LCS / words of the candidate      R = max over references of LCS / words of the
                                                                 reference
    ROUGE-L = (1 + beta^2) P R / (R + beta^2 P)                   beta = 1.2

Precision and recall each take their own best reference; Lin's summary-level union LCS is another measure.
Words stand between single blanks. A text without words matches nothing: it gets 0, also against another one
(`coco_values`, for the drop-in, gives 1 there). The corpus value is the mean over documents.

>>> RougeL().pairs(candidates=["a dog runs"], references=[["the dog runs fast", "a cat"]]).round(6)
array([0.557078])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .. import _native
from ..arrays import FloatArray
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..options import ScorerTokenizer, option
from ..scores import Rows
from .documents import TextMetric
from .model import IndexedPairs, PairModel, Unpack, tokenized_by
from .scorer import TOKENIZER_OPTION, PairScorer, Traits
from .sentences import NgramBatch, ngrams_of


def f_measure(precision_recall: FloatArray, beta: float) -> FloatArray:
    """(..., 2) to (...); 0 where nothing is shared."""
    p, r = precision_recall[..., 0], precision_recall[..., 1]
    below = r + beta**2 * p
    return np.divide((1 + beta**2) * p * r, below, out=np.zeros_like(below), where=below > 0)


class RougeModel(PairModel):
    """ROUGE-L at work."""

    scorer: RougeL

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        batch = NgramBatch.of_index(**pairs, orders=0)
        return f_measure(_native.rouge_l(*batch.arguments(), threads=jobs), self.scorer.beta)

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        candidates, references = self._worded(candidates, references)
        return coco_values(candidates, references, self.scorer.beta, jobs)

    def _worded(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[list[str]]]:
        """A text without words has no partner: its references, and references without words, are left
        out."""
        return list(candidates), [
            [text for text in group if self.has_words(text)] if self.has_words(candidate) else []
            for candidate, group in zip(candidates, references, strict=True)
        ]


class RougeText(TextMetric):
    """The mean over documents, with precision and recall."""

    _own = True
    scorer: RougeL
    columns = ("value", "precision", "recall", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        batch = ngrams_of(context, task, tokenized_by(self.scorer, context.tokenizer))
        candidates, references = batch.texts
        model = RougeModel(self.scorer)
        if not all(map(model.has_words, chain(candidates, *references))):
            candidates, references = model._worded(candidates, references)
            batch = NgramBatch.of_groups(candidates=candidates, references=references, orders=0)
        measured = _native.rouge_l(*batch.arguments(), threads=context.jobs)
        return np.column_stack([f_measure(measured, self.scorer.beta), measured, np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        means = sums[..., :3] / np.maximum(sums[..., 3:], 1.0)
        return {key: means[..., k] for k, key in enumerate(("value", "precision", "recall"))}

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        return {"beta": self.scorer.beta, "references": "best-P-best-R"}


@measure(Named("rouge_l", "longest common subsequence, captioning's variant"), papers=("lin2004",))
@dataclass(frozen=True)
class RougeL(PairScorer):
    beta: float = option(1.2, "how much recall counts against precision", low=0)
    tokenizer: ScorerTokenizer = option("run", TOKENIZER_OPTION)

    traits = Traits(threads=True)
    _model = RougeModel
    _documents = RougeText


def coco_values(
    candidates: Sequence[str], references: Sequence[Sequence[str]], beta: float, jobs: int = 1
) -> FloatArray:
    """ROUGE-L as pycocoevalcap has it, in which an empty text is one empty word: empty against empty is 1."""
    batch = NgramBatch.of_groups(candidates=candidates, references=references, orders=0)
    return f_measure(_native.rouge_l(*batch.arguments(), threads=jobs), beta)

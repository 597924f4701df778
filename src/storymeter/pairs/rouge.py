"""ROUGE-L (Lin, ACL workshop 2004): the longest common subsequence of words, as captioning uses it.

    P = max over references of LCS / words of the candidate      R = max over references of LCS / words of the
                                                                 reference
    ROUGE-L = (1 + beta^2) P R / (R + beta^2 P)                   beta = 1.2

Precision and recall each take their own best reference; Lin's summary-level union LCS is another measure.
Words stand between single blanks. The corpus value is the mean over documents.

>>> RougeL().pairs(candidates=["a dog runs"], references=[["the dog runs fast", "a cat"]]).round(6)
array([0.557078])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from .. import _native
from ..errors import UsageError
from ..join import Task
from ..metric import MeanMetric, Setting, Tokenizer
from ..signature import Signature
from .base import FloatArray, IntArray, PairScorer
from .sentences import Batch, printed

BETA = 1.2


def f_measure(precision_recall: FloatArray, beta: float) -> FloatArray:
    """(..., 2) to (...); 0 where nothing is shared."""
    p, r = precision_recall[..., 0], precision_recall[..., 1]
    below = r + beta**2 * p
    return np.divide((1 + beta**2) * p * r, below, out=np.zeros_like(below), where=below > 0)


def _check(beta: float) -> None:
    if not 0 <= beta < float("inf"):
        raise UsageError(
            f"ROUGE-L's beta is a number of at least 0, not {beta}.", hint="Captioning uses 1.2."
        )


class RougeL(PairScorer):
    threads: ClassVar[bool] = True

    def __init__(self, beta: float = BETA, tokenizer: Tokenizer = "none") -> None:
        _check(beta)
        self.beta, self.tokenizer = beta, tokenizer

    @property
    def name(self) -> str:
        return printed(
            "rouge_l", {"beta": BETA, "tokenizer": "none"}, beta=self.beta, tokenizer=self.tokenizer
        )

    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        return self._score(
            Batch.of_index(
                candidates=candidates,
                references=references,
                candidate_index=candidate_index,
                reference_index=reference_index,
                tokenizer=self.tokenizer,
                orders=0,
            ),
            jobs,
        )

    def pairs(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        return self._score(
            Batch.of_groups(candidates=candidates, references=references, tokenizer=self.tokenizer, orders=0),
            jobs,
        )

    def _score(self, batch: Batch, jobs: int) -> FloatArray:
        return f_measure(_native.rouge_l(*batch.arguments(), threads=jobs), self.beta)


class RougeLMetric(MeanMetric):
    parts = ("value", "precision", "recall")

    def __init__(self, beta: float = BETA) -> None:
        _check(beta)
        self.beta = beta

    @property
    def name(self) -> str:
        return printed("rouge_l", {"beta": BETA}, beta=self.beta)

    def document_values(self, task: Task, setting: Setting) -> FloatArray:
        measured = _native.rouge_l(*Batch.of_task(task, setting).arguments(), threads=setting.jobs)
        told = np.array(
            [[bool(document.captions)] for document in task.candidates]
        )  # a document that is not there earns nothing
        return np.where(told, np.column_stack([f_measure(measured, self.beta), measured]), 0.0)

    def signature(self, setting: Setting) -> Signature:
        return super().signature(setting).add(beta=self.beta, references="best-P-best-R")

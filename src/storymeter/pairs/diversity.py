"""Does a submission repeat itself? Self-BLEU, distinct-n and n-gram repetition; none of them needs
references.

    self_bleu      BLEU-n of each caption with all other captions as its references, the mean over captions
                   (Zhu et al.,
                   SIGIR 2018): `within=corpus`, all captions of the submission, or `within=document`, those
                   of its own document
    distinct_n     distinct n-grams of a document / its words, the mean over documents (Li et al., NAACL 2016;
                   Div-n in
                   Shetty et al., ICCV 2017)
    repetition_4   sum over 4-grams of max(count - 1, 0) / all 4-grams of a document, the mean over documents
                   (R@4; Xiong
                   et al., ECCV 2018)

Lower is more varied for self_bleu and repetition, higher for distinct. What has nothing to compare is left
out of the mean: a caption without others beside it, a document without words, a document without any 4-gram.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from .. import _native
from ..errors import UsageError
from ..join import Task
from ..metric import FloatArray, Metric, Setting
from ..signature import Signature
from ..text.tokens import run_tokens
from .bleu import ORDERS, Smoothing, bleu, of_order
from .sentences import Batch, analyse, bounds_of, printed


class _Mean(Metric):
    """Rows of a sum and of what it is the mean over."""

    needs_references: ClassVar[bool] = False

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))}


class SelfBleu(_Mean):
    higher_is_better: ClassVar[bool | None] = False
    columns = ("sum", "captions")

    def __init__(
        self, n: int = 4, within: Literal["corpus", "document"] = "corpus", smoothing: Smoothing = "coco"
    ) -> None:
        if not 1 <= n <= ORDERS:
            raise UsageError(
                f"Self-BLEU counts n-grams of 1 to {ORDERS} words, not {n}.", hint="Write self_bleu(n=4)."
            )
        self.n, self.within, self.smoothing = n, within, smoothing

    @property
    def name(self) -> str:
        return printed(
            "self_bleu",
            {"n": 4, "within": "corpus", "smoothing": "coco"},
            n=self.n,
            within=self.within,
            smoothing=self.smoothing,
        )

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        captions = [caption.text for document in task.candidates for caption in document.captions]
        index, ids = analyse(run_tokens(captions, setting))
        documents = bounds_of([document.captions for document in task.candidates])
        groups = documents if self.within == "document" else np.array([0, len(ids)], dtype=np.int64)
        statistics = of_order(_native.self_bleu_statistics(index, ids, groups, threads=setting.jobs), self.n)
        others = np.repeat(np.diff(groups), np.diff(groups)) > 1
        values = np.column_stack([np.where(others, bleu(statistics, self.n, self.smoothing), 0.0), others])
        owner = np.repeat(np.arange(len(task)), np.diff(documents))
        return np.column_stack(
            [np.bincount(owner, weights=column, minlength=len(task)) for column in values.T]
        )

    def signature(self, setting: Setting) -> Signature:
        return super().signature(setting).add(n=self.n, within=self.within, smoothing=self.smoothing)


def _counts(task: Task, setting: Setting) -> tuple[FloatArray, FloatArray]:
    """(documents, orders) distinct n-grams, and all n-grams."""
    batch = Batch.of_task(task, setting)
    counts = _native.gram_counts(batch.index, batch.candidates)
    return counts[:, :ORDERS], counts[:, ORDERS:]


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    some = whole > 0
    return np.column_stack([np.divide(part, whole, out=np.zeros(len(part)), where=some), some])


class Distinct(_Mean):
    columns = ("share", "documents")

    def __init__(self, n: int = 1) -> None:
        if n not in (1, 2):
            raise UsageError(f"There is no distinct_{n}.", hint="Choose distinct_1 or distinct_2.")
        self.n = n

    @property
    def name(self) -> str:
        return f"distinct_{self.n}"

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        distinct, every = _counts(task, setting)
        return _shares(distinct[:, self.n - 1], every[:, 0])


class Repetition(_Mean):
    higher_is_better: ClassVar[bool | None] = False
    columns = ("share", "documents")

    @property
    def name(self) -> str:
        return "repetition_4"

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        distinct, every = _counts(task, setting)
        return _shares(every[:, 3] - distinct[:, 3], every[:, 3])

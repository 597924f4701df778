"""Does a submission repeat itself? Self-BLEU, distinct-n and n-gram repetition; none of them needs
references.

    self_bleu      BLEU-n of each caption with all other captions as its references, the mean over captions
                   (Zhu et al., SIGIR 2018): `within=corpus`, all captions of the submission, or
                   `within=document`, those of its own document
    distinct_n     distinct n-grams of a document / its words, the mean over documents (Li et al., NAACL 2016;
                   Div-n in Shetty et al., ICCV 2017)
    repetition_4   sum over 4-grams of max(count - 1, 0) / all 4-grams of a document, the mean over documents
                   (R@4; Xiong et al., ECCV 2018)

Lower is more varied for self_bleu and repetition, higher for distinct. What has nothing to compare is left
out of the mean: a caption without others beside it, a document without words, a document without any 4-gram.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .. import _native
from ..arrays import FloatArray
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..metrics import Metric
from ..options import option
from ..scores import Rows, Signature
from .bleu import ORDERS, Smoothing, bleu, of_order
from .sentences import analyse, bounds_of, ngrams_of, sentences_of


class _Mean(Metric):
    """Rows of a sum and of what it is the mean over."""

    _own = True
    needs_references: ClassVar[bool] = False

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))}


@measure(
    Named("self_bleu", "BLEU of each caption against all the others: lower is more varied"),
    papers=("zhu2018",),
)
@dataclass(frozen=True)
class SelfBleu(_Mean):
    n: int = option(4, "the longest n-grams that are counted", low=1, high=ORDERS)
    within: Literal["corpus", "document"] = option(
        "corpus", "the other captions: all, or those of the document"
    )
    smoothing: Smoothing = option("coco", "what happens where no n-gram matches")

    higher_is_better: ClassVar[bool | None] = False
    columns = ("sum", "captions")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        captions = [caption.text for document in task.candidates for caption in document.captions]
        index, ids = analyse(sentences_of(context).tokens(captions))
        documents = bounds_of([document.captions for document in task.candidates])
        groups = documents if self.within == "document" else np.array([0, len(ids)], dtype=np.int64)
        statistics = of_order(_native.self_bleu_statistics(index, ids, groups, threads=context.jobs), self.n)
        others = np.repeat(np.diff(groups), np.diff(groups)) > 1
        values = np.column_stack([np.where(others, bleu(statistics, self.n, self.smoothing), 0.0), others])
        owner = np.repeat(np.arange(len(task)), np.diff(documents))
        return np.column_stack(
            [np.bincount(owner, weights=column, minlength=len(task)) for column in values.T]
        )

    @property
    def compares_documents(self) -> bool:
        return self.within == "corpus"

    def unshardable_reason(self) -> str:
        return "each caption is compared with all others" if self.compares_documents else ""

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(n=self.n, within=self.within, smoothing=self.smoothing)


def _counts(task: Task, context: Context) -> tuple[FloatArray, FloatArray]:
    """(documents, orders) distinct n-grams, and all n-grams."""
    batch = ngrams_of(context, task)
    counts = _native.gram_counts(batch.index, batch.candidates)
    return counts[:, :ORDERS], counts[:, ORDERS:]


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    some = whole > 0
    return np.column_stack([np.divide(part, whole, out=np.zeros(len(part)), where=some), some])


@measure(
    Named("distinct_1", "distinct words per word of a document", n=1),
    Named("distinct_2", "distinct word pairs per word of a document", n=2),
    papers=("li2016", "shetty2017"),
)
@dataclass(frozen=True)
class Distinct(_Mean):
    n: int = option(1, "the length of the n-grams", low=1, high=2)

    columns = ("share", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        distinct, every = _counts(task, context)
        return _shares(distinct[:, self.n - 1], every[:, 0])


@measure(
    Named("repetition_4", "share of a document's four-word runs that are repetitions"),
    papers=("xiong2018",),
)
@dataclass(frozen=True)
class Repetition(_Mean):
    higher_is_better: ClassVar[bool | None] = False
    columns = ("share", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        distinct, every = _counts(task, context)
        return _shares(every[:, 3] - distinct[:, 3], every[:, 3])

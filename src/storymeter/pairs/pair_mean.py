"""Any pair scorer as a metric of whole documents: each document's text against its references, then the mean.

The text of a document is its captions joined by a blank. How several references become one value is the
scorer's own rule."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..join import Task
from ..metric import FloatArray, MeanMetric, Setting
from ..signature import Signature
from ..text.tokens import document_texts
from .base import PairScorer
from .table import read_by


class PairMean(MeanMetric):
    percent: ClassVar[bool] = True

    def __init__(self, scorer: PairScorer) -> None:
        self.scorer = scorer

    @property
    def name(self) -> str:
        return self.scorer.name

    def signature(self, setting: Setting) -> Signature:
        return (
            super()
            .signature(read_by(self.scorer, setting))
            .add(references=self.scorer.over_references, **self.scorer.depends_on())
        )

    def document_values(self, task: Task, setting: Setting) -> FloatArray:
        reading = read_by(self.scorer, setting)
        self.scorer.prepare(setting.progress, setting.device)
        texts = document_texts(task, reading)
        self.scorer.fit(texts.references)
        return self.scorer.pairs(
            candidates=texts.candidates, references=texts.references, jobs=setting.jobs
        ).reshape(len(task), 1)


def bertscore(
    model: str = "",
    layer: int = 6,
    idf: bool = False,
    baseline: float = 0.0,
    value: Literal["f1", "precision", "recall"] = "f1",
    batch: int = 0,
) -> PairMean:
    from .bertscore import BertScore

    return PairMean(BertScore(model, layer, idf, baseline, value, batch))


def sts(
    model: str = "", cache: bool = True, engine: Literal["cosine", "align"] = "cosine", vectors: str = ""
) -> PairMean:
    from .sts import Sts

    return PairMean(Sts(model, cache, engine, vectors))


def wmd(vectors: str = "") -> PairMean:
    from .wmd import Wmd

    return PairMean(Wmd(vectors))

"""METEOR of a corpus: a document's row is its 23 statistics, with its own score and a 1 for the mean beside
them.

The value is METEOR's corpus score, the score of the summed statistics (see `meteor.py`); `mean` is the mean
of the documents' scores, which some papers report instead. Of several references the first with the best
score counts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .. import _native
from ..join import Task
from ..metric import FloatArray, Metric, Setting
from ..signature import Signature
from ..text.tokens import document_texts
from .meteor import STATISTICS, Meteor


class MeteorMetric(Metric):
    def __init__(self, task: Literal["rank", "adq", "hter"] = "rank", normalize: bool = True) -> None:
        self.scorer = Meteor(task=task, normalize=normalize)

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def columns(self) -> tuple[str, ...]:
        return (*STATISTICS, "score", "documents")

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        self.scorer.prepare(setting.progress)
        texts = document_texts(task, setting)
        statistics = self.scorer.statistics(
            candidates=texts.candidates, references=texts.references, jobs=setting.jobs
        )
        return np.column_stack([statistics, self.scorer.score_of_statistics(statistics), np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        value = self.scorer.score_of_statistics(sums[..., : len(STATISTICS)])
        return {"value": value, "mean": sums[..., -2] / np.maximum(sums[..., -1], 1.0)}

    def signature(self, setting: Setting) -> Signature:
        return (
            super()
            .signature(setting)
            .add(
                task=self.scorer.task,
                normalize=self.scorer.normalize,
                data=self.scorer.data_version,
                table=_native.METEOR_TABLE_VERSION,
            )
        )

"""Small counts beside the scores: how many captions, how long, how much of the video, how much of it twice.

None of them needs references. Times are seconds; captions without times cover no time.

    captions   captions per document
    words      words per caption; a word is a run between blanks that holds a letter or a digit
    coverage   |union of the segments within the video| / duration, the mean over documents whose duration is
               known; time before 0 and past the duration is no time of the video
    overlap    time under two segments or more / |union of the segments|, the mean over documents that have
               any

The duration is that of the document, else the longest that a reference states, else the latest end of any
caption of the document on either side.

>>> captioned_time(np.array([0.0, 2.0, 8.0]), np.array([4.0, 6.0, 9.0]))
(7.0, 2.0)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import FloatArray
from ..captions import Document
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..metrics import MeanMetric, Metric
from ..scores import Rows, Signature


@measure(Named("captions", "captions per document"))
@dataclass(frozen=True)
class Captions(MeanMetric):
    needs_references: ClassVar[bool] = False
    percent: ClassVar[bool] = False
    higher_is_better: ClassVar[bool | None] = None

    def document_values(self, task: Task, context: Context) -> FloatArray:
        return np.array([[len(document.captions)] for document in task.candidates], dtype=float).reshape(
            -1, 1
        )


class _Ratio(Metric):
    """Summed numerators over summed denominators."""

    _own = True
    needs_references: ClassVar[bool] = False
    higher_is_better: ClassVar[bool | None] = None

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        below = sums[..., 1]
        return {"value": np.divide(sums[..., 0], below, out=np.zeros_like(below), where=below > 0)}


@measure(Named("words", "words per caption"))
@dataclass(frozen=True)
class Words(_Ratio):
    percent: ClassVar[bool] = False

    columns: ClassVar[tuple[str, ...]] = ("words", "captions")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        known: dict[str, int] = {}

        def count(text: str) -> int:
            if text not in known:
                known[text] = sum(any(char.isalnum() for char in run) for run in text.split())
            return known[text]

        return np.array(
            [[sum(count(c.text) for c in d.captions), len(d.captions)] for d in task.candidates], dtype=float
        ).reshape(-1, 2)

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(tok="blanks")


@measure(Named("coverage", "share of the video that is captioned"))
@dataclass(frozen=True)
class TimeCoverage(_Ratio):
    columns: ClassVar[tuple[str, ...]] = ("share", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        out = np.zeros((len(task), 2))
        for row, document, references in zip(out, task.candidates, task.references, strict=True):
            duration = _duration(document, references)
            if duration > 0:
                inside = (np.clip(times, 0.0, duration) for times in segments(document))
                row[:] = min(1.0, captioned_time(*inside)[0] / duration), 1.0
        return out


@measure(Named("overlap", "share of the captioned time under more than one caption"))
@dataclass(frozen=True)
class Overlap(_Ratio):
    higher_is_better: ClassVar[bool | None] = False

    columns: ClassVar[tuple[str, ...]] = ("share", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        out = np.zeros((len(task), 2))
        for row, document in zip(out, task.candidates, strict=True):
            once, twice = captioned_time(*segments(document))
            if once > 0:
                row[:] = twice / once, 1.0
        return out


def segments(document: Document) -> tuple[FloatArray, FloatArray]:
    """Starts and ends of the captions that have finite times and a positive length."""
    times = np.array([(c.start, c.end) for c in document.captions], dtype=float).reshape(-1, 2)
    times = times[np.isfinite(times).all(axis=1)]
    times = times[times[:, 1] > times[:, 0]]
    return times[:, 0], times[:, 1]


def _duration(document: Document, references: Iterable[Document]) -> float:
    sides = [document, *references]
    if document.duration is not None:
        return document.duration
    stated = [d.duration for d in sides if d.duration is not None]
    return (
        max(stated) if stated else max((float(segments(d)[1].max(initial=0.0)) for d in sides), default=0.0)
    )


def captioned_time(start: FloatArray, end: FloatArray) -> tuple[float, float]:
    """Seconds under at least one segment, and seconds under at least two."""
    times = np.concatenate([start, end])
    order = np.argsort(times, kind="stable")
    depth = np.cumsum(np.concatenate([np.ones(len(start)), -np.ones(len(end))])[order])[:-1]
    gaps = np.diff(times[order])
    return float(gaps[depth >= 1].sum()), float(gaps[depth >= 2].sum())

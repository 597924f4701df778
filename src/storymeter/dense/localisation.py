"""Localisation of events: precision, recall and F1 of the segments, whatever the captions say.

`localisation`     at a threshold t (protocol `detection_tiou`), per video:
                   precision = share of captions whose IoU with some reference exceeds t,
                   recall = share of references whose IoU with some caption exceeds t
`start_distance`   at d seconds (chapters; Yang et al., 2023), per video:
                   precision = share of captions that start within d seconds of some reference,
                   recall = share of references that start within d seconds of some caption

Of several annotators the best counts, for precision and for recall each on its own, as in the ActivityNet
script. Both are averaged over videos, a missing one counting 0; F1 is the harmonic mean of the two averages,
as in PDVC (ICCV 2021). The value is the F1 of precision and recall averaged over all limits; the protocol's
field `detection_f1` makes it the mean of each limit's F1 (VidChapters) or of each video's (Vid2Seq)."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..captions import Document
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..metrics import Metric
from ..options import bound
from ..protocol import PAPER, Protocol
from ..scores import Rows
from .soda import harmonic, share
from .tracks import TrackPairs, tracks_of

SECONDS = (1.0, 3.0, 5.0, 10.0, 30.0, 60.0)


@dataclass(frozen=True)
class _Detection(Metric):
    """Precision and recall at each of several limits."""

    _own = True
    protocol: Protocol = bound(PAPER)

    @property
    @abstractmethod
    def limits(self) -> tuple[float, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]:
        return (
            *(f"precision_at_{t:g}" for t in self.limits),
            *(f"recall_at_{t:g}" for t in self.limits),
            "f1",
            "videos",
        )

    @abstractmethod
    def measured(self, problems: TrackPairs) -> tuple[FloatArray, FloatArray, np.ufunc]:
        """What is held against the limits, of the candidates and the references of all problems, and how."""

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        if self.protocol != context.protocol:
            return self.under(context.protocol).rows(task, context)
        problems = tracks_of(context, task).per_annotator
        candidates, references, meets = self.measured(problems)
        out = np.zeros((len(task), 2 * len(self.limits)))
        both = (problems.candidate_count > 0) & (problems.reference_count > 0)
        for offset, values, counts in (
            (0, candidates, problems.candidate_count),
            (len(self.limits), references, problems.reference_count),
        ):
            owner = np.repeat(np.arange(len(problems)), counts)
            for k, limit in enumerate(self.limits):
                hit = (meets(values, limit) & both[owner]).astype(float)
                number = np.bincount(owner, weights=hit, minlength=len(problems)).astype(float)
                np.maximum.at(out[:, offset + k], problems.video, share(number, counts))
        precision, recall = out[:, : len(self.limits)].mean(axis=1), out[:, len(self.limits) :].mean(axis=1)
        return np.column_stack([out, harmonic(precision, recall), np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        rates = sums[..., :-1] / np.maximum(sums[..., -1:], 1.0)
        precision, recall = rates[..., : len(self.limits)], rates[..., len(self.limits) : -1]
        means = np.asarray(precision.mean(axis=-1)), np.asarray(recall.mean(axis=-1))
        if self.protocol.detection_f1 == "mean-of-videos":
            value = np.asarray(rates[..., -1])
        elif self.protocol.detection_f1 == "mean-of-limits":
            value = np.asarray(harmonic(precision, recall).mean(axis=-1))
        else:
            value = harmonic(*means)
        parts = {"value": value, "precision": means[0], "recall": means[1], "f1": value}
        for k, t in enumerate(self.limits):
            p, r = np.asarray(precision[..., k]), np.asarray(recall[..., k])
            parts |= {f"precision_at_{t:g}": p, f"recall_at_{t:g}": r, f"f1_at_{t:g}": harmonic(p, r)}
        return parts


@measure(
    Named("localisation", "precision, recall and F1 of the segments at the protocol's thresholds"),
    papers=("krishna2017",),
)
@dataclass(frozen=True)
class Localisation(_Detection):
    @property
    def limits(self) -> tuple[float, ...]:
        return self.protocol.tious

    def measured(self, problems: TrackPairs) -> tuple[FloatArray, FloatArray, np.ufunc]:
        meets = np.greater if self.protocol.detection_tiou == ">" else np.greater_equal
        return *problems.nearest[:2], meets


@measure(
    Named("start_distance", "precision, recall and F1 of the starts within 1 to 60 seconds"),
    papers=("yang2023",),
)
@dataclass(frozen=True)
class StartDistance(_Detection):
    limits: ClassVar[tuple[float, ...]] = SECONDS

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        return super().rows(_closed(task), context)

    def measured(self, problems: TrackPairs) -> tuple[FloatArray, FloatArray, np.ufunc]:
        return *problems.nearest[2:], np.less if self.protocol.distance == "<" else np.less_equal


def _closed(task: Task) -> Task:
    """The task with open captions (the last chapter of a video) ended where they start: only starts are
    compared here.
    """

    def close(document: Document) -> Document:
        return msgspec.structs.replace(
            document,
            captions=tuple(
                msgspec.structs.replace(c, end=c.start) if c.end is None and c.start is not None else c
                for c in document.captions
            ),
        )

    documents = (*task.candidates, *(d for group in task.references for d in group))
    if not any(c.end is None and c.start is not None for document in documents for c in document.captions):
        return task  # the very same, so that its arrays are shared with other metrics
    return replace(
        task,
        candidates=tuple(map(close, task.candidates)),
        references=tuple(tuple(map(close, group)) for group in task.references),
    )

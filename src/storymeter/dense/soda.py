"""SODA: story oriented dense video captioning evaluation (Fujita et al., ECCV 2020).

Captions and references of a video, each sorted by start, are matched one to one without crossing, so that the
sum of C is greatest (`matching.py`). With f the sentence scorer, G the references and P the captions:

    a   C = IoU where IoU >= t, else 0;  total = sum of f over the matched pairs;  the mean over t in .3 .5 .7
        .9
    b   C = IoU;                         total = sum of f over the matched pairs
    c   C = IoU * f;                     total = the sum of C itself
    d   C = IoU;                         total = the sum of C itself (where, not what)

    precision = total / |P|      recall = total / |G|      F1 = 2 precision recall / (precision + recall)

A corpus value is the mean over videos. Several annotators: `refs` takes the one with the best F1 per video,
the mean of all, or one merged track. A side without captions gives 0. Only pairs that can matter are scored:
those with IoU > 0 for c, the matched ones for a and b."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ..join import Task
from ..metric import FloatArray, Metric, Setting
from ..pairs.base import IntArray, PairScorer
from ..protocol import Protocol
from ..signature import Signature
from .scoring import Words, default_scorer, scorer_fields
from .tracks import Problems, Tracks

Variant = Literal["a", "b", "c", "d"]
Refs = Literal["protocol", "best", "merge", "mean", "single"]


class Soda(Metric):
    #: (precision, recall, F1) first, then how many videos count
    COLUMNS: ClassVar[tuple[str, ...]] = ("precision", "recall", "f1", "videos")

    def __init__(self, variant: Variant, scorer: PairScorer | None = None, refs: Refs = "protocol") -> None:
        self.variant: Variant = variant
        self.refs: Refs = refs
        self._given = scorer

    @property
    def scorer(self) -> PairScorer:
        return self._given or default_scorer()

    @property
    def name(self) -> str:
        options = ([f"scorer={self._given.name}"] if self._given else []) + (
            [f"refs={self.refs}"] if self.refs != "protocol" else []
        )
        return f"soda_{self.variant}" + (f"({','.join(options)})" if options else "")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.COLUMNS

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        videos = np.maximum(sums[..., 3], 1.0)
        precision, recall, f1 = (sums[..., k] / videos for k in range(3))
        return {"value": f1, "precision": precision, "recall": recall, "f1": f1}

    def signature(self, setting: Setting) -> Signature:
        signature = super().signature(setting)
        return signature if self.variant == "d" else signature.add(**scorer_fields(self.scorer))

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        protocol = setting.protocol
        refs = protocol.refs if self.refs == "protocol" else self.refs
        problems = self.problems(Tracks.shared(task, setting), refs)
        total = self.totals(problems, task, setting)
        values = _per_video(problems, precision_recall_f1(problems, total), len(task), mean=refs == "mean")
        return np.column_stack([values, counted(task, protocol)])

    def problems(self, tracks: Tracks, refs: str) -> Problems:
        if refs == "merge":
            return tracks.merged
        return tracks.single(self.name) if refs == "single" else tracks.each

    def totals(self, problems: Problems, task: Task, setting: Setting) -> FloatArray:
        """(thresholds, problems): the summed quantity; only `a` has several thresholds."""
        overlaps = problems.overlaps
        if self.variant == "d":
            return problems.match(overlaps.iou)[0][None]
        words = Words(self.scorer, task, setting)
        if self.variant == "c":
            return problems.match(overlaps.iou * words.soda(problems))[0][None]
        thresholds = setting.protocol.tious if self.variant == "a" else (0.0,)
        totals = np.zeros((len(thresholds), len(problems)))
        for total, t in zip(totals, thresholds, strict=True):
            _, problem, entry = problems.match(np.where(overlaps.iou >= t, overlaps.iou, 0.0))
            total += np.bincount(problem, weights=words.soda(problems, entry), minlength=len(problems))
        return totals


def counted(task: Task, protocol: Protocol) -> FloatArray:
    """1 for each video that the average is over, 0 for the others; where nothing was submitted there is
    nothing to sum.
    """
    if protocol.average == "reference-videos" or not task.coverage.missing:
        return np.ones(len(task))
    missing = set(task.coverage.missing)
    return np.array([0.0 if i in missing else 1.0 for i in task.ids])


def harmonic(a: FloatArray, b: FloatArray) -> FloatArray:
    """2ab / (a + b), and 0 where both are 0."""
    return np.asarray(np.divide(2 * a * b, a + b, out=np.zeros(np.shape(a)), where=np.asarray(a + b > 0)))


def share(part: FloatArray, whole: IntArray | FloatArray) -> FloatArray:
    """part / whole, and 0 where the whole is nothing."""
    out: FloatArray = np.divide(
        part, whole, out=np.zeros_like(part), where=np.broadcast_to(whole > 0, part.shape)
    )
    return out


def precision_recall_f1(problems: Problems, total: FloatArray) -> FloatArray:
    """(thresholds, problems, 3)"""
    precision, recall = share(total, problems.candidate_count), share(total, problems.reference_count)
    return np.stack([precision, recall, harmonic(precision, recall)], axis=-1)


def _per_video(problems: Problems, values: FloatArray, videos: int, *, mean: bool) -> FloatArray:
    """(videos, 3): at each threshold the annotators' mean, or the annotator with the best F1 (the first of
    equals); then the mean over thresholds."""
    out = np.zeros((len(values), videos, 3))
    for at, chosen in zip(values, out, strict=True):
        if mean:
            np.add.at(chosen, problems.video, at)
            chosen /= np.maximum(np.bincount(problems.video, minlength=videos), 1)[:, None]
        else:
            order = np.lexsort(
                (-problems.annotator, at[:, 2], problems.video)
            )  # the best of each video comes last
            chosen[problems.video[order]] = at[order]
    return np.asarray(out.mean(axis=0))

"""Which caption told which event: SODA's matched pairs of every video, for pictures and for reading.

The numbers are those of the score: the annotator shown is the one that counts (the best F1), and the links'
products add up to the total of variant c."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..captions import Caption
from ..errors import UsageError
from ..join import Task
from ..metric import Setting
from .scoring import Words
from .soda import Soda, precision_recall_f1
from .tracks import Tracks


@dataclass(frozen=True, slots=True)
class Link:
    """Caption `candidate` of the document was matched with caption `reference` of the track (both as read,
    from 0).
    """

    reference: int
    candidate: int
    iou: float
    alike: float

    @property
    def product(self) -> float:
        return self.iou * self.alike


@dataclass(frozen=True, slots=True)
class VideoLinks:
    """One video: the reference track (as read), the annotator whose track it is (None: merged), and the
    matched pairs.
    """

    id: str
    annotator: int | None
    references: tuple[Caption, ...]
    candidates: tuple[Caption, ...]
    links: tuple[Link, ...]
    precision: float
    recall: float
    f1: float


def links(task: Task, setting: Setting, metric: Soda | None = None) -> list[VideoLinks]:
    """The matched pairs of each video under SODA c (or b, or d), in the task's order."""
    metric = metric or Soda("c")
    if metric.variant == "a":
        raise UsageError(
            "SODA a matches once per threshold; there is no single matching to show.",
            hint="Show soda_c, soda_b or soda_d.",
        )
    refs = setting.protocol.refs if metric.refs == "protocol" else metric.refs
    problems = metric.problems(Tracks.shared(task, setting), refs)
    words = Words(metric.scorer, task, setting)
    overlaps = problems.overlaps
    optimum, problem, entry = problems.match(
        overlaps.iou * words.soda(problems) if metric.variant == "c" else overlaps.iou
    )
    alike = words.soda(problems, entry)
    total = (
        np.bincount(problem, weights=alike, minlength=len(problems)).astype(float)
        if metric.variant == "b"
        else optimum
    )
    rates = precision_recall_f1(problems, total[None])[0]
    bounds = np.searchsorted(problem, np.arange(len(problems) + 1))
    shown: dict[int, VideoLinks] = {}
    for k, video in enumerate(problems.video.tolist()):
        if video in shown and shown[video].f1 >= rates[k, 2]:
            continue
        chosen = entry[bounds[k] : bounds[k + 1]]
        # back to the order in which the captions were read
        reference = problems.references.order[overlaps.reference[chosen]] - problems.reference_begin[k]
        candidate = problems.candidates.order[overlaps.candidate[chosen]] - problems.candidate_begin[k]
        annotator = None if refs == "merge" else int(problems.annotator[k])
        track = (
            tuple(c for d in task.references[video] for c in d.captions)
            if annotator is None
            else task.references[video][annotator].captions
        )
        found = tuple(
            map(
                Link,
                reference.tolist(),
                candidate.tolist(),
                overlaps.iou[chosen].tolist(),
                alike[bounds[k] : bounds[k + 1]].tolist(),
            )
        )
        shown[video] = VideoLinks(
            task.ids[video], annotator, track, task.candidates[video].captions, found, *rates[k].tolist()
        )
    return [shown[video] for video in range(len(task))]

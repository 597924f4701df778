"""Documents as arrays: the captions of a whole task, once, in time order; and which pairs of them overlap.

A *side* is a flat list of captions of many documents; a *problem* is one candidate track against one
reference track of the same video: one annotator's, or all annotators' merged into one. What is worked out
here is shared by every metric that scores the same task.

Temporal intersection over union (SODA eq. 1).

    IoU(g, p) = max(0, (min(e(g), e(p)) - max(s(g), s(p))) / (max(e(g), e(p)) - min(s(g), s(p))))

Where two segments overlap, their hull is their union. Segments that only touch, segments without length and
reversed segments (end before start) overlap nothing: where the formula gives 0/0, the IoU is 0. The public
scripts add 1e-8 to the denominator (protocol `iou=eps`); that changes a number by less than 1e-8 per second
of union.

>>> iou([0, 4], [0, 10])
array([[0.4]])
>>> iou([[0, 4], [5, 5]], [[2, 6], [5, 5]])
array([[0.33333333, 0.        ],
       [0.        , 0.        ]])"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..arrays import FloatArray, IntArray
from ..captions import Caption, Document
from ..context import Context
from ..errors import DataError, UsageError, first_few
from ..join import Task
from ..pairs.sentences import Sentences

EPSILON = {"exact": 0.0, "eps": 1e-8}


def iou(references: ArrayLike, candidates: ArrayLike, kind: Literal["exact", "eps"] = "exact") -> FloatArray:
    """(references, candidates): segments are (start, end)."""
    g = np.asarray(references, dtype=float).reshape(-1, 1, 2)
    p = np.asarray(candidates, dtype=float).reshape(1, -1, 2)
    inner = np.minimum(g[..., 1], p[..., 1]) - np.maximum(g[..., 0], p[..., 0])
    hull = np.maximum(g[..., 1], p[..., 1]) - np.minimum(g[..., 0], p[..., 0])
    return np.asarray(np.divide(inner, hull + EPSILON[kind], out=np.zeros(inner.shape), where=inner > 0))


@dataclass(slots=True)
class Side:
    """Captions of many documents. Entry k is caption `order[k]` of the flat list `texts`; a document's
    entries follow each other, sorted by time (ties keep the order of the file); document d owns
    offset[d]:offset[d+1]."""

    start: FloatArray
    end: FloatArray
    order: IntArray
    texts: list[str]
    offset: IntArray
    _numbers: dict[tuple[Sentences, bool], IntArray] = field(default_factory=dict)

    def numbers(self, sentences: Sentences, *, batch: bool = False) -> IntArray:
        """The sentence of each entry; with `batch`, as if those of a document had been tokenised in one
        go.
        """
        key = (sentences, batch)
        if key not in self._numbers:
            numbers = self._numbers[key] = sentences.numbers(self.texts)[self.order]
            run_on = sentences.run_on(self.texts) if batch else []
            for k in np.flatnonzero(np.isin(self.order, run_on)).tolist() if run_on else ():
                end = self.offset[np.searchsorted(self.offset, k, side="right")]
                if k + 1 < end:  # not the last of its document
                    rest = [self.texts[j] for j in self.order[k + 1 : end].tolist()]
                    numbers[k] = sentences.number_before(self.texts[self.order[k]], rest)
        return self._numbers[key]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of entries with their IoU, sorted by problem, candidate, reference; problem k owns
    offset[k]:offset[k+1].
    """

    offset: IntArray
    reference: NDArray[np.int32]
    candidate: NDArray[np.int32]
    iou: FloatArray

    def problem(self) -> IntArray:
        """The problem of each pair."""
        return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset))


class TrackPairs:
    """Candidate tracks against reference tracks; arrays over problems, sorted by video, then annotator."""

    def __init__(
        self,
        candidates: Side,
        references: Side,
        video: IntArray,
        annotator: IntArray,
        epsilon: float,
        jobs: int,
    ) -> None:
        self.candidates, self.references = candidates, references
        self.video, self.annotator = video, annotator
        self.epsilon, self.jobs = epsilon, jobs
        self.candidate_begin: IntArray = candidates.offset[:-1][video]
        self.candidate_end: IntArray = candidates.offset[1:][video]
        self.reference_begin: IntArray = references.offset[:-1].copy()
        self.reference_end: IntArray = references.offset[1:].copy()
        self.candidate_count: IntArray = self.candidate_end - self.candidate_begin
        self.reference_count: IntArray = self.reference_end - self.reference_begin
        #: where each problem's rows (candidates) and columns (references) are
        self._table = (self.candidate_begin, self.candidate_end, self.reference_begin, self.reference_end)
        self._sides = (candidates.start, candidates.end, references.start, references.end, *self._table)

    def __len__(self) -> int:
        return len(self.video)

    def pairs_over(self, least: float, *, strict: bool) -> Overlaps:
        return Overlaps(*_native.overlaps(*self._sides, self.epsilon, least, strict, self.jobs))

    @cached_property
    def overlaps(self) -> Overlaps:
        """Every pair with IoU > 0."""
        return self.pairs_over(0.0, strict=True)

    @cached_property
    def nearest(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Best IoU of each candidate and each reference of each problem; then the smallest distances between
        starts.
        """
        return _native.nearest(*self._sides, self.epsilon, self.jobs)

    def match(self, weight: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
        """The optimum of each problem, and the matched pairs: their problem and their index in `overlaps`."""
        o = self.overlaps
        optimum, offset, entry = _native.match_many(
            *self._table, o.offset, o.candidate, o.reference, weight, self.jobs
        )
        return optimum, np.repeat(np.arange(len(self)), np.diff(offset)), entry

    def undecided_pairs(
        self, weight: FloatArray, known: NDArray[np.uint8], which: IntArray, most: int
    ) -> IntArray:
        """Pairs of these problems that could still be matched: `weight` is exact where known, an upper bound
        elsewhere. At most the `most` heaviest of each reference.
        """
        o = self.overlaps
        return _native.open_many(
            *self._table, o.offset, o.candidate, o.reference, weight, known, which, most, self.jobs
        )


class Tracks:
    """A task's documents as arrays, under the fields of a protocol that matter for them."""

    def __init__(self, context: Context, task: Task) -> None:
        self.task, self.jobs = task, context.jobs
        protocol = self.protocol = context.protocol
        self.candidates = _side(
            [(d,) for d in task.candidates],
            protocol.order,
            limit=protocol.max_proposals,
            turn=protocol.reversed == "turn",
            what=f"{task.name!r}",
        )

    @cached_property
    def _annotators(self) -> list[list[tuple[int, Document]]]:
        """Per video, the annotators who said anything, with their number."""
        numbers = self.task.annotators or [range(len(documents)) for documents in self.task.references]
        return [
            [(k, d) for k, d in zip(which, documents, strict=True) if d.captions]
            for which, documents in zip(numbers, self.task.references, strict=True)
        ]

    @cached_property
    def merged(self) -> TrackPairs:
        """All annotators of a video as one track: one problem per video."""
        tracks = [tuple(d for _, d in spoke) for spoke in self._annotators]
        videos = np.arange(len(self.task))
        return self._problems(tracks, videos, np.zeros(len(videos), dtype=np.int64))

    @cached_property
    def per_annotator(self) -> TrackPairs:
        """One problem per video and annotator who said anything; where nobody did, one without references
        for each annotator who lists the video.
        """
        flat = [
            (video, k, (d,))
            for video, spoke in enumerate(self._annotators)
            for k, d in spoke or self._silent(video)
        ]
        return self._problems(
            [d for _, _, d in flat],
            np.array([v for v, _, _ in flat], dtype=np.int64),
            np.array([k for _, k, _ in flat], dtype=np.int64),
        )

    def _silent(self, video: int) -> list[tuple[int, Document]]:
        which = (
            self.task.annotators[video] if self.task.annotators else range(len(self.task.references[video]))
        )
        return [(k, Document("")) for k in which] or [(0, Document(""))]

    def check_single(self, metric: str) -> None:
        """Whether every video has exactly one reference."""
        several = [
            i for i, documents in zip(self.task.ids, self.task.references, strict=True) if len(documents) != 1
        ]
        if several:
            raise UsageError(
                f"{metric} with refs=single needs exactly one reference per video; {len(several):,} of"
                f" {len(self.task):,} have another number: {first_few(several)}",
                hint="Give one reference file, or choose refs=best, mean or merge.",
            )

    def _problems(
        self, tracks: Sequence[tuple[Document, ...]], video: IntArray, annotator: IntArray
    ) -> TrackPairs:
        protocol = self.protocol
        turn = protocol.reversed == "turn"
        references = _side(tracks, protocol.reference_order, turn=turn, what="the references")
        return TrackPairs(self.candidates, references, video, annotator, EPSILON[protocol.iou], self.jobs)


def _side(
    groups: Sequence[tuple[Document, ...]], sorting: str, *, what: str, turn: bool = False, limit: int = 0
) -> Side:
    """Groups of documents, one track each, as one side."""
    tracks: list[Sequence[Caption]] = [
        g[0].captions if len(g) == 1 else tuple(chain.from_iterable(d.captions for d in g)) for g in groups
    ]
    if limit:
        tracks = [track[:limit] for track in tracks]
    sizes = np.fromiter(map(len, tracks), dtype=np.int64, count=len(tracks))
    start = np.array([c.start for track in tracks for c in track], dtype=float)
    end = np.array([c.end for track in tracks for c in track], dtype=float)
    texts = [c.text for track in tracks for c in track]
    owner = np.repeat(np.arange(len(tracks)), sizes)
    _check_times(start, end, owner, groups, what)
    if turn:
        start, end = np.minimum(start, end), np.maximum(start, end)
    order = _order(sorting, start, end, owner, sizes)
    return Side(start[order], end[order], order.astype(np.int64), texts, offsets(sizes))


def offsets(sizes: IntArray) -> IntArray:
    """Where each of several groups begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _order(sorting: str, start: FloatArray, end: FloatArray, owner: IntArray, sizes: IntArray) -> IntArray:
    """The captions of each track, sorted as the protocol's fields `order` and `reference_order` say."""
    if sorting == "file":
        return np.arange(len(start))
    if sorting == "key-text":
        as_text = sorted(range(int(sizes.max(initial=0))), key=str)
        rank = np.empty(len(as_text), dtype=np.int64)
        rank[as_text] = np.arange(len(as_text))
        number = np.arange(len(start)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.lexsort((rank[number], owner))
    return np.lexsort((end, start, owner) if sorting == "start-end" else (start, owner))


def _check_times(
    start: FloatArray, end: FloatArray, owner: IntArray, groups: Sequence[tuple[Document, ...]], what: str
) -> None:
    bad = np.flatnonzero(~(np.isfinite(start) & np.isfinite(end)))
    if not len(bad):
        return
    videos = list(dict.fromkeys(groups[owner[k]][0].id for k in bad))
    how = "All" if len(bad) == len(start) else f"{len(bad):,} of {len(start):,}"
    raise DataError(
        f"{how} captions of {what} have no usable times (missing, NaN or infinite), in {len(videos):,}"
        f" video{'s' if len(videos) > 1 else ''}: {first_few(videos)}",
        hint=(
            "Metrics of timed captions need a start and an end in seconds for each. List the places with:"
            " storymeter validate FILE"
        ),
    )


def tracks_of(context: Context, task: Task) -> Tracks:
    """A task's timed captions as arrays."""
    return context.per_task(Tracks, task)

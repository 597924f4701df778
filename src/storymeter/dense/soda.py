"""SODA: story oriented dense video captioning evaluation (Fujita et al., ECCV 2020).

Captions and references of a video, each sorted by start, are matched one to one without crossing, so that the
sum of C is greatest (`caption_pairs.py`). With f the sentence scorer, G the references and P the captions:

    a   C = IoU where IoU >= t, else 0;  total = sum of f over the matched pairs;  the mean over t in .3 .5 .7
        .9
    b   C = IoU;                         total = sum of f over the matched pairs
    c   C = IoU * f;                     total = the sum of C itself; a protocol may have thresholds here too
                                         (`soda_tious`: C = 0 under t, the mean over t)
    d   C = IoU;                         total = the sum of C itself (where, not what)

    precision = total / |P|      recall = total / |G|      F1 = 2 precision recall / (precision + recall)

A corpus value is the mean over videos. Several annotators: `refs` takes the one with the best F1 per video,
the mean of all, one merged track, or (`corpus-mean`: PDVC, VidChapters) the mean over the videos of each
annotator by itself and then the mean of these. A side without captions gives 0. Only pairs that can matter
are scored: the matched ones for a and b; for c those with IoU > 0 (and not under every threshold) or, where
the scorer has an upper bound (METEOR), those of them that the best matching could hold.

A judge may have no verdict on a pair. Under c the video keeps its score where no mark of that pair could
change the optimum; otherwise the video is left out of the mean, as if it were not there, and never counted
as 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..measure import Named, measure
from ..metrics import Metric
from ..options import bound, option, with_bound
from ..pairs import Meteor, PairScorer
from ..protocol import PAPER, Protocol
from ..scores import Alignment, Rows, Signature
from .caption_pairs import CaptionPairs, scorer_fields
from .tracks import TrackPairs, offsets, tracks_of

COLUMNS = ("precision", "recall", "f1", "videos")
#: how many annotators have columns of their own under `corpus-mean`
MOST_ANNOTATORS = 8


@measure(
    Named("soda_c", "SODA: the story in order, matched and scored by IoU times words", variant="c"),
    Named(
        "soda_a",
        "SODA: the story in order, matched by IoU over four thresholds, scored by words",
        variant="a",
    ),
    Named("soda_b", "SODA: the story in order, matched by IoU, scored by words", variant="b"),
    Named("soda_d", "SODA: the story in order, scored by times alone", variant="d"),
    papers=("fujita2020",),
)
@dataclass(frozen=True)
class Soda(Metric):
    """See the module. Variants b, c and d have one matching per video: it comes with the rows
    (`alignment`).
    """

    variant: Literal["a", "b", "c", "d"] = option("c", "what is matched and what is summed")
    scorer: PairScorer = option(Meteor(), "the scorer of sentence pairs")
    refs: Literal["protocol", "best", "merge", "mean", "corpus-mean", "single"] = option(
        "protocol",
        "several annotators: as the protocol says, or the best, merged, their mean, the mean of their corpus"
        " means, exactly one",
    )

    protocol: Protocol = bound(PAPER)

    @property
    def by_annotator(self) -> bool:
        """Whether rows hold each annotator's values by itself."""
        return self._refs == "corpus-mean"

    @property
    def ordered(self) -> bool:
        """Captions of merged annotators that start together keep the order of their files."""
        return self._refs == "merge"

    @property
    def _refs(self) -> str:
        return self.protocol.refs if self.refs == "protocol" else self.refs

    @property
    def columns(self) -> tuple[str, ...]:
        """(precision, recall, F1) first, then how many videos count."""
        if self.by_annotator:
            return tuple(f"{column}_{k}" for k in range(MOST_ANNOTATORS) for column in COLUMNS)
        return COLUMNS

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        each = sums.reshape(*sums.shape[:-1], len(self.columns) // len(COLUMNS), len(COLUMNS))
        videos = each[..., 3:]
        means = each[..., :3] / np.maximum(videos, 1.0)
        there = (videos > 0).sum(axis=-2)
        means = means.sum(axis=-2) / np.maximum(there, 1)
        if self.scorer.traits.may_be_missing:  # a video that was left out has no score
            means = np.where(there > 0, means, np.nan)
        precision, recall, f1 = (np.asarray(means[..., k]) for k in range(3))
        return {"value": f1, "precision": precision, "recall": recall, "f1": f1}

    def signature(self, context: Context) -> Signature:
        signature = super().signature(context)
        return signature if self.variant == "d" else signature.add(**scorer_fields(self.scorer, context))

    def rows(self, task: Task, context: Context) -> Rows:
        if self.protocol != context.protocol:
            return with_bound(self, protocol=context.protocol).rows(task, context)
        refs = self._refs
        tracks = tracks_of(context, task)
        if refs == "single":
            tracks.check_single(self.name)
        problems = tracks.merged if refs == "merge" else tracks.per_annotator
        total, matching = self._matched(problems, task, context)
        precision, recall = share(total, problems.candidate_count), share(total, problems.reference_count)
        # (thresholds, problems, 3)
        rates = np.stack([precision, recall, harmonic(precision, recall)], axis=-1)
        counts = counted(task, self.protocol)
        left_out = problems.video[np.isnan(total).any(axis=0)]
        counts[left_out] = 0.0
        if self.by_annotator:
            rows = _per_annotator(problems, rates.mean(axis=0), counts, self.name)
        else:
            rows = np.column_stack([_per_video(problems, rates, len(task), mean=refs == "mean"), counts])
        rows[left_out] = 0.0
        if matching is None:
            return Rows(rows)
        return Rows(rows, _alignment(task, problems, rates[0], *matching, merged=refs == "merge"))

    def _matched(
        self, problems: TrackPairs, task: Task, context: Context
    ) -> tuple[FloatArray, tuple[IntArray, IntArray, FloatArray] | None]:
        """(thresholds, problems): the summed quantity; and the matched pairs: their problem, their entry in
        `overlaps` and f. Variant a has several thresholds, and so no one matching."""
        iou = problems.overlaps.iou
        if self.variant == "d":
            optimum, problem, entry = problems.match(iou)
            return optimum[None], (problem, entry, np.ones(len(entry)))
        pairs = CaptionPairs(self.scorer, task, context)
        if self.variant == "c":
            return self._optimum(problems, pairs, self.protocol.soda_tious)
        totals, matching = [], None
        for t in self.protocol.tious if self.variant == "a" else (0.0,):
            _, problem, entry = problems.match(np.where(iou >= t, iou, 0.0))
            f = pairs.soda(problems, entry)
            totals.append(np.bincount(problem, weights=f, minlength=len(problems)))
            matching = (problem, entry, f) if self.variant == "b" else None
        return np.array(totals, dtype=np.float64).reshape(-1, len(problems)), matching

    def _optimum(
        self, problems: TrackPairs, pairs: CaptionPairs, tious: Sequence[float]
    ) -> tuple[FloatArray, tuple[IntArray, IntArray, FloatArray] | None]:
        """Variant c; NaN where a pair without a verdict could change the optimum."""
        iou, bound = problems.overlaps.iou, pairs.bounds(problems)
        f = np.zeros(len(iou))
        if bound is None:
            near = np.flatnonzero(iou >= min(tious))
            f[near] = pairs.soda(problems, None if len(near) == len(iou) else near)
        totals, matching = [], None
        for t in tious:
            reached = np.where(iou >= t, iou, 0.0)
            if bound is not None:
                f = pairs.soda_matched(problems, reached, bound)
            least, most = (np.nan_to_num(f, nan=extreme) for extreme in self.scorer.traits.range)
            optimum, problem, entry = problems.match(reached * least)
            if np.isnan(f).any():
                highest, _, _ = problems.match(reached * most)
                optimum = np.where(highest > optimum, np.nan, optimum)
            totals.append(optimum)
            matching = (problem, entry, least[entry]) if len(tious) == 1 else None
        return np.array(totals, dtype=np.float64).reshape(-1, len(problems)), matching


def _alignment(
    task: Task,
    problems: TrackPairs,
    rates: FloatArray,
    problem: IntArray,
    entry: IntArray,
    f: FloatArray,
    *,
    merged: bool,
) -> Alignment:
    """The matched pairs of the problem that counts in each video: that of the annotator with the best F1."""
    best = np.full(len(task), -1)
    order = _best_last(problems, rates)
    best[problems.video[order]] = order
    keep = best[problems.video[problem]] == problem
    problem, entry, f = problem[keep], entry[keep], f[keep]
    overlaps = problems.overlaps
    return Alignment(
        task.ids,
        offsets(np.bincount(problems.video[problem], minlength=len(task))),
        # back to the order in which the captions were read
        problems.candidates.order[overlaps.candidate[entry]] - problems.candidate_begin[problem],
        problems.references.order[overlaps.reference[entry]] - problems.reference_begin[problem],
        overlaps.iou[entry],
        f,
        np.full(len(task), -1) if merged else _places(task, problems.annotator[best]),
    )


def _places(task: Task, annotator: IntArray) -> IntArray:
    """Where each video's annotator stands among those who have the video."""
    if not task.annotators:
        return annotator
    places = [who.index(k) for who, k in zip(task.annotators, annotator.tolist(), strict=True)]
    return np.array(places, dtype=np.int64)


def _best_last(problems: TrackPairs, rates: FloatArray) -> IntArray:
    """The problems video by video, that of the annotator with the best F1 last; of equals the one with the
    greater precision, so that the order of the annotators changes no number."""
    precision, _, f1 = rates.T
    return np.lexsort((-problems.annotator, precision, f1, problems.video))


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
    there = np.broadcast_to(whole > 0, part.shape)
    return np.asarray(np.divide(part, whole, out=np.zeros_like(part), where=there))


def _per_annotator(problems: TrackPairs, values: FloatArray, counts: FloatArray, metric: str) -> FloatArray:
    """(videos, annotators * columns): each annotator's values and whether the video counts for it."""
    if len(problems) and problems.annotator.max() >= MOST_ANNOTATORS:
        raise UsageError(
            f"{metric} with refs=corpus-mean supports up to {MOST_ANNOTATORS} annotators, not"
            f" {problems.annotator.max() + 1}.",
            hint="Choose refs=mean, best or merge.",
        )
    out = np.zeros((len(counts), MOST_ANNOTATORS, len(COLUMNS)))
    rows = np.column_stack([values, np.ones(len(values))]) * counts[problems.video][:, None]
    np.add.at(out, (problems.video, problems.annotator), rows)
    return out.reshape(len(counts), -1)


def _per_video(problems: TrackPairs, values: FloatArray, videos: int, *, mean: bool) -> FloatArray:
    """(videos, 3): at each threshold the annotators' mean, or the annotator with the best F1; then the
    mean over thresholds."""
    out = np.zeros((len(values), videos, 3))
    for at, chosen in zip(values, out, strict=True):
        if mean:
            np.add.at(chosen, problems.video, at)
            chosen /= np.maximum(np.bincount(problems.video, minlength=videos), 1)[:, None]
        else:
            order = _best_last(problems, at)
            chosen[problems.video[order]] = at[order]
    return np.asarray(out.mean(axis=0))

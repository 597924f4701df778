"""Pairs of captions: their sentence scores, their matching, and one video as it was matched.

Sentence scores come from the run's pair table, under the protocol's roles. Matching is monotone and one to
one (SODA), or everything over a threshold (ActivityNet). The monotone matching maximises the sum of C over
pairs that keep the order of both sides (SODA eqs. 5-6):

    S[i][j] = max(S[i-1][j], S[i][j-1], S[i-1][j-1] + C[i][j])

Every cell remembers in two bits which of the three it took, and the way back follows those bits: the pairs
returned always add up to the optimum. A pair with C = 0 adds nothing and is never returned. Where several
matchings reach the optimum, the one that leaves the last captions free is taken (a cell takes a match only
where it is strictly better).

The example of the paper (Fig. 1 and Fig. 4):

>>> C = [[0.7, 0.1, 0.4, 0.9, 0.1], [0.2, 0.3, 0.5, 0.4, 0.5],
...      [0.4, 1.0, 0.3, 0.7, 0.8], [0.8, 0.7, 0.6, 1.0, 0.1]]
>>> optimum, pairs = match(C)
>>> round(optimum, 12), pairs
(2.7, [(0, 0), (2, 1), (3, 3)])
>>> len(over_threshold(C, 0.5))
11

`video_links` gives a matched video: its captions, the reference track, and the pairs behind its score. The
numbers are those of the score (`Score.alignment`): the annotator shown is the one that counts (the best F1),
and the products add up to the total of variant c. `timeline_of` puts both sides in order of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..arrays import FloatArray, IntArray
from ..captions import Caption, Corpus, Document
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..pairs.model import tokenized_by
from ..pairs.scorer import PairScorer, open_scorer
from ..pairs.sentences import pair_table, sentences_for
from ..scores import Match, Score
from .tracks import Side, TrackPairs, offsets, tracks_of


def match(weights: ArrayLike) -> tuple[float, list[tuple[int, int]]]:
    """The best sum, and the (row, column) pairs that reach it. Any size: 10,000 x 10,000 needs 25 MB beside
    the matrix.
    """
    matrix = np.ascontiguousarray(weights, dtype=float)
    if matrix.ndim != 2:
        matrix = matrix.reshape(0, 0)
    optimum, rows, columns = _native.match(matrix)
    return optimum, list(zip(rows.tolist(), columns.tolist(), strict=True))


def optimum_table(weights: ArrayLike) -> FloatArray:
    """The whole table S, borders included: for pictures and lessons; `match` does not need it."""
    matrix = np.asarray(weights, dtype=float)
    sums = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    for i in range(1, sums.shape[0]):
        for j in range(1, sums.shape[1]):
            sums[i, j] = max(sums[i - 1, j], sums[i, j - 1], sums[i - 1, j - 1] + matrix[i - 1, j - 1])
    return sums


def over_threshold(overlap: ArrayLike, threshold: float, *, strict: bool = False) -> list[tuple[int, int]]:
    """Every (reference, candidate) pair whose IoU reaches the threshold (paper 000, eq. 2), candidate by
    candidate.
    """
    matrix = np.asarray(overlap, dtype=float)
    candidates, references = np.nonzero((matrix > threshold if strict else matrix >= threshold).T)
    return list(zip(references.tolist(), candidates.tolist(), strict=True))


#: how many pairs of each reference are scored before the first look at what is left of the others
FIRST_ROUND = 8


def scorer_fields(scorer: PairScorer, context: Context) -> dict[str, object]:
    """What a signature says of the scorer: its name, who tokenises for it, and which data it stands on."""
    tok = tokenized_by(scorer, context.tokenizer)
    return {"tok": tok, "scorer": scorer.name, **open_scorer(context, scorer).depends_on()}


class CaptionPairs:
    """What a scorer says of the captions of a task."""

    def __init__(self, scorer: PairScorer, task: Task, context: Context) -> None:
        self.context, self.traits = context, scorer.traits
        self.model = open_scorer(context, scorer)
        self.sentences = sentences_for(context, scorer)
        self.model.prepare()
        learnt: tuple[str, ...] = ()
        if self.traits.learns:  # from every reference caption of the task, each one an item
            side = tracks_of(context, task).merged.references
            skipped = [c.text for group in task.unscored for d in group for c in d.captions]
            numbers = [*side.numbers(self.sentences), *self.sentences.numbers(skipped)]
            learnt = tuple(self.sentences.texts[k] for k in numbers)
        self.table = pair_table(context, scorer, learnt)

    def soda(self, problems: TrackPairs, entries: IntArray | None = None) -> FloatArray:
        """f of the overlapping pairs (or of some of them, sorted by problem), in the protocol's
        orientation.
        """
        candidates, references = self._numbers(problems, entries)
        if self.traits.fits_per_video:
            chosen = slice(None) if entries is None else entries
            sizes = np.bincount(problems.overlaps.problem()[chosen], minlength=len(problems))
            tracks = self._side(problems.references)
            bounds = np.append(problems.reference_begin, len(tracks))
            return self._by_group(candidates, references, offsets(sizes), tracks, bounds)
        return self.table.values(
            candidates, references, jobs=self.context.jobs, progress=self.context.progress
        )

    def bounds(self, problems: TrackPairs) -> FloatArray | None:
        """What f of the overlapping pairs cannot exceed, where the scorer knows."""
        if self.traits.fits_per_video:
            return None
        return self.table.bounds(*self._numbers(problems), jobs=self.context.jobs)

    def soda_matched(self, problems: TrackPairs, reached: FloatArray, bound: FloatArray) -> FloatArray:
        """f of the overlapping pairs that the best matching by `reached` (the IoU, 0 under a threshold) times
        f can hold, 0 for all others; no f exceeds its bound.

        Pairs are scored in rounds: those that could be matched if their bound were their value, the heaviest
        of each reference first, until what was scored leaves no place for the rest. The best matching and its
        sum are the same to the last bit."""
        size = len(reached)
        f, weight, known = np.zeros(size), reached * bound, np.zeros(size, dtype=np.uint8)
        which, most = np.arange(len(problems)), FIRST_ROUND
        while len(entries := problems.undecided_pairs(weight, known, which, most)):
            f[entries] = self.soda(problems, entries)
            weight[entries] = reached[entries] * f[entries]
            known[entries] = 1
            which = np.unique(np.searchsorted(problems.overlaps.offset, entries, side="right") - 1)
            most *= 2
        return f

    def _numbers(self, problems: TrackPairs, entries: IntArray | None = None) -> tuple[IntArray, IntArray]:
        """The sentences of overlapping pairs, as the scorer sees them: hypotheses, references."""
        overlaps, chosen = problems.overlaps, slice(None) if entries is None else entries
        ours = self._side(problems.candidates)[overlaps.candidate[chosen]]
        theirs = self._side(problems.references)[overlaps.reference[chosen]]
        return (theirs, ours) if self.context.protocol.orientation == "reference" else (ours, theirs)

    def _side(self, side: Side) -> IntArray:
        return side.numbers(self.sentences, batch=self.context.protocol.tokens == "batch")

    def statistics(self, hypotheses: IntArray, references: IntArray) -> NDArray[Any]:
        """(pairs, columns): the scorer's additive statistics of numbered sentences."""
        return self.table.statistics(
            hypotheses, references, jobs=self.context.jobs, progress=self.context.progress
        )

    def values(self, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """(pairs, 2): the value of numbered sentences, and 1; 0 and 0 where a judge has no verdict."""
        values = self.table.values(
            hypotheses, references, jobs=self.context.jobs, progress=self.context.progress
        )
        there = ~np.isnan(values)
        return np.column_stack([np.where(there, values, 0.0), there])

    def mean_per_group(self, offset: IntArray, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """The mean value of each group of pairs, by a scorer that learns from the references of that group
        alone (each pair an item); 0 for a group without pairs."""
        sizes = np.diff(offset)
        values = self._by_group(hypotheses, references, offset, references, offset)
        sums = np.bincount(np.repeat(np.arange(len(sizes)), sizes), weights=values, minlength=len(sizes))
        return np.asarray(sums / np.maximum(sizes, 1))

    def _by_group(
        self,
        hypotheses: IntArray,
        references: IntArray,
        offset: IntArray,
        items: IntArray,
        item_offset: IntArray,
    ) -> FloatArray:
        """Each group by what the scorer learns from that group alone."""
        used, places = np.unique(np.concatenate([hypotheses, references, items]), return_inverse=True)
        ours, theirs, learnt = np.split(places, [len(hypotheses), len(hypotheses) + len(references)])
        self.context.progress(f"scoring videos ({self.model.name})", 0, 1)
        values: FloatArray = self.model.score_groups(
            sentences=[self.sentences.texts[k] for k in used.tolist()],
            candidate_index=ours,
            reference_index=theirs,
            pair_bounds=offset,
            item_index=learnt,
            item_bounds=item_offset,
            jobs=self.context.jobs,
        )
        self.context.progress(f"scoring videos ({self.model.name})", 1, 1)
        return values


@dataclass(frozen=True, slots=True)
class VideoLinks:
    """One video: the reference track (as read), the annotator whose track it is (None: merged), and the
    matched pairs.
    """

    id: str
    annotator: int | None
    references: tuple[Caption, ...]
    candidates: tuple[Caption, ...]
    links: tuple[Match, ...]
    precision: float
    recall: float
    f1: float


def video_links(score: Score, candidate: Document, references: tuple[Document, ...]) -> VideoLinks:
    """The document of a scored system, beside its references as they were scored."""
    alignment = score.alignment
    if alignment is None or score.rows is None:
        raise UsageError(
            f"{score.metric} has no matching to show.",
            hint="Show soda_c, soda_b or soda_d, with any scorer; soda_a matches once per threshold.",
        )
    place = alignment.place(candidate.id)
    annotator = int(alignment.annotator[place])
    tracks = references if annotator < 0 else references[annotator : annotator + 1]
    return VideoLinks(
        candidate.id,
        None if annotator < 0 else annotator,
        tuple(caption for document in tracks for caption in document.captions),
        candidate.captions,
        alignment[candidate.id],
        *score.rows[place, :3].tolist(),
    )


class Event(NamedTuple):
    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """One video: captions and references in order of time, and which of them were matched."""

    video: str
    system: str
    annotator: str
    scorer: str
    duration: float
    references: Sequence[Event]
    captions: Sequence[Event]
    links: Sequence[Match]
    precision: float
    recall: float
    f1: float
    metric: str = "soda_c"

    def side(self, letter: str) -> tuple[Sequence[Event], dict[int, str]]:
        """The references (g) or the captions (p), and the partner of each that has one, by its number."""
        if letter == "g":
            return self.references, {k.reference: f"p{k.candidate + 1}" for k in self.links}
        return self.captions, {k.candidate: f"g{k.reference + 1}" for k in self.links}

    @property
    def headline(self) -> str:
        return (
            f"{self.metric}  P {100 * self.precision:.2f}  R {100 * self.recall:.2f}  F1 {100 * self.f1:.2f}"
        )


def timeline_of(
    found: VideoLinks,
    *,
    system: str,
    annotators: Sequence[Corpus],
    scorer: str,
    metric: str,
    duration: float | None,
) -> Timeline:
    """The links of one video: both sides sorted by start, numbered in that order."""
    names = [corpus.name for corpus in annotators if any(document.id == found.id for document in corpus)]
    if found.annotator is None:
        annotator = "all annotators merged"
    else:
        annotator = names[found.annotator] if found.annotator < len(names) else "references"
    references, reference_place = _sorted(found.references)
    captions, caption_place = _sorted(found.candidates)
    links = [
        link._replace(reference=reference_place[link.reference], candidate=caption_place[link.candidate])
        for link in found.links
    ]
    latest = max((event.end for event in [*references, *captions]), default=0.0)
    return Timeline(
        found.id,
        system,
        annotator,
        scorer,
        max(duration or 0.0, latest),
        references,
        captions,
        sorted(links, key=lambda link: link.reference),
        found.precision,
        found.recall,
        found.f1,
        metric,
    )


def _sorted(captions: Sequence[Caption]) -> tuple[list[Event], dict[int, int]]:
    """Events by start, and where each caption, as read, went."""
    order = sorted(range(len(captions)), key=lambda k: captions[k].start or 0.0)
    events = [Event(captions[k].text, captions[k].start or 0.0, captions[k].end or 0.0) for k in order]
    return events, {k: place for place, k in enumerate(order)}

"""Sentence scores for pairs of captions that met in time: the run's pair table, under the protocol's
roles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray
from ..join import Task
from ..pairs.base import PairScorer
from .tracks import Problems

if TYPE_CHECKING:
    from ..engine.workbench import Workbench


def scorer_fields(scorer: PairScorer, bench: Workbench) -> dict[str, object]:
    """What a signature says of the scorer: its name, and which data it stands on."""
    return {"scorer": scorer.name, **bench.scorer(scorer).depends_on()}


class CaptionPairs:
    """What a scorer says of the captions of a task."""

    def __init__(self, scorer: PairScorer, task: Task, bench: Workbench) -> None:
        self.bench, self.scorer = bench, bench.scorer(scorer)
        self.sentences = bench.sentences(raw=scorer.raw_text)
        self.scorer.prepare()
        learnt: tuple[str, ...] = ()
        if scorer.learns:  # from every reference caption of the task, each one an item
            side = bench.tracks(task).merged.references
            learnt = tuple(self.sentences.texts[k] for k in side.numbers(self.sentences))
        self.table = bench.pairs(scorer, learnt)

    def soda(self, problems: Problems, entries: IntArray | None = None) -> FloatArray:
        """f of the overlapping pairs (or of some of them, sorted by problem), in the protocol's
        orientation.
        """
        overlaps, protocol = problems.overlaps, self.bench.protocol
        chosen = slice(None) if entries is None else entries
        ours, tracks = (
            side.numbers(self.sentences, batch=protocol.tokens == "batch")
            for side in (problems.candidates, problems.references)
        )
        candidates, references = ours[overlaps.candidate[chosen]], tracks[overlaps.reference[chosen]]
        if protocol.orientation == "reference":
            candidates, references = references, candidates
        if self.scorer.by_group:
            sizes = np.bincount(overlaps.problem()[chosen], minlength=len(problems))
            bounds = np.append(problems.reference_begin, len(tracks))
            return self._by_group(candidates, references, offsets(sizes), tracks, bounds)
        return self.table.values(candidates, references, jobs=self.bench.jobs, progress=self.bench.progress)

    def statistics(self, hypotheses: IntArray, references: IntArray) -> NDArray[Any]:
        """(pairs, columns): the scorer's additive statistics of numbered sentences."""
        return self.table.statistics(
            hypotheses, references, jobs=self.bench.jobs, progress=self.bench.progress
        )

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
        self.bench.progress(f"scoring videos ({self.scorer.name})", 0, 1)
        values = self.scorer.score_groups(
            sentences=[self.sentences.texts[k] for k in used.tolist()],
            candidate_index=ours,
            reference_index=theirs,
            pair_bounds=offset,
            item_index=learnt,
            item_bounds=item_offset,
            jobs=self.bench.jobs,
        )
        self.bench.progress(f"scoring videos ({self.scorer.name})", 1, 1)
        return values


def offsets(sizes: IntArray) -> IntArray:
    """Where each of several groups begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

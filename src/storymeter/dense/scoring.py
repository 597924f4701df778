"""Sentence scores for pairs of captions that met in time: the run's pair table, under the protocol's
roles.
"""

from __future__ import annotations

import hashlib
import typing
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..join import Task
from ..metric import FloatArray, Setting
from ..pairs.base import IntArray, PairScorer
from ..pairs.cider import Cider
from ..pairs.table import PairTable, Sentences, read_by
from ..registry import scorer as get_scorer
from .tracks import Problems, Tracks


def default_scorer() -> PairScorer:
    """METEOR, as in the papers."""
    return get_scorer("meteor")


def scorer_fields(scorer: PairScorer) -> dict[str, object]:
    """What a signature says of the scorer: its name, and which data it stands on."""
    return {"scorer": scorer.name, "data": getattr(scorer, "data_version", None), **scorer.depends_on()}


class Words:
    """What a scorer says of the captions of a task."""

    def __init__(self, scorer: PairScorer, task: Task, setting: Setting) -> None:
        setting = read_by(scorer, setting)
        self.scorer, self.setting = scorer, setting
        self.sentences = Sentences.shared(setting)
        scorer.prepare(setting.progress, setting.device)
        self.table = self._fitted(task) if learns(scorer) else PairTable.shared(setting, scorer)

    def _fitted(self, task: Task) -> PairTable:
        """A table whose scorer learns from every reference caption of the task (each one an item: its idf
        counts captions).
        """
        side = Tracks.shared(task, self.setting).merged.references
        texts = [self.sentences.texts[k] for k in side.numbers(self.sentences)]
        digest = hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        return PairTable.shared(
            self.setting,
            self.scorer,
            fitted_on=digest,
            prepare=lambda: self.scorer.fit([[text] for text in texts]),
        )

    def soda(self, problems: Problems, entries: IntArray | None = None) -> FloatArray:
        """f of the overlapping pairs (or of some of them, sorted by problem), in the protocol's
        orientation.
        """
        overlaps = problems.overlaps
        chosen = slice(None) if entries is None else entries
        batch = self.setting.protocol.tokens == "batch"
        told, tracks = (
            side.numbers(self.sentences, batch=batch) for side in (problems.candidates, problems.references)
        )
        candidates, references = told[overlaps.candidate[chosen]], tracks[overlaps.reference[chosen]]
        if self.setting.protocol.orientation == "reference":
            candidates, references = references, candidates
        if isinstance(self.scorer, Cider) and self.scorer.idf == "video":
            sizes = np.bincount(overlaps.problem()[chosen], minlength=len(problems))
            return self._by_group(
                candidates,
                references,
                offsets(sizes),
                tracks,
                np.append(problems.reference_begin, len(tracks)),
            )
        return self.table.values(
            candidates, references, jobs=self.setting.jobs, progress=self.setting.progress
        )

    def statistics(self, hypotheses: IntArray, references: IntArray) -> NDArray[Any]:
        """(pairs, columns): the scorer's additive statistics of numbered sentences."""
        return self.table.statistics(
            hypotheses, references, jobs=self.setting.jobs, progress=self.setting.progress
        )

    def mean_per_group(self, offset: IntArray, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """The mean value of each group of pairs, by a scorer that learns from the references of that group
        alone (each pair an item); 0 for a group without pairs."""
        sizes = np.diff(offset)
        if isinstance(self.scorer, Cider):
            values = self._by_group(hypotheses, references, offset, references, offset)
        else:
            values = self._by_fitting(hypotheses, references, offset)
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
        """CIDEr with an idf of each group's own."""
        scorer = typing.cast(Cider, self.scorer)
        self.setting.progress(f"scoring videos ({scorer.name})", 0, 1)
        values = scorer.score_groups(
            sentences=self.sentences.texts,
            candidate_index=hypotheses,
            reference_index=references,
            pair_bounds=offset,
            item_index=items,
            item_bounds=item_offset,
            jobs=self.setting.jobs,
        )
        self.setting.progress(f"scoring videos ({scorer.name})", 1, 1)
        return values

    def _by_fitting(self, hypotheses: IntArray, references: IntArray, offset: IntArray) -> FloatArray:
        """Any scorer that learns: fitted again for each group."""
        texts = self.sentences.texts
        out = np.zeros(len(hypotheses))
        for k, (begin, end) in enumerate(pairwise(offset.tolist())):
            if begin < end:
                against = [[texts[r]] for r in references[begin:end]]
                self.scorer.fit(against)
                out[begin:end] = self.scorer.pairs(
                    candidates=[texts[h] for h in hypotheses[begin:end]],
                    references=against,
                    jobs=self.setting.jobs,
                )
            if k % 256 == 0:
                self.setting.progress(f"scoring videos ({self.scorer.name})", k, len(offset) - 1)
        self.setting.progress(f"scoring videos ({self.scorer.name})", len(offset) - 1, len(offset) - 1)
        return out


def offsets(sizes: IntArray) -> IntArray:
    """Where each of several groups begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def learns(scorer: PairScorer) -> bool:
    return type(scorer).fit is not PairScorer.fit

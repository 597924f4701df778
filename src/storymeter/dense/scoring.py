"""Sentence scores for pairs of captions that met in time: the run's pair table, under the protocol's roles."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..join import Task
from ..metric import FloatArray, Setting
from ..pairs.base import IntArray, PairScorer
from ..pairs.table import PairTable, Sentences
from ..registry import scorer as get_scorer
from .tracks import Problems, Tracks


def default_scorer() -> PairScorer:
    """METEOR, as in the papers."""
    return get_scorer("meteor")


class Words:
    """What a scorer says of the captions of a task."""

    def __init__(self, scorer: PairScorer, task: Task, setting: Setting) -> None:
        self.scorer, self.setting = scorer, setting
        self.sentences = Sentences.shared(setting)
        self.table = self._fitted(task) if learns(scorer) else PairTable.shared(setting, scorer)

    def _fitted(self, task: Task) -> PairTable:
        """A table whose scorer learns from every reference caption of the task (each one an item: its idf counts captions)."""
        side = Tracks.shared(task, self.setting).merged.references
        texts = [self.sentences.texts[k] for k in side.numbers(self.sentences)]
        digest = hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        return PairTable.shared(self.setting, self.scorer, fitted_on=digest, prepare=lambda: self.scorer.fit([[text] for text in texts]))

    def soda(self, problems: Problems, entries: IntArray | None = None) -> FloatArray:
        """f of the overlapping pairs (or of some of them), in the protocol's orientation."""
        overlaps = problems.overlaps
        chosen = slice(None) if entries is None else entries
        candidates = problems.candidates.numbers(self.sentences)[overlaps.candidate[chosen]]
        references = problems.references.numbers(self.sentences)[overlaps.reference[chosen]]
        if self.setting.protocol.orientation == "reference":
            candidates, references = references, candidates
        return self.table.values(candidates, references, jobs=self.setting.jobs, progress=self.setting.progress)

    def statistics(self, hypotheses: IntArray, references: IntArray) -> NDArray[Any]:
        """(pairs, columns): the scorer's additive statistics of numbered sentences."""
        return self.table.statistics(hypotheses, references, jobs=self.setting.jobs, progress=self.setting.progress)

    def mean_per_group(self, offset: IntArray, hypotheses: IntArray, references: IntArray) -> FloatArray:
        """The mean value of each group of pairs, by a scorer that learns from the references of that group alone (each pair
        an item); 0 for a group without pairs."""
        scorer, texts = get_scorer(self.scorer.name), self.sentences.texts
        out = np.zeros(len(offset) - 1)
        for k in np.flatnonzero(np.diff(offset)).tolist():
            group = slice(int(offset[k]), int(offset[k + 1]))
            against = [[texts[r]] for r in references[group]]
            scorer.fit(against)
            out[k] = scorer.pairs(candidates=[texts[h] for h in hypotheses[group]], references=against).mean()
            if k % 256 == 0:
                self.setting.progress(f"scoring videos ({scorer.name})", k, len(out))
        self.setting.progress(f"scoring videos ({scorer.name})", len(out), len(out))
        return out


def learns(scorer: PairScorer) -> bool:
    return type(scorer).fit is not PairScorer.fit



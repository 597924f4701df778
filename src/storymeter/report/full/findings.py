"""Contents of a report as plain records: everything else in this room is drawn from them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...arrays import FloatArray
from ...captions import Corpus, Document
from ...engine.results import Comparison, Results, document_values
from ...engine.units import DOCUMENT, unit_count
from ...metrics import Metric
from ...scores import Alignment, Score
from ..marks import Mark, best_of, direction, marks
from ..scores import heading


@dataclass(frozen=True)
class Findings:
    """A run beside its comparisons; systems and metrics stand in the order of the run."""

    title: str
    results: Results
    comparisons: Sequence[Comparison]
    #: document id -> where its video lies, as an address that the page can load
    videos: dict[str, str] = field(default_factory=dict)

    @cached_property
    def systems(self) -> list[str]:
        return [system.name for system in self.results.systems]

    @cached_property
    def metrics(self) -> list[str]:
        return [score.metric for score in self.results.systems[0].scores]

    @cached_property
    def headings(self) -> list[str]:
        """The names of the metrics as columns have them."""
        return list(map(heading, self.metrics, self.results.metrics))

    def scores(self, metric: int) -> list[Score]:
        return [system.scores[metric] for system in self.results.systems]

    @property
    def kind(self) -> str:
        return self.results.systems[0].candidates.kind

    @cached_property
    def ids(self) -> list[str]:
        """Every document that any system was scored on, sorted."""
        return sorted({id for system in self.results.systems for score in system.scores for id in score.ids})

    @cached_property
    def values(self) -> list[list[FloatArray]]:
        """[system][metric]: the value of each document by itself, in the order of `ids`; NaN where not
        scored.
        """
        place = {id: k for k, id in enumerate(self.ids)}

        def column(metric: Metric, score: Score) -> FloatArray:
            values = np.full(len(self.ids), np.nan)
            if score.ids:
                values[[place[id] for id in score.ids]] = document_values(metric, score)
            return values

        return [list(map(column, self.results.metrics, system.scores)) for system in self.results.systems]

    @cached_property
    def units(self) -> int:
        """How many documents, or units of several, are resampled and swapped."""
        return unit_count(self.results)

    @property
    def resampled(self) -> str:
        """What is resampled and swapped, as texts have it."""
        unit = self.results.conditions.unit
        if unit not in ("", DOCUMENT):
            return f"{self.units:,} units ({unit})"
        return "stories" if self.kind == "story" else "documents"

    @property
    def runs(self) -> dict[str, int]:
        """The training runs of each system that has several."""
        counts = {system.name: len(system.scores[0].seeds) for system in self.results.systems}
        return {name: count for name, count in counts.items() if count}

    @property
    def tested_by_runs(self) -> bool:
        """Whether a test is over training runs; equal ones tell nothing of others."""
        return any(c.p_seeds is not None for c in self.comparisons)

    @cached_property
    def annotators(self) -> list[tuple[str, dict[str, Document]]]:
        """(name, documents by id); a file with several documents of one id is several annotators."""
        return [pair for corpus in self.results.references for pair in _layers(corpus)]

    @cached_property
    def captions(self) -> list[dict[str, Document]]:
        return [{d.id: d for d in system.candidates} for system in self.results.systems]

    @property
    def with_intervals(self) -> bool:
        return any(score.interval is not None for system in self.results.systems for score in system.scores)

    @cached_property
    def alignments(self) -> list[tuple[int, list[Alignment]]]:
        """(metric, the matching of each system) for the metrics that have one."""
        known = [
            [score.alignment for score in self.scores(m) if score.alignment is not None]
            for m in range(len(self.metrics))
        ]
        return [(m, each) for m, each in enumerate(known) if len(each) == len(self.systems)]

    def comparison(self, metric: int, a: int, b: int) -> tuple[Comparison, float] | None:
        """The comparison of two systems, and 1 or, where it was made the other way round, -1."""
        name, pair = self.metrics[metric], (self.systems[a], self.systems[b])
        for c in self.comparisons:
            if c.metric == name and {c.a, c.b} == set(pair):
                return c, 1.0 if (c.a, c.b) == pair else -1.0
        return None

    def direction(self, metric: int) -> float:
        """1 where higher is better, -1 where lower is, 0 where neither is."""
        return direction(self.scores(metric)[0])

    @cached_property
    def marks(self) -> list[list[Mark]]:
        """[metric][system]"""
        return marks(self.results, self.comparisons)

    def best(self, metric: int) -> list[int]:
        """The systems that share the best value; none where no direction is better."""
        return best_of(self.scores(metric))

    def marked(self, metric: int, wanted: Mark) -> list[int]:
        """The systems with this mark: `level` cannot be distinguished from a best one, of `unknown` no test
        could have told."""
        return [k for k, mark in enumerate(self.marks[metric]) if mark == wanted]


def _layers(corpus: Corpus) -> list[tuple[str, dict[str, Document]]]:
    groups = corpus.by_id()
    depth = max((len(documents) for documents in groups.values()), default=0)
    return [
        (
            corpus.name if depth == 1 else f"{corpus.name} ({k + 1})",
            {id: documents[k] for id, documents in groups.items() if len(documents) > k},
        )
        for k in range(depth)
    ]

"""Put a corpus under stress and watch the metrics: the machinery behind every table of the room.

A `Trial` is a column of a table: a label and the transformed corpora of its repeats. All trials are scored in
one `Run`, whose workbench keeps every scored pair: METEOR compares two sentences once, for all repeats."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..captions import Corpus
from ..engine.run import Run
from ..metric import Metric
from ..score import Score
from ..signature import Signature
from .scene import Scene
from .transforms import Transformation, transformation

#: "Current" and the three SODAs: the rows of the papers' tables
PAPER_METRICS = ("anet(scorer=meteor)", "soda_a", "soda_b", "soda_c")
SHOWN_PARTS = ("precision", "recall", "f1")
TITLES = {
    "anet(scorer=meteor)": "Current",
    "soda_a": "SODA (a)",
    "soda_b": "SODA (b)",
    "soda_c": "SODA (c)",
    "soda_d": "SODA (d)",
}


@dataclass(frozen=True, slots=True)
class Trial:
    label: str
    make: Callable[[int], Corpus]
    #: 1 where nothing is random
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean and standard deviation (n - 1) over repeats; the values themselves, so that anyone may do other
    sums.
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def sd(self) -> float:
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: a metric, one of its parts (or its value), and a cell per trial."""

    metric: str
    part: str
    cells: tuple[Cell, ...]
    percent: bool = True
    higher_is_better: bool | None = True

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0

    @property
    def title(self) -> str:
        return TITLES.get(self.metric, self.metric)


@dataclass(frozen=True, slots=True)
class Result:
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    signature: Signature

    def row(self, metric: str, part: str = "value") -> Row:
        """The row of a metric; for metrics with precision, recall and F1, `value` is F1."""
        found = [r for r in self.rows if r.metric == metric]
        return next((r for r in found if r.part == part), next(r for r in found if r.part in ("f1", "value")))


def run_trials(
    what: str,
    trials: Sequence[Trial],
    corpus: Corpus,
    run: Run,
    metrics: Sequence[str | Metric],
    **fields: object,
) -> Result:
    """All trials under all metrics; `fields` are what the signature says beside the run."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    facts: dict[str, Score] = {}
    todo = [(k, trial, repeat) for k, trial in enumerate(trials) for repeat in range(trial.repeats)]
    for done, (column, trial, repeat) in enumerate(todo):
        run.context.progress("stress", done, len(todo))
        for score in run.score(trial.make(repeat), metrics, resamples=0).systems[0].scores:
            facts[score.metric] = score
            for part, value in _shown(score).items():
                found.setdefault((score.metric, part), [[] for _ in trials])[column].append(value)
    rows = tuple(
        Row(
            metric,
            part,
            tuple(Cell(tuple(values)) for values in columns),
            facts[metric].as_percent,
            facts[metric].higher_is_better,
        )
        for (metric, part), columns in found.items()
    )
    signature = Signature.of(
        stress=what,
        system=corpus.name,
        annotators=len(run.references),
        protocol=run.context.protocol,
        tok=run.context.tokenizer,
        seed=run.context.seed,
        **fields,
    )
    return Result(tuple(trial.label for trial in trials), rows, signature)


def _shown(score: Score) -> dict[str, float]:
    parts = {part: score.parts[part] for part in SHOWN_PARTS if part in score.parts}
    return parts if len(parts) == len(SHOWN_PARTS) else {"value": score.value}


def transformed(
    label: str, names: Sequence[str], corpus: Corpus, run: Run, scene: Scene, repeats: int
) -> Trial:
    """The corpus after these transformations, each repeat with a seed of its own."""
    seed = 1000 * run.context.seed
    return Trial(label, lambda repeat: apply(names, corpus, scene, seed=seed + repeat), repeats)


def apply(names: Sequence[str | Transformation], corpus: Corpus, scene: Scene, *, seed: int) -> Corpus:
    """Several transformations in a row."""
    for name in names:
        made = transformation(name) if isinstance(name, str) else name
        corpus = made(corpus, scene, seed=seed)
    return corpus

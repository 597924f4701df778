"""Put a corpus under stress and watch the metrics: the machinery behind every table of the room.

A `Trial` is a column of a table: a label and the transformed corpora of its repeats. All trials are scored
under one `Setting`, whose workbench keeps every scored pair: METEOR says what it thinks of two sentences
once, for all repeats."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..captions import Corpus
from ..join import join
from ..metric import Metric, Setting
from ..registry import metric as get_metric
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


def run(
    trials: Sequence[Trial],
    *,
    references: Sequence[Corpus],
    metrics: Sequence[str],
    setting: Setting,
    signature: Signature,
) -> Result:
    built = [get_metric(name).under(setting.protocol) for name in metrics]
    found: dict[tuple[str, str], list[list[float]]] = {}
    total = sum(trial.repeats for trial in trials)
    done = 0
    for column, trial in enumerate(trials):
        for repeat in range(trial.repeats):
            setting.progress("stress", done, total)
            done += 1
            for metric, part, value in _scores(trial.make(repeat), references, built, setting):
                found.setdefault((metric, part), [[] for _ in trials])[column].append(value)
    rows = tuple(
        Row(metric, part, tuple(Cell(tuple(values)) for values in columns))
        for (metric, part), columns in found.items()
    )
    return Result(tuple(trial.label for trial in trials), rows, signature)


def _scores(
    corpus: Corpus, references: Sequence[Corpus], metrics: Sequence[Metric], setting: Setting
) -> Iterator[tuple[str, str, float]]:
    task = join(candidates=corpus, references=references, protocol=setting.protocol)
    for metric in metrics:
        score = metric.score(task, setting)
        parts = [part for part in SHOWN_PARTS if part in score.parts]
        if len(parts) == len(SHOWN_PARTS):
            for part in parts:
                yield score.metric, part, score.parts[part]
        else:
            yield score.metric, "value", score.value


def seeds(seed: int, repeat: int) -> int:
    """Each repeat has a seed of its own."""
    return seed * 1000 + repeat


def signature_of(
    what: str, corpus: Corpus, references: Sequence[Corpus], setting: Setting, **fields: object
) -> Signature:
    return Signature.of(
        stress=what,
        system=corpus.name,
        annotators=len(references),
        protocol=setting.protocol,
        tok=setting.tokenizer,
        seed=setting.seed,
        **fields,
    )


def apply(names: Sequence[str | Transformation], corpus: Corpus, scene: Scene, *, seed: int) -> Corpus:
    """Several transformations in a row."""
    for name in names:
        made = transformation(name) if isinstance(name, str) else name
        corpus = made(corpus, scene, seed=seed)
    return corpus

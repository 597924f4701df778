"""What a run found: every system's scores with their rows, and all that later questions need, without scoring
again.

results["good", "soda_c"].value, .interval, .parts, .n, .signature, .alignment
results.compare()        which system is better, and is it more than luck?
results.to_frame()       tidy, for pandas
results.documents()      the value of each document under each metric
results.save("run.smr")  and storymeter.load("run.smr")
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..errors import (
    MissingPartError,
    StorymeterError,
    StorymeterWarning,
    UsageError,
    first_few,
    many,
)
from ..join import Coverage, Task, join
from ..metrics import Metric
from ..protocol import Protocol
from ..registry import metric as get_metric
from ..scores import Score
from ..stats.resampling import SIGNIFICANT

#: of the numbers that this version computes; it rises with every change that `provenance` must know
REVISION = 3
#: resamples are chosen: as many as intervals and tests need
Auto = Literal["auto"]
AUTO: Auto = "auto"
Resamples = int | Auto
#: how many the interval of a score needs
INTERVALS = 1000
#: more cannot be asked for
MOST_RESAMPLES = 1_000_000


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all numbers of a run have in common."""

    protocol: Protocol = field(default_factory=Protocol)
    tokenizer: str = "ptb"
    seed: int = 0
    resamples: int = INTERVALS
    #: what is drawn and swapped as a whole (`engine.units`); '': each document
    unit: str = ""
    #: of the code that computed the numbers (`engine.provenance`)
    revision: int = REVISION

    @property
    def settings(self) -> dict[str, Any]:
        """Of a `Run` under the same conditions."""
        return {"protocol": self.protocol, "tokenizer": self.tokenizer, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system: its scores in the order of the run's metrics, which documents met, and its captions."""

    name: str
    scores: tuple[Score, ...]
    coverage: Coverage
    candidates: Corpus


class DocumentScore(NamedTuple):
    """The value of one document by itself."""

    system: str
    document: str
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class Tally:
    """On how many documents the first of two systems is better, and the most different ones (document, value
    of the first, value of the second): counted while there were rows."""

    wins: int | None
    ties: int | None
    losses: int | None
    most: list[tuple[str, float, float]]


@dataclass(frozen=True, slots=True)
class Difference:
    """One document on which the two systems were scored."""

    document: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` = value of A - value of B; p-values are two-sided and never 0.

    `interval` holds together with those of the other pairs under this metric: in 95 of 100 test sets all of
    them contain their difference; `interval_single` is that of this pair alone. `p_permutation` tests whether
    the outputs of the two systems could be exchanged, `p_bootstrap` whether their values are equal
    (bootstrap-t, at least `p_permutation`), `p_holm` is `p_permutation` corrected over the `tests` pairs of
    this metric."""

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    interval: tuple[float, float]
    p_bootstrap: float
    p_permutation: float
    p_holm: float
    #: None where no process saw both systems' documents: runs in shards that were made apart
    wins: int | None
    ties: int | None
    losses: int | None
    n: int
    most_different: tuple[Difference, ...]
    #: whether tables print the values as percentages
    percent: bool = True
    #: of the permutation test; all swaps of n documents are 2^n
    resamples: int = 0
    interval_single: tuple[float, float] = (math.nan, math.nan)
    #: how many pairs of systems were compared under this metric
    tests: int = 1
    #: the smallest `p_holm` that any difference could have had
    p_smallest: float = 0.0
    #: with fewer documents no difference can be significant
    documents_needed: int = 0
    #: the smallest difference that tests of this size find in 80 of 100 studies; NaN: none
    detectable: float = math.nan
    #: what was drawn and swapped as a whole: documents, or sources of several
    units: int = 0
    #: Welch's t-test over the values of training runs, where a system has several; then `p_holm` corrects it
    p_seeds: float | None = None
    #: with so many documents (or units) a difference of the wanted size is found in 80 of 100 studies
    documents_for: int | None = None
    #: of the documents' differences; NaN: of a run in shards
    skewness: float = math.nan

    @property
    def p(self) -> float:
        """The p-value that `p_holm` corrects."""
        return self.p_permutation if self.p_seeds is None else self.p_seeds

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0

    @property
    def testable(self) -> bool:
        """Whether any difference could have been significant."""
        return self.p_smallest < SIGNIFICANT

    @property
    def significant(self) -> bool:
        return self.p_holm < SIGNIFICANT


@dataclass(frozen=True, repr=False)
class Results:
    """The scores of all systems of a run, with their rows, intervals and signatures; see the module.

    Systems are in the order given, each with its scores in the order of `metrics`."""

    systems: tuple[SystemResult, ...]
    metrics: tuple[Metric, ...]
    references: tuple[Corpus, ...] = ()
    conditions: Conditions = Conditions()
    #: (system, system, metric): of a run in shards, which keeps no rows
    tallies: Mapping[tuple[str, str, str], Tally] = field(default_factory=dict)
    #: system -> its training runs, which are among `systems` (see `engine.units`)
    seeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def in_shards(self) -> bool:
        """Whether sums are all that was kept: no documents, no rows."""
        return any(score.sums is not None for system in self.systems for score in system.scores)

    def __getitem__(self, key: tuple[str, str] | str) -> Score:
        """`results["system", "metric"]`, and `results["metric"]` where there is one system; a metric by the
        name it was asked for, or any name that means the same.
        """
        if isinstance(key, str) and len(self.systems) == 1:
            key = (self.systems[0].name, key)
        if not isinstance(key, tuple) or len(key) != 2:
            raise KeyError(f"{key!r}: write results[system, metric]")
        system, metric = key
        return self.system(system).scores[self._position(metric)]

    def _position(self, metric: str) -> int:
        """Where a metric stands: by the name it was asked for, its own, or any that means the same."""
        for names in (
            [score.metric for score in self.systems[0].scores],
            [each.name for each in self.metrics],
        ):
            if metric in names:
                return names.index(metric)
        with suppress(StorymeterError, ValueError):
            return self.metrics.index(get_metric(metric).under(self.conditions.protocol))
        raise self._unknown("metric", metric)

    def _unknown(self, what: str, name: str) -> KeyError:
        known = [s.name for s in self.systems] if what == "system" else [m.name for m in self.metrics]
        return KeyError(f"no {what} {name!r}; there are {first_few(known, limit=20)}")

    def system(self, name: str) -> SystemResult:
        for system in self.systems:
            if system.name == name:
                return system
        raise self._unknown("system", name)

    def only(self, *names: str) -> Results:
        """The same results with some of their metrics, which are named as for `results[system, metric]`."""
        kept = sorted({self._position(name) for name in names})
        systems = tuple(replace(s, scores=tuple(s.scores[k] for k in kept)) for s in self.systems)
        return replace(self, systems=systems, metrics=tuple(self.metrics[k] for k in kept))

    def with_formulas(self) -> Results:
        """Without the metrics of a saved run whose formula is not known here, which are named."""
        unknown = {k for k, metric in enumerate(self.metrics) if getattr(metric, "lacks_formula", False)}
        labels = [score.metric for score in self.systems[0].scores]
        if unknown and len(unknown) < len(labels):
            lacking = ", ".join(labels[k] for k in sorted(unknown))
            warnings.warn(
                f"{lacking}: the saved run has the values, but not the formula, which comparisons need."
                " Install the plug-in, or give it in Python: storymeter.load(path, metrics=[…]).",
                StorymeterWarning,
                stacklevel=3,
            )
            return self.only(*(label for k, label in enumerate(labels) if k not in unknown))
        return self

    def compare(
        self,
        *,
        resamples: Resamples = AUTO,
        seed: int | None = None,
        most: int = 5,
        difference: float | None = None,
    ) -> list[Comparison]:
        """Every pair of systems under every metric (see `engine.comparing`)."""
        compare = importlib.import_module("storymeter.engine.comparing").compare
        found: list[Comparison] = compare(
            self, resamples=resamples, seed=seed, most=most, difference=difference
        )
        return found

    def by_document(self, system: str, metric: str) -> dict[str, float]:
        """Document id to its value."""
        score, known = self[system, metric], self.metrics[self._position(metric)]
        return dict(zip(score.ids, document_values(known, score).tolist(), strict=True))

    def documents(self) -> list[DocumentScore]:
        """Every document under every metric, worked out from that document alone."""
        return [
            DocumentScore(system.name, document, score.metric, value)
            for known in [self.with_formulas()]
            for system in known.systems
            for metric, score in zip(known.metrics, system.scores, strict=True)
            for document, value in zip(score.ids, document_values(metric, score).tolist(), strict=True)
        ]

    def to_frame(self) -> Any:
        """A pandas data frame: one row per system and metric."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingPartError.extra("A data frame", "pandas") from None
        columns = ["system", "metric", "value", "low", "high", "n", "signature"]
        rows = [
            [
                system.name,
                score.metric,
                score.value,
                *(score.interval or (np.nan, np.nan)),
                score.n,
                signature,
            ]
            for system in self.systems
            for score in system.scores
            for signature in [str(score.signature)]
        ]
        return pandas.DataFrame(rows, columns=columns)

    def task(self, system: str) -> Task:
        """The documents of a system beside their references, as they were scored."""
        candidates = self.system(system).candidates
        return join(candidates=candidates, references=self.references, protocol=self.conditions.protocol)

    def save(self, path: str | Path) -> None:
        """All of it in one file, which `storymeter.load` reads; whole or not at all."""
        importlib.import_module("storymeter.engine.saved").write(self, path)

    def __iter__(self) -> Iterator[SystemResult]:
        return iter(self.systems)

    def __repr__(self) -> str:
        systems, metrics = len(self.systems), len(self.metrics)
        times = (
            "; values x 100" if any(s.as_percent for system in self.systems for s in system.scores) else ""
        )
        head = (
            f"{systems} system{'s' * (systems != 1)} x {metrics} metric{'s' * (metrics != 1)} under"
            f" {self.conditions.protocol}{times}"
        )
        lines = [
            f"  {system.name}: "
            + ", ".join(f"{s.metric} {s.value * s.scale:.2f}" for s in system.scores[:6])
            + _gaps(system.coverage, self.references)
            for system in self.systems[:10]
        ]
        more = [f"  … {len(self.systems) - 10} more"] if len(self.systems) > 10 else []
        return "\n".join([f"<Results: {head}", *lines, *more]) + ">"

    def _repr_html_(self) -> str:
        return str(importlib.import_module("storymeter.report.scores").notebook(self))


def value_of(metric: Metric, sums: FloatArray) -> FloatArray:
    """The values of summed rows, without the parts."""
    return metric.combine(sums)["value"]


def with_reference(coverage: Coverage, references: Sequence[Corpus]) -> str:
    """How many documents have a reference, and how many of these have only empty ones."""
    matched, hollow = coverage.matched, hollow_references(coverage, references)
    has = "has" if matched - hollow == 1 else "have"
    line = f"{many(matched - hollow, 'document')} {has} a reference"
    return f"{line}, {hollow:,} an empty one" if hollow else line


def hollow_references(coverage: Coverage, references: Sequence[Corpus]) -> int:
    """How many of the documents that are empty on one side have references without any caption; 0 where the
    references are not at hand (shards).
    """
    if not any(len(corpus) for corpus in references):
        return 0
    filled = {document.id for corpus in references for document in corpus if document.captions}
    return sum(id not in filled for id in coverage.empty)


def _gaps(coverage: Coverage, references: Sequence[Corpus]) -> str:
    """What keeps documents of one side out, for a printed result; nothing where both sides fit."""
    missing, extra, empty = coverage.sizes
    hollow = hollow_references(coverage, references)
    empty -= hollow
    counts = [f"{missing:,} missing"] * bool(missing) + [f"{extra:,} extra"] * bool(extra)
    counts += [f"{empty:,} empty"] * bool(empty)
    if not counts and not hollow:
        return ""
    return f" ({', '.join([with_reference(coverage, references), *counts])})"


def document_values(metric: Metric, score: Score) -> FloatArray:
    return metric.by_document(np.zeros((0, len(score.columns))) if score.rows is None else score.rows)


def chosen(results: Results, names: Sequence[str]) -> Results:
    """`results.only` for a saved run: metrics that it lacks are named together, in a UsageError."""
    lacking = []
    for name in names:
        try:
            results._position(name)
        except KeyError:
            lacking.append(name)
    if lacking:
        known = ", ".join(score.metric for score in results.systems[0].scores)
        raise UsageError(f"The saved run has no scores of {', '.join(lacking)}.", hint=f"It has {known}.")
    return results.only(*names)

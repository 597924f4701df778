"""Agreement of metrics with people: every statistic of every metric, tests between them, and curves over the
number of references. And agreement of a measure with itself over several trials (`self_agreement`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.results import document_values
from ..engine.run import MetricLike, Run, parse_metrics
from ..errors import DataError, UsageError
from ..join import Task
from ..measure import Measure
from ..metrics import Metric
from ..options import options_of
from ..progress import Progress, silent
from ..scores import Signature
from ..stats.correlation import kendall_b, pearson
from ..stats.resampling import percentiles
from .comparisons import MetricComparison, compare
from .scores import Judgement, Scores, join_scores, tabulate, values_of
from .statistics import Interval, MetricResult, Unit, segment_level, system_level

M = TypeVar("M", bound=Measure)
Level = Literal["segment", "system"]
#: the value of a whole system: of sentence metrics the mean over captions, or that of the system by itself
SystemValue = Literal["published", "own"]


class CurvePoint(NamedTuple):
    """A correlation with so many references, its interval, and the number of judgements."""

    value: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a comparison of metrics with people found."""

    title: str
    level: str
    scores: Scores
    results: Sequence[MetricResult]
    comparisons: Sequence[MetricComparison]
    notes: Sequence[str] = ()
    curve: Mapping[str, Sequence[CurvePoint]] = field(default_factory=dict)
    curve_statistic: str = "kendall_c"


def _of_systems(scores: Scores, system_value: SystemValue) -> Scores:
    """Which value of a system is taken stands in the signature: the mean over captions of a sentence metric
    whose value of them together is another one, or that of the system scored by itself (`own`).
    """
    names, own = [*scores.averaged], system_value == "own"
    listed = {
        name: f"{text}|system:{'own' if own else 'mean'}" if own or name in names else text
        for name, text in scores.signatures.items()
    }
    if own:
        additive = {**scores.additive, **scores.averaged}
        return replace(scores, additive=additive, averaged={}, signatures=listed)
    note = (
        f"{', '.join(names)}: the mean over a system's captions, as in published tables; --system-value own"
        " takes the value of all its captions together, which `storymeter score` prints."
    )
    return replace(scores, notes=(*scores.notes, note), signatures=listed)


def _of_captions(scores: Scores) -> Scores:
    """BLEU of one caption is sentence BLEU, whatever the level for a system is."""
    signatures = {name: Signature.parse(text) for name, text in scores.signatures.items()}
    levels = {
        name: str(one.add(level="sentence"))
        for name, one in signatures.items()
        if one.get("level") == "corpus"
    }
    return replace(scores, signatures={**scores.signatures, **levels})


def measured(
    title: str,
    level: Any,
    scores: Scores,
    curve: Mapping[str, Sequence[CurvePoint]] | None = None,
    curve_statistic: str | None = None,
    system_value: SystemValue = "published",
    **resampling: Any,
) -> Agreement:
    """Every metric of the table against the people's scores beside it."""
    if level == "segment" and scores.items == ("",):
        raise DataError("The human scores are about whole systems.", hint="Use --level system.")
    if level == "segment":
        scores = _of_captions(scores)
    if level == "system" and (scores.averaged or system_value == "own"):
        scores = _of_systems(scores, system_value)
    results, comparisons = evaluate_metrics(scores, level, **resampling)
    statistic = curve_statistic or "kendall_c"
    return Agreement(title, level, scores, results, comparisons, scores.notes, curve or {}, statistic)


def evaluate_metrics(
    scores: Scores,
    level: Level,
    *,
    resamples: int = 500,
    permutations: int = 10_000,
    seed: int = 0,
    unit: Unit = "both",
    against: str | None = None,
    statistic: str = "pearson",
    jobs: int = 1,
    progress: Progress = silent,
) -> tuple[list[MetricResult], list[MetricComparison]]:
    """Results of every metric; comparisons of all pairs, or of each metric with `against`."""
    statistics = partial(system_level, unit=unit) if level == "system" else segment_level
    results = []
    for done, metric in enumerate(scores.metrics):
        progress("agreement", done, len(scores.metrics))
        results.append(statistics(scores, metric, resamples=resamples, seed=seed))
    return results, compare(
        scores,
        level,
        resamples=permutations,
        seed=seed,
        against=against,
        statistic=statistic,
        threads=jobs,
        draws=resamples,
    )


def reference_curve(
    task: Task,
    judgements: Sequence[Judgement],
    metrics: Sequence[MetricLike],
    run: Run,
    *,
    statistic: str = "kendall_c",
    up_to: int | None = None,
    resamples: int = 500,
) -> dict[str, list[CurvePoint]]:
    """The correlation with the first 1, 2, 3, … references of each item, up to `up_to` (default: the largest
    number), over the items that have so many; intervals by bootstrap over items.
    """
    most = up_to or max((len(group) for group in task.references), default=0)
    full = [k for k, group in enumerate(task.references) if len(group) >= most]
    if not full:
        raise DataError(f"No item has {most} references.", hint="Use a smaller --curve-references.")
    keys = {tuple(task.ids[k].split("\t", 1)) for k in full}
    human = tabulate([j for j in judgements if (j.system, j.item) in keys])
    curve: dict[str, list[CurvePoint]] = {}
    for k in range(1, most + 1):
        fewer = replace(
            task,
            ids=tuple(task.ids[i] for i in full),
            candidates=tuple(task.candidates[i] for i in full),
            references=tuple(task.references[i][:k] for i in full),
        )
        joined = join_scores(human, values_of(fewer, metrics, run)[0])
        for name in joined.metrics:
            found = segment_level(joined, name, resamples=resamples, seed=run.context.seed)
            point = CurvePoint(found.values[statistic], found.intervals.get(statistic), found.n)
            curve.setdefault(name, []).append(point)
    return curve


#: what counts as the same number
EQUAL = 1e-9


def for_trial(measure: M, trial: int) -> M:
    """The same measure, asked anew for the `trial`-th time (from 0, which is the measure itself)."""
    if not is_dataclass(measure) or not trial:
        return measure
    changes: dict[str, object] = {}
    for name in options_of(type(measure)):
        value = getattr(measure, name)
        if name == "trial" and isinstance(value, int):
            changes[name] = value + trial
        elif isinstance(value, Measure) and (other := for_trial(value, trial)) != value:
            changes[name] = other
    return replace(measure, **changes) if changes else measure


def asks_judge(metric: Metric) -> bool:
    """Whether a judge answers, in the measure itself or in its scorer."""
    return for_trial(metric, 1) != metric


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """(trials, documents) values of one metric, NaN where a verdict is missing; and their signature.

    Of n documents and T trials, over all pairs of trials:

        difference   mean of |v_a - v_b| over documents, and the largest
        equal        share of documents with v_a = v_b (to 1e-9)
        pearson      mean correlation over documents, with a 95 % bootstrap interval over documents
        kendall_b    mean tau-b

    A correlation is NaN where a measure says the same of every document."""

    metric: str
    values: FloatArray
    signature: str
    #: whether it was asked anew (a judge), or computed again
    asked: bool
    interval: tuple[float, float] | None = None

    @property
    def documents(self) -> int:
        """Those that have a value in every trial."""
        return int((~np.isnan(self.values)).all(axis=0).sum())

    @property
    def _there(self) -> FloatArray:
        return np.asarray(self.values[:, (~np.isnan(self.values)).all(axis=0)])

    @property
    def _differences(self) -> FloatArray:
        """(pairs of trials, documents)"""
        return np.array([np.abs(a - b) for a, b in combinations(self._there, 2)])

    @property
    def means(self) -> tuple[float, ...]:
        """The mean over documents, per trial."""
        there = self._there
        return tuple(there.mean(axis=1).tolist()) if there.size else ()

    @property
    def difference(self) -> float:
        return float(self._differences.mean()) if self.documents else math.nan

    @property
    def largest(self) -> float:
        return float(self._differences.max()) if self.documents else math.nan

    @property
    def equal(self) -> float:
        return float((self._differences <= EQUAL).mean()) if self.documents else math.nan

    @property
    def pearson(self) -> float:
        return _mean_over_pairs(self._there, pearson)

    @property
    def kendall_b(self) -> float:
        return _mean_over_pairs(self._there, kendall_b)


def _mean_over_pairs(values: FloatArray, coefficient: Callable[[FloatArray, FloatArray], float]) -> float:
    found = [coefficient(a, b) for a, b in combinations(values, 2)]
    return float(np.mean(found)) if found else math.nan


def self_agreement(
    systems: Sequence[Corpus],
    run: Run,
    *,
    metrics: Sequence[MetricLike],
    trials: int = 2,
    resamples: int = 1000,
) -> list[SelfAgreement]:
    """Every metric `trials` times over all documents of all systems.

    A judge keeps its answers, so that asking twice would only read them twice: a judge inside a measure is
    given another `trial`, which asks everything anew. Any other measure is computed again from the captions,
    with nothing remembered but what lies on the disk.

    systems: the captions.
    run: the references and the settings, a `Run`.
    metrics: names or metrics.
    trials: how often each metric scores; at least two.
    resamples: bootstrap resamples of the interval of the correlation.
    """
    if trials < 2:
        raise UsageError(f"{trials} trials are too few to measure agreement.", hint="Use 2 or more.")

    def work(run: Run, metrics: Sequence[MetricLike]) -> list[SelfAgreement]:
        built = parse_metrics(metrics)
        rows: dict[str, list[FloatArray]] = {label: [] for label in built}
        signatures: dict[str, str] = {}
        for trial in range(trials):
            fresh = run.against(run.references)
            results = fresh.score(systems, [for_trial(metric, trial) for metric in built.values()], 0)
            for k, label in enumerate(built):
                values = [document_values(results.metrics[k], system.scores[k]) for system in results.systems]
                rows[label].append(np.concatenate(values))
                signatures.setdefault(label, str(results.systems[0].scores[k].signature))
        out = []
        for label, metric in built.items():
            found = SelfAgreement(label, np.array(rows[label]), signatures[label], asks_judge(metric))
            out.append(replace(found, interval=_interval(found, resamples, run.context.seed)))
        return out

    with run.announced(metrics, work):
        return work(run, metrics)


def _interval(found: SelfAgreement, resamples: int, seed: int) -> tuple[float, float] | None:
    there, dice = found._there, np.random.default_rng(seed)
    if not resamples or math.isnan(found.pearson):
        return None
    drawn = [
        _mean_over_pairs(there[:, dice.integers(0, there.shape[1], there.shape[1])], pearson)
        for _ in range(resamples)
    ]
    known = [value for value in drawn if not math.isnan(value)]
    return percentiles(known, 0.025) if known else (math.nan, math.nan)

"""Agreement of a measure with itself over several trials.

A judge keeps its answers, so that asking twice would only read them twice: a judge inside a measure is given
another `trial`, which asks everything anew. Any other measure is computed again from the captions, with
nothing remembered but what lies on the disk.

Of n documents and T trials, over all pairs of trials:

    difference   mean of |v_a - v_b| over documents, and the largest
    equal        share of documents with v_a = v_b (to 1e-9)
    pearson      mean correlation over documents, with a 95 % bootstrap interval over documents
    kendall_b    mean tau-b

A correlation is NaN where a measure says the same of every document."""

import dataclasses
import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.results import document_values
from ..engine.run import MetricLike, Run, parse_metrics
from ..errors import UsageError
from ..measure import Measure
from ..metrics import Metric
from ..options import options_of
from ..stats.correlation import kendall_b, pearson
from ..stats.resampling import percentiles

#: what counts as the same number
EQUAL = 1e-9


def for_trial(metric: Metric, trial: int) -> Metric:
    """The same measure, asked anew for the `trial`-th time (from 0, which is the measure itself)."""
    again = _again(metric, trial)
    return again if isinstance(again, Metric) else metric


def _again(measure: Measure, trial: int) -> Measure:
    if not dataclasses.is_dataclass(measure) or not trial:
        return measure
    changes: dict[str, object] = {}
    for name in options_of(type(measure)):
        value = getattr(measure, name)
        if name == "trial" and isinstance(value, int):
            changes[name] = value + trial
        elif isinstance(value, Measure) and (other := _again(value, trial)) != value:
            changes[name] = other
    return dataclasses.replace(measure, **changes) if changes else measure


def asks_judge(metric: Metric) -> bool:
    """Whether a judge answers, in the measure itself or in its scorer."""
    return for_trial(metric, 1) != metric


@dataclasses.dataclass(frozen=True, slots=True)
class SelfAgreement:
    """(trials, documents) values of one metric, NaN where a verdict is missing; and their signature."""

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


def _mean_over_pairs(values: FloatArray, coefficient: object) -> float:
    found = [coefficient(a, b) for a, b in combinations(values, 2)]  # type: ignore[operator]
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

    systems: the captions.
    run: the references and the settings, a `Run`.
    metrics: names or metrics.
    trials: how often each metric scores; at least two.
    resamples: bootstrap resamples of the interval of the correlation.
    """
    if trials < 2:
        raise UsageError(f"{trials} trials are too few to measure agreement.", hint="Use 2 or more.")

    def work(run: Run, metrics: Sequence[MetricLike]) -> list[SelfAgreement]:
        return _self_agreement(systems, run, metrics, trials, resamples)

    with run.announced(metrics, work):
        return work(run, metrics)


def _self_agreement(
    systems: Sequence[Corpus], run: Run, metrics: Sequence[MetricLike], trials: int, resamples: int
) -> list[SelfAgreement]:
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
        out.append(dataclasses.replace(found, interval=_interval(found, resamples, run.context.seed)))
    return out


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

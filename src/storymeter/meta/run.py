"""Correlates human scores with metric values: one call per level."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from ..engine.run import MetricLike, Run
from ..errors import DataError, UsageError
from ..join import Task
from ..progress import Progress, silent
from ..registry import metric as get_metric
from .benchmarks import Benchmark
from .comparisons import MetricComparison, compare
from .scores import Judgement, Scores, join_scores, tabulate, values_of
from .statistics import Interval, MetricResult, Unit, segment_level, system_level

Level = Literal["segment", "system"]


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
    sign = {metric: scores.sign(metric) for metric in scores.metrics}
    statistics = partial(system_level, unit=unit) if level == "system" else segment_level
    results = []
    for done, metric in enumerate(scores.metrics):
        progress("agreement", done, len(scores.metrics))
        results.append(statistics(scores, metric, resamples=resamples, seed=seed, direction=sign[metric]))
    return results, compare(
        scores,
        level,
        resamples=permutations,
        seed=seed,
        directions=sign,
        against=against,
        statistic=statistic,
        threads=jobs,
        draws=resamples,
    )


def check_references(benchmark: Benchmark, metrics: Sequence[MetricLike]) -> None:
    """Metrics that need references, on a benchmark that has none."""
    if benchmark.needs_references:
        return
    asked = [
        name for name in metrics if (get_metric(name) if isinstance(name, str) else name).needs_references
    ]
    if asked:
        raise UsageError(
            f"{benchmark.name} has no references, and {', '.join(map(str, asked))} needs them.",
            hint="Use metrics without references: rovist_c, rovist_nr, self_bleu, distinct_2, words.",
        )


def benchmark_scores(
    benchmark: Benchmark,
    metrics: Sequence[MetricLike],
    run: Run,
    *,
    skip_missing: bool = False,
    apart: bool = False,
) -> tuple[Scores, dict[str, str]]:
    """Scores of these metrics on a benchmark, each system by itself (`apart`) or all together, and those that
    could not run.
    """
    check_references(benchmark, metrics)
    values, skipped = values_of(benchmark.task, metrics, run, skip_missing=skip_missing, apart=apart)
    human = tabulate(benchmark.judgements, scale=benchmark.scale, notes=benchmark.notes)
    return join_scores(human, values), skipped


class CurvePoint(NamedTuple):
    """A correlation with so many references, its interval, and the number of judgements."""

    value: float
    interval: Interval | None
    n: int


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
            found = segment_level(
                joined, name, resamples=resamples, seed=run.context.seed, direction=joined.sign(name)
            )
            point = CurvePoint(found.values[statistic], found.intervals.get(statistic), found.n)
            curve.setdefault(name, []).append(point)
    return curve

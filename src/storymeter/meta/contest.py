"""All metrics beside each other on one benchmark, every two of them tested: what `standing` counts.

A metric whose values are those of another one (`cider_d` is `cider`) counts once, under the first name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..stats.dependent import permutation_grouped
from .benchmark import Benchmark
from .choices import ChoiceResult, points_of
from .comparisons import compare
from .compute import MetricValues
from .scores import Scores
from .standing import Contest, Figure, Outcome
from .statistics import MetricResult


def distinct(columns: Mapping[str, FloatArray]) -> list[str]:
    """The names whose values no earlier name has.

    >>> distinct({"a": np.array([1.0, 2.0]), "b": np.array([2.0, 1.0]), "c": np.array([1.0, 2.0])})
    ['a', 'b']
    """
    known: dict[bytes, str] = {}
    for name, values in columns.items():
        known.setdefault(np.ascontiguousarray(values).tobytes(), name)
    return list(known.values())


def segment_contest(
    benchmark: Benchmark,
    scores: Scores,
    results: Iterable[MetricResult],
    *,
    permutations: int,
    seed: int = 0,
) -> Contest:
    """By correlation with people, caption by caption; the tests are about Pearson's r."""
    names = distinct(scores.metrics)
    once = replace(scores, metrics={name: scores.metrics[name] for name in names})
    sign = {name: scores.sign(name) for name in names}
    found = compare(once, "segment", resamples=permutations, seed=seed, directions=sign)
    tests = [Outcome(c.better, c.worse, c.p) for c in found if not math.isnan(c.p)]
    headline = benchmark.headline
    figures = {
        r.metric: Figure(r.values.get(headline, math.nan), r.intervals.get(headline))
        for r in results
        if r.metric in names
    }
    return Contest(benchmark.name, benchmark.title, headline, figures, tests)


def _two_sided(x: FloatArray, y: FloatArray, permutations: int, seed: int) -> float:
    return permutation_grouped(x, y, resamples=permutations, seed=seed, two_sided=True).p


def choice_contest(
    benchmark: Benchmark,
    values: Mapping[str, MetricValues],
    results: Sequence[ChoiceResult],
    *,
    permutations: int,
    seed: int = 0,
) -> Contest:
    """By accuracy over pairs, categories weighing alike."""
    points = {name: points_of(benchmark.choices, entry) for name, entry in values.items()}
    names = distinct(points)
    last = results[-1].category if results else ""
    figures = {
        r.metric: Figure(r.accuracy, r.interval) for r in results if r.category == last and r.metric in names
    }
    categories = [choice.category for choice in benchmark.choices]
    share = np.array([len(categories) / (len(set(categories)) * categories.count(c)) for c in categories])
    tests = []
    for a, b in combinations(names, 2):
        if figures[a].value < figures[b].value:
            a, b = b, a
        x, y = np.nan_to_num(points[a], nan=0.5) * share, np.nan_to_num(points[b], nan=0.5) * share
        tests.append(Outcome(a, b, _two_sided(x, y, permutations, seed)))
    return Contest(benchmark.name, benchmark.title, "accuracy", figures, tests)

"""Accuracy of metrics over pairs of which people chose the better one (a tie counts half, and is named), and
contests: all metrics beside each other on one benchmark, every two of them tested."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..stats.dependent import permutations_of_pairs
from ..stats.resampling import percentiles
from ..stats.ties import pair_accuracy, pair_accuracy_interval
from .overall_ranking import Contest, Figure, Outcome, family
from .records import Benchmark, Choice
from .scores import MetricValues, Scores
from .statistics import MetricResult


class ChoiceResult(NamedTuple):
    """One metric on the pairs of one category (`all`: every pair; `mean`: the mean over categories)."""

    metric: str
    category: str
    accuracy: float
    pairs: int
    ties: int
    interval: tuple[float, float] | None


def choice_results(
    choices: Sequence[Choice],
    values: Mapping[str, MetricValues],
    *,
    resamples: int = 500,
    seed: int = 0,
) -> list[ChoiceResult]:
    """Accuracy of every metric per category, then the mean over categories."""
    categories = list(dict.fromkeys(choice.category for choice in choices))
    out = []
    for metric, known in values.items():
        found = []
        points = {
            category: points_of([choice for choice in choices if choice.category == category], known)
            for category in categories
        }
        for category, own in points.items():
            # a pair's point against one half: above it the better text scores higher
            half = np.full(len(own), 0.5)
            interval = (
                pair_accuracy_interval(own, half, resamples=resamples, seed=seed) if resamples else None
            )
            found.append(ChoiceResult(metric, category, *pair_accuracy(own, half), interval))
        out += found
        if len(found) > 1:
            out.append(
                ChoiceResult(
                    metric,
                    "mean",
                    float(np.mean([one.accuracy for one in found])),
                    sum(one.pairs for one in found),
                    sum(one.ties for one in found),
                    _mean_interval(list(points.values()), resamples, seed),
                )
            )
    return out


def points_of(choices: Sequence[Choice], known: MetricValues) -> FloatArray:
    """Per pair 1 where the better text scores higher, 0 where it scores lower, 1/2 for a tie; NaN without a
    value.
    """
    sign = -1 if known.higher_is_better is False else 1
    value = {"\t".join(key): sign * number for key, number in known.values.items()}
    better = np.array([value.get(choice.better, np.nan) for choice in choices])
    worse = np.array([value.get(choice.worse, np.nan) for choice in choices])
    return np.asarray((np.sign(better - worse) + 1) / 2)


def _mean_interval(points: Sequence[FloatArray], resamples: int, seed: int) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean over categories; pairs are drawn within their category."""
    known = [own[~np.isnan(own)] for own in points]
    if resamples < 2 or not all(len(own) for own in known):
        return None
    random = np.random.default_rng(seed)
    drawn = [
        np.mean([own[random.integers(0, len(own), len(own))].mean() for own in known])
        for _ in range(resamples)
    ]
    return percentiles(drawn, 0.025)


# Contests: what `overall_ranking` counts.
#
# A metric whose values are those of a variant of it (`cider_d` is `cider`) counts once, under the first name.


def distinct(columns: Mapping[str, FloatArray]) -> list[str]:
    """The names whose values no earlier name of their family has.

    >>> distinct({"cider": np.ones(2), "cider_d": np.ones(2), "sts": np.ones(2)})
    ['cider', 'sts']
    """
    known: dict[tuple[str, bytes], str] = {}
    for name, values in columns.items():
        known.setdefault((family(name), np.ascontiguousarray(values).tobytes()), name)
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
    signed = {name: scores.sign(name) * scores.metrics[name] for name in names}
    groups: dict[bytes, list[str]] = {}
    for name in names:  # metrics that have a value for the same rows are tested together
        groups.setdefault(scores.rows_of(name).tobytes(), []).append(name)
    tests = []
    for a, b in combinations_with_replacement(groups.values(), 2):
        use = scores.rows_of(a[0], b[0])
        found = permutations_of_pairs(
            {name: signed[name][use] for name in dict.fromkeys([*a, *b])},
            human=scores.human[use],
            units=scores.item[use],
            resamples=permutations,
            seed=seed,
        )
        tests += [
            Outcome(*(pair if test.difference >= 0 else pair[::-1]), test.p)
            for pair, test in found.items()
            if (a is b) or (pair[0] in a and pair[1] in b)
        ]
    headline = benchmark.headline
    varying = {name for name in names if len(np.unique(signed[name][~np.isnan(signed[name])])) > 1}
    figures = {  # an area under a curve has a value for a constant, too
        r.metric: Figure(
            r.values.get(headline, math.nan) if r.metric in varying else math.nan, r.intervals.get(headline)
        )
        for r in results
        if r.metric in names
    }
    return Contest(benchmark.name, benchmark.title, headline, figures, tests)


def choice_contest(
    benchmark: Benchmark,
    values: Mapping[str, MetricValues],
    results: Sequence[ChoiceResult],
    *,
    permutations: int,
    seed: int = 0,
) -> Contest:
    """By accuracy over pairs, categories weighing alike. A metric that orders no pair has no accuracy."""
    points = {name: points_of(benchmark.choices, entry) for name, entry in values.items()}
    names = distinct(points)
    last = results[-1].category if results else ""
    figures = {
        r.metric: Figure(r.accuracy if {*points[r.metric].tolist()} & {0.0, 1.0} else math.nan, r.interval)
        for r in results
        if r.category == last and r.metric in names
    }
    categories = [choice.category for choice in benchmark.choices]
    share = np.array([len(categories) / (len(set(categories)) * categories.count(c)) for c in categories])
    shares = {name: np.nan_to_num(points[name], nan=0.5) * share for name in names}
    found = permutations_of_pairs(shares, resamples=permutations, seed=seed)
    tests = [Outcome(*(pair if test.difference >= 0 else pair[::-1]), test.p) for pair, test in found.items()]
    return Contest(benchmark.name, benchmark.title, "accuracy", figures, tests)

"""Claims about units, training runs, annotators, the gate and power; see bench/uncertainty.py."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from uncertainty_kit import claim
from uncertainty_systems import (
    METRICS,
    equal_systems,
    exponential,
    log_normals,
    mean_part,
    part_of,
    with_ones,
)

from storymeter.engine.comparing import POWER
from storymeter.engine.gating import below
from storymeter.engine.units import satterthwaite, summed, t_interval, welch
from storymeter.human.analysis.power import smallest_difference
from storymeter.stats import bootstrap_interval, holm
from storymeter.stats.paired import detectable, permutation_tests
from storymeter.stats.resampling import TAIL

Array = np.ndarray[Any, np.dtype[np.float64]]
Sizes = np.ndarray[Any, np.dtype[np.int64]]
Measure = Callable[[np.random.Generator, int], tuple[int, int]]


def p_of(a: Array, b: Array, random: np.random.Generator) -> float:
    """Of the permutation test of two means."""
    seed = int(random.integers(1 << 31))
    return permutation_tests([a, b], [mean_part()], [(0, 1)], resamples=None, seed=seed)[0][0].p


def clips(random: np.random.Generator, sizes: Sizes, share: float = 0.3) -> Array:
    """So many clips of each source, with this intraclass correlation."""
    common = np.repeat(random.normal(0, np.sqrt(share), len(sizes)), sizes)
    return np.asarray(common + random.normal(0, np.sqrt(1 - share), len(common)))


def _sizes(random: np.random.Generator, sources: int, unequal: bool) -> Sizes:
    return np.asarray(random.geometric(0.2, sources) if unequal else np.full(sources, 5))


def _unit_interval(sources: int, unequal: bool = False, ignored: bool = False) -> Measure:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        hits = 0
        for _ in range(studies):
            sizes = _sizes(random, sources, unequal)
            unit = np.repeat(np.arange(sources), sizes)
            rows = with_ones(clips(random, sizes))
            found = bootstrap_interval(
                rows if ignored else summed(rows, unit),
                mean_part().value,
                seed=int(random.integers(1 << 31)),
            )
            hits += found is not None and found[0] <= 0 <= found[1]
        return hits, studies

    return measure


def _unit_test(sources: int, unequal: bool = False, ignored: bool = False) -> Measure:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        hits = 0
        for _ in range(studies):
            sizes = _sizes(random, sources, unequal)
            unit = np.repeat(np.arange(sources), sizes)
            rows = [with_ones(clips(random, sizes)) for _ in range(2)]
            a, b = rows if ignored else [summed(each, unit) for each in rows]
            hits += p_of(a, b, random) < 0.05
        return hits, studies

    return measure


_CLIPS = "clips of {} sources, intraclass correlation .3"
claim(f"interval over clips, 100 {_CLIPS.format(20)}", 0.95)(_unit_interval(20, ignored=True))
claim(f"p permutation over clips, 100 {_CLIPS.format(20)}", 0.05)(_unit_test(20, ignored=True))
claim(f"interval by --unit, 100 {_CLIPS.format(20)}", 0.95, low=0.93, high=0.97)(_unit_interval(20))
claim("interval by --unit, 20 sources of unequal sizes", 0.95)(_unit_interval(20, unequal=True))
claim("interval by --unit, 8 sources of unequal sizes", 0.95)(_unit_interval(8, unequal=True))
for _sources, _unequal in ((20, False), (20, True), (12, True), (8, True)):
    claim(
        f"p permutation by --unit, {_sources} sources of {'unequal sizes' if _unequal else '5 clips'}",
        0.05,
        low=0.035 if _sources >= 12 else None,
        high=0.065 if _sources >= 12 else None,
    )(_unit_test(_sources, _unequal))


def _runs(k: int, other: int, deviation: float) -> Measure:
    """Values of runs on 4,917 documents: the noise of training and that of the documents' own."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        noise = float(np.hypot(deviation, 0.05 / 70))
        values = random.normal(0, noise, (studies, k + other))
        return sum(welch(each[:k].tolist(), each[k:].tolist())[0] < 0.05 for each in values), studies

    return measure


for _k, _other, _deviation in (
    *((3, 3, 0.002), (3, 3, 0.005), (4, 4, 0.005), (5, 5, 0.005)),
    *((2, 2, 0.005), (2, 5, 0.005), (3, 5, 0.005), (1, 3, 0.005), (1, 5, 0.005)),
):
    claim(
        f"seeds of one model called different, {_k} and {_other} runs, deviation {_deviation * 100:g}",
        0.05,
        **({"low": 0.035, "high": 0.065} if min(_k, _other) > 2 else {}),
        studies=10_000,
    )(_runs(_k, _other, _deviation))


def _single(deviation: float) -> Measure:
    """The permutation test over documents of two single runs of one model, in large samples a z-test."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        error = 0.1 / np.sqrt(4917)  # of the difference of two runs over documents
        found = random.normal(0, np.hypot(deviation * np.sqrt(2), error), studies)
        return int((np.abs(found) > 1.96 * error).sum()), studies

    return measure


for _deviation in (0.002, 0.005):
    claim(
        f"single seeds of one model called different over documents, deviation {_deviation * 100:g}",
        0.05,
        studies=10_000,
    )(_single(_deviation))


def _annotators(count: int) -> Measure:
    """The interval of `--annotators`: deviation .1 between them, as much again from document to document."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        hits, n = 0, 60
        for _ in range(studies):
            values = random.normal(0, 0.1, (count, 1)) + random.normal(0, 0.2, n)
            values = values + random.normal(0, 0.2, (count, n))
            documents = float(values.var(axis=1, ddof=1).mean()) / n
            means = values.mean(axis=1)
            variances = [(documents, n - 1), (float(means.var(ddof=1)) / count, count - 1)]
            low, high = t_interval(float(means.mean()), variances, TAIL)
            hits += low <= 0 <= high
        return hits, studies

    return measure


for _count in (2, 3, 5):
    claim(f"interval that contains annotators, {_count} annotators", 0.95, studies=4000)(_annotators(_count))


def alarms(random: np.random.Generator, studies: int, name: str, n: int) -> tuple[int, int]:
    """How often the gate fails a version that loses exactly the limit: an equal system and the limit 0."""
    made = (equal_systems(name, random, 2, n) for _ in range(studies))
    return sum(
        below(each, part_of(name), 0.0, int(random.integers(1 << 31))) < 0.05 for each in made
    ), studies


for _name in METRICS:
    for _n in (12, 30, 100, 500):
        _bars: dict[str, Any] = {"low": 0.04, "high": 0.06} if _n > 12 or _name != "bleu_4" else {}
        claim(f"gate's false alarms at the limit, {_name}, n = {_n}", 0.05, **_bars, studies=2000)(
            functools.partial(alarms, name=_name, n=_n)
        )


def _skewed_gate(n: int, sign: float, drawn: Callable[[np.random.Generator, int], Array]) -> Measure:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        hits = 0
        for _ in range(studies):
            rows = [with_ones(each) for each in (sign * drawn(random, n), np.zeros(n))]
            hits += below(rows, mean_part(), 0.0, int(random.integers(1 << 31))) < 0.05
        return hits, studies

    return measure


for _n in (12, 30, 100, 500):
    claim(
        f"gate's false alarms, a few documents gain much, n = {_n}", 0.05, studies=2000 if _n < 500 else 400
    )(_skewed_gate(_n, 1.0, exponential))
    claim(
        f"gate's false alarms, a few documents lose much, n = {_n}", 0.05, studies=2000 if _n < 500 else 400
    )(_skewed_gate(_n, -1.0, exponential))
    claim(
        f"gate's false alarms, a few documents gain very much, n = {_n}",
        0.05,
        studies=2000 if _n < 500 else 400,
    )(_skewed_gate(_n, 1.0, log_normals))


def _power(n: int, systems: int) -> Measure:
    """How often a difference of the size that `compare` calls detectable is found, Holm over all pairs of
    `systems`; the others are like the better one.
    """
    pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        hits = 0
        for _ in range(studies):
            away = detectable(n - 1, 0.05 / len(pairs), POWER) * np.sqrt(2 / n)
            rows = [with_ones(random.normal(0, 1, n) - (away if k == 0 else 0)) for k in range(systems)]
            seed = int(random.integers(1 << 31))
            found = permutation_tests(rows, [mean_part()], pairs, resamples=None, seed=seed)[0]
            hits += holm([test.p for test in found])[0] < 0.05
        return hits, studies

    return measure


for _n, _systems in ((8, 2), (12, 2), (30, 2), (100, 2), (100, 4)):
    claim(
        f"power for the difference that `compare` calls detectable, {_systems} systems, n = {_n}",
        0.8,
        **({"low": 0.75, "high": 0.85} if _systems == 2 and _n >= 12 else {"low": 0.75} if _n > 12 else {}),
        studies=1000,
    )(_power(_n, _systems))


@claim("power for the detectable difference of seeds, 4 runs each", 0.8, low=0.75, high=0.85, studies=10_000)
def power_of_runs(random: np.random.Generator, studies: int) -> tuple[int, int]:
    _, freedom = satterthwaite([(1.0, 3), (1.0, 3)])
    away = detectable(freedom, 0.05, POWER) * np.sqrt(2 / 4)
    values = random.normal(size=(studies, 2, 4))
    return sum(welch((a + away).tolist(), b.tolist())[0] < 0.05 for a, b in values), studies


@claim("power for the difference that `human plan` calls detectable, 20 raters", 0.8, low=0.75, high=0.87)
def power_of_people(random: np.random.Generator, studies: int) -> tuple[int, int]:
    """A rater rates 35 captions of each system, none of them twice; the test pairs systems by rater."""
    from storymeter.human.analysis.scores import rank
    from storymeter.human.ratings import from_columns

    raters, each, hits = 20, 35, 0
    away = smallest_difference(raters * each, raters * each, raters)
    for _ in range(max(10, studies // 4)):
        rater = np.repeat(np.arange(raters), 2 * each)
        system = np.tile(np.repeat([0, 1], each), raters)
        value = random.normal(0, 0.2, (raters, 2))[rater, system] + away * system
        value = value + random.normal(0, np.hypot(0.43, 0.76), len(rater))
        table = from_columns(
            {
                "item": [f"v{k}" for k in range(len(rater))],
                "system": [f"s{k}" for k in system.tolist()],
                "rater": [f"r{k}" for k in rater.tolist()],
                "value": 60 + 15 * value,
                "position": np.arange(len(rater)),
            }
        )
        hits += len(rank(table, by="raters").clusters) > 1
    return hits, max(10, studies // 4)

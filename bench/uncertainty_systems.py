"""Claims about scores of systems, their comparisons and marks."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import numpy as np
from uncertainty_kit import claim

import storymeter
from storymeter.captions import Corpus
from storymeter.engine import Results, Run, SystemResult
from storymeter.engine.run import value_of
from storymeter.join import Coverage
from storymeter.registry import metric as get_metric
from storymeter.report.marks import marks
from storymeter.scores import Rows, Signature
from storymeter.stats import bootstrap_interval
from storymeter.stats.paired import Part, bootstraps, permutation_tests

DATA = Path(os.environ.get("STORYMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
METRICS = ("soda_c", "meteor", "bleu_4", "cider")
Array = np.ndarray[Any, np.dtype[np.float64]]


@functools.cache
def _corpora() -> tuple[Corpus, list[Corpus]] | None:
    folder = DATA / "anet"
    if not (folder / "bmt_val_1.json").is_file():
        return None
    return storymeter.read(folder / "bmt_val_1.json"), [storymeter.read(folder / "val_1.json")]


@functools.cache
def population() -> dict[str, Array]:
    """Metric to the rows of all documents: BMT on ActivityNet's validation set, or generated ones."""
    real = _corpora()
    if real is not None:
        results = Run(references=real[1]).score(real[0], METRICS, 0)
        return {name: np.asarray(results[real[0].name, name].rows) for name in METRICS}
    draw, n = np.random.default_rng(7), 5000
    words = draw.integers(20, 80, n).astype(float)
    skill = np.exp(draw.normal(-2.5, 0.8, n))
    found = {}
    for name in METRICS:
        columns = len(get_metric(name).columns)
        if name == "bleu_4":
            rates = np.stack([0.5 / 4**k * np.exp(draw.normal(0, 0.5, n)) for k in range(4)], axis=1)
            counts = [np.maximum(words - k, 1) for k in range(4)]
            hits = [
                draw.binomial(c.astype(int), np.minimum(r, 1)) for c, r in zip(counts, rates.T, strict=True)
            ]
            found[name] = np.stack([*hits, *counts, words, words * 1.1], axis=1)[:, :columns].astype(float)
        else:
            found[name] = np.column_stack([*[np.minimum(skill, 1)] * (columns - 1), np.ones(n)])
    return found


def value(name: str, rows: Array) -> float:
    return float(value_of(get_metric(name), rows.sum(axis=0)))


def mean_part() -> Part:
    return Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])


def with_ones(values: Array) -> Array:
    return np.column_stack([values, np.ones(len(values))])


def covers(name: str, random: np.random.Generator, studies: int, n: int) -> tuple[int, int]:
    """How often the interval of n documents contains the value of all."""
    rows, metric = population()[name], get_metric(name)
    truth, hits = value(name, rows), 0
    for _ in range(studies):
        sample = rows[random.integers(0, len(rows), n)]
        seed = int(random.integers(1 << 31))
        found = bootstrap_interval(sample, functools.partial(value_of, metric), seed=seed)
        hits += found is not None and found[0] <= truth <= found[1]
    return hits, studies


for _name in ("soda_c", "meteor"):
    for _n in (10, 30, 100, 500):
        _bars = {} if _n < 30 else {"low": 0.93, "high": 0.97}
        claim(f"interval, {_name}, n = {_n}", 0.95, **_bars)(
            lambda random, studies, name=_name, n=_n: covers(name, random, studies, n)
        )
for _name in ("bleu_4", "cider"):
    for _n in (10, 30, 100, 500):
        _bars = {} if _n < 100 else {"low": 0.92, "high": 1.0}
        claim(f"interval, {_name}, n = {_n}", 0.95, **_bars)(
            lambda random, studies, name=_name, n=_n: covers(name, random, studies, n)
        )


def log_normal(random: np.random.Generator, studies: int, n: int) -> tuple[int, int]:
    truth, hits = float(np.exp(0.5)), 0
    for _ in range(studies):
        rows = with_ones(np.exp(random.normal(size=n)))
        found = bootstrap_interval(rows, mean_part().value, seed=int(random.integers(1 << 31)))
        hits += found is not None and found[0] <= truth <= found[1]
    return hits, studies


for _n in (10, 30):
    claim(f"interval, log-normal mean, n = {_n}", 0.95)(
        lambda random, studies, n=_n: log_normal(random, studies, n)
    )


def fitted_cider(random: np.random.Generator, studies: int, n: int) -> tuple[int, int]:
    """CIDEr's document frequencies come from the sample itself, as in a real study; the truth is the mean of
    such scores.
    """
    real = _corpora()
    if real is None:
        return studies, studies
    candidates, (references,) = real
    groups, said = references.by_id(), {d.id: d for d in candidates}
    ids, values, intervals = sorted(set(groups) & set(said)), [], []
    for _ in range(studies):
        chosen = [ids[k] for k in random.choice(len(ids), n, replace=False)]
        one = Corpus(tuple(said[i] for i in chosen), "one")
        against = Corpus(tuple(d for i in chosen for d in groups[i]), "people")
        run = Run(references=[against], jobs=1, seed=int(random.integers(1 << 31)))
        score = run.score(one, ["cider"])["one", "cider"]
        values.append(score.value)
        intervals.append(score.interval)
    truth = float(np.mean(values))
    return sum(low <= truth <= high for low, high in intervals), studies


for _n in (10, 30, 100):
    claim(
        f"interval, cider fitted to the sample, n = {_n}",
        0.95,
        **({} if _n < 100 else {"low": 0.92, "high": 1.0}),
        studies=400,
    )(lambda random, studies, n=_n: fitted_cider(random, studies, n))


def equal_systems(name: str, random: np.random.Generator, systems: int, n: int) -> list[Array]:
    """Rows of equally good systems on n documents: each has the row of the document or, in half of the
    cases, that of another one.
    """
    rows = population()[name]
    own = random.integers(0, len(rows), n)
    other = random.integers(0, len(rows), (systems, n))
    kept = random.random((systems, n)) < 0.5
    return [rows[np.where(kept[k], own, other[k])] for k in range(systems)]


def results_of(rows: dict[str, list[Array]]) -> Results:
    """A run with these rows: metric to the rows of each system."""
    metrics = [get_metric(name.partition("#")[0]) for name in rows]
    count = len(next(iter(rows.values())))
    found = []
    for k in range(count):
        scores = []
        for metric, (name, each) in zip(metrics, rows.items(), strict=True):
            ids = [f"v{i}" for i in range(len(each[k]))]
            score = metric.score_of_rows(Rows(each[k]), ids, Signature())
            object.__setattr__(score, "metric", name)
            scores.append(score)
        found.append(SystemResult(f"s{k}", tuple(scores), Coverage(len(scores[0].ids)), Corpus(())))
    return Results(tuple(found), tuple(metrics))


def part_of(name: str) -> Part:
    return Part(slice(None), functools.partial(value_of, get_metric(name)))


def rejects(name: str, random: np.random.Generator, studies: int, n: int, means: bool) -> tuple[int, int]:
    hits = 0
    for _ in range(studies):
        rows, seed = equal_systems(name, random, 2, n), int(random.integers(1 << 31))
        if means:
            p = float(bootstraps(rows, [part_of(name)], [(0, 1)], 1024, seed)[0].p[0])
        else:
            p = permutation_tests(rows, [part_of(name)], [(0, 1)], resamples=None, seed=seed)[0][0].p
        hits += p < 0.05
    return hits, studies


for _name in METRICS:
    for _n in (12, 30, 100):
        claim(f"p permutation of equal systems, {_name}, n = {_n}", 0.05, low=0.035, high=0.065)(
            lambda random, studies, name=_name, n=_n: rejects(name, random, studies, n, False)
        )
for _name in METRICS:
    for _n in (8, 12, 30, 100, 300):
        # few documents have a common 4-gram: the test of their BLEU finds less than it might
        _bars = {} if _n < 12 else {"high": 0.065}
        claim(f"p bootstrap (bootstrap-t) of equal systems, {_name}, n = {_n}", 0.05, **_bars)(
            lambda random, studies, name=_name, n=_n: rejects(name, random, studies, n, True)
        )


def ties(random: np.random.Generator, studies: int, n: int, means: bool) -> tuple[int, int]:
    """Four of five documents of either system have the value 0."""
    hits = 0
    for _ in range(studies):
        rows = [with_ones((random.random(n) < 0.2) * random.random(n)) for _ in range(2)]
        seed = int(random.integers(1 << 31))
        if means:
            p = float(bootstraps(rows, [mean_part()], [(0, 1)], 1024, seed)[0].p[0])
        else:
            p = permutation_tests(rows, [mean_part()], [(0, 1)], resamples=None, seed=seed)[0][0].p
        hits += p < 0.05
    return hits, studies


for _n in (12, 30, 100):
    for _means in (False, True):
        claim(f"{'p bootstrap' if _means else 'p permutation'}, 80 % of the values are 0, n = {_n}", 0.05)(
            lambda random, studies, n=_n, means=_means: ties(random, studies, n, means)
        )


def skewed(random: np.random.Generator, studies: int, n: int, means: bool) -> tuple[int, int]:
    """Equal means, but differences that are not exchangeable (exponential)."""
    hits, part = 0, Part(slice(None), lambda s: s[..., 0] / s[..., 1])
    for _ in range(studies):
        difference, seed = random.exponential(size=n) - 1, int(random.integers(1 << 31))
        rows = [np.column_stack([difference, np.ones(n)]), np.column_stack([np.zeros(n), np.ones(n)])]
        if means:
            p = float(bootstraps(rows, [part], [(0, 1)], 1024, seed)[0].p[0])
        else:
            p = permutation_tests(rows, [part], [(0, 1)], resamples=None, seed=seed)[0][0].p
        hits += p < 0.05
    return hits, studies


for _n in (8, 30, 100):
    for _means in (False, True):
        claim(
            f"{'p bootstrap' if _means else 'p permutation'}, equal means, skewed differences, n = {_n}", 0.05
        )(lambda random, studies, n=_n, means=_means: skewed(random, studies, n, means))


def daggers(random: np.random.Generator, studies: int, systems: int, metrics: int) -> tuple[int, int]:
    """How often a metric has an equal system without †."""
    hits = 0
    names = [METRICS[k % len(METRICS)] for k in range(metrics)]
    for _ in range(studies):
        rows = {f"{name}#{k}": equal_systems(name, random, systems, 60) for k, name in enumerate(names)}
        results = results_of(rows)
        found = marks(results, results.compare(seed=int(random.integers(1 << 31))))
        hits += sum("worse" in column for column in found)
    return hits, studies * metrics


for _k, _m, _studies in ((3, 1, 1500), (3, 12, 120), (5, 4, 250), (10, 1, 400), (10, 12, 40)):
    claim(f"† missing on an equal system, {_k} systems, {_m} metrics", 0.05, high=0.055, studies=_studies)(
        lambda random, studies, k=_k, m=_m: daggers(random, studies, k, m)
    )


def together(random: np.random.Generator, studies: int, systems: int, n: int) -> tuple[int, int]:
    """How often all intervals of differences of equal systems contain 0."""
    hits = 0
    for _ in range(studies):
        results = results_of({"meteor": equal_systems("meteor", random, systems, n)})
        found = results.compare(seed=int(random.integers(1 << 31)))
        hits += all(c.interval[0] <= 0 <= c.interval[1] for c in found)
    return hits, studies


for _k, _n in ((2, 30), (3, 30), (3, 100), (10, 100)):
    claim(f"all intervals of differences, {_k} systems, n = {_n}", 0.95, low=0.93, high=0.97, studies=600)(
        lambda random, studies, k=_k, n=_n: together(random, studies, k, n)
    )


@claim("interval of the winner among 10 equal systems, n = 100", 0.95)
def winner(random: np.random.Generator, studies: int) -> tuple[int, int]:
    """Chosen because it is high: nothing here corrects for that."""
    truth, metric, hits = value("meteor", population()["meteor"]), get_metric("meteor"), 0
    for _ in range(studies):
        rows = max(equal_systems("meteor", random, 10, 100), key=functools.partial(value, "meteor"))
        seed = int(random.integers(1 << 31))
        found = bootstrap_interval(rows, functools.partial(value_of, metric), seed=seed)
        hits += found is not None and found[0] <= truth <= found[1]
    return hits, studies

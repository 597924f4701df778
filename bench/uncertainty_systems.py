"""Claims about scores of systems, their comparisons and marks."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from uncertainty_kit import claim

import storymeter
from storymeter.captions import Corpus
from storymeter.engine import Results, Run, SystemResult
from storymeter.engine.results import value_of
from storymeter.join import Coverage
from storymeter.registry import metric as get_metric
from storymeter.report.marks import marks
from storymeter.scores import Rows, Signature
from storymeter.stats import bootstrap_interval
from storymeter.stats.paired import Part, bootstraps, paired_permutations

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
def population(people: bool = False) -> dict[str, Array]:
    """Metric to the rows of all documents: BMT on ActivityNet's validation set, or the captions of its second
    annotator, whose scores are more skewed; generated ones where these files are not.
    """
    real = _corpora()
    if real is not None:
        scored = storymeter.read(DATA / "anet" / "val_2.json") if people else real[0]
        results = Run(references=real[1]).score(scored, METRICS, 0)
        return {name: np.asarray(results[scored.name, name].rows) for name in METRICS}
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


def covers(
    name: str, random: np.random.Generator, studies: int, n: int, people: bool = False
) -> tuple[int, int]:
    """How often the interval of n documents contains the value of all."""
    rows, metric = population(people)[name], get_metric(name)
    truth, hits = value(name, rows), 0
    for _ in range(studies):
        sample = rows[random.integers(0, len(rows), n)]
        seed = int(random.integers(1 << 31))
        found = bootstrap_interval(sample, functools.partial(value_of, metric), seed=seed)
        hits += found is not None and found[0] <= truth <= found[1]
    return hits, studies


for _name in ("soda_c", "meteor"):
    for _n in (10, 30, 100, 500):
        _bars: dict[str, Any] = {} if _n < 30 else {"low": 0.93, "high": 0.97}
        claim(f"interval, {_name}, n = {_n}", 0.95, **_bars)(functools.partial(covers, _name, n=_n))
for _name in ("bleu_4", "cider"):
    for _n in (10, 30, 100, 500):
        _bars = {} if _n < 100 else {"low": 0.92, "high": 1.0}
        claim(f"interval, {_name}, n = {_n}", 0.95, **_bars)(functools.partial(covers, _name, n=_n))


for _name in METRICS:
    for _n in (30, 100):
        claim(f"interval, {_name} of people's captions, n = {_n}", 0.95, studies=2000)(
            functools.partial(covers, _name, n=_n, people=True)
        )


def log_normal(random: np.random.Generator, studies: int, n: int) -> tuple[int, int]:
    truth, hits = float(np.exp(0.5)), 0
    for _ in range(studies):
        rows = with_ones(np.exp(random.normal(size=n)))
        found = bootstrap_interval(rows, mean_part().value, seed=int(random.integers(1 << 31)))
        hits += found is not None and found[0] <= truth <= found[1]
    return hits, studies


for _n in (10, 30):
    claim(f"interval, log-normal mean, n = {_n}", 0.95)(functools.partial(log_normal, n=_n))


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
    return sum(each is not None and each[0] <= truth <= each[1] for each in intervals), studies


for _n in (10, 30, 100):
    claim(
        f"interval, cider fitted to the sample, n = {_n}",
        0.95,
        **({} if _n < 100 else {"low": 0.92, "high": 1.0}),
        studies=400,
    )(functools.partial(fitted_cider, n=_n))


def equal_systems(
    name: str, random: np.random.Generator, systems: int, n: int, share: float = 0.5
) -> list[Array]:
    """Rows of equally good systems on n documents: each has the row of the document or, in the others of the
    cases, that of another one.
    """
    rows = population()[name]
    own = random.integers(0, len(rows), n)
    other = random.integers(0, len(rows), (systems, n))
    kept = random.random((systems, n)) < share
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


def p_of(rows: list[Array], part: Part, random: np.random.Generator, means: bool) -> float:
    """Of the test that two values are equal (`means`), or of the permutation test."""
    (a, b), seed = rows, int(random.integers(1 << 31))
    if means:  # as compare with 1,024 resamples
        (permutation,) = paired_permutations(a, b, [part], resamples=1024, seed=seed)
        return max(permutation.p, float(bootstraps([a, b], [part], [(0, 1)], 1024, seed)[0].p[0]))
    return paired_permutations(a, b, [part], resamples=None, seed=seed)[0].p


def rejects(
    name: str, random: np.random.Generator, studies: int, n: int, means: bool, kept: float = 0.5
) -> tuple[int, int]:
    found = (equal_systems(name, random, 2, n, kept) for _ in range(studies))
    return sum(p_of(rows, part_of(name), random, means) < 0.05 for rows in found), studies


for _name in METRICS:
    for _n in (12, 30, 100):
        claim(f"p permutation of equal systems, {_name}, n = {_n}", 0.05, low=0.035, high=0.065)(
            functools.partial(rejects, _name, n=_n, means=False)
        )
for _name in METRICS:
    for _n in (8, 12, 30, 100, 300):
        _bars = {} if _n < 12 or (_n == 12 and _name == "bleu_4") else {"low": 0.035, "high": 0.065}
        claim(f"p bootstrap of equal systems, {_name}, n = {_n}", 0.05, **_bars)(
            functools.partial(rejects, _name, n=_n, means=True)
        )


for _name in METRICS:
    for _means in (False, True):
        _test = "bootstrap" if _means else "permutation"
        claim(f"p {_test} of equal systems, {_name}, nine of ten rows kept, n = 30", 0.05)(
            functools.partial(rejects, _name, n=30, means=_means, kept=0.9)
        )


def mostly_zero(random: np.random.Generator, n: int) -> Array:
    return np.asarray((random.random(n) < 0.2) * random.random(n))


def ties(random: np.random.Generator, studies: int, n: int, means: bool) -> tuple[int, int]:
    """Four of five documents of either system have the value 0."""
    hits = 0
    for _ in range(studies):
        rows = [with_ones(mostly_zero(random, n)) for _ in range(2)]
        hits += p_of(rows, mean_part(), random, means) < 0.05
    return hits, studies


for _n in (12, 30, 100):
    for _means in (False, True):
        claim(f"{'p bootstrap' if _means else 'p permutation'}, 80 % of the values are 0, n = {_n}", 0.05)(
            functools.partial(ties, n=_n, means=_means)
        )


def exponential(random: np.random.Generator, n: int) -> Array:
    return random.exponential(size=n) - 1


def log_normals(random: np.random.Generator, n: int) -> Array:
    return np.asarray(np.exp(random.normal(size=n)) - np.exp(0.5))


def skewed(
    random: np.random.Generator,
    studies: int,
    n: int,
    means: bool,
    drawn: Callable[[np.random.Generator, int], Array] = exponential,
) -> tuple[int, int]:
    """Equal means, but differences that are not exchangeable."""
    hits = 0
    for _ in range(studies):
        rows = [with_ones(drawn(random, n)), with_ones(np.zeros(n))]
        hits += p_of(rows, mean_part(), random, means) < 0.05
    return hits, studies


for _n in (8, 12, 30, 100, 500):
    for _means in (False, True):
        _test = "p bootstrap" if _means else "p permutation"
        claim(f"{_test}, equal means, skewed differences, n = {_n}", 0.05)(
            functools.partial(skewed, n=_n, means=_means)
        )
for _n in (30, 100):
    for _means in (False, True):
        _test = "p bootstrap" if _means else "p permutation"
        claim(f"{_test}, equal means, log-normal differences, n = {_n}", 0.05)(
            functools.partial(skewed, n=_n, means=_means, drawn=log_normals)
        )


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


for _k, _m, _studies in ((3, 1, 1500), (3, 12, 120), (5, 4, 250), (10, 1, 400), (10, 12, 24)):
    claim(f"† missing on an equal system, {_k} systems, {_m} metrics", 0.05, high=0.055, studies=_studies)(
        functools.partial(daggers, systems=_k, metrics=_m)
    )


def together(
    random: np.random.Generator, studies: int, systems: int, n: int, zeros: bool = False
) -> tuple[int, int]:
    """How often all intervals of differences of equal systems contain 0."""
    hits = 0
    for _ in range(studies):
        if zeros:  # half of the documents have the same value; the rows of CIDEr are values and ones
            own, other = mostly_zero(random, n), [mostly_zero(random, n) for _ in range(systems)]
            rows = {"cider": [with_ones(np.where(random.random(n) < 0.5, own, each)) for each in other]}
        else:
            rows = {"meteor": equal_systems("meteor", random, systems, n)}
        found = results_of(rows).compare(seed=int(random.integers(1 << 31)))
        hits += all(c.interval[0] <= 0 <= c.interval[1] for c in found)
    return hits, studies


for _k, _n in ((2, 30), (3, 30), (3, 100), (10, 100)):
    claim(f"all intervals of differences, {_k} systems, n = {_n}", 0.95, low=0.93, high=0.97, studies=600)(
        functools.partial(together, systems=_k, n=_n)
    )
for _n in (30, 100):
    claim(f"all intervals of differences, 3 systems, 80 % of the values are 0, n = {_n}", 0.95, studies=600)(
        functools.partial(together, systems=3, n=_n, zeros=True)
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

"""Claims of human studies and of meta-evaluation; see bench/uncertainty.py.

Simulated ratings: captions (sd .43 z), videos (.3) and ratings (.76) as in WMT 2021 cs-en; raters like
systems differently (sd .2). Two systems are equal; 70 ratings of each rater, captions of 300 videos."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from uncertainty_kit import claim

from storymeter.captions import Rating
from storymeter.human.analysis.preference import analyse_preferences
from storymeter.human.analysis.quality import assess
from storymeter.human.analysis.reliability import split_half
from storymeter.human.analysis.scores import Clusters, rank
from storymeter.human.ratings import SYSTEM, Ratings, from_columns
from storymeter.meta.scores import Scores
from storymeter.meta.statistics import segment_level
from storymeter.stats import holm, pearson, williams
from storymeter.stats.correlation import fisher_interval
from storymeter.stats.dependent import permutation_pearson, permutation_systems

Array = np.ndarray


def study(
    random: np.random.Generator,
    raters: int,
    deviation: float,
    *,
    systems: int = 2,
    crossed: bool = False,
    unequal: bool = False,
) -> Ratings:
    """Equal systems. `crossed`: all raters rate the same 40 videos; otherwise everyone gets others, `unequal`
    numbers of them.
    """
    if crossed:
        grid = np.meshgrid(np.arange(raters), np.arange(systems), np.arange(40), indexing="ij")
        rater, system, item = (axis.ravel() for axis in grid)
    else:
        each = random.choice([20, 40, 60, 160], raters) if unequal else 70
        rater = np.repeat(np.arange(raters), each)
        system, item = random.integers(0, systems, len(rater)), random.integers(0, 300, len(rater))
    value = (
        random.normal(0, deviation, (raters, systems))[rater, system]
        + random.normal(0, 0.43, (systems, 300))[system, item]
        + random.normal(0, 0.3, 300)[item]
        + random.normal(0, 0.76, len(rater))
    )
    return from_columns(
        {
            "item": [f"v{k}" for k in item.tolist()],
            "system": [f"s{k}" for k in system.tolist()],
            "rater": [f"r{k}" for k in rater.tolist()],
            "value": np.clip(60 + 20 * value, 0, 100),
            "position": np.arange(len(rater)),
        }
    )


def _clusters(
    raters: int, deviation: float, by: Clusters, **design: Any
) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        made = (study(random, raters, deviation, **design) for _ in range(studies))
        return sum(len(rank(table, by=by).clusters) > 1 for table in made), studies

    return measure


for _raters in (2, 4, 8, 24):
    _bar = 0.07 if _raters > 2 else None
    claim(f"equal systems in different clusters, {_raters} raters, deviation .2", 0.05, high=_bar)(
        _clusters(_raters, 0.2, "raters")
    )
    claim(f"same, all raters rate the same captions, {_raters} raters", 0.05, high=_bar)(
        _clusters(_raters, 0.2, "raters", crossed=True)
    )
    claim(f"same, rank-sum clusters of the papers, {_raters} raters", 0.05)(
        _clusters(_raters, 0.2, "ranksum")
    )
for _raters in (4, 8, 24):
    claim(f"same, raters give 20 to 160 ratings, {_raters} raters", 0.05, studies=2000)(
        _clusters(_raters, 0.2, "raters", unequal=True)
    )
claim("equal systems in different clusters, 8 raters, no deviation", 0.05, high=0.07)(
    _clusters(8, 0.0, "raters")
)
claim("any cluster among five equal systems, 8 raters, deviation .2", 0.05, high=0.07, studies=500)(
    _clusters(8, 0.2, "raters", systems=5)
)


def _with_controls(
    random: np.random.Generator, raters: int, deviation: float, systems: int, partial: int
) -> Ratings:
    """A campaign whose gates can be applied: 70 ratings of system captions by each rater, every caption by
    three raters, and ten human captions with their damaged copies. `partial` raters add 1.2 to s0. Captions
    differ more (sd .9) and ratings less (.5) than above: with the noise of WMT, 70 ratings are too few to say
    whether a rater agrees with the others, and no ranking is given."""
    captions = raters * 70 // 3
    rater = np.repeat(np.arange(raters), 70)[: 3 * captions]
    caption = np.concatenate([random.permutation(captions) for _ in range(3)])
    system, item = caption % systems, caption // systems
    liking = random.normal(0, deviation, (raters, systems))
    liking[:partial, 0] += 1.2
    shared = random.normal(0, 0.3, captions)
    value = (
        liking[rater, system]
        + random.normal(0, 0.9, captions)[caption]
        + shared[item]
        + random.normal(0, 0.5, len(rater))
    )
    judge, pair = np.repeat(np.arange(raters), 10), np.tile(np.arange(10), raters)
    clip = random.integers(0, captions // systems, len(judge))
    human = 1.0 + shared[clip] + random.normal(0, 0.5, len(judge))
    damaged = human - 2.0 + random.normal(0, 0.5, len(judge))
    both, names = 2 * len(judge), [f"p{k}" for k in pair.tolist()]
    return from_columns(
        {
            "item": [f"v{k}" for k in (*item.tolist(), *clip.tolist(), *clip.tolist())],
            "system": [f"s{k}" for k in system.tolist()] + ["people"] * both,
            "kind": ["system"] * len(rater) + ["human"] * len(judge) + ["degraded"] * len(judge),
            "pair": [""] * len(rater) + names + names,
            "rater": [f"r{k}" for k in (*rater.tolist(), *judge.tolist(), *judge.tolist())],
            "hit": [f"h{k}" for k in (*rater.tolist(), *judge.tolist(), *judge.tolist())],
            "value": np.clip(50 + 22 * np.concatenate([value, human, damaged]), 0, 100),
            "position": np.arange(len(rater) + both, dtype=float),
        }
    )


def _gated(
    raters: int, deviation: float, systems: int = 2, partial: int = 0
) -> Callable[..., tuple[int, int]]:
    """Whether clusters part equal systems after the gates of `human analyse`; fewer raters are left then."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        wrong = given = 0
        for _ in range(studies):
            table = _with_controls(random, raters, deviation, systems, partial)
            found = assess(table, gates="attention")
            if found.unranked:
                continue
            given += 1
            machines = table.of_raters(found.accepted)
            clusters = rank(machines.rows(machines.kind == SYSTEM), by="raters").clusters
            wrong += len(clusters) > 1
        return wrong, max(1, given)

    return measure


for _raters in (12, 24, 65):
    claim(
        f"equal systems in different clusters after the gates, {_raters} raters", 0.05, high=0.07, studies=500
    )(_gated(_raters, 0.2))
claim("any cluster among five equal systems after the gates, 24 raters", 0.05, high=0.07, studies=500)(
    _gated(24, 0.2, 5)
)
claim("same after the gates, five raters favour one by 1.2 (about 1 z)", 0.05, high=0.07, studies=500)(
    _gated(24, 0.2, 5, 5)
)


def _interval(raters: int) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        inside = 0
        for _ in range(studies):
            made = rank(study(random, raters, 0.2, systems=6), by="raters").systems
            low, high = next(s.interval for s in made if s.name == "s0") or (0.0, 0.0)
            inside += low <= 0 <= high
        return inside, studies

    return measure


for _raters in (4, 8, 24):
    claim(f"interval of a system's z over raters, {_raters} raters", 0.95, low=0.92, high=0.98, studies=500)(
        _interval(_raters)
    )


@claim("split-half r above 0, six equal systems, 12 raters", 0.5, low=0.4, high=0.6, studies=200)
def halves(random: np.random.Generator, studies: int) -> tuple[int, int]:
    found = [split_half(study(random, 12, 0.2, systems=6), splits=10, seed=k).z for k in range(studies)]
    return sum(r > 0 for r in found), studies


def _preferences(raters: int, binomial: bool) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        wrong = 0
        for _ in range(studies):
            lean, item = random.normal(0, 0.5, raters), random.normal(0, 0.5, 60)
            records = [
                Rating(
                    f"v{k}",
                    "a",
                    f"r{r}",
                    float(np.clip(np.rint(lean[r] + item[k] + random.normal()), -2, 2)),
                    criterion="preference",
                    meta={"against": "b"},
                )
                for k in range(60)
                for r in random.choice(raters, 3, replace=False).tolist()
            ]
            (found,) = analyse_preferences(records)
            wrong += (found.p_binomial if binomial else found.p) < 0.05
        return wrong, studies

    return measure


for _raters in (4, 8, 24):
    claim(f"preference of equal systems, raters lean by .5, {_raters} raters", 0.05, high=0.07, studies=500)(
        _preferences(_raters, False)
    )
    claim(f"same, binomial test of the paper, {_raters} raters", 0.05, studies=500)(
        _preferences(_raters, True)
    )


def metrics(random: np.random.Generator, systems: int, items: int) -> list[Array]:
    """People and two metrics that agree with them equally well; (systems, items)."""
    quality, shared = random.normal(size=systems), 0.5 * random.normal(size=systems)
    return [
        (quality + (shared + random.normal(size=systems) if k else 0.0))[:, None]
        + 3 * random.normal(size=(systems, items))
        for k in range(3)
    ]


def _williams(systems: int, two_sided: bool) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        wrong = 0
        for _ in range(studies):
            h, a, b = (side.mean(axis=1) for side in metrics(random, systems, 60))
            first, second = sorted([pearson(h, a), pearson(h, b)], reverse=True)
            p = williams(first, second, pearson(a, b), systems).p
            wrong += (2 * p if two_sided else p) < 0.05
        return wrong, studies

    return measure


for _systems in (8, 13):
    claim(f"Williams' test of equal metrics, {_systems} systems", 0.05, low=0.04, high=0.06, studies=4000)(
        _williams(_systems, True)
    )
claim("same, one-sided in the direction of the data, 8 systems", 0.05, studies=4000)(_williams(8, False))


@claim("permutation of equal metrics over 60 segments", 0.05, low=0.04, high=0.06, studies=2000)
def segments(random: np.random.Generator, studies: int) -> tuple[int, int]:
    wrong = 0
    for k in range(studies):
        h, a, b = (side.ravel() for side in metrics(random, 60, 1))
        wrong += permutation_pearson(h, a, b, resamples=399, seed=k, two_sided=True).p <= 0.05
    return wrong, studies


def _any(count: int) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    """Whether any pair of equal metrics differs after Holm's correction."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        wrong = 0
        for k in range(studies):
            quality = random.normal(size=60)
            h, *each = (quality + 3 * random.normal(size=60) for _ in range(count + 1))
            p = [
                permutation_pearson(h, a, b, resamples=799, seed=k, two_sided=True).p
                for a, b in combinations(each, 2)
            ]
            wrong += min(holm(p)) <= 0.05
        return wrong, studies

    return measure


for _count in (3, 6):
    claim(f"permutation of metrics, any of {_count} equal ones by Holm", 0.05, high=0.06, studies=500)(
        _any(_count)
    )


def _swapped(systems: int, items: bool) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        wrong = 0
        for k in range(studies):
            sides = metrics(random, systems, 60)
            wrong += permutation_systems(*sides, items=items, resamples=399, seed=k).p <= 0.05
        return wrong, studies

    return measure


claim("PERM-SYS of equal metrics, 8 systems", 0.05, studies=1000)(_swapped(8, False))
claim("PERM-BOTH of equal metrics, 8 systems", 0.05, studies=1000)(_swapped(8, True))


def _correlation(unit: str) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    """Eight systems of a population in which means of 60 items correlate as the formula says."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        # variances of system means: people 1 + 9/60; metric 1 + .25 + 1 + 9/60; shared 1
        truth, inside = 1 / np.sqrt((1 + 9 / 60) * (2.25 + 9 / 60)), 0
        for _ in range(studies):
            h, a, _ = metrics(random, 8, 60)
            if unit == "fisher":
                low, high = fisher_interval(pearson(h.mean(axis=1), a.mean(axis=1)), 8) or (0.0, 0.0)
            else:
                drawn = []
                for _ in range(200):
                    items = random.integers(0, 60, 60)
                    chosen = random.integers(0, 8, 8) if unit == "both" else np.arange(8)
                    drawn.append(pearson(h[:, items].mean(axis=1)[chosen], a[:, items].mean(axis=1)[chosen]))
                low, high = np.nanquantile(drawn, [0.025, 0.975]).tolist()
            inside += low <= truth <= high
        return inside, studies

    return measure


claim("r of 8 systems for other systems: Fisher", 0.95, low=0.93, high=0.97, studies=2000)(
    _correlation("fisher")
)
claim("same: bootstrap over systems and items", 0.95, studies=300)(_correlation("both"))
claim("same: bootstrap over items", 0.95, studies=300)(_correlation("items"))


def _within_systems(items: int) -> Callable[[np.random.Generator, int], tuple[int, int]]:
    """Three systems, each caption rated twice; the systems' captions of an item share a part."""

    def measure(random: np.random.Generator, studies: int) -> tuple[int, int]:
        truth, inside = 2 / np.sqrt(4 * 3), 0
        shape = (3, items)
        system, item, _ = np.indices((*shape, 2)).reshape(3, -1)
        names = tuple(map(str, range(3))), tuple(map(str, range(items)))
        for k in range(studies):
            quality = random.normal(size=items) + random.normal(size=shape)
            metric = np.repeat((quality + random.normal(scale=2**0.5, size=shape)).ravel(), 2)
            human = np.repeat(quality.ravel(), 2) + random.normal(size=metric.size)
            scores = Scores(*names, system, item, human, {"m": metric})
            low, high = segment_level(scores, "m", resamples=200, seed=k).intervals["pearson_by_system"]
            inside += low <= truth <= high
        return inside, studies

    return measure


claim("r by system of 3 systems, 10 items: bootstrap over items", 0.95, studies=500)(_within_systems(10))
claim("r by system of 3 systems, 40 items: bootstrap over items", 0.95, studies=500)(_within_systems(40))

"""Is one metric significantly better than another? Williams' test between systems, a permutation between
segments.

Every two metrics are compared on the rows that both have. All p-values are two-sided: which metric is the
better one is read from the data (a one-sided test in that direction calls equal metrics different twice as
often as it says). Holm and Benjamini-Hochberg correct over all pairs. The permutation may be about any
coefficient, or about the accuracy over pairs (ties included); Williams' test is about Pearson's r. Beside it
stand the permutations and the bootstrap of Deutsch et al. (2021): PERM-SYS, PERM-BOTH, BOOT-BOTH."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..stats.correlation import COEFFICIENTS, pearson
from ..stats.dependent import (
    pearson_rows,
    permutation_grouped,
    permutation_pearson,
    permutation_ranks,
    permutation_systems,
    williams,
)
from ..stats.ranks import Ranked
from ..stats.resampling import (
    benjamini_hochberg,
    bootstrap_interval,
    expanded_tail,
    holm,
    percentiles,
    resample_counts,
)
from .scores import Scores
from .statistics import pair_sums, several_systems

#: permutations of systems and items at most
MOST_SWAPS = 2000


@dataclass(frozen=True, slots=True)
class MetricComparison:
    better: str
    worse: str
    test: str
    #: what is compared: a coefficient, or accuracy_ties
    statistic: str
    #: its value between human and better, human and worse, better and worse
    r_better: float
    r_worse: float
    r_between: float
    n: int
    t: float
    p: float
    p_holm: float
    p_bh: float
    reason: str = ""
    #: 95 % bootstrap interval of r_better - r_worse: over items, or over systems and items (BOOT-BOTH)
    interval: tuple[float, float] | None = None
    #: system level: two-sided, by swapping whole systems, or systems and items
    p_perm_systems: float = math.nan
    p_perm_both: float = math.nan


def compare(
    scores: Scores,
    level: str,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    against: str | None = None,
    statistic: str = "pearson",
    threads: int = 1,
    draws: int = 0,
) -> list[MetricComparison]:
    """All pairs of metrics, or each with `against`, best first; p two-sided. `draws`: bootstrap resamples of
    the differences; 0: none.
    """
    found = []
    for a, b in (
        combinations(scores.metrics, 2)
        if against is None
        else ((name, against) for name in scores.metrics if name != against and against in scores.metrics)
    ):
        use = scores.rows_of(a, b)
        if not use.any():
            continue
        human, (x, y) = scores.human, (scores.sign(name) * scores.metrics[name] for name in (a, b))
        found.append(
            _system(
                scores,
                a,
                b,
                np.where(use, human, np.nan),
                np.where(use, x, np.nan),
                np.where(use, y, np.nan),
                resamples,
                seed,
                draws,
            )
            if level == "system"
            else _segment(
                a,
                b,
                statistic,
                human[use],
                x[use],
                y[use],
                scores.system[use],
                scores.item[use],
                resamples,
                seed,
                threads,
                draws,
            )
        )
    p = [c.p for c in found]
    corrected = [
        replace(c, p_holm=float(h), p_bh=float(q))
        for c, h, q in zip(found, holm(p), benjamini_hochberg(p), strict=True)
    ]
    return sorted(
        corrected,
        key=lambda c: (
            -(c.r_better if not math.isnan(c.r_better) else -2),
            -c.r_worse if not math.isnan(c.r_worse) else 2,
        ),
    )


def _system(
    scores: Scores,
    a: str,
    b: str,
    human: FloatArray,
    x: FloatArray,
    y: FloatArray,
    resamples: int,
    seed: int,
    draws: int,
) -> MetricComparison:
    use = ~np.isnan(human)
    h = scores.by_system(human)
    u, v = (scores.sign(name) * scores.own(name, use) for name in (a, b))
    there = ~np.isnan(h) & ~np.isnan(u) & ~np.isnan(v)
    h, u, v = h[there], u[there], v[there]
    first, second, between = pearson(h, u), pearson(h, v), pearson(u, v)
    if second > first:
        a, b, first, second, x, y = b, a, second, first, y, x
    t, p = williams(first, second, between, len(h))
    p = min(1.0, 2 * p) if not math.isnan(p) else p
    reason = (
        ""
        if not math.isnan(p)
        else (
            "fewer than four systems"
            if len(h) < 4
            else "a metric is constant, or the two are the same up to scale"
        )
    )
    found = MetricComparison(
        a, b, "williams", "pearson", first, second, between, len(h), t, p, math.nan, math.nan, reason
    )
    if math.isnan(p) or not scores.additive.keys().isdisjoint((a, b)):
        return found  # captions of a corpus metric have no values that could change places
    cells = [scores.matrix(side) for side in (human, x, y)]
    swapped = [
        permutation_systems(*cells, items=items, resamples=min(resamples, MOST_SWAPS), seed=seed).p
        for items in (False, True)
    ]
    interval = lead_interval(*cells, resamples=draws, seed=seed)
    return replace(found, interval=interval, p_perm_systems=swapped[0], p_perm_both=swapped[1])


def _segment(
    a: str,
    b: str,
    statistic: str,
    human: FloatArray,
    x: FloatArray,
    y: FloatArray,
    system: IntArray,
    item: IntArray,
    resamples: int,
    seed: int,
    threads: int,
    draws: int,
) -> MetricComparison:
    # with several systems the accuracy is that of pairs within items
    within = statistic == "accuracy_ties" and several_systems(system, item)
    measure = (
        (lambda u, v: float(np.divide(*pair_sums(u, v, item).sum(axis=0)))) if within else _measure(statistic)
    )
    first, second = measure(x, human), measure(y, human)
    if second > first:
        a, b, first, second, x, y = b, a, second, first, y, x
    if within:
        result = permutation_grouped(
            pair_sums(x, human, item)[:, 0],
            pair_sums(y, human, item)[:, 0],
            resamples=resamples,
            seed=seed,
            two_sided=True,
        )
    elif statistic == "pearson":
        result = permutation_pearson(human, x, y, units=item, resamples=resamples, seed=seed, two_sided=True)
    else:
        result = permutation_ranks(
            statistic,
            human,
            x,
            y,
            units=item,
            resamples=resamples,
            seed=seed,
            threads=threads,
            two_sided=True,
        )
    p = math.nan if math.isnan(first) or math.isnan(second) else result.p
    reason = "a side is constant" if math.isnan(p) else ""
    return MetricComparison(
        a,
        b,
        "permutation",
        statistic,
        first,
        second,
        measure(x, y),
        len(human),
        math.nan,
        p,
        math.nan,
        math.nan,
        reason,
        difference_interval(statistic, human, x, y, item, resamples=draws, seed=seed),
    )


def _measure(statistic: str) -> Callable[[FloatArray, FloatArray], float]:
    if statistic == "accuracy_ties":
        return lambda u, v: Ranked(u, v).kendall(np.ones(len(u)))["accuracy_ties"]
    return COEFFICIENTS[statistic]


# By how much does one metric agree better than another? A bootstrap interval of the difference.
#
# Both coefficients are computed on the same resamples of items (all rows of an item are drawn together), so
# what the two share cancels out: the interval is narrower than those of the single metrics suggest.


#: resamples of rank coefficients at most: each is a sort of all rows
MOST_RANKED = 300


def difference_interval(
    statistic: str,
    human: FloatArray,
    x: FloatArray,
    y: FloatArray,
    unit: IntArray,
    *,
    resamples: int,
    seed: int,
) -> tuple[float, float] | None:
    """Expanded 95 % percentile interval of coefficient(x, human) - coefficient(y, human); None where no
    resamples are wanted, there are fewer than two items, or the statistic is no correlation.

    >>> import numpy as np
    >>> human = np.arange(50.0)
    >>> worse = human + 40 * np.sin(human)
    >>> low, high = difference_interval("pearson", human, human, worse, np.arange(50), resamples=200, seed=0)
    >>> bool(0 < low < high < 1)
    True
    """
    code = np.unique(unit, return_inverse=True)[1].reshape(-1)
    n = int(code.max(initial=-1)) + 1
    if not resamples or n < 2 or any(np.ptp(side) == 0 for side in (human, x, y)):
        return None
    if statistic == "pearson":
        h, a, b = (side - side.mean() for side in (human, x, y))
        columns = (np.ones(len(h)), h, a, b, h * h, a * a, b * b, h * a, h * b)
        sums = np.stack([np.bincount(code, weights=column).astype(float) for column in columns], axis=1)
        return bootstrap_interval(sums, _lead, resamples=resamples, seed=seed)
    rank = _RANKED.get(statistic)
    if rank is None:
        return None
    first, second = Ranked(x, human), Ranked(y, human)
    drawn = [
        rank(first, weights) - rank(second, weights)
        for counts in resample_counts(n, min(resamples, MOST_RANKED), seed)
        for weights in counts[:, code]
    ]
    return percentiles(drawn, expanded_tail(n))


_RANKED: dict[str, Callable[[Ranked, FloatArray], float]] = {
    "spearman": lambda ranked, weights: ranked.spearman(weights),
    "kendall_b": lambda ranked, weights: ranked.kendall(weights)["kendall_b"],
    "kendall_c": lambda ranked, weights: ranked.kendall(weights)["kendall_c"],
}


def lead_interval(
    human: FloatArray, x: FloatArray, y: FloatArray, *, resamples: int, seed: int
) -> tuple[float, float] | None:
    """BOOT-BOTH (Deutsch et al. 2021): 95 % percentile interval of r(x, human) - r(y, human) between systems,
    drawing systems and items. All are (systems, items), NaN where there is no score."""
    there = ~np.isnan(human + x + y)
    use = there.any(axis=1)
    human, x, y, there = human[use], x[use], y[use], there[use]
    systems, items = there.shape
    if not resamples or systems < 4:
        return None
    random, drawn = np.random.default_rng(seed), []
    sums = [np.where(there, side, 0.0).T for side in (human, x, y)]
    for counts in resample_counts(items, resamples, seed):
        chosen = random.integers(0, systems, (len(counts), systems))
        with np.errstate(invalid="ignore", divide="ignore"):
            size = counts @ there.T.astype(float)
            h, a, b = (np.take_along_axis((counts @ side) / size, chosen, axis=1) for side in sums)
        drawn.append(pearson_rows(a, h) - pearson_rows(b, h))
    values = np.concatenate(drawn)
    known = values[~np.isnan(values)]
    return percentiles(known, 0.025) if len(known) >= 0.9 * len(values) and len(known) > 1 else None


def _lead(sums: FloatArray) -> FloatArray:
    """Pearson's r of the first metric minus that of the second, from the sums over rows."""
    n, h, a, b, hh, aa, bb, ha, hb = np.moveaxis(sums, -1, 0)

    def correlation(s: FloatArray, ss: FloatArray, hs: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = np.sqrt((hh / n - (h / n) ** 2) * (ss / n - (s / n) ** 2))
            return np.asarray((hs / n - h * s / n**2) / spread)

    return correlation(a, aa, ha) - correlation(b, bb, hb)

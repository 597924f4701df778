"""By how much does one metric agree better than another? A bootstrap interval of the difference.

Both coefficients are computed on the same resamples of items (all rows of an item are drawn together), so
what the two share cancels out: the interval is narrower than those of the single metrics suggest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray, IntArray
from ..stats.concordance import Ranked
from ..stats.dependent import pearson_rows
from ..stats.resampling import bootstrap_interval, expanded_tail, percentiles, resample_counts

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

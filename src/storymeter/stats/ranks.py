"""Rank tests for many groups at once: everything is one sort, whatever the number of groups.

One-sided "greater", or two-sided when asked for:

- `rank_sum` (Mann-Whitney U), normal approximation with tie and continuity correction.
- `signed_rank` (Wilcoxon). Zero differences are dropped, equal ones share their mean rank. Exact
  where at most 50 differences are left (the distribution of the ranks at hand, ties or not, by counting all
  2^n signs), otherwise normal approximation with tie correction.
- `paired_t`. Where all n differences are one and the same positive number, t is infinite; p is then
  2^-n, the chance that n fair signs all come out positive.

A group whose test cannot be made (too few values, no variation) has p = NaN.

The functions of scipy.special that scipy.stats calls are called here: to import scipy.stats takes a second.

Rank statistics of a weighted sample, for bootstraps: everything is sorted once, and a resample is a vector
of weights.

With w_i how often point i was drawn, Spearman needs the mean rank of each distinct value (a running sum of
weights), and Kendall the concordant minus discordant pairs S = sum over pairs of w_i w_j sign(x_j - x_i)
sign(y_j - y_i). Where one side has few distinct values (four-point judgements), S is a small matrix product
over running counts; otherwise the drawn points are written out and counted by the kernel. `rank_statistic`
gives the same statistics of many columns against one, for permutations.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..arrays import FloatArray, IntArray

_EXACT = 50
_BATCH = 512


def group_ranks(values: FloatArray, groups: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
    """The mean rank (from 1) of each value within its group, and per group the sum of t³ - t over its
    ties.
    """
    order = np.lexsort((values, groups))
    v, g = values[order], groups[order]
    new = np.ones(len(v), dtype=bool)
    new[1:] = (v[1:] != v[:-1]) | (g[1:] != g[:-1])
    run = np.cumsum(new) - 1
    sizes = np.bincount(run) if len(v) else np.empty(0, dtype=np.int64)
    first = np.flatnonzero(new)
    starts = np.searchsorted(g, np.arange(n_groups))  # where each group begins
    mean_rank = (first - starts[g[first]]) + (sizes + 1) / 2
    ranks = np.empty(len(v))
    ranks[order] = mean_rank[run]
    ties = np.bincount(g[first], weights=sizes.astype(float) ** 3 - sizes, minlength=n_groups)
    return ranks, ties.astype(float)


def mean_ranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1; equal values share their mean rank. Where one is NaN, all ranks are.

    >>> mean_ranks([3.0, 1.0, 3.0]).tolist()
    [2.5, 1.0, 2.5]
    """
    v = np.asarray(values, dtype=float)
    if np.isnan(v).any():
        return np.full(len(v), np.nan)
    return group_ranks(v, np.zeros(len(v), dtype=np.int64), 1)[0]


def rank_sum(
    high: FloatArray,
    low: FloatArray,
    groups_high: IntArray,
    groups_low: IntArray,
    n_groups: int,
    *,
    two_sided: bool = False,
) -> FloatArray:
    """p per group that `high` is not stochastically greater than `low`."""
    groups = np.concatenate([groups_high, groups_low])
    ranks, ties = group_ranks(np.concatenate([high, low]), groups, n_groups)
    n1 = np.bincount(groups_high, minlength=n_groups).astype(float)
    n2 = np.bincount(groups_low, minlength=n_groups).astype(float)
    u = np.bincount(groups_high, weights=ranks[: len(high)], minlength=n_groups) - n1 * (n1 + 1) / 2
    if two_sided:
        return np.minimum(1.0, 2 * rank_sum_p(np.maximum(u, n1 * n2 - u), n1, n2, ties))
    return rank_sum_p(u, n1, n2, ties)


def rank_sum_p(u: FloatArray, n1: FloatArray, n2: FloatArray, ties: FloatArray) -> FloatArray:
    """Normal approximation of P(U >= u) with continuity correction, as R's wilcox.test(exact=FALSE) and scipy
    have it.
    """
    from scipy.special import ndtr

    n = n1 + n2
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.sqrt(n1 * n2 / 12 * ((n + 1) - ties / (n * (n - 1))))
        p = ndtr(-((u - n1 * n2 / 2 - 0.5) / sd))
    return np.where((n1 > 0) & (n2 > 0) & (sd > 0), p, np.nan)


def signed_rank(
    differences: FloatArray, groups: IntArray, n_groups: int, *, two_sided: bool = False
) -> FloatArray:
    from scipy.special import ndtr

    keep = differences != 0
    d, g = differences[keep], groups[keep]
    ranks, ties = group_ranks(np.abs(d), g, n_groups)
    n = np.bincount(g, minlength=n_groups)
    w = np.bincount(g, weights=ranks * (d > 0), minlength=n_groups)
    if two_sided:  # the null distribution is symmetric: twice the tail beyond the larger of the two sums
        w = np.maximum(w, n * (n + 1) / 2 - w)
    sd = np.sqrt(n * (n + 1.0) * (2 * n + 1.0) / 24 - ties / 48)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(n > 0, ndtr(-((w - n * (n + 1) / 4) / sd)), np.nan)
    order, starts = np.argsort(g, kind="stable"), np.cumsum(n) - n
    for size in np.unique(n[(n > 0) & (n <= _EXACT)]):
        members = np.flatnonzero(n == size)
        for begin in range(0, len(members), _BATCH):
            batch = members[begin : begin + _BATCH]
            doubled = np.rint(2 * ranks[order[starts[batch, None] + np.arange(size)]]).astype(np.int64)
            p[batch] = _upper_tail(doubled, np.rint(2 * w[batch]).astype(np.int64))
    return np.minimum(1.0, 2 * p) if two_sided else np.asarray(p)


def _upper_tail(doubled_ranks: IntArray, observed: IntArray) -> FloatArray:
    """Per row, P(sum of randomly chosen ranks >= observed); the ranks are doubled so that they are whole
    numbers.
    """
    batch, size = doubled_ranks.shape
    width = size * (size + 1) + 1  # the doubled ranks of any group of this size add up to size (size + 1)
    column = np.arange(width)
    ways = np.zeros((batch, width))
    ways[:, 0] = 1.0
    for r in doubled_ranks.T:
        source = column[None, :] - r[:, None]
        moved = np.take_along_axis(ways, np.maximum(source, 0), axis=1)
        ways = (ways + np.where(source >= 0, moved, 0.0)) / 2
    return np.asarray((ways * (column[None, :] >= observed[:, None])).sum(axis=1))


def paired_t(
    differences: FloatArray, groups: IntArray, n_groups: int, *, two_sided: bool = False
) -> FloatArray:
    from scipy.special import stdtr

    n = np.bincount(groups, minlength=n_groups).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(groups, weights=differences, minlength=n_groups) / n
        deviation = differences - mean[groups]
        variance = np.bincount(groups, weights=deviation**2, minlength=n_groups) / (n - 1)
        mean = np.abs(mean) if two_sided else mean
        p = stdtr(n - 1, -mean / np.sqrt(variance / n))
    p = np.where((n > 1) & (variance > 0), p, np.nan)
    constant = (n > 1) & (variance == 0) & (mean != 0)
    p = np.where(constant, np.where(mean > 0, 0.5**n, 1.0), p)
    return np.asarray(np.minimum(1.0, 2 * p) if two_sided else p)


Ranks = NDArray[np.int32]
_FEW = 64
#: what `rank_statistic` knows
RANK_STATISTICS = ("spearman", "kendall_b", "kendall_c", "accuracy_ties")


def labels_of(values: ArrayLike) -> IntArray:
    """0, 1, … for the distinct values in order."""
    return np.unique(np.asarray(values), return_inverse=True)[1].reshape(-1).astype(np.int64)


def ranks_of(values: FloatArray) -> tuple[Ranks, int]:
    """The same, and how many there are."""
    code = labels_of(values)
    return code.astype(np.int32), int(code.max(initial=-1)) + 1


def rank_statistic(name: str, fixed: Ranks, columns: Ranks, levels: int, *, threads: int = 1) -> FloatArray:
    """The statistic of every row of `columns` (ranks below `levels`, equal for ties) against `fixed`; NaN
    where a side is constant.
    """
    columns = np.ascontiguousarray(columns)
    if name == "spearman":
        own, sums = _mean_ranks(fixed), np.zeros((len(columns), 2))
        _native.rank_products(own, columns, levels, sums, threads)
        return _rho(own, sums)
    counts = np.zeros((len(columns), 4), dtype=np.int64)
    _native.concordance(fixed, int(fixed.max(initial=-1)) + 1, columns, levels, counts, threads)
    return _of_counts(name, fixed, counts)


def swapped_statistics(
    name: str,
    fixed: Ranks,
    first: Ranks,
    second: Ranks,
    unit: Ranks,
    swaps: NDArray[np.uint8],
    levels: int,
    *,
    threads: int = 1,
) -> tuple[FloatArray, FloatArray]:
    """The statistic of `first` and of `second` against `fixed` after each row of swaps: a bit per unit,
    packed, says whether the rows k with this unit[k] change places.
    """
    if name == "spearman":
        own, sums = _mean_ranks(fixed), np.zeros((2 * len(swaps), 2))
        _native.rank_products_swapped(own, first, second, unit, swaps, levels, sums, threads)
        found = _rho(own, sums)
    else:
        counts = np.zeros((2 * len(swaps), 4), dtype=np.int64)
        _native.concordance_swapped(
            fixed, int(fixed.max(initial=-1)) + 1, first, second, unit, swaps, levels, counts, threads
        )
        found = _of_counts(name, fixed, counts)
    return found[::2], found[1::2]


def _mean_ranks(codes: Ranks) -> FloatArray:
    """Mean ranks less (n + 1) / 2."""
    level = np.bincount(codes)
    return np.asarray((np.cumsum(level) - (level - 1) / 2)[codes] - (len(codes) + 1) / 2)


def _rho(own: FloatArray, sums: FloatArray) -> FloatArray:
    below = np.sqrt(np.einsum("i,i", own, own) * sums[:, 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, sums[:, 0] / below, np.nan)


def _of_counts(name: str, fixed: Ranks, counts: IntArray) -> FloatArray:
    size = np.bincount(fixed).astype(float)
    s, tied, both, distinct = counts.T.astype(float)
    tied_fixed = float((size * (size - 1)).sum()) / 2
    return _taus(s, float(len(fixed)), tied, tied_fixed, both, np.minimum(distinct, len(size)))[name]


def _taus(
    s: FloatArray, n: float, tied_x: FloatArray, tied_y: float, tied_both: FloatArray, distinct: FloatArray
) -> dict[str, FloatArray]:
    """tau-b, tau-c and the accuracy with ties, which all come from the same counts: S, and pairs tied on one
    side or both.
    """
    pairs = n * (n - 1) / 2
    varies = (pairs - tied_x > 0) & (pairs - tied_y > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {
            "kendall_b": s / np.sqrt((pairs - tied_x) * (pairs - tied_y)),
            "kendall_c": 2 * s * distinct / (n * n * (distinct - 1)),
            "accuracy_ties": ((s + pairs - tied_x - tied_y + tied_both) / 2 + tied_both) / pairs,
        }
    return {name: np.where(varies, value, np.nan) for name, value in found.items()}


class Ranked:
    """Two columns, sorted once."""

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        self.x, self.y = (labels_of(np.asarray(v, dtype=float)) for v in (x, y))
        self.kx, self.ky = int(self.x.max(initial=-1)) + 1, int(self.y.max(initial=-1)) + 1
        self.both = labels_of(self.x * max(self.ky, 1) + self.y)

    def spearman(self, weights: FloatArray) -> float:
        ranks = []
        for code, k in ((self.x, self.kx), (self.y, self.ky)):
            level = np.bincount(code, weights=weights, minlength=k)
            ranks.append((np.cumsum(level) - (level - 1) / 2)[code])
        # the mean rank is (n + 1) / 2 whatever the ties; einsum, because threaded BLAS is slow at short dot
        # products
        a, b = (r - (weights.sum() + 1) / 2 for r in ranks)
        below = math.sqrt(np.einsum("i,i,i", weights, a, a) * np.einsum("i,i,i", weights, b, b))
        return float(np.einsum("i,i,i", weights, a, b)) / below if below > 0 else math.nan

    def kendall(self, weights: FloatArray) -> dict[str, float]:
        n = float(weights.sum())
        level_x, level_y, level_both = (
            np.bincount(code, weights=weights) for code in (self.x, self.y, self.both)
        )
        tied_x, tied_y, tied_both = (
            np.asarray((level * (level - 1)).sum() / 2) for level in (level_x, level_y, level_both)
        )
        distinct = np.asarray(min(int((level_x > 0).sum()), int((level_y > 0).sum())), dtype=float)
        s = np.asarray(self._concordance(weights))
        found = _taus(s, n, tied_x, float(tied_y), tied_both, distinct)
        return {name: float(value) for name, value in found.items()}

    def _concordance(self, weights: FloatArray) -> float:
        x, kx, y, ky = self.x, self.kx, self.y, self.ky
        if ky > kx:
            x, kx, y, ky = y, ky, x, kx
        if ky <= _FEW:
            count = np.bincount(y * kx + x, weights=weights, minlength=ky * kx).reshape(ky, kx)
            below = np.cumsum(count, axis=1) - count
            # [l, m]: pairs whose larger x has level l of y and whose smaller x has level m
            table = count @ below.T
            return float(np.tril(table, -1).sum() - np.triu(table, 1).sum())
        drawn = np.repeat(np.arange(len(x)), weights.astype(np.int64))
        counts = np.zeros((1, 4), dtype=np.int64)
        _native.concordance(y[drawn].astype(np.int32), ky, x[drawn].astype(np.int32)[None, :], kx, counts)
        return float(counts[0, 0])

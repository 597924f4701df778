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
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

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
        ways = (
            ways + np.where(source >= 0, np.take_along_axis(ways, np.maximum(source, 0), axis=1), 0.0)
        ) / 2
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

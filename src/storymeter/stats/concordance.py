"""Rank statistics of a weighted sample, for bootstraps: everything is sorted once, and a resample is a vector
of weights.

With w_i how often point i was drawn, Spearman needs the mean rank of each distinct value (a running sum of
weights), and Kendall the concordant minus discordant pairs S = sum over pairs of w_i w_j sign(x_j - x_i)
sign(y_j - y_i). Where one side has few distinct values (four-point judgements), S is a small matrix product
over running counts; otherwise the drawn points are written out and counted by the kernel. `rank_statistic`
gives the same statistics of many columns against one, for permutations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import FloatArray, IntArray

Ranks = NDArray[np.int32]
_FEW = 64
#: what `rank_statistic` knows
RANK_STATISTICS = ("spearman", "kendall_b", "kendall_c", "accuracy_ties")


def ranks_of(values: FloatArray) -> tuple[Ranks, int]:
    """0, 1, … for the distinct values in order, and how many there are."""
    distinct, code = np.unique(values, return_inverse=True)
    return code.reshape(-1).astype(np.int32), len(distinct)


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
    return _taus(
        s,
        float(len(fixed)),
        tied,
        float((size * (size - 1)).sum()) / 2,
        both,
        np.minimum(distinct, len(size)),
    )[name]


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
        self.x, self.y = (
            np.unique(np.asarray(v, dtype=float), return_inverse=True)[1].reshape(-1).astype(np.int64)
            for v in (x, y)
        )
        self.kx, self.ky = int(self.x.max(initial=-1)) + 1, int(self.y.max(initial=-1)) + 1
        self.both = np.unique(self.x * max(self.ky, 1) + self.y, return_inverse=True)[1].reshape(-1)

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
        return {
            name: float(value)
            for name, value in _taus(
                np.asarray(self._concordance(weights)), n, tied_x, float(tied_y), tied_both, distinct
            ).items()
        }

    def _concordance(self, weights: FloatArray) -> float:
        x, kx, y, ky = (
            (self.x, self.kx, self.y, self.ky) if self.ky <= self.kx else (self.y, self.ky, self.x, self.kx)
        )
        if ky <= _FEW:
            count = np.bincount(y * kx + x, weights=weights, minlength=ky * kx).reshape(ky, kx)
            below = np.cumsum(count, axis=1) - count
            table = (
                count @ below.T
            )  # [l, m]: pairs whose larger x has level l of y and whose smaller x has level m
            return float(np.tril(table, -1).sum() - np.triu(table, 1).sum())
        drawn = np.repeat(np.arange(len(x)), weights.astype(np.int64))
        counts = np.zeros((1, 4), dtype=np.int64)
        _native.concordance(y[drawn].astype(np.int32), ky, x[drawn].astype(np.int32)[None, :], kx, counts)
        return float(counts[0, 0])

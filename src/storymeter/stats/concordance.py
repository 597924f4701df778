"""Rank statistics of a weighted sample, for bootstraps: everything is sorted once, and a resample is a vector of weights.

With w_i how often point i was drawn, Spearman needs the mean rank of each distinct value (a running sum of weights), and
Kendall the concordant minus discordant pairs S = sum over pairs of w_i w_j sign(x_j - x_i) sign(y_j - y_i). Where one side has
few distinct values (four-point judgements), S is a small matrix product over running counts; otherwise the drawn points are
written out and counted by scipy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_FEW = 64


class Ranked:
    """Two columns, sorted once."""

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        self.x, self.y = (np.unique(np.asarray(v, dtype=float), return_inverse=True)[1].reshape(-1).astype(np.int64) for v in (x, y))
        self.kx, self.ky = int(self.x.max(initial=-1)) + 1, int(self.y.max(initial=-1)) + 1
        self.both = np.unique(self.x * max(self.ky, 1) + self.y, return_inverse=True)[1].reshape(-1)

    def spearman(self, weights: FloatArray) -> float:
        ranks = []
        for code, k in ((self.x, self.kx), (self.y, self.ky)):
            level = np.bincount(code, weights=weights, minlength=k)
            ranks.append((np.cumsum(level) - (level - 1) / 2)[code])
        # the mean rank is (n + 1) / 2 whatever the ties; einsum, because threaded BLAS is slow at short dot products
        a, b = (r - (weights.sum() + 1) / 2 for r in ranks)
        below = math.sqrt(np.einsum("i,i,i", weights, a, a) * np.einsum("i,i,i", weights, b, b))
        return float(np.einsum("i,i,i", weights, a, b)) / below if below > 0 else math.nan

    def kendall(self, weights: FloatArray) -> dict[str, float]:
        """tau-b, tau-c and the accuracy with ties, which all come from the same counts."""
        n = float(weights.sum())
        level_x, level_y, level_both = (np.bincount(code, weights=weights) for code in (self.x, self.y, self.both))
        pairs = n * (n - 1) / 2
        tied_x, tied_y, tied_both = (float((level * (level - 1)).sum()) / 2 for level in (level_x, level_y, level_both))
        if pairs - tied_x <= 0 or pairs - tied_y <= 0:
            return {"kendall_b": math.nan, "kendall_c": math.nan, "accuracy_ties": math.nan}
        s = self._concordance(weights, pairs, tied_x, tied_y)
        distinct = min(int((level_x > 0).sum()), int((level_y > 0).sum()))
        concordant = (s + pairs - tied_x - tied_y + tied_both) / 2
        return {"kendall_b": s / math.sqrt((pairs - tied_x) * (pairs - tied_y)), "kendall_c": 2 * s * distinct / (n * n * (distinct - 1)),
                "accuracy_ties": (concordant + tied_both) / pairs}

    def _concordance(self, weights: FloatArray, pairs: float, tied_x: float, tied_y: float) -> float:
        x, kx, y, ky = (self.x, self.kx, self.y, self.ky) if self.ky <= self.kx else (self.y, self.ky, self.x, self.kx)
        if ky <= _FEW:
            count = np.bincount(y * kx + x, weights=weights, minlength=ky * kx).reshape(ky, kx)
            below = np.cumsum(count, axis=1) - count
            table = count @ below.T  # [l, m]: pairs whose larger x has level l of y and whose smaller x has level m
            return float(np.tril(table, -1).sum() - np.triu(table, 1).sum())
        from scipy.stats import kendalltau

        drawn = np.repeat(np.arange(len(self.x)), weights.astype(np.int64))
        tau = float(kendalltau(self.x[drawn], self.y[drawn]).statistic)
        return tau * math.sqrt((pairs - tied_x) * (pairs - tied_y))

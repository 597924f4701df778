"""Is one metric significantly better than another? Williams' test between systems, a permutation between segments.

Every two metrics are compared on the rows that both have, in the direction of the higher correlation; Holm and
Benjamini-Hochberg correct over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..stats.correlation import pearson
from ..stats.dependent import permutation_pearson, williams
from ..stats.multiple import benjamini_hochberg, holm
from .scores import FloatArray, IntArray, Scores


@dataclass(frozen=True, slots=True)
class MetricComparison:
    better: str
    worse: str
    test: str
    #: r(human, better), r(human, worse), r(better, worse)
    r_better: float
    r_worse: float
    r_between: float
    n: int
    t: float
    p: float
    p_holm: float
    p_bh: float
    reason: str = ""


def compare(scores: Scores, level: str, *, resamples: int = 10_000, seed: int = 0, directions: Mapping[str, int] | None = None,
            against: str | None = None) -> list[MetricComparison]:
    """All pairs of metrics, or each with `against`, best first; p one-sided."""
    sign = directions or {}
    found = []
    for a, b in combinations(scores.metrics, 2) if against is None else ((name, against) for name in scores.metrics if name != against and against in scores.metrics):
        use = scores.rows_of(a, b)
        if not use.any():
            continue
        human, x, y = scores.human, sign.get(a, 1) * scores.metrics[a], sign.get(b, 1) * scores.metrics[b]
        found.append(_system(scores, a, b, *(np.where(use, v, np.nan) for v in (human, x, y))) if level == "system"
                     else _segment(a, b, human[use], x[use], y[use], scores.item[use], resamples, seed))
    p = [c.p for c in found]
    corrected = [_corrected(c, h, q) for c, h, q in zip(found, holm(p), benjamini_hochberg(p), strict=True)]
    return sorted(corrected, key=lambda c: (-(c.r_better if not math.isnan(c.r_better) else -2), -c.r_worse if not math.isnan(c.r_worse) else 2))


def _corrected(c: MetricComparison, p_holm: float, p_bh: float) -> MetricComparison:
    return MetricComparison(c.better, c.worse, c.test, c.r_better, c.r_worse, c.r_between, c.n, c.t, c.p, float(p_holm), float(p_bh), c.reason)


def _system(scores: Scores, a: str, b: str, human: FloatArray, x: FloatArray, y: FloatArray) -> MetricComparison:
    h, u, v = (scores.by_system(w) for w in (human, x, y))
    there = ~np.isnan(h) & ~np.isnan(u) & ~np.isnan(v)
    h, u, v = h[there], u[there], v[there]
    first, second, between = pearson(h, u), pearson(h, v), pearson(u, v)
    if second > first:
        a, b, first, second = b, a, second, first
    t, p = williams(first, second, between, len(h))
    reason = "" if not math.isnan(p) else "fewer than four systems" if len(h) < 4 else "a metric is constant, or the two are the same up to scale"
    return MetricComparison(a, b, "williams", first, second, between, len(h), t, p, math.nan, math.nan, reason)


def _segment(a: str, b: str, human: FloatArray, x: FloatArray, y: FloatArray, item: IntArray, resamples: int, seed: int) -> MetricComparison:
    first, second = pearson(human, x), pearson(human, y)
    if second > first:
        a, b, first, second, x, y = b, a, second, first, y, x
    result = permutation_pearson(human, x, y, units=item, resamples=resamples, seed=seed)
    reason = "a side is constant" if math.isnan(result.p) else ""
    return MetricComparison(a, b, "permutation", first, second, pearson(x, y), len(human), math.nan, result.p, math.nan, math.nan, reason)

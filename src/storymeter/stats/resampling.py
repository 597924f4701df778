"""Bootstrap over documents: resample the rows of additive statistics, sum, combine.

A resample of n documents is a vector of counts w ~ Multinomial(n, 1/n); its sums are w·rows, so a thousand
resamples are one matrix product. Percentile interval, as in Efron & Tibshirani (1993), chapter 13."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    FloatArray = NDArray[np.float64]


def resample_counts(n: int, resamples: int, seed: int) -> NDArray[np.float64]:
    """(resamples, n): how often each document is drawn. The seed alone decides; so two systems scored on the
    same documents are resampled alike, which is what a paired test needs."""
    random = np.random.default_rng(seed)
    counts = np.empty((resamples, n))
    for k in range(resamples):
        counts[k] = np.bincount(random.integers(0, n, n), minlength=n)
    return counts


def bootstrap_interval(
    rows: FloatArray,
    value: Callable[[FloatArray], FloatArray],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The percentile interval of `value(summed rows)`, or None where there are fewer than two documents."""
    if len(rows) < 2:
        return None
    values = value(resample_counts(len(rows), resamples, seed) @ rows)
    tail = (1 - level) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)

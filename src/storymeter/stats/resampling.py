"""Bootstrap over documents (resample the rows of additive statistics, sum, combine), and what becomes of
intervals and p-values where there are many at once.

A resample of n documents is a vector of counts w ~ Multinomial(n, 1/n); its sums are w·rows, so a thousand
resamples are one matrix product.

Intervals are expanded percentile intervals (Hesterberg, "What Teachers Should Know About the Bootstrap",
2015): the percentile interval is too short by the factor sqrt((n - 1) / n) and ignores that the deviation is
itself estimated, so its tails of 2.5 % are replaced by Phi(-sqrt(n / (n - 1)) t), t of n - 1 degrees of
freedom.

>>> [round(expanded_tail(n), 4) for n in (10, 30, 100, 1000)]
[0.0086, 0.0188, 0.0231, 0.0248]

With 20 tests at .05 one false alarm is expected. Holm (1979) keeps the chance of *any* false alarm below
alpha; Benjamini & Hochberg (1995) keep the expected *share* of false alarms among the discoveries below
alpha. An adjusted p-value is compared with alpha as it stands. A test that could not be made (NaN) stays NaN
and is not counted.

>>> [round(p, 3) for p in holm([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.06, 0.06]
>>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.04, 0.04]
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..arrays import FloatArray

#: resamples made at a time, so that memory stays flat; and how many numbers are kept for the next question
BLOCK, KEPT = 256, 1 << 23
#: what a 95 % interval leaves out on either side
TAIL = (1 - 0.95) / 2


def resample_counts(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Blocks of (up to 256, n): how often each document is drawn. The seed alone decides; so two systems
    scored on the same documents are resampled alike, which is what a paired test needs. The last draw is
    kept: all metrics and systems of a run ask for the same."""
    yield from _kept(n, resamples, seed) if n * resamples <= KEPT else _drawn(n, resamples, seed)


@functools.lru_cache(maxsize=1)
def _kept(n: int, resamples: int, seed: int) -> list[FloatArray]:
    return list(_drawn(n, resamples, seed))


def _drawn(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    random = np.random.default_rng(seed)
    for start in range(0, resamples, BLOCK):
        counts = np.empty((min(BLOCK, resamples - start), n))
        for row in counts:
            row[:] = np.bincount(random.integers(0, n, n), minlength=n)
        yield counts


def bootstrap_interval(
    rows: FloatArray,
    value: Callable[[FloatArray], FloatArray],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The expanded percentile interval of `value(summed rows)`; None where there are fewer than two
    documents.

    rows: additive statistics, a row per document.
    value: from sums (one row per resample) to the value of each.
    resamples, seed: how many resamples, and what they are drawn by.
    """
    if len(rows) < 2:
        return None
    values = [value(counts @ rows) for counts in resample_counts(len(rows), resamples, seed)]
    return percentiles(np.concatenate(values), expanded_tail(len(rows)))


def expanded_tail(n: int, tail: float = TAIL) -> float:
    """The share that an interval over `n` documents leaves out on either side of its resamples, so that it
    leaves out `tail` of the values that it is an interval for.
    """
    from scipy.special import ndtr, stdtrit  # late: the first score of a sentence needs none of scipy

    return float(ndtr(math.sqrt(n / (n - 1)) * stdtrit(n - 1, tail))) if n > 1 else tail


def mean_interval(values: FloatArray, *, resamples: int = 1000, seed: int = 0) -> tuple[float, float] | None:
    """The interval of their mean."""
    rows = np.column_stack([values, np.ones(len(values))])
    return bootstrap_interval(rows, lambda sums: sums[..., 0] / sums[..., 1], resamples=resamples, seed=seed)


def percentiles(values: FloatArray | Sequence[float], tail: float = TAIL) -> tuple[float, float]:
    """What cuts off the lowest and the highest `tail` of the values that are there."""
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)


#: a difference is called significant below this p after Holm's correction
SIGNIFICANT = 0.05
#: standard errors of a Monte Carlo p that must lie between it and a limit
CLEAR = 3.0


def holm(p: Sequence[float] | FloatArray) -> FloatArray:
    """Step-down: the k-th smallest of m is multiplied by m - k + 1, then made monotone from below.

    p: the p-values of all tests; NaN where none could be made.
    """
    return _adjust(p, lambda ranked, m: np.maximum.accumulate(ranked * (m - np.arange(m))))


def benjamini_hochberg(p: Sequence[float] | FloatArray) -> FloatArray:
    """Step-up: the k-th smallest of m is multiplied by m / k, then made monotone from above."""
    return _adjust(p, lambda ranked, m: np.minimum.accumulate((ranked * m / np.arange(1, m + 1))[::-1])[::-1])


def _adjust(p: Sequence[float] | FloatArray, step: Callable[[FloatArray, int], FloatArray]) -> FloatArray:
    values = np.asarray(p, dtype=float)
    out = np.full(values.shape, np.nan)
    made = np.flatnonzero(~np.isnan(values))
    order = made[np.argsort(values[made], kind="stable")]
    if len(order):
        out[order] = np.minimum(step(values[order], len(order)), 1.0)
    return out


def undecided(p: FloatArray, resamples: int, level: float = SIGNIFICANT) -> bool:
    """Whether the Monte Carlo error of p-values from `resamples` draws could decide what is significant after
    Holm's correction: only the steps up to the first that is not significant matter.

    >>> undecided(np.array([0.001, 0.4]), 2000), undecided(np.array([0.001, 0.052]), 2000)
    (False, True)
    """
    ranked = np.sort(p[~np.isnan(p)])
    limits = level / (len(ranked) - np.arange(len(ranked)))
    near = np.abs(ranked - limits) <= CLEAR * np.sqrt(limits * (1 - limits) / resamples)
    failed = np.flatnonzero(ranked >= limits)
    return bool(near[: failed[0] + 1 if len(failed) else None].any())


def simultaneous_tail(drawn: FloatArray, tail: float) -> float:
    """What each of several percentile intervals must leave out on either side, so that all of them together
    leave out 2 `tail`: `drawn` is (resamples, intervals). One interval leaves out `tail`; the more
    intervals and the less they depend on each other, the nearer it is to `tail` divided by their number
    (Mandel & Betensky 2008).
    """
    resamples, intervals = drawn.shape
    if intervals < 2:
        return tail
    places = np.argsort(np.argsort(drawn, axis=0, kind="stable"), axis=0, kind="stable")
    extreme = np.minimum(places, resamples - 1 - places).min(axis=1)
    share = (float(np.quantile(extreme, 2 * tail, method="lower")) + 0.5) / resamples
    return float(min(max(share, tail / intervals), tail))

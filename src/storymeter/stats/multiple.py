"""Many tests at once: adjusted p-values after Holm and after Benjamini & Hochberg; simultaneous intervals.

With 20 tests at .05 one false alarm is expected. Holm (1979) keeps the chance of *any* false alarm below
alpha; Benjamini & Hochberg (1995) keep the expected *share* of false alarms among the discoveries below
alpha. An adjusted p-value is compared with alpha as it stands. A test that could not be made (NaN) stays NaN
and is not counted.

>>> [round(p, 3) for p in holm([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.06, 0.06]
>>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.04, 0.04]
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import FloatArray

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

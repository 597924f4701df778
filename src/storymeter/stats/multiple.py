"""Many tests at once: adjusted p-values after Holm and after Benjamini & Hochberg.

With 20 tests at .05 one false alarm is expected. Holm (1979) keeps the chance of *any* false alarm below
alpha; Benjamini & Hochberg (1995) keep the expected *share* of false alarms among the discoveries below
alpha. An adjusted p-value is compared with alpha as it stands. A test that could not be made (NaN) stays NaN
and is not counted.

>>> [round(p, 3) for p in holm([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.06, 0.06]
>>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.04, 0.04]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import FloatArray


def holm(p: Sequence[float] | FloatArray) -> FloatArray:
    """Step-down: the k-th smallest of m is multiplied by m - k + 1, then made monotone from below."""
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

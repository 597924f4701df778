"""Is A better than B, on the same documents? Paired tests over rows of additive statistics.

`rows_a[i]` and `rows_b[i]` are what document i adds for either system; `combine` turns summed rows, shape
(..., columns), into values of shape (...). Only sums are needed, so a thousand resamples are one matrix
product, for BLEU as for a mean.

- `paired_permutation` (approximate randomisation; Noreen 1989): under the null the two outputs of a document
  could
  have changed places. p = (count + 1) / (k + 1), two-sided: never 0, and exact whatever k.
- `paired_bootstrap` (Koehn 2004; p by the shift method of Efron & Tibshirani 1993, chapter 16): the interval
  of the
  difference, and how often the resampled difference strays from its own mean by as much as the observed one.

>>> a, b = np.array([[3.0, 1], [4, 1], [5, 1], [6, 1]]), np.array([[1.0, 1], [2, 1], [3, 1], [4, 1]])
>>> test = paired_permutation(a, b, lambda sums: sums[..., 0] / sums[..., 1], resamples=999, seed=1)
>>> test.difference, 0.08 < test.p < 0.17        # 2 of 16 swaps are as extreme
(2.0, True)
>>> win_tie_loss([1, 2, 3], [0, 2, 4])
(1, 1, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import DataError

Combine = Callable[[FloatArray], FloatArray]
#: resamples made at a time; part of the definition of the random stream, so that memory stays flat and bytes
#: the same
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`difference` = value(A) - value(B); `p` two-sided; `interval` only from the bootstrap."""

    name: str
    difference: float
    p: float
    resamples: int
    n: int
    interval: tuple[float, float] | None = None


def paired_permutation(
    rows_a: FloatArray, rows_b: FloatArray, combine: Combine, *, resamples: int = 10_000, seed: int = 0
) -> PairedTest:
    a, b = _same(rows_a, rows_b)
    observed = float(combine(a.sum(axis=0)) - combine(b.sum(axis=0)))
    change, total_a, total_b = b - a, a.sum(axis=0), b.sum(axis=0)
    count = 0
    for swapped in random_swaps(len(a), resamples, seed):
        moved = swapped @ change
        differences = combine(total_a + moved) - combine(total_b - moved)
        count += at_least(np.abs(differences), abs(observed))
    return PairedTest("permutation", observed, (count + 1) / (resamples + 1), resamples, len(a))


def paired_bootstrap(
    rows_a: FloatArray,
    rows_b: FloatArray,
    combine: Combine,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> PairedTest:
    a, b = _same(rows_a, rows_b)
    observed = float(combine(a.sum(axis=0)) - combine(b.sum(axis=0)))
    random = np.random.default_rng(seed)
    differences = np.empty(resamples)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        counts = np.empty((size, len(a)))
        for k in range(size):  # the same stream as stats.resampling.resample_counts
            counts[k] = np.bincount(random.integers(0, len(a), len(a)), minlength=len(a))
        differences[start : start + size] = combine(counts @ a) - combine(counts @ b)
    tail = (1 - level) / 2
    low, high = np.nanquantile(differences, [tail, 1 - tail])
    count = at_least(np.abs(differences - np.nanmean(differences)), abs(observed))
    return PairedTest(
        "bootstrap", observed, (count + 1) / (resamples + 1), resamples, len(a), (float(low), float(high))
    )


def win_tie_loss(
    values_a: Sequence[float] | FloatArray,
    values_b: Sequence[float] | FloatArray,
    *,
    tolerance: float = 1e-12,
) -> tuple[int, int, int]:
    """On how many documents A is better, equal (within `tolerance`), worse."""
    difference = np.asarray(values_a, dtype=float) - np.asarray(values_b, dtype=float)
    return (
        int((difference > tolerance).sum()),
        int((np.abs(difference) <= tolerance).sum()),
        int((difference < -tolerance).sum()),
    )


def random_swaps(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Blocks of (up to 256, n) zeros and ones: which of n pairs change places."""
    for packed in packed_swaps(n, resamples, seed):
        yield np.unpackbits(packed, axis=1, count=n).astype(float)


def packed_swaps(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """The same, eight to a byte: one random bit each."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, _BLOCK):
        yield random.integers(0, 256, (min(_BLOCK, resamples - start), -(-n // 8)), dtype=np.uint8)


def at_least(values: FloatArray, observed: float) -> int:
    """How many values reach the observed one; rounding in the last places does not decide."""
    return int((values >= observed - 1e-12 * max(1.0, abs(observed))).sum())


def _same(rows_a: FloatArray, rows_b: FloatArray) -> tuple[FloatArray, FloatArray]:
    a, b = np.asarray(rows_a, dtype=float), np.asarray(rows_b, dtype=float)
    if a.shape != b.shape or a.ndim != 2:
        raise DataError(
            f"A paired test needs the same documents on both sides, but the rows have shapes {a.shape} and"
            f" {b.shape}.",
            hint="Score both systems against the same references under the same protocol.",
        )
    if len(a) < 2:
        raise DataError(
            f"A paired test needs at least two documents; there {'is' if len(a) == 1 else 'are'} {len(a)}.",
            hint="Compare on more documents.",
        )
    return a, b

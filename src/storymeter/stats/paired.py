"""Is A better than B, on the same documents? Paired tests over rows of additive statistics.

`rows_a[i]` and `rows_b[i]` are what document i adds for either system; `combine` turns summed rows, shape
(..., columns), into values of shape (...). Only sums are needed, so a thousand resamples are one matrix
product, for BLEU as for a mean.

- `paired_permutations` (approximate randomisation; Noreen 1989): under the null the two outputs of a document
  could
  have changed places. p = (count + 1) / (k + 1), two-sided: never 0, and exact whatever k.
- `paired_bootstraps` (Koehn 2004; p by the shift method of Efron & Tibshirani 1993, chapter 16): the interval
  of the
  difference, and how often the resampled difference strays from its own mean by as much as the observed one.

>>> a, b = np.array([[3.0, 1], [4, 1], [5, 1], [6, 1]]), np.array([[1.0, 1], [2, 1], [3, 1], [4, 1]])
>>> mean = Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
>>> (test,) = paired_permutations(a, b, [mean], resamples=999, seed=1)
>>> test.difference, 0.08 < test.p < 0.17        # 2 of 16 swaps are as extreme
(2.0, True)
>>> win_tie_loss([1, 2, 3], [0, 2, 4])
(1, 1, 1)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import DataError
from .resampling import BLOCK, KEPT, percentiles, resample_counts

Combine = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`difference` = value(A) - value(B); `p` two-sided; `interval` only from the bootstrap."""

    name: str
    difference: float
    p: float
    resamples: int
    n: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Columns of the rows, and the formula that makes one value of their sums."""

    columns: slice
    combine: Combine

    def value(self, sums: FloatArray) -> FloatArray:
        return np.asarray(self.combine(sums[..., self.columns]))


def paired_permutations(
    rows_a: FloatArray, rows_b: FloatArray, parts: Sequence[Part], *, resamples: int, seed: int
) -> list[PairedTest]:
    """The test of several values of the same documents, resampled alike."""
    a, b = _same(rows_a, rows_b)
    change, total_a, total_b = b - a, a.sum(axis=0), b.sum(axis=0)
    observed = [float(part.value(total_a) - part.value(total_b)) for part in parts]
    drawn: list[list[FloatArray]] = [[] for _ in parts]
    for swapped in random_swaps(len(a), resamples, seed):
        moved = swapped @ change
        for part, values in zip(parts, drawn, strict=True):
            values.append(np.abs(part.value(total_a + moved) - part.value(total_b - moved)))
    return [
        PairedTest("permutation", difference, chance(values, abs(difference)), resamples, len(a))
        for difference, values in zip(observed, drawn, strict=True)
    ]


def paired_bootstraps(
    rows_a: FloatArray, rows_b: FloatArray, parts: Sequence[Part], *, resamples: int, seed: int
) -> list[PairedTest]:
    """The same for the bootstrap."""
    a, b = _same(rows_a, rows_b)
    both, width = np.hstack([a, b]), a.shape[1]
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    drawn: list[list[FloatArray]] = [[] for _ in parts]
    for counts in resample_counts(len(a), resamples, seed):
        sums = counts @ both
        for part, values in zip(parts, drawn, strict=True):
            values.append(part.value(sums[:, :width]) - part.value(sums[:, width:]))
    return [
        bootstrap_test(float(part.value(total_a) - part.value(total_b)), np.concatenate(values), len(a))
        for part, values in zip(parts, drawn, strict=True)
    ]


def bootstrap_test(observed: float, drawn: FloatArray, n: int) -> PairedTest:
    """Of the difference that was observed on `n` documents and those that were drawn."""
    p = chance([np.abs(drawn - np.nanmean(drawn))], abs(observed))
    return PairedTest("bootstrap", observed, p, len(drawn), n, percentiles(drawn))


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
    yield from _kept_swaps(n, resamples, seed) if n * resamples <= KEPT else _swaps(n, resamples, seed)


@functools.lru_cache(maxsize=1)
def _kept_swaps(n: int, resamples: int, seed: int) -> list[FloatArray]:
    return list(_swaps(n, resamples, seed))


def _swaps(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    for packed in packed_swaps(n, resamples, seed):
        yield np.unpackbits(packed, axis=1, count=n).astype(float)


def packed_swaps(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """The same, eight to a byte: one random bit each."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, BLOCK):
        yield random.integers(0, 256, (min(BLOCK, resamples - start), -(-n // 8)), dtype=np.uint8)


def chance(blocks: Iterable[FloatArray], observed: float) -> float:
    """p = (count + 1) / (k + 1), where count of k values reach the observed one; rounding in the last places
    does not decide.
    """
    values = np.concatenate([np.empty(0), *blocks])
    return (int((values >= observed - 1e-12 * max(1.0, abs(observed))).sum()) + 1) / (len(values) + 1)


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

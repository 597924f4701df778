"""Correlation of two columns of numbers: Pearson, Spearman, Kendall tau-b and tau-c, plain or averaged over
groups.

A coefficient that cannot be computed is NaN, never 0: fewer than two points, or a column that is constant.
`grouped` correlates within each group (systems within an item, say) and averages; how many groups had to be
dropped because a side was constant is part of the answer.

Intervals by Fisher's z: atanh(r) ± 1.96 s with s² = 1/(n-3) for Pearson (Fisher 1921), (1 + r²/2)/(n-3) for
Spearman (Bonett & Wright 2000), .437/(n-4) for Kendall (Fieller, Hartley & Pearson 1957). They take the n
points as independent; where points share items or raters, prefer the bootstrap of
`storymeter.stats.resampling`.

>>> x, y = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
>>> round(kendall_b(x, y), 9), round(kendall_c(x, y), 9)
(0.316227766, 0.32)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..arrays import FloatArray
from .ranks import mean_ranks, ranks_of

Coefficient = Callable[[ArrayLike, ArrayLike], float]
_SMALL = 200


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r of two columns; NaN where one of them is constant.

    x, y: two columns of the same length.
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if not _varies(a) or not _varies(b):
        return math.nan
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip((a @ b) / math.sqrt((a @ a) * (b @ b)), -1, 1))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    return pearson(mean_ranks(x), mean_ranks(y))


def kendall_b(x: ArrayLike, y: ArrayLike) -> float:
    """(C - D) / sqrt((C + D + Tx)(C + D + Ty)): ties take room away from the denominator."""
    return _kendall(x, y, "b")


def kendall_c(x: ArrayLike, y: ArrayLike) -> float:
    """Stuart's tau-c, 2 (C - D) m / (n² (m - 1)) with m the smaller number of distinct values: for tables
    that are not square, such as a real-valued metric against four-point judgements."""
    return _kendall(x, y, "c")


def _kendall(x: ArrayLike, y: ArrayLike, variant: str) -> float:
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if not _varies(a) or not _varies(b):
        return math.nan
    if np.isnan(a).any() or np.isnan(b).any():
        return math.nan
    (x_code, x_levels), (y_code, y_levels) = ranks_of(a), ranks_of(b)
    counts = np.zeros((1, 4), dtype=np.int64)
    _native.concordance(y_code, y_levels, x_code[None], x_levels, counts, 1)
    s, x_tied, n = int(counts[0, 0]), int(counts[0, 1]), len(a)
    if variant == "c":
        m = min(x_levels, y_levels)
        tau = 2 * s / (n**2 * (m - 1) / m)
    else:
        pairs, size = n * (n - 1) // 2, np.bincount(y_code)
        tau = s / math.sqrt(pairs - x_tied) / math.sqrt(pairs - int((size * (size - 1) // 2).sum()))
    return min(1.0, max(-1.0, tau))


def _varies(values: FloatArray) -> bool:
    return len(values) > 1 and bool((values != values[0]).any())


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b,
    "kendall_c": kendall_c,
}


@dataclass(frozen=True, slots=True)
class Grouped:
    """`value`: the mean over the groups that could be used; `values` and `groups` say which those are."""

    value: float
    values: FloatArray
    groups: NDArray[np.int64]
    dropped: int


def grouped(
    coefficient: Coefficient, x: ArrayLike, y: ArrayLike, labels: Sequence[int] | NDArray[np.int64]
) -> Grouped:
    """The mean of a coefficient within groups. A group with one point or a constant side is dropped and
    counted.
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    names, code, sizes = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    code = code.reshape(-1)
    if coefficient is pearson:
        values = _pearson_within(a, b, code, len(names))
    elif coefficient is kendall_b and len(names) and sizes.max() <= _SMALL:
        values = _kendall_within(a, b, code, sizes)
    else:
        parts = np.split(np.argsort(code, kind="stable"), np.cumsum(sizes)[:-1]) if len(names) else []
        values = np.array([coefficient(a[part], b[part]) for part in parts])
    used = ~np.isnan(values)
    mean = float(values[used].mean()) if used.any() else math.nan
    return Grouped(mean, values[used], names[used].astype(np.int64), int((~used).sum()))


def _pearson_within(a: FloatArray, b: FloatArray, code: NDArray[np.int64], n: int) -> FloatArray:
    size = np.bincount(code, minlength=n)
    varies = size > 1
    for values in (a, b):
        low, high = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(low, code, values)
        np.maximum.at(high, code, values)
        varies &= low < high
    a, b = (v - (np.bincount(code, weights=v, minlength=n) / size)[code] for v in (a, b))
    ab, aa, bb = (np.bincount(code, weights=w, minlength=n) for w in (a * b, a * a, b * b))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varies, np.clip(ab / np.sqrt(aa * bb), -1, 1), np.nan)


def _kendall_within(
    a: FloatArray, b: FloatArray, code: NDArray[np.int64], sizes: NDArray[np.int64]
) -> FloatArray:
    """tau-b of many small groups at once, over the table of all their pairs."""
    first, second, group = pairs_within(code, sizes)
    da, db = np.sign(a[first] - a[second]), np.sign(b[first] - b[second])
    s, free_a, free_b = (
        np.bincount(group, weights=w, minlength=len(sizes)) for w in (da * db, np.abs(da), np.abs(db))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(s / np.sqrt(free_a * free_b))


def pairs_within(
    code: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of members of one group, and the group of each pair; groups of one size at a time."""
    order, starts = np.argsort(code, kind="stable"), np.cumsum(sizes) - sizes
    found = [np.zeros((3, 0), dtype=np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        members = np.flatnonzero(sizes == size)
        i, j = np.triu_indices(int(size), 1)
        left, right = (order[(starts[members, None] + k).ravel()] for k in (i, j))
        found.append(np.stack([left, right, np.repeat(members, len(i))]))
    first, second, group = np.concatenate(found, axis=1)
    return first, second, group


def fisher_interval(
    r: float, n: int, *, kind: str = "pearson", level: float = 0.95
) -> tuple[float, float] | None:
    """None where n is too small for an interval or r is not a number. |r| = 1 has no width left."""
    from scipy.special import ndtri

    room = n - (4 if kind.startswith("kendall") else 3)
    if math.isnan(r) or room < 1:
        return None
    if abs(r) >= 1:
        return (r, r)
    variance = (
        0.437 / room
        if kind.startswith("kendall")
        else (1 + r * r / 2) / room
        if kind == "spearman"
        else 1 / room
    )
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(variance)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)

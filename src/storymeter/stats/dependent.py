"""Tests of the difference between two correlations with people. The two share the people, and each
other.

**Williams' test** (Williams 1959; Graham & Baldwin 2014), for Pearson's r over n systems:

    K = 1 - r12² - r13² - r23² + 2 r12 r13 r23
    t = (r12 - r13) sqrt((n-1)(1 + r23)) / sqrt(2 K (n-1)/(n-3) + (r12 + r13)²/4 · (1 - r23)³)

with n - 3 degrees of freedom (some scripts use n - 2); one-sided, p small where A is better. Who takes the
better of two metrics for A has chosen the direction from the data, and must double p.

**Permutation** (segment level): both metrics are z-scored, so that they may change places; under the null
they do so at random, item by item. p = (count + 1) / (k + 1), one-sided, or two-sided where asked for. For
Pearson everything is linear in the swaps, so that 10,000 resamples of 10,000 segments are matrix products;
Spearman, Kendall and the accuracy over pairs (`permutation_ranks`) are counted anew for every resample, after
both metrics were ranked together once.
Between systems (`permutation_systems`; Deutsch, Dror & Roth 2021): PERM-SYS lets whole systems change places,
which asks about other systems; PERM-BOTH systems and items, which asks whether the two metrics are
exchangeable caption by caption, and finds differences where metrics differ on these systems alone.

>>> t, p = williams(0.9, 0.8, 0.7, 20)
>>> round(t, 12), round(p, 12)
(1.372333619846, 0.093898339429)
"""

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import FloatArray
from .correlation import Coefficient
from .paired import chance, packed_swaps, random_swaps, reached
from .ranks import labels_of, ranks_of, swapped_statistics


class Williams(NamedTuple):
    t: float
    p: float


class Difference(NamedTuple):
    """r(human, A) - r(human, B), and the one-sided p that A is no better (or the two-sided one)."""

    difference: float
    p: float


def williams(r12: float, r13: float, r23: float, n: int) -> Williams:
    """r12 = r(human, A), r13 = r(human, B), r23 = r(A, B). NaN where there is no answer: n < 4, a correlation
    that is not a number, or two metrics that are the same up to scale.

    r12, r13: correlations of the human scores with metric A and with metric B.
    r23: the correlation of A with B.
    n: the number of points.
    """
    if n < 4 or any(math.isnan(r) for r in (r12, r13, r23)) or r23 >= 1:
        return Williams(math.nan, math.nan)
    from scipy.special import stdtr

    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if below <= 0:  # rounding, where the three columns are collinear
        return Williams(math.nan, math.nan)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / math.sqrt(below)
    return Williams(t, float(stdtr(n - 3, -t)))


def permutation_pearson(
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    units: ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    two_sided: bool = False,
) -> Difference:
    """`units` names what changes places as one: rows that speak of the same item (several judgements of one
    caption).
    """
    h, x, y = _z(human), _z(a), _z(b)
    n = len(h)
    if n < 3 or any(np.isnan(v).any() for v in (h, x, y)):
        return Difference(math.nan, math.nan)
    # sums over the first vector after swaps w: those of x, plus w · (those of y - those of x); the second
    # gets the rest
    first, second = np.stack([x * h, x, x * x], axis=1), np.stack([y * h, y, y * y], axis=1)
    change, sums_x, sums_y = _by_unit(second - first, units), first.sum(axis=0), second.sum(axis=0)

    def r(sums: FloatArray) -> FloatArray:  # h has mean 0 and sum of squares n
        return np.asarray(
            (sums[..., 0] / n) / np.sqrt(np.maximum(sums[..., 2] / n - (sums[..., 1] / n) ** 2, 1e-300))
        )

    def lead(moved: FloatArray | float) -> FloatArray:
        return r(sums_x + moved) - r(sums_y - moved)

    observed = float(lead(0.0))
    drawn = (lead(swapped @ change) for swapped in random_swaps(len(change), resamples, seed))
    return Difference(observed, _p(drawn, observed, two_sided))


def permutations_of_pairs(
    columns: Mapping[str, ArrayLike],
    *,
    human: ArrayLike | None = None,
    units: ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[tuple[str, str], Difference]:
    """Every two columns, two-sided: the tests of `permutation_pearson` against `human`, or without it those
    of `permutation_grouped`, with the same swaps for all, so that they are drawn once. The first of a pair is
    the one that comes first in `columns`.
    """
    if human is None:
        names = list(columns)
        statistics = [np.asarray(columns[name], dtype=float)[:, None] for name in names]
    else:
        h = _z(human)
        scaled = {name: _z(column) for name, column in columns.items()}
        usable = len(h) > 2 and not np.isnan(h).any()
        names = [name for name, z in scaled.items() if usable and not np.isnan(z).any()]
        statistics = [np.stack([scaled[name] * h, scaled[name], scaled[name] ** 2], axis=1) for name in names]
    if not names or not len(statistics[0]):
        return {}
    n, width = statistics[0].shape
    rows = _by_unit(np.hstack(statistics), units)
    sums = rows.sum(axis=0)

    def value(sums: FloatArray) -> FloatArray:
        if width == 1:
            return np.asarray(sums[..., 0] / n)
        variance = np.maximum(sums[..., 2] / n - (sums[..., 1] / n) ** 2, 1e-300)
        return np.asarray((sums[..., 0] / n) / np.sqrt(variance))

    own = {name: slice(k * width, (k + 1) * width) for k, name in enumerate(names)}
    pairs = list(combinations(names, 2))
    observed = {pair: float(value(sums[own[pair[0]]]) - value(sums[own[pair[1]]])) for pair in pairs}
    count = dict.fromkeys(pairs, 0)
    for swapped in random_swaps(len(rows), resamples, seed):
        moved = swapped @ rows
        for pair in pairs:
            a, b = own[pair[0]], own[pair[1]]
            change = moved[:, b] - moved[:, a]
            lead = value(sums[a] + change) - value(sums[b] - change)
            count[pair] += reached(np.abs(lead), abs(observed[pair]))
    return {pair: Difference(observed[pair], (count[pair] + 1) / (resamples + 1)) for pair in pairs}


def permutation_ranks(
    statistic: str,
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    units: ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
    two_sided: bool = False,
) -> Difference:
    """`statistic`: spearman, kendall_b, kendall_c or accuracy_ties."""
    h, x, y = np.asarray(human, dtype=float), _z(a), _z(b)
    n = len(h)
    if n < 3 or any(np.isnan(v).any() for v in (h, x, y)):
        return Difference(math.nan, math.nan)
    order = np.argsort(h, kind="stable")  # the kernel then walks through memory in order
    fixed, _ = ranks_of(h[order])
    ranks, levels = ranks_of(np.concatenate([x[order], y[order]]))
    code = np.arange(n) if units is None else labels_of(units)
    unit, several = code[order].astype(np.int32), int(code.max()) + 1

    def lead(swaps: NDArray[np.uint8]) -> FloatArray:
        return np.subtract(
            *swapped_statistics(statistic, fixed, ranks[:n], ranks[n:], unit, swaps, levels, threads=threads)
        )

    observed = float(lead(np.zeros((1, -(-several // 8)), dtype=np.uint8))[0])
    if math.isnan(observed):
        return Difference(math.nan, math.nan)
    return Difference(observed, _p(map(lead, packed_swaps(several, resamples, seed)), observed, two_sided))


def permutation(
    coefficient: Coefficient,
    human: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Difference:
    """The same for any coefficient; it is recomputed for every resample, so this takes its time."""
    h, x, y = np.asarray(human, dtype=float), _z(a), _z(b)
    observed = coefficient(x, h) - coefficient(y, h)
    if math.isnan(observed):
        return Difference(math.nan, math.nan)
    drawn = [
        coefficient(np.where(swapped, y, x), h) - coefficient(np.where(swapped, x, y), h)
        for block in random_swaps(len(h), resamples, seed)
        for swapped in block.astype(bool)
    ]
    return Difference(observed, chance([np.array(drawn)], observed))


def permutation_grouped(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    two_sided: bool = False,
) -> Difference:
    """For a coefficient averaged over groups: the values of whole groups change places, so only their means
    matter.
    """
    delta = np.asarray(values_a, dtype=float) - np.asarray(values_b, dtype=float)
    if not len(delta):
        return Difference(math.nan, math.nan)
    observed = float(delta.mean())
    swaps = random_swaps(len(delta), resamples, seed)
    drawn = (observed - 2 * (s @ delta) / len(delta) for s in swaps)
    return Difference(observed, _p(drawn, observed, two_sided))


def permutation_systems(
    human: FloatArray,
    a: FloatArray,
    b: FloatArray,
    *,
    items: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> Difference:
    """For Pearson's r between systems, two-sided. All are (systems, items), NaN where there is no score; the
    two metrics are z-scored. PERM-SYS: the metrics change places in the systems that were drawn; PERM-BOTH
    (`items`): in the captions of which exactly one of system and item was drawn."""
    there = ~np.isnan(human + a + b)
    use = there.any(axis=1)
    human, a, b, there = human[use], a[use], b[use], there[use]
    if len(human) < 3 or any(np.ptp(v[there]) == 0 for v in (a, b)):
        return Difference(math.nan, math.nan)
    size = there.sum(axis=1)
    h = np.where(there, human, 0.0).sum(axis=1) / size
    x, y = (np.where(there, (v - v[there].mean()) / v[there].std(), 0.0) for v in (a, b))
    sums, total, change = x.sum(axis=1), (x + y).sum(axis=1), y - x

    def lead(systems: FloatArray, drawn: FloatArray) -> FloatArray:
        first = sums + drawn @ change.T
        first = np.where(systems > 0, total - first, first)
        return pearson_rows(first / size, h) - pearson_rows((total - first) / size, h)

    observed = float(lead(np.zeros((1, len(h))), np.zeros((1, change.shape[1])))[0])
    if math.isnan(observed):
        return Difference(math.nan, math.nan)
    drawn_systems = random_swaps(len(h), resamples, seed)
    drawn_items = random_swaps(change.shape[1], resamples, seed + 1)
    drawn = zip(drawn_systems, drawn_items, strict=True)
    moved = (lead(s, d if items else 0 * d) for s, d in drawn)
    return Difference(observed, _p(moved, observed, True))


def pearson_rows(x: FloatArray, h: FloatArray) -> FloatArray:
    """Pearson's r of every row of x with h (or with the same row of h); NaN where a side is constant."""
    x, h = x - x.mean(axis=-1, keepdims=True), h - h.mean(axis=-1, keepdims=True)
    below = np.sqrt((x * x).sum(axis=-1) * (h * h).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, (x * h).sum(axis=-1) / below, np.nan)


def _by_unit(rows: FloatArray, units: ArrayLike | None) -> FloatArray:
    """Rows summed over those that change places as one."""
    if units is None:
        return rows
    unit = labels_of(units)
    return np.stack([np.bincount(unit, weights=column) for column in rows.T], axis=1)


def _p(drawn: Iterable[FloatArray], observed: float, two_sided: bool) -> float:
    if not two_sided:
        return chance(drawn, observed)
    return chance((np.abs(values) for values in drawn), abs(observed))


def _z(values: ArrayLike) -> FloatArray:
    v = np.asarray(values, dtype=float)
    if not len(v) or not np.ptp(v) > 0:  # the deviation of a constant is the rounding of its mean
        return np.full(len(v), np.nan)
    return np.asarray((v - v.mean()) / v.std())

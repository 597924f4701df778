"""Reliability of a study: replication, split halves, agreement between raters, and cost.

- `replication`: Pearson's r between the system scores of two runs (Graham et al. 2018, table 5: .995 raw,
  .997 z).
- `split_half`: the raters of one run and the items are split at random into halves, again and again; r
  between the table of one half of the raters on one half of the items and that of the others on the others.
  The two tables share neither raters nor captions, so that equal systems have r = 0 on average.
- `krippendorff`: alpha = 1 - observed / expected disagreement, over captions that at least two raters rated;
  interval, ordinal or nominal distance. 1 is perfect agreement, 0 is chance.
- `icc`: ICC(1), one-way random effects: the share of variance that is between captions, not between raters of
  one.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import FloatArray
from ...errors import DataError
from ...stats.correlation import pearson
from ..ratings import DEGRADED, Ratings
from .scores import Ranking, credited, means


@dataclass(frozen=True, slots=True)
class Cost:
    hits: int
    total: float
    per_system: float


class RaterAgreement(NamedTuple):
    alpha: float
    icc: float
    #: captions with at least two ratings, and the ratings on them
    units: int
    ratings: int
    reason: str = ""


class Replication(NamedTuple):
    systems: tuple[str, ...]
    raw: float | None
    z: float
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


class SplitHalf(NamedTuple):
    """Mean and 95 % range of r over the splits that could be made; r is NaN with a reason otherwise."""

    z: float
    interval: tuple[float, float] | None
    splits: int
    reason: str = ""


def replication(first: Ranking, second: Ranking) -> Replication:
    a, b = {s.name: s for s in first.systems}, {s.name: s for s in second.systems}
    both = sorted(a.keys() & b.keys())
    if len(both) < 2:
        raise DataError(
            f"The two runs have {len(both)} systems in common; a correlation needs at least two.",
            hint="Compare runs over the same systems.",
        )
    raws = [(a[name].raw, b[name].raw) for name in both]
    known = [(x, y) for x, y in raws if x is not None and y is not None]
    return Replication(
        tuple(both),
        pearson(*zip(*known, strict=True)) if len(known) == len(both) else None,
        pearson([a[name].z for name in both], [b[name].z for name in both]),
        tuple(sorted(a.keys() - b.keys())),
        tuple(sorted(b.keys() - a.keys())),
    )


def split_half(
    ratings: Ratings, *, splits: int = 100, seed: int = 0, scale: Literal["raw", "z"] = "raw"
) -> SplitHalf:
    random = np.random.default_rng(seed)
    raters = np.unique(ratings.rater.codes)
    if len(raters) < 4:
        return SplitHalf(
            math.nan,
            None,
            0,
            f"four raters are needed for two halves, and there {'is' if len(raters) == 1 else 'are'}"
            f" {len(raters)}",
        )
    _, system, rater, item, value = credited(ratings, scale)
    items = np.unique(item)
    if len(items) < 4:
        return SplitHalf(
            math.nan, None, 0, f"four items are needed for two halves, and there are {len(items)}"
        )
    captions, caption = np.unique(system * len(ratings.item) + item, return_inverse=True)
    author, caption = captions // len(ratings.item), caption.reshape(-1)
    values = []
    for _ in range(splits):
        half, part = np.zeros(len(ratings.rater), dtype=bool), np.zeros(len(ratings.item), dtype=bool)
        half[random.permutation(raters)[: len(raters) // 2]] = True
        part[random.permutation(items)[: len(items) // 2]] = True
        tables = []
        for mine in (half[rater] & part[item], ~half[rater] & ~part[item]):
            scores = means(value[mine], caption[mine], len(captions))
            tables.append(means(scores, author, len(ratings.systems)))
        one, other = tables
        both = ~np.isnan(one) & ~np.isnan(other)
        values.append(
            pearson(np.round(one[both], 12), np.round(other[both], 12))
        )  # systems that tie must not differ by rounding
    known = np.array([v for v in values if not math.isnan(v)])
    if not len(known):
        return SplitHalf(math.nan, None, 0, "no split left two systems with different scores in both halves")
    low, high = np.quantile(known, [0.025, 0.975])
    return SplitHalf(float(known.mean()), (float(low), float(high)), len(known))


def agreement(ratings: Ratings, z: FloatArray) -> RaterAgreement:
    """Over the captions as they were shown (undamaged), with standardised scores, so that strictness is no
    disagreement.
    """
    first = np.full(len(ratings), -1, dtype=np.int64)
    first[ratings.credit_row[::-1]] = ratings.credit.codes[::-1]
    use = (ratings.kind != DEGRADED) & ~np.isnan(z)
    unit = first[use] * len(ratings.item) + ratings.item.codes[use]
    # one rater's two ratings of a caption are consistency, not agreement: they become one
    mine, which = np.unique(unit * len(ratings.rater) + ratings.rater.codes[use], return_inverse=True)
    value, unit = means(z[use], which, len(mine)), mine // len(ratings.rater)
    alpha, units, used = krippendorff(value, unit)
    reason = "" if units else "no caption was rated by two raters"
    return RaterAgreement(alpha, icc(value, unit), units, used, reason)


def ordinal_alpha(units: Iterable[Iterable[float]]) -> float:
    """Krippendorff's alpha over the marks that each unit got."""
    rows = [(place, value) for place, marks in enumerate(units) for value in marks]
    return krippendorff([value for _, value in rows], [place for place, _ in rows], "ordinal")[0]


def krippendorff(
    values: ArrayLike, units: ArrayLike, distance: Literal["interval", "ordinal", "nominal"] = "interval"
) -> tuple[float, int, int]:
    """(alpha, units with two or more ratings, ratings on them); NaN where nothing was rated twice or nothing
    varies.
    """
    value = np.asarray(values, dtype=float)
    _, unit, size = np.unique(np.asarray(units), return_inverse=True, return_counts=True)
    several = size >= 2
    value, unit = value[several[unit]], unit[several[unit]]
    n = len(value)
    if not n:
        return math.nan, 0, 0
    if distance == "interval":
        m = size[several].astype(float)
        total, squares = (
            np.bincount(unit, weights=w, minlength=len(size))[several] for w in (value, value**2)
        )
        observed = float((2 * (m * squares - total**2) / (m - 1)).sum()) / n
        expected = 2 * (n * float((value**2).sum()) - float(value.sum()) ** 2) / (n * (n - 1))
        return (1 - observed / expected if expected > 1e-12 else math.nan), int(several.sum()), n
    levels, level = np.unique(value, return_inverse=True)
    counts = np.zeros((len(size), len(levels)))
    np.add.at(counts, (unit, level), 1.0)
    counts = counts[several]
    weight = 1 / (counts.sum(axis=1) - 1)
    coincidence = (counts * weight[:, None]).T @ counts - np.diag((counts * weight[:, None]).sum(axis=0))
    total = coincidence.sum(axis=0)
    delta = 1.0 - np.eye(len(levels))
    if distance == "ordinal":  # squared sum of the counts between two levels, half of either end
        running = np.cumsum(total)
        upper = np.triu((running[None, :] - running[:, None] + (total[:, None] - total[None, :]) / 2) ** 2, 1)
        delta = upper + upper.T
    observed, expected = (
        float((coincidence * delta).sum()) / n,
        float((np.outer(total, total) * delta).sum()) / (n * (n - 1)),
    )
    return (1 - observed / expected if expected > 0 else math.nan), int(several.sum()), n


def icc(values: ArrayLike, units: ArrayLike) -> float:
    """(MSB - MSW) / (MSB + (k0 - 1) MSW), with k0 the average group size for unequal groups (Donner 1986)."""
    value = np.asarray(values, dtype=float)
    _, unit, size = np.unique(np.asarray(units), return_inverse=True, return_counts=True)
    groups, n = len(size), len(value)
    if groups < 2 or n <= groups:
        return math.nan
    mean = np.bincount(unit, weights=value) / size
    within = float(((value - mean[unit]) ** 2).sum()) / (n - groups)
    between = float((size * (mean - value.mean()) ** 2).sum()) / (groups - 1)
    k0 = (n - float((size**2).sum()) / n) / (groups - 1)
    below = between + (k0 - 1) * within
    return (between - within) / below if below > 0 else math.nan


def cost(hits: int, systems: int, *, price: float = 0.99, fee: float = 0.20) -> Cost:
    """Graham et al. (2018): 0.99 USD per HIT plus a fee of 20 %."""
    total = hits * price * (1 + fee)
    return Cost(hits, total, total / systems if systems else math.nan)

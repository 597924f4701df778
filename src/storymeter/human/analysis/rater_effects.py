"""System means and differences with raters as random.

A rater can like one system more than others do, by some .2 standard deviations in real studies. All ratings
of such a rater move together, so that a test over captions, which takes them as independent, finds
differences between equal systems. Here the rater is the unit.

**Difference of systems A and B**, where raters rated both: d_r is rater r's mean z of A minus that of B.
They are combined as in a random-effects meta-analysis: weights 1 / phi_r with phi_r = tau² + sigma² (1/n_rA +
1/n_rB), sigma² pooled within raters and systems, tau² after DerSimonian & Laird (1986); the variance of the
weighted mean after Hartung & Knapp (2001), with (raters - 1) degrees of freedom. Where fewer than half of the
ratings are by such raters, the raters of A and those of B are two groups, compared as by Welch's test over
raters.

**Shared items.** Raters who rated the same video share its difficulty and its captions. What their deviations
have in common there, sum over videos of (sum over raters of G)² - sum over raters of G², with G the weighted
deviations of a rater's ratings of that video, over 1 - sum of squared weights, is added to the variance where
it is positive; degrees of freedom after Satterthwaite. Two-sided. Simulated error rates are in
docs/human-analysis.md.

**Interval of a system's z**: the same for the printed mean, with each rater's share in it as the weight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ...arrays import FloatArray, IntArray

#: fewer raters than this say little about other raters
FEW_RATERS = 6


class Estimate(NamedTuple):
    """A mean or a difference, its standard error and degrees of freedom; NaN where there is none."""

    value: float
    error: float
    freedom: float
    raters: int

    @property
    def p(self) -> float:
        """Two-sided, against 0."""
        if not self.freedom > 0 or math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 1.0 if self.value == 0 else math.nan
        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))

    def interval(self, centre: float | None = None) -> tuple[float, float] | None:
        if not self.freedom > 0 or math.isnan(self.error):
            return None
        half = float(stdtrit(self.freedom, 0.975)) * self.error
        middle = self.value if centre is None else centre
        return middle - half, middle + half


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


class _Mean(NamedTuple):
    value: float
    variance: float
    freedom: float
    weights: FloatArray
    #: the variance that the numbers of ratings alone would make
    least: float
    #: sum of the squared weights: 1 / raters, where they weigh alike
    concentration: float


def combine(values: FloatArray, variances: FloatArray, shares: FloatArray | None = None) -> _Mean:
    """The mean of the values of several raters, and its variance over raters. `variances`: what the number of
    ratings alone makes of each; `shares`: weights that are given (they sum to 1), not chosen."""
    n = len(values)
    first = 1 / variances
    total = first.sum()
    excess = float((first * (values - (first * values).sum() / total) ** 2).sum()) - (n - 1)
    room = float(total - (first**2).sum() / total)
    spread = variances + max(0.0, excess / room if room > 0 else 0.0)
    weight = 1 / spread
    best = weight / weight.sum()
    centre = float(best @ values)
    scale = float((weight * (values - centre) ** 2).sum()) / (n - 1)
    used = best if shares is None else shares
    variance, least = (float((used**2 * each).sum()) for each in (scale * spread, variances))
    return _Mean(float(used @ values), variance, n - 1.0, used, least, float(used @ used))


class _Part(NamedTuple):
    """The ratings of one system, one row per item and rater."""

    #: a number of the (item, rater), the same in all systems
    cell: IntArray
    item: IntArray
    rater: IntArray
    #: sum of the deviations of the ratings from the mean of their rater and system
    deviation: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Ratings that count, by rater and system."""

    value: FloatArray
    rater: IntArray
    item: IntArray
    #: the ratings of each system
    rows: tuple[IntArray, ...]
    parts: tuple[_Part, ...]
    #: (raters, systems): how many, and their mean (NaN where there is none)
    count: FloatArray
    mean: FloatArray
    #: (items, systems): what was rated
    rated: NDArray[np.bool_]
    #: variance of a rating around the mean of its rater and system; NaN where nothing varies
    noise: float
    deviation: FloatArray

    @classmethod
    def of(cls, value: FloatArray, system: IntArray, rater: IntArray, item: IntArray, systems: int) -> Cells:
        rater = (np.cumsum(np.bincount(rater) > 0) - 1)[rater]
        shape = (int(rater.max(initial=-1)) + 1, systems)
        own = rater * systems + system
        count = np.bincount(own, minlength=shape[0] * shape[1]).astype(float)
        with np.errstate(invalid="ignore"):
            mean = np.bincount(own, weights=value, minlength=len(count)) / count
        deviation = value - mean[own]
        free = len(value) - int((count > 0).sum())
        noise = float((deviation**2).sum()) / free if free > 0 else math.nan
        rated = np.zeros((int(item.max(initial=0)) + 1, systems), dtype=bool)
        rated[item, system] = True
        cell = item * shape[0] + rater
        ends = np.cumsum(np.bincount(system, minlength=systems))[:-1]
        rows = tuple(np.split(np.argsort(system, kind="stable"), ends))
        return cls(
            value,
            rater,
            item,
            rows,
            tuple(_part(cell[mine], deviation[mine], shape[0]) for mine in rows),
            count.reshape(shape),
            mean.reshape(shape),
            rated,
            noise if noise > 1e-12 else math.nan,
            deviation,
        )

    def system_mean(self, system: int, weight: FloatArray) -> Estimate:
        """`weight`: of every rating in the printed mean; those of the system sum to 1."""
        rows = self.rows[system]
        there = np.flatnonzero(self.count[:, system] > 0)
        if len(there) < 2 or self.rated[:, system].sum() < 2 or math.isnan(self.noise):
            return NOTHING._replace(raters=len(there))
        mine, own = weight[rows], self.rater[rows]
        share, total, squares = (
            _sums(own, column, len(self.count))[there] for column in (mine, mine * self.value[rows], mine**2)
        )
        found = combine(total / share, self.noise * squares / share**2, share)
        part = _part(self.item[rows] * len(self.count) + own, mine * self.deviation[rows], len(self.count))
        shared = _sums(part.item, part.deviation) ** 2 - _sums(part.item, part.deviation**2)
        return _with_items(found, shared, int(self.rated[:, system].sum()), len(there))

    def difference(self, a: int, b: int) -> Estimate:
        """Of the means of systems a and b."""
        n_a, n_b = self.count[:, a], self.count[:, b]
        both = np.flatnonzero((n_a > 0) & (n_b > 0))
        if math.isnan(self.noise) or min(self.rated[:, a].sum(), self.rated[:, b].sum()) < 2:
            return NOTHING
        theirs = float((n_a + n_b)[both].sum())
        weight = np.zeros((2, len(self.count)))
        if len(both) >= 2 and theirs >= 0.5 * float((n_a + n_b).sum()):
            found = combine(
                (self.mean[:, a] - self.mean[:, b])[both], self.noise * (1 / n_a[both] + 1 / n_b[both])
            )
            weight[:, both] = found.weights / n_a[both], -found.weights / n_b[both]
            raters = len(both)
        else:
            groups = [np.flatnonzero(n > 0) for n in (n_a, n_b)]
            raters = min(map(len, groups))
            if raters < 2:
                return NOTHING._replace(raters=raters)
            one, other = (
                combine(self.mean[who, s], self.noise / self.count[who, s])
                for who, s in zip(groups, (a, b), strict=True)
            )
            weight[0, groups[0]] = one.weights / n_a[groups[0]]
            weight[1, groups[1]] = -other.weights / n_b[groups[1]]
            found = _welch(one, other)
        first, second = self.parts[a], self.parts[b]
        x, y = weight[0, first.rater] * first.deviation, weight[1, second.rater] * second.deviation
        n = len(self.rated)
        sums = _sums(first.item, x, n) + _sums(second.item, y, n)
        squares = _sums(first.item, x * x, n) + _sums(second.item, y * y, n)
        place = np.minimum(np.searchsorted(first.cell, second.cell), len(first.cell) - 1)
        same = first.cell[place] == second.cell  # one rater saw both captions of the item
        squares += _sums(second.item[same], 2 * x[place[same]] * y[same], n)
        items = int((self.rated[:, a] | self.rated[:, b]).sum())
        return _with_items(found, sums**2 - squares, items, raters)


def _sums(groups: IntArray, values: FloatArray, n: int = 0) -> FloatArray:
    return np.bincount(groups, weights=values, minlength=n).astype(float)


def _part(cell: IntArray, deviation: FloatArray, raters: int) -> _Part:
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    begin = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]])[: len(cell)])
    sums = np.add.reduceat(deviation[order], begin) if len(begin) else np.empty(0)
    cell = cell[begin]
    return _Part(cell, cell // raters, cell % raters, sums)


def _welch(one: _Mean, other: _Mean) -> _Mean:
    variance = one.variance + other.variance
    below = one.variance**2 / one.freedom + other.variance**2 / other.freedom
    freedom = variance**2 / below if below > 0 else 1.0
    least, most = one.least + other.least, max(one.concentration, other.concentration)
    return _Mean(one.value - other.value, variance, freedom, one.weights, least, most)


def _with_items(found: _Mean, shared: FloatArray, items: int, raters: int) -> Estimate:
    """Adds what raters have in common because they rated the same items. The degrees of freedom take the
    variance between raters to be no smaller than numbers of ratings alone make it: with few raters it is
    often small by chance, and then says nothing of how well the sum is known."""
    excess = float(shared.sum())
    if excess <= 1e-12 * float(np.abs(shared).sum()) or items < 2:
        return Estimate(found.value, math.sqrt(found.variance), found.freedom, raters)
    # the square of a normal deviate s has E s² = 1, E s⁴ = 3: n equal items have n, a few large ones fewer
    known = min(items - 1.0, max(1.0, 3 * excess**2 / float((shared**2).sum())))
    # the variance between raters lacks what all have in common; two different raters have it in common
    excess *= items / (items - 1) / (1 - found.concentration)
    between = max(found.variance, found.least)
    freedom = (between + excess) ** 2 / (between**2 / found.freedom + excess**2 / known)
    return Estimate(found.value, math.sqrt(found.variance + excess), freedom, raters)

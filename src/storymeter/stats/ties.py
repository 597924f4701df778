"""Accuracies over pairs of items: does the metric order two things as people do, and does it know when they
are equal?

- `pairwise_accuracy` (Kocmi et al. 2021): share of pairs with the same sign of difference; both tied counts
  as agreement.
- `tie_accuracy` (acc_eq; Deutsch et al. 2023, "Ties Matter"): the same, where the metric calls a pair tied
  when the scores differ by at most epsilon; `tie_calibrated` picks the epsilon with the highest accuracy (the
  smallest of them).
- `kendall_like` (WMT 2017-2022): (C - D) / (C + D) over pairs whose human scores differ by at least a
  threshold (25 raw points); a metric tie on such a pair counts as discordant.
- `soft_pairwise_accuracy` (Thompson et al. 2024): 1 - |p_human - p_metric| averaged over pairs of systems, p
  one-sided from a paired permutation over items, in which a permutation that equals the observed difference
  counts half: so p(A, B) = 1 - p(B, A), and neither the names nor the order of systems and items change the
  value. A metric should be as sure as people are, not merely agree.
- `preference_accuracy`: share of documents on which the metric prefers what people prefer (answers -2..2).

>>> human, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
>>> exact, loose = tie_accuracy(human, metric), tie_accuracy(human, metric, epsilon=2)
>>> exact, loose, tie_calibrated(human, metric).accuracy
(0.6, 0.4, 0.7)
>>> human, metric = [10, 11, 100, 150], [2, 1, 4, 3]
>>> kendall_like(human, metric) == 3 / 5, kendall_like(human, metric, threshold=1) == 2 / 6
(True, True)

How often a number points the right way: accuracy over pairs, and the area under the ROC curve.

- `pair_accuracy`: of two texts the better one is known; the share of pairs that a metric orders alike. A tie
  of the metric counts half, the expected share of a coin, and is counted: a metric that ties often has not
  looked.
- `auc`: the chance that a random positive scores higher than a random negative, ties half (Hanley & McNeil
  1982): (R - p(p + 1)/2) / (p n) with R the sum of the positives' ranks.

>>> pair_accuracy([.9, .5, .2], [.1, .5, .8])
PairAccuracy(accuracy=0.5, pairs=3, ties=1)
>>> auc([True, True, False, False], [.9, .4, .4, .1])
0.875
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import FloatArray
from .correlation import pairs_within
from .paired import random_swaps
from .ranks import labels_of, mean_ranks
from .resampling import mean_interval, percentiles

#: past this many pairs a seeded sample stands for all of them
PAIR_LIMIT = 2_000_000
#: of the size of the numbers: what is closer was equal before it was rounded
ROUNDING = 1e-11
#: of a number: how far its neighbour is
EPS = float(np.finfo(float).eps)


class TieCalibrated(NamedTuple):
    accuracy: float
    epsilon: float
    pairs: int
    #: whether `pairs` is a seeded sample, because there were more than PAIR_LIMIT
    sampled: bool


class Soft(NamedTuple):
    """Soft pairwise accuracy over `pairs` system pairs; `dropped` pairs had fewer than two items in
    common.
    """

    value: float
    pairs: int
    dropped: int


def settled(values: ArrayLike, sizes: ArrayLike | None = None) -> FloatArray:
    """Numbers along the last axis that only rounding drew apart are equal again: means of the same scores in
    another order, or of a constant over unequal numbers of items, are ties. `sizes`: how large the numbers
    are that each was computed from, which says how large its rounding error may be.

    >>> a, b = (0.7 + 0.7 + 0.7) / 3, (0.7 + 0.7) / 2
    >>> a == b, settled([a, b, 0.8]).tolist()
    (False, [0.6999999999999998, 0.6999999999999998, 0.8])
    """
    found = np.asarray(values, dtype=float)
    if not found.size:
        return found
    order = np.argsort(found, axis=-1)
    ranked = np.take_along_axis(found, order, axis=-1)
    given = np.abs(found if sizes is None else np.asarray(sizes, dtype=float))
    slack = ROUNDING * np.take_along_axis(given, order, axis=-1)
    with np.errstate(invalid="ignore"):
        # also between two that are missing
        apart = ~(np.diff(ranked, axis=-1) <= np.maximum(slack[..., 1:], slack[..., :-1]))
    place = np.zeros(found.shape, dtype=np.int64)
    place[..., 1:] = np.maximum.accumulate(np.where(apart, np.arange(1, found.shape[-1]), 0), axis=-1)
    out = np.empty_like(found)
    np.put_along_axis(out, order, np.take_along_axis(ranked, place, axis=-1), axis=-1)
    return out


def settled_means(weights: FloatArray, values: FloatArray, count: FloatArray) -> FloatArray:
    """Weighted sums of the columns over their counts; NaN where there is nothing."""
    with np.errstate(invalid="ignore"):
        return settled(weights @ values / count, weights @ np.abs(values) / count)


def differences(
    human: ArrayLike, metric: ArrayLike, labels: ArrayLike | None = None, *, seed: int = 0
) -> tuple[FloatArray, FloatArray, bool]:
    """Signed differences of all pairs within groups (all pairs, without `labels`); the flag says whether a
    sample was taken.
    """
    h, m = np.asarray(human, dtype=float), np.asarray(metric, dtype=float)
    left, right, sampled = _places(len(h), labels, seed)
    return h[left] - h[right], m[left] - m[right], sampled


def _places(n: int, labels: ArrayLike | None, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    if labels is not None:
        _, code, sizes = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
        left, right, _ = pairs_within(code.reshape(-1), sizes)
        return left, right, False
    if n * (n - 1) // 2 <= PAIR_LIMIT:
        left, right = np.triu_indices(n, 1)
        return left, right, False
    random = np.random.default_rng(seed)
    left = random.integers(0, n, PAIR_LIMIT)
    right = random.integers(0, n - 1, PAIR_LIMIT)
    return left, right + (right >= left), True


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike, labels: ArrayLike | None = None) -> float:
    return tie_accuracy(human, metric, labels)


def tie_accuracy(
    human: ArrayLike, metric: ArrayLike, labels: ArrayLike | None = None, *, epsilon: float = 0.0
) -> float:
    h, m, _ = differences(human, metric, labels)
    if not len(h):
        return math.nan
    return float(np.mean(np.sign(h) == np.where(np.abs(m) <= epsilon, 0.0, np.sign(m))))


def tie_calibrated(
    human: ArrayLike, metric: ArrayLike, labels: ArrayLike | None = None, *, seed: int = 0
) -> TieCalibrated:
    """Sort the pairs by |metric difference|: with epsilon at the k-th of them, the first k are called tied,
    so that accuracy is (human ties among the first k + concordant among the rest) / pairs, for every k by two
    running sums."""
    people, values = np.asarray(human, dtype=float), np.asarray(metric, dtype=float)
    left, right, sampled = _places(len(people), labels, seed)
    h, m = people[left] - people[right], values[left] - values[right]
    if not len(h):
        return TieCalibrated(math.nan, math.nan, 0, sampled)
    size, rounded = np.abs(m), 4 * EPS * np.maximum(np.abs(values[left]), np.abs(values[right]))
    order = np.argsort(size, kind="stable")
    h, m, size, rounded = h[order], m[order], size[order], rounded[order]
    tied = np.concatenate([[0], np.cumsum(h == 0)])
    concordant = np.concatenate([[0], np.cumsum((h != 0) & (np.sign(h) == np.sign(m)))])
    agreed = tied + (concordant[-1] - concordant)
    apart = size[1:] - size[:-1] > np.where(size[:-1] > 0, np.maximum(rounded[1:], rounded[:-1]), 0.0)
    last = np.append(np.flatnonzero(apart), len(size) - 1) + 1  # cut only between different sizes
    if size[0] > 0:
        last = np.concatenate([[0], last])  # epsilon 0 calls nothing tied
    best = int(last[np.argmax(agreed[last])])
    return TieCalibrated(
        float(agreed[best] / len(h)), float(size[best - 1]) if best else 0.0, len(h), sampled
    )


def kendall_like(
    human: ArrayLike,
    metric: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    threshold: float = 25.0,
    seed: int = 0,
) -> float:
    h, m, _ = differences(human, metric, labels, seed=seed)
    far = np.abs(h) >= threshold
    if threshold <= 0:
        far &= h != 0
    if not far.any():
        return math.nan
    concordant = np.sign(h[far]) == np.sign(m[far])
    return float((concordant.sum() - (~concordant).sum()) / far.sum())


def soft_pairwise_accuracy(
    human: FloatArray, metric: FloatArray, *, resamples: int = 1000, seed: int = 0
) -> Soft:
    """Both matrices are (systems, items), NaN where there is no score; a pair of systems is compared on the
    items that both have on both sides, with the same swaps for human and metric. A metric that does not vary
    has p = 1/2 for every pair."""
    total, pairs, dropped = 0.0, 0, 0
    for i in range(len(human)):
        for j in range(i + 1, len(human)):
            delta = np.stack([_apart(side[i], side[j]) for side in (human, metric)])
            delta = delta[:, ~np.isnan(delta).any(axis=0)]
            if delta.shape[1] < 2:
                dropped += 1
                continue
            largest = np.array([np.nanmax(np.abs(side[[i, j]])) for side in (human, metric)])
            p = _one_sided(delta, largest * delta.shape[1], resamples, seed)
            total += 1 - abs(float(p[0] - p[1]))
            pairs += 1
    return Soft(total / pairs if pairs else math.nan, pairs, dropped)


def soft_pairwise_draws(
    human: FloatArray, metric: FloatArray, weights: FloatArray, chosen: NDArray[np.int64] | None = None
) -> FloatArray:
    """Soft pairwise accuracy of every resample, for its interval: `weights` (resamples, items) says how often
    each item is drawn, `chosen` (resamples, systems) which systems. A sum of n differences with random signs
    is about normal with variance sum(d²), so that p = 1 - Phi(sum(d) / sqrt(sum(d²))) stands for the
    permutation within the permutation. A system that is drawn twice is no pair with itself."""
    from scipy.special import ndtr

    n = len(human)
    soft = np.full((len(weights), n, n), np.nan)
    for i in range(n - 1):
        sides = [side[i] - side[i + 1 :] for side in (human, metric)]
        there = ~np.isnan(sides[0] + sides[1])
        enough = weights @ there.T >= 2
        p = []
        for delta in sides:
            d = np.where(there, delta, 0.0)
            with np.errstate(invalid="ignore", divide="ignore"):
                ratio = (weights @ d.T) / np.sqrt(weights @ (d * d).T)
            p.append(ndtr(-np.nan_to_num(ratio)))
        soft[:, i, i + 1 :] = np.where(enough, 1 - np.abs(p[0] - p[1]), np.nan)
        soft[:, i + 1 :, i] = soft[:, i, i + 1 :]
    left, right = np.triu_indices(n, 1)
    first, second = (left[None, :], right[None, :]) if chosen is None else (chosen[:, left], chosen[:, right])
    values = soft[np.arange(len(weights))[:, None], first, second]
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _apart(one: FloatArray, other: FloatArray) -> FloatArray:
    """Differences; those that only rounding drew apart, or away from 0, are equal, whatever their sign."""
    delta = one - other
    larger = np.maximum(np.abs(one), np.abs(other))
    sizes = settled(np.append(np.abs(delta), 0.0), np.append(larger, 0.0))[:-1]
    return np.asarray(np.copysign(sizes, delta))


def _one_sided(delta: FloatArray, largest: FloatArray, resamples: int, seed: int) -> FloatArray:
    """One p per row of differences: the share of sign flips whose sum is larger than the observed one, those
    that are equal counting half (the observed arrangement among them). `largest`: a sum of this size may have
    been rounded."""
    delta, turned = _canonical(delta)
    slack = ROUNDING * largest
    count = np.full(len(delta), 0.5)
    for swapped in random_swaps(delta.shape[1], resamples, seed):
        change = -2 * (swapped @ delta.T)
        count += (change > slack).sum(axis=0) + (np.abs(change) <= slack).sum(axis=0) / 2
    p = count / (resamples + 1)
    return np.asarray(1 - p if turned else p)


def _canonical(delta: FloatArray) -> tuple[FloatArray, bool]:
    """The columns in an order, and all with a sign, that depend on their values alone; whether the sign was
    turned. Random swaps then do not depend on which system or item comes first."""
    found = [one[:, np.lexsort(one[::-1])] for one in (delta, -delta)]
    apart = np.flatnonzero(found[0] != found[1])
    turned = bool(len(apart)) and bool(found[0].ravel()[apart[0]] < found[1].ravel()[apart[0]])
    return found[turned], turned


def preference_accuracy(human: ArrayLike, metric: ArrayLike, *, ties: str = "half") -> tuple[float, int, int]:
    """`human` and `metric` are differences (B minus A) per document: the share of documents with equal signs.

    Documents on which people are undecided (0) say nothing and are left out. A metric tie on a decided
    document counts half ("half", the expected share of a coin), as wrong ("wrong"), or is left out ("drop").
    Gives (accuracy, documents used, metric ties)."""
    h, m = np.sign(np.asarray(human, dtype=float)), np.sign(np.asarray(metric, dtype=float))
    decided = h != 0
    tied = int((decided & (m == 0)).sum())
    right = int((decided & (h == m)).sum())
    used = int(decided.sum()) - (tied if ties == "drop" else 0)
    if not used:
        return math.nan, 0, tied
    return (right + (tied / 2 if ties == "half" else 0)) / used, used, tied


class PairAccuracy(NamedTuple):
    accuracy: float
    pairs: int
    #: pairs on which the metric has no opinion
    ties: int


def pair_accuracy(better: ArrayLike, worse: ArrayLike) -> PairAccuracy:
    """`better[k]` and `worse[k]` are a metric's values of pair k; pairs with a missing value are left out."""
    points = _points(better, worse)
    return PairAccuracy(
        float(points.mean()) if len(points) else math.nan, len(points), int((points == 0.5).sum())
    )


def pair_accuracy_interval(
    better: ArrayLike, worse: ArrayLike, *, resamples: int = 1000, seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval over pairs."""
    return mean_interval(_points(better, worse), resamples=resamples, seed=seed)


def _points(better: ArrayLike, worse: ArrayLike) -> NDArray[np.float64]:
    a, b = np.asarray(better, dtype=float), np.asarray(worse, dtype=float)
    known = ~np.isnan(a + b)
    return np.asarray((np.sign(a[known] - b[known]) + 1) / 2)


def auc(positive: ArrayLike, values: ArrayLike) -> float:
    """The area under the ROC curve; NaN where one of the two classes is empty."""
    label, v = np.asarray(positive, dtype=bool), np.asarray(values, dtype=float)
    n = int(label.sum())
    if n in (0, len(label)):
        return math.nan
    return float((mean_ranks(v)[label].sum() - n * (n + 1) / 2) / (n * (len(label) - n)))


def auc_interval(
    positive: ArrayLike, values: ArrayLike, units: ArrayLike, *, resamples: int = 200, seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval, drawing whole units (videos, captions): words of one text are no
    independent points.
    """
    label, v = np.asarray(positive, dtype=bool), np.asarray(values, dtype=float)
    code = labels_of(units)
    count = int(code.max()) + 1 if len(code) else 0
    if count < 2 or resamples < 2:
        return None
    members = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code, minlength=count))[:-1])
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        rows = np.concatenate([members[k] for k in random.integers(0, count, count)])
        drawn.append(auc(label[rows], v[rows]))
    return percentiles(drawn, 0.025)

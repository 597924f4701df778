"""How often a number points the right way: accuracy over pairs, and the area under the ROC curve.

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

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ranks import mean_ranks
from .resampling import mean_interval, percentiles


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
    code = np.unique(np.asarray(units), return_inverse=True)[1].reshape(-1)
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

"""A ranking that a few raters cannot move, and how many it would take.

**Values.** The mean z that each rater gave a system's captions, then the mean over raters without the highest
and the lowest `TRIM` of them. z-scores of the papers are means of captions, which every rating moves.

**Breakdown.** Of two neighbours A above B: d is each rater's mean z of A less that of B. A hostile rater who
answers as an ordinary one does but puts all captions of A at the bottom and all of B at the top reaches -D,
D = 2 / sqrt(a + b - (a - b)²), where a and b are the shares of the two systems among a rater's ratings. The
raters with the largest d turn hostile one after the other, until the mean over raters (or the trimmed mean)
of d is no longer above 0: fewer cannot reverse the order by changing sides, so that their share is the worst
case. It says nothing of raters whom the gates leave out.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..ratings import Ratings
from .scores import credited, means, standardise

#: share of raters left out at each end
TRIM = 0.2


class RobustScore(NamedTuple):
    name: str
    #: trimmed mean over raters
    value: float
    raters: int


class Breakdown(NamedTuple):
    """How many raters must be hostile before `better` is no longer above `worse`."""

    better: str
    worse: str
    #: raters who rated both
    raters: int
    #: of these, as a share: for the mean over raters, and for the trimmed mean
    mean: float
    trimmed: float


class Robust(NamedTuple):
    #: best first
    systems: tuple[RobustScore, ...]
    #: neighbours of the robust ranking
    breakdown: tuple[Breakdown, ...]


def robust_ranking(ratings: Ratings, scale: str = "raw") -> Robust:
    z = standardise(ratings, "z" if scale == "z" else "raw")
    row, system = credited(ratings, z)
    n, systems = len(ratings.rater), len(ratings.systems)
    own = ratings.rater.codes[row] * systems + system
    table = means(z[row], own, n * systems).reshape(n, systems)
    count = np.bincount(own, minlength=n * systems).reshape(n, systems)
    total = np.bincount(ratings.rater.codes, minlength=n)
    scores = [
        RobustScore(name, trimmed(column[~np.isnan(column)]), int((~np.isnan(column)).sum()))
        for name, column in zip(ratings.systems, table.T, strict=True)
        if not np.isnan(column).all()
    ]
    scores.sort(key=lambda one: (-one.value, one.name))
    place = {name: k for k, name in enumerate(ratings.systems)}
    found = []
    for better, worse in itertools.pairwise(scores):
        a, b = place[better.name], place[worse.name]
        both = ~np.isnan(table[:, a] - table[:, b])
        gap = np.sort((table[:, a] - table[:, b])[both])[::-1]
        if len(gap):
            first, second = (float((count[both, k] / total[both]).mean()) for k in (a, b))
            worst = -2 / math.sqrt(first + second - (first - second) ** 2)
            shares = (_share(gap, worst, 0.0), _share(gap, worst, TRIM))
            found.append(Breakdown(better.name, worse.name, len(gap), *shares))
    return Robust(tuple(scores), tuple(found))


def trimmed(values: FloatArray, share: float = TRIM) -> float:
    """Mean without this share of the values at each end."""
    cut = int(share * len(values))
    return float(np.sort(values)[cut : len(values) - cut].mean())


def _share(gap: FloatArray, worst: float, trim: float) -> float:
    """The smallest share of raters, those of the largest gaps first, who turn the mean by going to the
    worst.
    """
    for hostile in range(len(gap) + 1):
        if trimmed(np.concatenate([gap[hostile:], np.full(hostile, worst)]), trim) <= 0:
            return hostile / len(gap)
    return 1.0

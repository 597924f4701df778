"""The influence of single raters, and of raters who move together, on the ranking, and a ranking that a few
raters cannot move. Shown, never acted upon.

With z the standardised scores of believed raters, degraded captions left out:

- **Bias of a rater for a system**: mean z that rater r gave captions of system s, less the mean that the
  others gave captions of s; and less the mean of that difference over r's other systems, because who is mild
  to all favours nobody. Its standard error comes from the spread of r's scores of s and of the others';
  t = bias / se, two-sided, by Holm over all raters and systems. Flagged below `FLAGGED`.
- **Without a rater**: system scores as if that rater had never answered, exactly: a caption's mean is taken
  over its other ratings, and a caption that nobody else rated is gone.
- **Together**: raters who are flagged for the same system in the same direction; and raters whose scores of
  the captions they share (`SHARED` or more) agree far better than is usual: r against the median over all
  pairs of raters, by Fisher's z with Holm over the pairs. Copied answers look so, and bots with one language
  model. For each group, the systems' order without it.
- **Robust values** (`robust_ranking`): the mean z that each rater gave a system's captions, then the mean
  over raters without the highest and the lowest `TRIM` of them. z-scores of the papers are means of captions,
  which every rating moves.
- **Breakdown**: of two neighbours A above B, d is each rater's mean z of A less that of B. A hostile rater
  who answers as an ordinary one does but puts all captions of A at the bottom and all of B at the top reaches
  -D, D = 2 / sqrt(a + b - (a - b)²), where a and b are the shares of the two systems among a rater's ratings.
  The raters with the largest d turn hostile one after the other, until the mean over raters (or the trimmed
  mean) of d is no longer above 0: fewer cannot reverse the order by changing sides, so that their share is
  the worst case. It says nothing of raters whom the gates leave out.
"""

import itertools
import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ...arrays import FloatArray, IntArray
from ...stats.resampling import holm
from ..ratings import BoolArray, Ratings
from .crowd import connected
from .scores import credited, means

#: the p that flags a bias, and a pair of raters (few captions are shared, and scores are not quite normal)
FLAGGED, TOGETHER = 0.01, 0.001
SHARED = 10
#: a rater's bias for a system needs so many captions, and pairs of raters are compared up to so many raters
LEAST, MOST = 5, 400
#: share of raters left out at each end
TRIM = 0.2


class Bias(NamedTuple):
    rater: str
    system: str
    #: in z; above 0 the rater favours the system, below 0 disfavours it
    bias: float
    captions: int
    p: float
    flagged: bool


class Without(NamedTuple):
    """The ranking without some raters: the systems in their order, and the system that moves most."""

    raters: tuple[str, ...]
    why: str
    order: tuple[str, ...]
    changes: bool
    system: str
    shift: float


class Influence(NamedTuple):
    order: tuple[str, ...]
    #: every rater and system that could be tested, the most significant first
    biases: tuple[Bias, ...]
    #: every rater, those who move a system most first
    alone: tuple[Without, ...]
    groups: tuple[Without, ...]
    notes: tuple[str, ...]


class _Scored(NamedTuple):
    """One row per rating that counts for a system."""

    rater: IntArray
    caption: IntArray
    z: FloatArray
    #: system of each caption
    author: IntArray
    raters: int
    systems: int


def influence(ratings: Ratings, scale: Literal["raw", "z"] = "raw") -> Influence:
    scored = _scored(ratings, scale)
    names, systems = ratings.rater.names, ratings.systems
    everybody = _means(scored, np.ones(len(scored.z), dtype=bool))
    order = _order(everybody, systems)
    biases = _biases(scored, names, systems)
    present = np.unique(scored.rater)
    left_out = _leave_one_out(scored)
    alone = sorted(
        (
            _without((names[k],), "", everybody, left_out[k], order, systems)
            for k in (present if len(present) > 1 else ())
        ),
        key=lambda one: (-abs(one.shift), one.raters),
    )
    groups = [
        _without(
            tuple(names[k] for k in members),
            why,
            everybody,
            _means(scored, ~np.isin(scored.rater, members)),
            order,
            systems,
        )
        for members, why in (*_partisans(biases, names), *_alike(scored, present))
        if len(members) < len(present)
    ]
    return Influence(order, tuple(biases), tuple(alone), tuple(groups), tuple(_notes(biases, alone, groups)))


def _scored(ratings: Ratings, scale: Literal["raw", "z"]) -> _Scored:
    _, system, rater, item, z = credited(ratings, scale)
    cells, caption = np.unique(system * len(ratings.item) + item, return_inverse=True)
    return _Scored(
        rater,
        caption,
        z,
        cells // len(ratings.item),
        len(ratings.rater),
        len(ratings.systems),
    )


def _means(scored: _Scored, keep: BoolArray) -> FloatArray:
    """z of each system over these rows: the mean over captions of the mean over ratings; NaN without any."""
    captions = means(scored.z[keep], scored.caption[keep], len(scored.author))
    return means(captions, scored.author, scored.systems)


def _leave_one_out(scored: _Scored) -> FloatArray:
    """(raters, systems): `_means` without each rater, all at once: only the captions that the rater rated
    change.
    """
    n, size = len(scored.author), scored.raters * scored.systems
    count = np.bincount(scored.caption, minlength=n)
    total = np.bincount(scored.caption, weights=scored.z, minlength=n)
    cells, which, own = np.unique(scored.rater * n + scored.caption, return_inverse=True, return_counts=True)
    rater, caption = cells // n, cells % n
    sums = np.bincount(which, weights=scored.z)
    rest = count[caption] - own
    old = total[caption] / count[caption]
    new = np.where(rest > 0, (total[caption] - sums) / np.maximum(rest, 1), 0.0)
    place = rater * scored.systems + scored.author[caption]
    change, gone = (
        np.bincount(place, weights=w, minlength=size).reshape(scored.raters, scored.systems)
        for w in (new - old, rest == 0)
    )
    whole = np.bincount(scored.author, weights=total / count, minlength=scored.systems)
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.bincount(scored.author, minlength=scored.systems) - gone
        return np.where(left > 0, (whole + change) / left, np.nan)


def _order(means: FloatArray, systems: tuple[str, ...]) -> tuple[str, ...]:
    # in Python's own numbers: there is an order for every rater
    ranked = sorted(
        (-mean, name) for mean, name in zip(means.tolist(), systems, strict=True) if not math.isnan(mean)
    )
    return tuple([name for _, name in ranked])


def _without(
    raters: tuple[str, ...],
    why: str,
    everybody: FloatArray,
    means: FloatArray,
    order: tuple[str, ...],
    systems: tuple[str, ...],
) -> Without:
    shift = np.nan_to_num(everybody - means)
    most = int(np.argmax(np.abs(shift)))
    found = _order(means, systems)
    there = set(found)
    kept = tuple([name for name in order if name in there])
    return Without(raters, why, found, found != kept, systems[most], float(shift[most]))


def _biases(scored: _Scored, names: tuple[str, ...], systems: tuple[str, ...]) -> list[Bias]:
    cell = scored.rater * scored.systems + scored.author[scored.caption]
    size = scored.raters * scored.systems
    count, total, squares = (
        np.bincount(cell, weights=w, minlength=size).reshape(scored.raters, scored.systems)
        for w in (np.ones(len(scored.z)), scored.z, scored.z**2)
    )
    others, other_total = count.sum(axis=0) - count, total.sum(axis=0) - total
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = total / count - other_total / others
        variance = (squares - total**2 / count) / (count - 1)
        pooled = np.nansum(np.where(count > 1, (count - 1) * variance, 0.0), axis=0) / np.maximum(
            np.where(count > 1, count - 1, 0).sum(axis=0), 1
        )
        error = np.maximum(variance, pooled / 4) / count + pooled / others
        known = (count >= LEAST) & (others >= LEAST) & np.isfinite(apart)
        apart, error = np.where(known, apart, 0.0), np.where(known, error, 0.0)
        rest = known.sum(axis=1, keepdims=True) - known
        bias = apart - (apart.sum(axis=1, keepdims=True) - apart) / rest
        t = bias / np.sqrt(error + (error.sum(axis=1, keepdims=True) - error) / rest**2)
        p = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(t))
    tested = np.argwhere(known & (rest > 0) & np.isfinite(p))
    if not len(tested):
        return []
    adjusted = holm(p[tested[:, 0], tested[:, 1]])
    found = [
        Bias(
            names[r],
            systems[s],
            float(bias[r, s]),
            int(count[r, s]),
            float(q),
            bool(q < FLAGGED),
        )
        for (r, s), q in zip(tested.tolist(), adjusted, strict=True)
    ]
    return sorted(found, key=lambda one: (one.p, -abs(one.bias), one.rater, one.system))


def _partisans(biases: list[Bias], names: tuple[str, ...]) -> list[tuple[list[int], str]]:
    number = {name: k for k, name in enumerate(names)}
    sides: dict[tuple[str, bool], list[int]] = {}
    for one in biases:
        if one.flagged:
            sides.setdefault((one.system, one.bias > 0), []).append(number[one.rater])
    return [
        (members, f"{'favour' if up else 'disfavour'} {system}")
        for (system, up), members in sides.items()
        if len(members) > 1
    ]


def _alike(scored: _Scored, present: IntArray) -> list[tuple[list[int], str]]:
    """Raters who agree far better than is usual, as connected groups."""
    if not 3 <= len(present) <= MOST:
        return []
    n = len(scored.author)
    cells, which = np.unique(np.searchsorted(present, scored.rater) * n + scored.caption, return_inverse=True)
    z, there = np.zeros((2, len(present), n))
    z[cells // n, cells % n] = means(scored.z, which, len(cells))
    there[cells // n, cells % n] = 1
    shared, sums, squares = there @ there.T, z @ there.T, z**2 @ there.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - sums**2 / shared
        r = (z @ z.T - sums * sums.T / shared) / np.sqrt(spread * spread.T)
    first, second = np.triu_indices(len(present), 1)
    asked = (shared[first, second] >= SHARED) & np.isfinite(r[first, second])
    first, second = first[asked], second[asked]
    if len(first) < LEAST:
        return []
    found = np.arctanh(np.clip(r[first, second], -1 + 1e-9, 1 - 1e-9))
    usual = np.arctanh(max(0.0, float(np.median(r[first, second]))))
    linked = holm(ndtr((usual - found) * np.sqrt(shared[first, second] - 3))) < TOGETHER
    groups = connected(zip(first[linked].tolist(), second[linked].tolist(), strict=True))
    why = "agree with each other far more than is usual"
    return [([int(present[k]) for k in members], why) for members in groups]


def _notes(biases: list[Bias], alone: list[Without], groups: list[Without]) -> Iterable[str]:
    for (system, up), same in itertools.groupby(
        sorted((one for one in biases if one.flagged), key=lambda one: (one.system, one.bias > 0, one.p)),
        key=lambda one: (one.system, one.bias > 0),
    ):
        listed = list(same)
        yield (
            f"Influence: {', '.join(f'{one.rater} ({one.bias:+.2f} z, p = {one.p:.2g})' for one in listed)}"
            f" {'favour' if up else 'disfavour'}{'s' if len(listed) == 1 else ''} {system} compared with the"
            " other raters. No rating was excluded; check their answers, and the ranking without them."
        )
    for one in groups:
        yield f"Influence: {len(one.raters)} raters {one.why}: {', '.join(one.raters)}. Without them " + (
            f"the order is {', '.join(one.order)}." if one.changes else "the order is the same."
        )
    turning = [one for one in alone if one.changes]
    if turning:
        yield (
            f"Influence: without {'any one of ' if len(turning) > 1 else ''}{len(turning):,} of the"
            f" {len(alone):,} raters the order of the systems would change (see the table)."
        )


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


def robust_ranking(ratings: Ratings, scale: Literal["raw", "z"] = "raw") -> Robust:
    _, system, rater, _, z = credited(ratings, scale)
    n, systems = len(ratings.rater), len(ratings.systems)
    own = rater * systems + system
    table = means(z, own, n * systems).reshape(n, systems)
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

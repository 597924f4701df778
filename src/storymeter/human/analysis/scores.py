"""Tables of systems from ratings: z-scores, means per caption, means per system, who beats whom, clusters.

1. Standardise: z = (score - mean) / sd over **all** ratings of a rater, controls included, sd with n - 1. A
   rater whose scores are all equal says nothing about order and is dropped.
2. Scored are system captions and their repeats, and human captions that compete under a name of their own.
3. Mean per (system, caption) over all its ratings (`repeats="merge"`: a rater's two ratings of one caption
   are averaged first); then the mean over captions, raw and z; n counts ratings.
4. Rank-sum test between the caption means (z) of every two systems, one-sided, normal approximation with
   continuity correction; Holm and Benjamini-Hochberg over all ordered pairs.
5. Clusters as at WMT: systems by z; a boundary after position i when every system above beats every system
   below.

Steps 4 and 5 are the paper's (`by="ranksum"`): they hold for these raters. `by="raters"` takes raters as
random (`rater_effects`): two-sided tests, and intervals of z, that hold for other raters of the same kind.

All values are sorted once: with c_i[v] the number of captions of system i with the v-th distinct value, U_ij
= sum_v c_i[v] (sum_{w<v} c_j[w] + c_j[v]/2), one running sum per column j; the tie corrections come the same
way."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from ...arrays import FloatArray, IntArray
from ...errors import DataError, first_few
from ...stats.ranks import rank_sum_p
from ...stats.resampling import benjamini_hochberg, holm
from ..ratings import DEGRADED, BoolArray, Ratings
from .rater_effects import FEW_RATERS, Cells

Repeats = Literal["all", "merge"]
#: which tests make the clusters: over raters, or over captions as in the papers
Clusters = Literal["raters", "ranksum"]


@dataclass(frozen=True, slots=True)
class CaptionScores:
    """One row per (system, caption) that was rated."""

    system: IntArray
    item: IntArray
    #: NaN where the file holds standardised scores only
    raw: FloatArray
    z: FloatArray
    n: IntArray


@dataclass(frozen=True, slots=True)
class SystemScore:
    name: str
    #: mean raw score, or None where the file holds standardised scores only
    raw: float | None
    z: float
    #: ratings, and captions that they are about
    n: int
    captions: int
    #: 95 % interval of z, over raters or (rank-sum clusters) over captions; None with fewer than two captions
    interval: tuple[float, float] | None
    #: best and worst rank that the significant differences allow
    ranks: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems, best first; `p[i, j]` is the p-value that system i beats system j (NaN where no test can be
    made): one-sided for rank sums; over raters it is two-sided, and 1 for the system that is behind.
    """

    systems: tuple[SystemScore, ...]
    p: FloatArray
    p_holm: FloatArray
    p_bh: FloatArray
    clusters: tuple[tuple[str, ...], ...]
    alpha: float
    notes: tuple[str, ...] = ()
    by: Clusters = "ranksum"
    #: raters whose ratings count
    raters: int = 0


def standardise(ratings: Ratings, scale: Literal["raw", "z"] = "raw") -> FloatArray:
    """z of every rating, by the mean and sd of what its rater gave; NaN for raters whose scores are all
    equal. With scale `z` the scores are z already.
    """
    if scale == "z":
        return ratings.value
    rater, n = ratings.rater.codes, len(ratings.rater)
    given = slice(None) if ratings.given is None else slice(ratings.given)
    count = np.bincount(rater[given], minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(rater[given], weights=ratings.value[given], minlength=n) / count
        deviation = ratings.value - mean[rater]
        sd = np.sqrt(np.bincount(rater[given], weights=deviation[given] ** 2, minlength=n) / (count - 1))
        sd[~(sd > 1e-12)] = np.nan
        return np.asarray(deviation / sd[rater])


class Credited(NamedTuple):
    """Ratings that count for a system: the row of each, its system, rater and item, and its z."""

    row: IntArray
    system: IntArray
    rater: IntArray
    item: IntArray
    z: FloatArray


def credited(ratings: Ratings, scale: Literal["raw", "z"] = "raw") -> Credited:
    """Every rating of no damaged caption, by a rater who could be standardised; once for each author of the
    caption.
    """
    z = standardise(ratings, scale)
    row, named = ratings.credit_row, np.array([name != "" for name in ratings.systems], dtype=bool)
    use = named[ratings.credit.codes] & (ratings.kind[row] != DEGRADED) & ~np.isnan(z[row])
    row = row[use]
    return Credited(row, ratings.credit.codes[use], ratings.rater.codes[row], ratings.item.codes[row], z[row])


def caption_scores(
    ratings: Ratings, *, scale: Literal["raw", "z"] = "raw", repeats: Repeats = "all"
) -> CaptionScores:
    row, system, rater, item, standard = credited(ratings, scale)
    n_items = len(ratings.item)
    captions, place = np.unique(system * n_items + item, return_inverse=True)
    count = np.bincount(place, weights=None if ratings.count is None else ratings.count[row])
    known = ratings.value if scale == "raw" else ratings.raw
    raw = np.full(len(row), np.nan) if known is None else known[row]
    if repeats == "merge":
        mine, which = np.unique(place * len(ratings.rater) + rater, return_inverse=True)
        raw, standard = (means(values, which, len(mine)) for values in (raw, standard))
        place = mine // len(ratings.rater)
    return CaptionScores(
        captions // n_items,
        captions % n_items,
        _exact_means(raw, place, len(captions)),
        _exact_means(standard, place, len(captions)),
        count.astype(np.int64),
    )


def means(values: FloatArray, groups: IntArray, n: int) -> FloatArray:
    """Per group, over the values that are there; NaN where there is none."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.bincount(groups[there], weights=values[there], minlength=n)
            / np.bincount(groups[there], minlength=n)
        )


def _exact_means(values: FloatArray, groups: IntArray, n: int) -> FloatArray:
    """Means of groups, exact to 15 significant digits as R writes them: captions with equal ratings must tie,
    however a sum was rounded. The k-th values of all groups are added at once, and what each addition loses
    (Knuth's TwoSum) is kept."""
    size = np.bincount(groups, minlength=n)
    order, starts = np.argsort(groups, kind="stable"), np.cumsum(size) - size
    total, lost = np.zeros(n), np.zeros(n)
    for k in range(int(size.max(initial=0))):
        first_few = np.flatnonzero(size > k)
        old, new = total[first_few], values[order[starts[first_few] + k]]
        both = old + new
        back = both - old
        lost[first_few] += (old - (both - back)) + (new - back)
        total[first_few] = both
    return np.array([float(f"{value:.15g}") for value in ((total + lost) / size).tolist()])


def rank(
    ratings: Ratings,
    *,
    alpha: float = 0.05,
    scale: Literal["raw", "z"] = "raw",
    repeats: Repeats = "all",
    captions: CaptionScores | None = None,
    by: Clusters = "ranksum",
) -> Ranking:
    """`captions` saves the work of computing them where they are there already."""
    captions = captions or caption_scores(ratings, scale=scale, repeats=repeats)
    notes = []
    if scale == "raw" and (dropped := int((~np.isfinite(standardise(ratings, scale))).sum())):
        notes.append(
            f"{dropped:,} ratings are by raters whose scores are all equal (or who gave one rating only);"
            " they cannot be standardised and were dropped."
        )
    if not len(captions.z):
        raise DataError(
            "No rating is left to score a system with.",
            hint="; ".join(notes) or "Check who was accepted, and that the file holds system captions.",
        )
    z = means(captions.z, captions.system, len(ratings.systems))
    order = sorted(set(captions.system.tolist()), key=lambda k: (-z[k], ratings.systems[k]))
    place = np.full(len(ratings.systems), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    raters, intervals = len(np.unique(credited(ratings, scale).rater)), None
    if by == "raters" and raters < 2:
        by = "ranksum"
        notes.append(
            "There is one rater, so that clusters and intervals are those of the rank-sum test: they hold for"
            " this rater only."
        )
    if by == "raters":
        p, intervals = _over_raters(ratings, order, captions, scale, repeats)
    else:
        p = beats(captions.z, place[captions.system], len(order))
    wins = p < alpha
    systems = tuple(
        _system(ratings.systems[k], captions, captions.system == k, wins, position)
        for position, k in enumerate(order)
    )
    if intervals is not None:
        systems = tuple(replace(s, interval=i) for s, i in zip(systems, intervals, strict=True))
        notes += _rater_notes(raters, p, [s.name for s in systems])
    alone = [s.name for s in systems if s.captions == 1]
    if alone:
        notes.append(
            f"{', '.join(alone)}: only one caption, so there is no interval and no meaningful test. Such a"
            " system is not significantly different from any other, so clusters may be merged that would be"
            " separate without it."
        )
    p_holm, p_bh = (_adjusted(p, adjust, by) for adjust in (holm, benjamini_hochberg))
    names = [s.name for s in systems]
    return Ranking(systems, p, p_holm, p_bh, clusters(names, wins), alpha, tuple(notes), by, raters)


def _adjusted(p: FloatArray, adjust: Callable[[FloatArray], FloatArray], by: Clusters) -> FloatArray:
    """Over all ordered pairs, or (two-sided tests) over every two systems once."""
    if by == "ranksum":
        corrected: FloatArray = adjust(p.ravel()).reshape(p.shape)
        return corrected
    found: FloatArray = p.copy()
    upper = np.triu(np.ones(p.shape, dtype=bool), 1)
    ahead = (p < p.T) | ((p == p.T) & upper)
    found[ahead] = adjust(p[ahead])
    return found


def _over_raters(
    ratings: Ratings,
    order: list[int],
    captions: CaptionScores,
    scale: Literal["raw", "z"],
    repeats: Repeats,
) -> tuple[FloatArray, list[tuple[float, float] | None]]:
    """(systems, systems) two-sided p, 1 for the system that is behind; and the intervals of the means."""
    _, system, rater, item, z = credited(ratings, scale)
    cells = Cells.of(z, system, rater, item, len(ratings.systems))
    # of every rating in its system's mean: captions weigh alike, and so do the ratings of a caption
    place = np.full(len(ratings.systems) * len(ratings.item), -1, dtype=np.int64)
    place[captions.system * len(ratings.item) + captions.item] = np.arange(len(captions.n))
    caption = place[system * len(ratings.item) + item]
    size = cells.rated.sum(axis=0)
    weight = 1 / (size[system] * captions.n[caption])
    if repeats == "merge":
        mine, which, several = np.unique(
            caption * len(ratings.rater) + rater, return_inverse=True, return_counts=True
        )
        people = np.bincount(mine // len(ratings.rater), minlength=len(captions.n))
        weight = 1 / (size[system] * people[caption] * several[which.reshape(-1)])
    n = len(order)
    p = np.full((n, n), np.nan)
    for i, j in itertools.combinations(range(n), 2):
        found = cells.difference(order[i], order[j])
        ahead = (j, i) if found.value < 0 else (i, j)
        if not math.isnan(found.p):
            p[ahead], p[ahead[::-1]] = found.p, 1.0
    return p, [cells.system_mean(k, weight).interval() for k in order]


def _rater_notes(raters: int, p: FloatArray, names: list[str]) -> list[str]:
    notes = []
    if raters < FEW_RATERS:
        notes.append(
            f"There are {raters} raters. Clusters from fewer than {FEW_RATERS} raters do not generalise to"
            " other raters: let more raters take part (storymeter human plan)."
        )
    untested = [
        f"{names[i]} and {names[j]}"
        for i, j in itertools.combinations(range(len(names)), 2)
        if math.isnan(p[i, j])
    ]
    if untested:
        notes.append(
            f"No test over raters can be made between"
            f" {first_few(untested)}: two captions of each system and two"
            " raters with different scores are needed. Such systems stay in one cluster."
        )
    return notes


def _system(
    name: str, captions: CaptionScores, rows: BoolArray, wins: BoolArray, position: int
) -> SystemScore:
    z, raw = captions.z[rows], float(captions.raw[rows].mean())
    ranks = (1 + int(wins[:, position].sum()), len(wins) - int(wins[position].sum()))
    return SystemScore(
        name,
        None if math.isnan(raw) else raw,
        float(z.mean()),
        int(captions.n[rows].sum()),
        len(z),
        t_interval(z),
        ranks,
    )


def t_interval(values: FloatArray) -> tuple[float, float] | None:
    """95 % of the mean, by the t distribution; None with fewer than two values."""
    if len(values) < 2:
        return None
    half = float(stdtrit(len(values) - 1, 0.975)) * float(values.std(ddof=1)) / len(values) ** 0.5
    return float(values.mean()) - half, float(values.mean()) + half


def beats(values: FloatArray, systems: IntArray, n: int) -> FloatArray:
    """(n, n): the one-sided rank-sum p-value that the row's values are greater than the column's. See the
    module.
    """
    levels, value = np.unique(values, return_inverse=True)
    distinct = len(levels)
    u, cross = np.empty((2, n, n))
    _, cell, count = np.unique(systems * distinct + value, return_inverse=True, return_counts=True)
    alike = count[cell].astype(float)  # for every caption, how many captions of its system have its value
    for i in range(n):
        c = np.bincount(value[systems == i], minlength=distinct).astype(float)
        u[:, i] = np.bincount(systems, weights=(np.cumsum(c) - c / 2)[value], minlength=n)
        cross[:, i] = np.bincount(systems, weights=alike * c[value], minlength=n)
    own, size = (
        np.bincount(systems, weights=alike**2, minlength=n),
        np.bincount(systems, minlength=n).astype(float),
    )
    # t³ - t with t = c_i + c_j, summed over the values
    ties = own[:, None] + own[None, :] + 3 * (cross + cross.T) - (size[:, None] + size[None, :])
    p = rank_sum_p(u, np.broadcast_to(size[:, None], (n, n)), np.broadcast_to(size[None, :], (n, n)), ties)
    np.fill_diagonal(p, np.nan)
    return p


def clusters(names: list[str], wins: BoolArray) -> tuple[tuple[str, ...], ...]:
    """Boundaries where everything above beats everything below."""
    found, begin = [], 0
    for end in range(1, len(names) + 1):
        if end == len(names) or wins[:end, end:].all():
            found.append(tuple(names[begin:end]))
            begin = end
    return tuple(found)

"""Which raters can be believed? The worker test of Direct Assessment (papers: Graham et al. 2018, "Quality controlling the
crowd"), the repeat check, and advisory flags.

Every rater saw control pairs: a caption and the same caption damaged. Over all of a rater's pairs, a one-sided test asks
whether the damaged ones got lower scores; p < alpha passes, and a test that cannot be made (all scores equal, fewer than
two pairs) does not.

- `t` (the default): paired t-test. It is what the authors' scripts, WMT and TRECVID used, so verdicts are comparable with
  published ones. In the simulation of `storymeter human plan --worker-tests` it also loses the fewest honest raters, by a
  few points; docs/human-analysis.md says what that simulation assumes.
- `signed-rank`: Wilcoxon's, for those who take a slider for an ordinal scale; exact up to 50 pairs.
- `mann-whitney`: ignores the pairing, as Appraise does.

Repeats are looked at twice. *Drift*: a two-sided test of the same kind between first and second showing; reported, and
enforced only when asked for (`enforce_repeats`). *Consistency*: a rater who reads gives a caption that comes again about
the score it had, give or take a drift that is the same for all. With d the mean |first - second|, less that drift, over k
repeats (times √(k/(k - 1)), for the drift that was taken out), G the mean |a - b| over all pairs of the rater's own
scores (Gini's mean difference) and s their standard deviation, d of somebody who answers without looking is about
normal with mean G and variance (2s² - G²)/k; p = P(no larger than d). Two gates follow:

- `control`: the worker test decides alone, as in the papers and their files.
- `repeats`: whoever passes must also be consistent, p < .1 (the second hurdle is lower: ten repeats are few). It stops raters who look now and then, whom more control
  pairs would only help, at a price: docs/human-analysis.md has both rates. Silent with fewer than five repeats.
- `auto` (the default): `repeats` for campaigns of ours, where every HIT has its repeats by design; `control` for files of
  other tools, so that verdicts stay comparable with published ones.

Flags advise; none rejects by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from ..stats.ranks import paired_t, rank_sum, signed_rank
from .ratings import DEGRADED, HUMAN, REPEAT, SYSTEM, BoolArray, FloatArray, IntArray, Ratings

Test = Literal["t", "signed-rank", "mann-whitney"]
TESTS: tuple[Test, ...] = ("t", "signed-rank", "mann-whitney")
Gates = Literal["auto", "control", "repeats"]
FLAGS = {
    "degraded-not-lower": "damaged captions got no lower scores than ordinary ones, on average",
    "human-below-90": "captions written by people got less than 90 on average",
    "fast": "less than three seconds per rating (300 s for a HIT of 100)",
    "streak": "more than eight equal scores in a row",
    "constant": "every score is the same",
    "repeats-differ": "captions that came twice got higher (or lower) scores the second time (p < alpha)",
    "inconsistent": "the two scores of captions that came twice are hardly closer than those of unrelated captions (p >= .1)",
}
_STREAK, _SECONDS, _HUMAN = 8, 3.0, 90.0
#: fewer repeats say nothing about consistency; and the p that shows it
_REPEATS, _CONSISTENT = 5, 0.1


@dataclass(frozen=True, slots=True)
class Worker:
    id: str
    ratings: int
    pairs: int
    mean_high: float | None
    mean_low: float | None
    p: float | None
    accepted: bool
    #: why the rater was accepted or not, in words
    reason: str
    repeats: int
    repeat_difference: float | None
    repeat_p: float | None
    #: p of the consistency check; None with fewer than five repeats
    consistency_p: float | None
    seconds: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    test: Test
    alpha: float
    gates: Literal["control", "repeats"]
    workers: tuple[Worker, ...]
    #: control rows whose partner was never rated (a HIT that was left half done)
    incomplete: int

    @property
    def accepted(self) -> BoolArray:
        return np.array([worker.accepted for worker in self.workers], dtype=bool)


@dataclass(frozen=True, slots=True)
class ControlPairs:
    rater: IntArray
    first: FloatArray
    second: FloatArray


def control_pairs(ratings: Ratings, kind: int) -> tuple[ControlPairs, int]:
    """The undamaged (or first) and damaged (or repeated) scores of each pair, and how many controls lack a partner."""
    original = np.flatnonzero((ratings.pair >= 0) & ((ratings.kind == SYSTEM) | (ratings.kind == HUMAN)))
    keys, first = np.unique(ratings.pair[original], return_index=True)
    control = np.flatnonzero((ratings.kind == kind) & (ratings.pair >= 0))
    place = np.searchsorted(keys, ratings.pair[control])
    there = place < len(keys)
    there[there] = keys[place[there]] == ratings.pair[control][there]
    control, partner = control[there], original[first[place[there]]]
    if kind == REPEAT:  # which of the two was shown first
        later = ratings.position[partner] > ratings.position[control]
        control, partner = np.where(later, partner, control), np.where(later, control, partner)
    return ControlPairs(ratings.rater.codes[control], ratings.value[partner], ratings.value[control]), int((ratings.kind == kind).sum()) - len(control)


def run_test(test: Test, high: FloatArray, low: FloatArray, groups: IntArray, n_groups: int, *, two_sided: bool = False) -> FloatArray:
    """p per group that `high` is not above `low` (two-sided: that the two do not differ)."""
    if test == "mann-whitney":
        return rank_sum(high, low, groups, groups, n_groups, two_sided=two_sided)
    return (paired_t if test == "t" else signed_rank)(high - low, groups, n_groups, two_sided=two_sided)


def consistency(ratings: Ratings, repeats: ControlPairs) -> FloatArray:
    """p per rater that the scores of repeats are no closer than those of unrelated captions (see above); NaN where nothing can be said."""
    n, rater = len(ratings.rater), ratings.rater.codes
    order = np.lexsort((ratings.value, rater))
    value, owner, size = ratings.value[order], rater[order], np.bincount(rater, minlength=n).astype(float)
    place = np.arange(len(value)) - (np.cumsum(size) - size)[owner]  # 0, 1, … among the rater's scores, smallest first
    k = np.bincount(repeats.rater, minlength=n).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(owner, weights=value, minlength=n) / size
        variance = np.bincount(owner, weights=(value - mean[owner]) ** 2, minlength=n) / (size - 1)
        gini = 2 * np.bincount(owner, weights=(2 * place + 1 - size[owner]) * (value - mean[owner]), minlength=n) / (size * (size - 1))
        spread = np.sqrt(np.maximum(2 * variance - gini**2, 0) / k)
        change = repeats.first - repeats.second
        change = (change - _means(change, repeats.rater, n)[repeats.rater]) * np.sqrt(k / (k - 1))[repeats.rater]
        z = (_means(np.abs(change), repeats.rater, n) - gini) / spread
    return np.where((k >= _REPEATS) & (spread > 1e-12), ndtr(z), np.nan)


def assess(ratings: Ratings, *, test: Test = "t", alpha: float = 0.05, gates: Gates = "auto", enforce_repeats: bool = False, scale: str = "raw") -> Quality:
    chosen = ("repeats" if ratings.ours else "control") if gates == "auto" else gates
    n = len(ratings.rater)
    pairs, incomplete = control_pairs(ratings, DEGRADED)
    repeats, incomplete_repeats = control_pairs(ratings, REPEAT)
    p = run_test(test, pairs.first, pairs.second, pairs.rater, n)
    repeat_p = run_test(test, repeats.first, repeats.second, repeats.rater, n, two_sided=True)
    count, repeat_count = np.bincount(pairs.rater, minlength=n), np.bincount(repeats.rater, minlength=n)
    high, low = _means(pairs.first, pairs.rater, n), _means(pairs.second, pairs.rater, n)
    change = _means(np.abs(repeats.first - repeats.second), repeats.rater, n)
    seconds = _means(ratings.seconds, ratings.rater.codes, n)
    total = np.bincount(ratings.rater.codes, minlength=n)
    flags = _flags(ratings, scale)
    steady = consistency(ratings, repeats)
    flags["repeats-differ"] = repeat_p < alpha
    flags["inconsistent"] = steady >= _CONSISTENT
    workers = []
    for k, name in enumerate(ratings.rater.names):
        accepted, reason = _verdict(p[k], int(count[k]), alpha)
        if accepted and enforce_repeats and flags["repeats-differ"][k]:
            accepted, reason = False, f"rated the same captions differently the second time (p = {repeat_p[k]:.3g})"
        if accepted and chosen == "repeats" and flags["inconsistent"][k]:
            accepted, reason = False, f"two scores of one caption are no closer than those of unrelated captions (p = {steady[k]:.3g})"
        workers.append(Worker(name, int(total[k]), int(count[k]), _or_none(high[k]), _or_none(low[k]), _or_none(p[k]), accepted, reason,
                              int(repeat_count[k]), _or_none(change[k]), _or_none(repeat_p[k]), _or_none(steady[k]), _or_none(seconds[k]),
                              tuple(flag for flag, raised in flags.items() if raised[k])))
    return Quality(test, alpha, chosen, tuple(workers), incomplete + incomplete_repeats)


def _verdict(p: float, pairs: int, alpha: float) -> tuple[bool, str]:
    if pairs < 2:
        return False, f"no test is possible with {pairs} complete control {'pair' if pairs == 1 else 'pairs'}"
    if np.isnan(p):
        return False, "no test is possible: the scores of the control pairs do not differ at all"
    if p < alpha:
        return True, "damaged captions got lower scores"
    return False, f"damaged captions did not get reliably lower scores (p = {p:.3g})"


def _flags(ratings: Ratings, scale: str) -> dict[str, BoolArray]:
    n, rater = len(ratings.rater), ratings.rater.codes

    def mean_of(kind: int) -> FloatArray:
        rows = ratings.kind == kind
        return _means(ratings.value[rows], rater[rows], n)

    with np.errstate(invalid="ignore"):
        flags = {"degraded-not-lower": mean_of(DEGRADED) >= mean_of(SYSTEM)}
        flags["human-below-90"] = mean_of(HUMAN) < _HUMAN if scale == "raw" else np.zeros(n, dtype=bool)
    work = rater * len(ratings.hit) + ratings.hit.codes
    _, first, hits = np.unique(work, return_index=True, return_inverse=True)
    hits = hits.reshape(-1)
    quick = _means(ratings.seconds, hits, len(first)) < _SECONDS
    flags["fast"] = np.bincount(rater[first], weights=quick, minlength=n) > 0
    flags["streak"] = _streaks(ratings, hits) > _STREAK
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, rater, ratings.value)
    np.maximum.at(high, rater, ratings.value)
    flags["constant"] = (low == high) & (np.bincount(rater, minlength=n) > 1)
    return flags


def _streaks(ratings: Ratings, hits: IntArray) -> IntArray:
    """The longest run of equal scores of each rater within a HIT, in the order of the places (of the file, without them)."""
    place = np.where(np.isnan(ratings.position), np.arange(len(ratings)), ratings.position)
    order = np.lexsort((place, hits))
    value, hit = ratings.value[order], hits[order]
    new = np.ones(len(value), dtype=bool)
    new[1:] = (value[1:] != value[:-1]) | (hit[1:] != hit[:-1])
    length = np.bincount(np.cumsum(new) - 1)
    longest = np.zeros(len(ratings.rater), dtype=np.int64)
    np.maximum.at(longest, ratings.rater.codes[order][np.flatnonzero(new)], length)
    return longest


def _means(values: FloatArray, groups: IntArray, n: int) -> FloatArray:
    """Per group, over the values that are there; NaN where there is none."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(groups[there], weights=values[there], minlength=n) / np.bincount(groups[there], minlength=n))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

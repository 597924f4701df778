"""Which raters can be believed? The worker test of Direct Assessment (papers: Graham et al. 2018, "Quality
controlling the crowd"), the repeat check, and advisory flags.

Every rater saw control pairs: a caption and the same caption damaged. Over all of a rater's pairs, a
one-sided test asks whether the damaged ones got lower scores; p < alpha passes, and a test that cannot be
made (all scores equal, fewer than two pairs) does not.

- `t` (the default): paired t-test. It is what the authors' scripts, WMT and TRECVID used, so verdicts are
  comparable with published ones. In the simulation of `storymeter human plan --worker-tests` it also loses
  the fewest honest raters, by a few points; docs/human-analysis.md says what that simulation assumes.
- `signed-rank`: Wilcoxon's, for those who take a slider for an ordinal scale; exact up to 50 pairs.
- `mann-whitney`: ignores the pairing, as Appraise does.

Repeats are tested for *drift*, two-sided and by the same kind of test, between first and second showing;
reported, and enforced only when asked for (`enforce_repeats`). Who passes the worker test may also have to
show that most captions were looked at, by the evidence of `storymeter.human.analysis.attention`. Three gates:

- `control`: the worker test decides alone, as in the papers and their files.
- `repeats`: whoever passes must also be consistent on repeats, p < .1 (the second hurdle is lower: ten
  repeats are few).
- `attention`: whoever passes must also agree with the other raters clearly more than half as well as is usual
  (p < .02), and among captions of one author at least half as well. Where that cannot be asked (few raters,
  few shared captions, or raters much at odds), the check of repeats stands in, unless it would take more than
  a quarter of those whom the control pairs believe: a check that many fail says more of the task than of the
  raters. Members of rings (`crowd`) and raters who favour a system (`partisans`) do not pass; agreement is
  measured by raters of no ring. Where agreement cannot be computed for most raters, or rings are not clearly
  the smaller side, `Quality.unranked` says why.
- `auto` (the default): `attention` for campaigns of ours, where every HIT has its repeats by design;
  `control` for files of other tools, so that verdicts stay comparable with published ones.

What the gates let through and what they cost stands in docs/human-analysis.md.
Flags advise; none rejects by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...arrays import FloatArray, IntArray
from ...errors import first_few, many
from ...stats.ranks import paired_t, rank_sum, signed_rank
from ..ratings import DEGRADED, HUMAN, REPEAT, SYSTEM, BoolArray, Ratings
from . import crowd
from .attention import (
    ATTENTIVE,
    CONSISTENT,
    MOST_INCONSISTENT,
    Peers,
    cells,
    consistency,
    control_pairs,
    partisans,
    peers,
)
from .scores import means

Test = Literal["t", "signed-rank", "mann-whitney"]
TESTS: tuple[Test, ...] = ("t", "signed-rank", "mann-whitney")
Gates = Literal["auto", "control", "repeats", "attention"]
FLAGS = {
    "degraded-not-lower": "damaged captions got no lower scores than ordinary ones, on average",
    "human-below-90": "captions written by people got less than 90 on average",
    "fast": "less than three seconds per rating (300 s for a HIT of 100)",
    "streak": "more than eight equal scores in a row",
    "constant": "every score is the same",
    "repeats-differ": "captions shown twice got higher (or lower) scores the second time (p < alpha)",
    "inconsistent": (
        "the two scores of repeated captions are not significantly closer than those of unrelated captions"
        " (p >= .1)"
    ),
    "apart": (
        "agreement with the other raters is not significantly higher than half of the usual agreement"
        " (p >= .02), or is below half of it among captions of one author"
    ),
}
_STREAK, _SECONDS, _HUMAN = 8, 3.0, 0.9


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
    #: correlation with what trusted others said of the same captions, and p that it is no more than half of
    #: what is usual
    agreement: float | None
    agreement_p: float | None
    seconds: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    test: Test
    alpha: float
    gates: Literal["control", "repeats", "attention"]
    workers: tuple[Worker, ...]
    #: control rows whose partner was never rated (a HIT that was left half done)
    incomplete: int
    #: the agreement of a usual rater with the others; None where it is not known
    usual: float | None = None
    notes: tuple[str, ...] = ()
    #: what decided beside the control pairs
    second: Literal["", "repeats", "peers"] = ""
    rings: tuple[crowd.Ring, ...] = ()
    #: raters who were left out because they favour or disfavour a system
    partisans: tuple[str, ...] = ()
    #: why these raters cannot rank systems; empty where they can
    unranked: str = ""

    @property
    def accepted(self) -> BoolArray:
        return np.array([worker.accepted for worker in self.workers], dtype=bool)

    @property
    def tested(self) -> bool:
        """Whether there are control pairs, by which raters were tested."""
        return any(worker.pairs for worker in self.workers)


def run_test(
    test: Test, high: FloatArray, low: FloatArray, groups: IntArray, n_groups: int, *, two_sided: bool = False
) -> FloatArray:
    """p per group that `high` is not above `low` (two-sided: that the two do not differ)."""
    if test == "mann-whitney":
        return rank_sum(high, low, groups, groups, n_groups, two_sided=two_sided)
    return (paired_t if test == "t" else signed_rank)(high - low, groups, n_groups, two_sided=two_sided)


def assess(
    ratings: Ratings,
    *,
    test: Test = "t",
    alpha: float = 0.05,
    gates: Gates = "auto",
    enforce_repeats: bool = False,
    scale: Literal["raw", "z"] = "raw",
    doubted: Mapping[str, str] | None = None,
) -> Quality:
    """The verdict on every rater. `doubted`: raters whom other evidence than their scores speaks against,
    with the reason; they do not pass, and nobody's agreement is measured by them."""
    doubted = doubted or {}
    chosen = ("attention" if ratings.ours else "control") if gates == "auto" else gates
    n = len(ratings.rater)
    pairs, incomplete = control_pairs(ratings, DEGRADED)
    repeats, incomplete_repeats = control_pairs(ratings, REPEAT)
    p = run_test(test, pairs.first, pairs.second, pairs.rater, n)
    repeat_p = run_test(test, repeats.first, repeats.second, repeats.rater, n, two_sided=True)
    count, repeat_count = np.bincount(pairs.rater, minlength=n), np.bincount(repeats.rater, minlength=n)
    high, low = means(pairs.first, pairs.rater, n), means(pairs.second, pairs.rater, n)
    change = means(np.abs(repeats.first - repeats.second), repeats.rater, n)
    seconds = means(ratings.seconds, ratings.rater.codes, n)
    total = np.bincount(ratings.rater.codes, minlength=n)
    steady = consistency(ratings, repeats)
    trusted = np.array([name not in doubted for name in ratings.rater.names], dtype=bool)
    believed = (p < alpha) & (count > 1) & trusted
    table = cells(ratings, scale) if chosen == "attention" else None
    rings = tuple(crowd.rings(ratings, table, believed)) if table is not None else ()
    ringed = np.isin(ratings.rater.names, [name for ring in rings for name in ring.raters])
    company = peers(ratings, believed & ~ringed & ~(steady >= CONSISTENT), scale)
    flags = {
        **_flags(ratings, scale),
        "repeats-differ": repeat_p < alpha,
        "inconsistent": steady >= CONSISTENT,
        "apart": (company.p >= ATTENTIVE) | company.unlike,
    }
    careless, second, notes = _careless(chosen, believed & ~ringed, steady, company)
    number = {name: k for k, name in enumerate(ratings.rater.names)}
    careless |= {number[name]: ring.reason for ring in rings for name in ring.raters}
    notes += tuple(
        f"Ring: {many(len(ring.raters), 'rater')} {ring.evidence}: {first_few(ring.raters)}."
        for ring in rings
    )
    partial: dict[int, str] = {}
    if table is not None:
        fair = believed & ~np.isin(np.arange(n), list(careless))
        partial = {one.rater: one.reason for one in partisans(ratings, table, fair)}
        careless |= partial
        notes += tuple(
            f"Influence: {ratings.rater.names[k]} {reason}, and is left out." for k, reason in partial.items()
        )
    unranked = _unranked(chosen, believed, ringed, company)
    workers = []
    for k, name in enumerate(ratings.rater.names):
        accepted, reason = _verdict(p[k], int(count[k]), alpha)
        if accepted and enforce_repeats and flags["repeats-differ"][k]:
            accepted, reason = (
                False,
                f"rated the same captions differently the second time (p = {repeat_p[k]:.3g})",
            )
        if accepted and k in careless:
            accepted, reason = False, careless[k]
        if name in doubted:
            accepted, reason = False, doubted[name] if accepted else f"{doubted[name]}; {reason}"
        workers.append(
            Worker(
                name,
                int(total[k]),
                int(count[k]),
                _or_none(high[k]),
                _or_none(low[k]),
                _or_none(p[k]),
                accepted,
                reason,
                int(repeat_count[k]),
                _or_none(change[k]),
                _or_none(repeat_p[k]),
                _or_none(steady[k]),
                _or_none(company.r[k]),
                _or_none(company.p[k]),
                _or_none(seconds[k]),
                tuple(flag for flag, raised in flags.items() if raised[k]),
            )
        )
    return Quality(
        test,
        alpha,
        chosen,
        tuple(workers),
        incomplete + incomplete_repeats,
        _or_none(company.usual),
        notes,
        second,
        rings,
        tuple(ratings.rater.names[k] for k in sorted(partial)),
        unranked,
    )


def _unranked(gates: str, believed: BoolArray, ringed: BoolArray, company: Peers) -> str:
    """Why raters of whom most cannot be held against others, or of whom too many work together, rank
    nothing."""
    if gates != "attention" or not believed.any():
        return ""
    total = int(believed.sum())
    inside = int((believed & ringed).sum())
    if inside > crowd.CLEAR * total:
        return (
            f"{inside:,} of the {total:,} raters who pass the control pairs work together, so that nobody can"
            " say which side looked at the clips"
        )
    left = believed & ~ringed
    silent = int((left & np.isnan(company.p) & np.isnan(company.inner)).sum())
    if 2 * silent > int(left.sum()):
        return (
            f"agreement with the others could not be computed for {silent:,} of the {int(left.sum()):,}"
            f" raters who pass the control pairs ({company.silent})"
        )
    return ""


def _careless(
    gates: Literal["control", "repeats", "attention"], believed: BoolArray, steady: FloatArray, company: Peers
) -> tuple[dict[int, str], Literal["", "repeats", "peers"], tuple[str, ...]]:
    """Whom the second gate stops, and why; which evidence it had; and what it could not ask."""
    if gates == "control":
        return {}, "", ()
    peered = gates == "attention"
    asked = (~np.isnan(company.p) | ~np.isnan(company.inner)) & peered
    apart = believed & asked & (company.p >= ATTENTIVE)
    unlike = believed & asked & company.unlike & ~apart
    inconsistent = believed & ~asked & (steady >= CONSISTENT)
    unasked = int((believed & ~asked).sum())
    notes = []
    if gates == "attention" and unasked:
        notes.append(
            f"WARNING: agreement with the others could not be computed for {unasked:,} of the"
            f" {int(believed.sum()):,} raters who pass the control pairs: {company.silent}. Some who"
            " never watch a clip pass the control pairs, and no other check applies here. Let three raters"
            " or more rate each caption, as `storymeter human new` does by default."
        )
    if gates == "attention" and inconsistent.sum() > MOST_INCONSISTENT * unasked:
        notes.append(
            f"The check of repeats is not applied: {int(inconsistent.sum()):,} of the {unasked:,} raters"
            " for whom it would be used do not pass it (--gates repeats enforces it)."
        )
        inconsistent[:] = False
        steady = np.full(len(steady), np.nan)
    reasons = (
        {
            int(k): (
                "agreement with the other raters is not significantly higher than half of the usual one"
                f" (r = {company.r[k]:.2f}, usual is {company.usual:.2f}; p = {company.p[k]:.3g})"
            )
            for k in np.flatnonzero(apart)
        }
        | {
            int(k): (
                "agrees with the other raters on the systems, but among captions of one system less"
                f" than half of the usual agreement (r = {company.inner[k]:.2f}, usual is"
                f" {company.inner_usual:.2f})"
            )
            for k in np.flatnonzero(unlike)
        }
        | {
            int(k): (
                "two scores of one caption are no closer than those of unrelated captions (p ="
                f" {steady[k]:.3g})"
            )
            for k in np.flatnonzero(inconsistent)
        }
    )
    second: Literal["", "repeats", "peers"] = (
        "peers" if asked.any() else "repeats" if not np.isnan(steady).all() else ""
    )
    return reasons, second, tuple(notes)


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
        return means(ratings.value[rows], rater[rows], n)

    lowest, highest = ratings.bounds
    with np.errstate(invalid="ignore"):
        flags = {"degraded-not-lower": mean_of(DEGRADED) >= mean_of(SYSTEM)}
        flags["human-below-90"] = (
            mean_of(HUMAN) < lowest + _HUMAN * (highest - lowest)
            if scale == "raw"
            else np.zeros(n, dtype=bool)
        )
    work = rater * len(ratings.hit) + ratings.hit.codes
    _, first, hits = np.unique(work, return_index=True, return_inverse=True)
    quick = means(ratings.seconds, hits, len(first)) < _SECONDS
    flags["fast"] = np.bincount(rater[first], weights=quick, minlength=n) > 0
    flags["streak"] = _streaks(ratings, hits) > _STREAK
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, rater, ratings.value)
    np.maximum.at(high, rater, ratings.value)
    flags["constant"] = (low == high) & (np.bincount(rater, minlength=n) > 1)
    return flags


def _streaks(ratings: Ratings, hits: IntArray) -> IntArray:
    """The longest run of equal scores of each rater within a HIT, in the order of the places (of the file,
    without them).
    """
    place = np.where(np.isnan(ratings.position), np.arange(len(ratings)), ratings.position)
    order = np.lexsort((place, hits))
    value, hit = ratings.value[order], hits[order]
    new = np.ones(len(value), dtype=bool)
    new[1:] = (value[1:] != value[:-1]) | (hit[1:] != hit[:-1])
    length = np.bincount(np.cumsum(new) - 1)
    longest = np.zeros(len(ratings.rater), dtype=np.int64)
    np.maximum.at(longest, ratings.rater.codes[order][np.flatnonzero(new)], length)
    return longest


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

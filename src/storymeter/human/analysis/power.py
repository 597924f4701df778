"""How much do captions, raters and ratings differ, and what difference between systems does a study find?

`power` simulates the rank-sum test over captions. `smallest_difference` and `power_over_raters` are those of
the test that takes raters as random, the default of `human analyse`: the variance of a difference is

    sides (between² + within² / ratings of a caption) / captions + sides deviation² / raters

with raters - 1 degrees of freedom (noncentral t). Two systems have two sides where each is scored by itself
(Direct Assessment, error spans), and one where an answer compares them: the answer of a preference study, and
in a survey the difference of the marks of two stories of one sequence."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtr, stdtrit

from ...captions import Rating
from ...errors import DataError
from ...stats.paired import detectable
from ...stats.ranks import rank_sum
from ..ratings import Ratings
from .quality import assess
from .scores import credited, means

#: what `variances` finds in the cs-en ratings of WMT 2021 (docs/human-analysis.md says how)
BETWEEN, WITHIN = 0.43, 0.76
#: sd of how much more or less than others a rater likes a system, in z (WMT 2021 cs-en: .16 to .24)
DEVIATION = 0.2
#: a rater's standard deviation in points of the slider (one real MTurk batch: 31.7)
POINTS = 32.0
#: share of the work by raters who pass
ACCEPTED = 0.8
#: sds (between, within, deviation) of answers from -2 to 2 and of differences of marks from 1 to 5, which are
#: assumed: no ratings of many raters are public
ASSUMED = {"preference": (0.7, 1.1, 0.25), "survey": (0.6, 1.1, 0.25)}
#: second ratings of a caption (answers to a question) that tell captions from raters
SECONDS_NEEDED = 10


@dataclass(frozen=True, slots=True)
class Variances:
    """`between` captions of one system, `within` one caption between raters, both sds in z; `sd`: a rater's,
    in raw points. In studies of stories: of the answers (preference) or of the differences of two marks
    (survey), both in their own unit, and `sd` is 1.
    """

    between: float
    within: float
    sd: float
    accepted: float
    source: str
    #: how much more or less than others a rater likes a system
    deviation: float = DEVIATION


def variances(pilot: Ratings, *, accepted: float = 1.0) -> Variances:
    """One-way random effects within systems: captions rated by two or more raters tell the two variances
    apart.
    """
    _, system, _, item, value = credited(pilot)
    captions, unit, size = np.unique(system * len(pilot.item) + item, return_inverse=True, return_counts=True)
    owner = captions // len(pilot.item)
    free = len(value) - len(size)
    if free < SECONDS_NEEDED:
        raise _too_few(free)
    mean = means(value, unit, len(size))
    within = float(((value - mean[unit]) ** 2).sum()) / free
    system_mean = means(value, system, len(pilot.systems))
    groups = len(size) - len(np.unique(owner))
    spread = float((size * (mean - system_mean[owner]) ** 2).sum()) / max(groups, 1)
    k0 = (len(value) - float((size**2).sum()) / len(value)) / max(groups, 1)
    rater = pilot.rater.codes
    deviation = pilot.value - means(pilot.value, rater, len(pilot.rater))[rater]
    sd = math.sqrt(float((deviation**2).sum()) / max(len(pilot) - len(np.unique(rater)), 1))
    return Variances(
        math.sqrt(max(0.0, (spread - within) / k0)),
        math.sqrt(within),
        sd,
        accepted,
        f"pilot of {len(pilot):,} ratings",
    )


def from_pilot(pilot: Ratings, *, everybody: bool = False) -> Variances:
    """The spreads of the raters who pass (all of them, where nobody could be tested), and the share of the
    ratings that is theirs.
    """
    quality = assess(pilot)
    kept = quality.accepted
    if everybody or not quality.tested:
        kept = np.ones(len(kept), dtype=bool)
    if not kept.any():
        raise DataError(
            f"None of the {len(kept):,} raters of the pilot passed the control test.",
            hint="Use --accept all, or give the spreads: --sd-captions, --sd-ratings and --sd-rater.",
        )
    used = pilot.of_raters(kept)
    return variances(used, accepted=ACCEPTED if everybody else len(used) / len(pilot))


def _too_few(free: int) -> DataError:
    return DataError(
        f"The pilot has {free} second ratings of a caption; at least {SECONDS_NEEDED} are needed to tell"
        " captions from raters.",
        hint="Give the spread instead: --sd-captions and --sd-ratings.",
    )


def story_variances(records: Sequence[Rating], *, accepted: float = 1.0) -> Variances:
    """The same of a preference study or a survey: one-way random effects of the answers to one question (two
    systems, one item), and the covariance of a rater's answers about the same systems."""
    given: dict[tuple[str, str, str], dict[tuple[str, str], float]] = {}
    marks: dict[tuple[str, str, str], dict[str, float]] = {}
    for one in records:
        if one.kind == "repeat" and one.pair:
            continue
        if one.criterion == "preference":
            pair = "", one.system, str(one.meta.get("against", ""))
            given.setdefault(pair, {})[one.item, one.rater] = one.value
        elif one.kind != "test" and one.criterion != "vote":
            marks.setdefault((one.criterion, one.item, one.rater), {})[one.system] = one.value
    for (criterion, item, rater), by in marks.items():
        for a, b in itertools.combinations(sorted(by), 2):
            given.setdefault((criterion, a, b), {})[item, rater] = by[a] - by[b]
    inside = outside = shared = 0.0
    free = groups = couples = 0
    sizes: list[int] = []
    for answers in given.values():
        items = np.unique([item for item, _ in answers], return_inverse=True)[1]
        raters = np.unique([rater for _, rater in answers], return_inverse=True)[1]
        value, count = np.array(list(answers.values())), np.bincount(items)
        mean = means(value, items, len(count))
        rest = value - mean[items]
        inside, free = inside + float((rest**2).sum()), free + len(value) - len(count)
        outside += float((count * (mean - value.mean()) ** 2).sum())
        groups, sizes = groups + len(count) - 1, [*sizes, *count.tolist()]
        # of what a rater deviates from the others, in pairs of items; an item with one rater has no others
        several = count[items] > 1
        corrected = np.where(several, rest * np.sqrt(count[items] / np.maximum(count[items] - 1, 1)), 0.0)
        each, n = np.bincount(raters, corrected), np.bincount(raters[several], minlength=raters.max() + 1)
        squares = np.bincount(raters, corrected**2)
        shared, couples = shared + float((each**2 - squares).sum()), couples + int((n * (n - 1)).sum())
    if free < SECONDS_NEEDED:
        raise _too_few(free)
    noise = inside / free
    lean = min(noise, max(0.0, shared / couples)) if couples else 0.0
    k0 = max(1.0, sum(sizes) / len(sizes))
    between = max(0.0, (outside / max(groups, 1) - noise) / k0)
    return Variances(
        math.sqrt(between),
        math.sqrt(noise - lean),
        1.0,
        accepted,
        f"pilot of {len(records):,} answers",
        math.sqrt(lean),
    )


def power(
    ratings: int,
    captions: int,
    difference: float,
    *,
    between: float = BETWEEN,
    within: float = WITHIN,
    alpha: float = 0.05,
    overlap: int = 1,
    simulations: int = 500,
    seed: int = 0,
) -> float:
    """The share of simulated studies with `ratings` per system, `overlap` or more for each caption, in which
    the better system wins at alpha.
    """
    random = np.random.default_rng(seed)
    used = max(1, min(ratings // overlap, captions))
    k = np.full(used, ratings // used)
    k[: ratings % used] += 1
    spread = np.sqrt(between**2 + within**2 / k)
    groups = np.repeat(np.arange(simulations), used)
    better, other = (random.normal(size=(simulations, used)) * spread for _ in range(2))
    p = rank_sum((better + difference).ravel(), other.ravel(), groups, groups, simulations)
    return float((p < alpha).mean())


def _error(
    ratings: int,
    captions: int,
    raters: int,
    overlap: int,
    spreads: tuple[float, float, float],
    sides: int,
) -> float:
    """The standard error of a difference between two systems."""
    between, within, deviation = spreads
    raters = min(raters, ratings)  # with few ratings of each two systems not every rater compares them
    used = max(1, min(ratings // overlap, captions))
    return math.sqrt(sides * (between**2 + within**2 * used / ratings) / used + sides * deviation**2 / raters)


def smallest_difference(
    ratings: int,
    captions: int,
    raters: int,
    *,
    wanted: float = 0.8,
    overlap: int = 1,
    between: float = BETWEEN,
    within: float = WITHIN,
    deviation: float = DEVIATION,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """What the test over raters finds with the wanted power: `ratings` of each system (of each two, with one
    side), by `raters`.
    """
    if raters < 2:
        return math.nan
    error = _error(ratings, captions, raters, overlap, (between, within, deviation), sides)
    return detectable(raters - 1, alpha, wanted) * error


def power_over_raters(
    ratings: int,
    captions: int,
    raters: int,
    difference: float,
    *,
    overlap: int = 1,
    between: float = BETWEEN,
    within: float = WITHIN,
    deviation: float = DEVIATION,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """The share of studies in which the test over raters finds this difference."""
    if raters < 2:
        return 0.0
    error = _error(ratings, captions, raters, overlap, (between, within, deviation), sides)
    limit = float(stdtrit(raters - 1, 1 - alpha / 2))
    return float(1 - nctdtr(raters - 1, difference / error, limit))

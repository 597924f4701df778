"""Before the money is spent: how many HITs does a question need, and how good is the worker test?

**HITs.** Two systems differ by `difference` in z. A caption's true score varies between captions (sd
`between`), a rating around it (sd `within`). m ratings per system, `overlap` or more for a caption, give
caption means; the rank-sum test at alpha either sees the difference or not. The share of simulated studies in
which it does is the power; the smallest m that reaches the wanted power, times the systems, over the 70
system captions of a HIT and the share of raters that usually passes, is the number of HITs. `variances` takes
both sds from a pilot.

**Smallest difference.** The default clusters take raters as random (`rater_effects`): a rater likes a system
more or less than others do (sd `DEVIATION`). With one HIT a rater, the variance of a difference is
2 (between² + within² / ratings of a caption) / captions + 2 deviation² / raters, and the test has raters - 1
degrees of freedom; the smallest difference that it finds with the wanted power follows from the noncentral t
distribution.

**Worker tests.** Raters of known character rate k control pairs; a bot that passes is a false accept, an
honest rater who does not is a false reject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from ...arrays import FloatArray
from ...errors import DataError, UsageError
from ...stats.paired import detectable
from ...stats.ranks import rank_sum
from ..campaign.design import OVERLAP
from ..campaign.money import HOURLY, Pay, fair_price
from ..ratings import Ratings
from .quality import TESTS, Test, assess, run_test
from .reliability import Cost, cost
from .scores import credited, means, standardise

#: what `variances` finds in the cs-en ratings of WMT 2021 (docs/human-analysis.md says how)
BETWEEN, WITHIN = 0.43, 0.76
#: sd of how much more or less than others a rater likes a system, in z (WMT 2021 cs-en: .16 to .24)
DEVIATION = 0.2
#: a rater's standard deviation in points of the slider (one real MTurk batch: 31.7)
POINTS = 32.0
#: share of the work by raters who pass
ACCEPTED = 0.8
#: seconds that a rater takes for an item, with a clip of some six seconds; share of a HIT that is no control
SECONDS, SYSTEM_SHARE = 15.0, 0.7
#: mean and sd of scores for undamaged and damaged captions, by character; scores are rounded and stay in
#: 0..100
HONEST = {
    "careful": (82.0, 12.0, 38.0, 20.0),
    "average": (75.0, 18.0, 50.0, 24.0),
    "careless": (68.0, 24.0, 55.0, 26.0),
}
#: sd of what the two members of a pair share: the clip, and how well the caption suits it
SHARED = 10.0
BOTS = ("random", "constant", "extremes", "lazy", "drifting")
_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Variances:
    """`between` captions of one system, `within` one caption between raters, both sds in z; `sd`: a rater's,
    in raw points.
    """

    between: float
    within: float
    sd: float
    accepted: float
    source: str


@dataclass(frozen=True, slots=True)
class Plan:
    ratings_per_system: int
    hits: int
    power: float
    curve: tuple[tuple[int, float], ...]
    cost: Cost
    #: captions of each system that are rated, and how many ratings each gets at least
    captions: int
    overlap: int
    #: raters who pass, one HIT each, and the smallest difference (z) that the test over raters finds with the
    #: wanted power; NaN with fewer than two raters
    raters: int = 0
    smallest_difference: float = math.nan
    #: what it pays
    pay: Pay | None = None


@dataclass(frozen=True, slots=True)
class TestRates:
    """Shares of simulated raters: `accepts` of every bot character, `rejects` of every honest one."""

    test: Test
    pairs: int
    accepts: dict[str, float]
    rejects: dict[str, float]


def variances(pilot: Ratings, *, accepted: float = 1.0) -> Variances:
    """One-way random effects within systems: captions rated by two or more raters tell the two variances
    apart.
    """
    z = standardise(pilot)
    row, system = credited(pilot, z)
    value = z[row]
    captions, unit, size = np.unique(
        system * len(pilot.item) + pilot.item.codes[row], return_inverse=True, return_counts=True
    )
    owner = captions // len(pilot.item)
    free = len(value) - len(size)
    if free < 10:
        raise DataError(
            f"The pilot has {free} second ratings of a caption; at least 10 are needed to tell captions from"
            " raters.",
            hint="Give the spread instead: --sd-captions and --sd-ratings.",
        )
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
    if everybody or not any(worker.pairs for worker in quality.workers):
        kept = np.ones(len(kept), dtype=bool)
    if not kept.any():
        raise DataError(
            f"None of the {len(kept):,} raters of the pilot passed the control test.",
            hint="Use --accept all, or give the spreads: --sd-captions, --sd-ratings and --sd-rater.",
        )
    used = pilot.of_raters(kept)
    return variances(used, accepted=ACCEPTED if everybody else len(used) / len(pilot))


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


def plan(
    systems: int,
    captions: int,
    difference: float,
    *,
    wanted: float = 0.8,
    accepted: float = ACCEPTED,
    per_hit: int = 70,
    overlap: int = OVERLAP,
    price: float | None = None,
    fee: float = 0.20,
    hourly: float = HOURLY,
    currency: str = "USD",
    seconds: float = SECONDS,
    budget: float | None = None,
    **simulated: Any,
) -> Plan:
    """Doubling, then bisection, over simulated power; with a `budget`, the power of as many HITs as it pays.
    `difference` in z; `accepted`: the share of work by raters who pass; `seconds`: the time of an item, by
    which a HIT is paid where there is no `price`; `simulated`: what `power` takes beside these.
    """
    hit_seconds = seconds * per_hit / SYSTEM_SHARE
    pay = Pay(0, fair_price(hit_seconds, hourly) if price is None else price, fee, currency, hit_seconds)
    if systems < 2 or captions < 2 or difference <= 0 or not 0 < wanted < 1 or not 0 < accepted <= 1:
        raise UsageError(
            "A plan needs two systems, two captions, a difference above 0, and power and acceptance between 0"
            " and 1.",
            hint="Check the numbers given.",
        )
    curve: dict[int, float] = {}

    def reached(m: int) -> bool:
        curve[m] = power(m, captions, difference, overlap=overlap, **simulated)
        return curve[m] >= wanted

    hits = 0
    high = 16
    if budget is not None:
        each = pay.price * (1 + fee)
        hits = int(budget / each + 1e-9) if each else 0
        high = int(hits * accepted * per_hit / systems)
        if high < 2:
            raise UsageError(
                f"{budget:,.2f} {currency} pays {hits:,} HITs at {each:,.2f} with the fee: too few ratings of"
                f" {systems} systems.",
                hint="Raise --budget, or compare fewer systems.",
            )
        reached(high)
    while budget is None and not reached(high):
        if high >= _LIMIT:
            raise DataError(
                f"Even {high:,} ratings per system reach a power of only {curve[high]:.2f} with {captions:,}"
                " captions.",
                hint="Rate more captions, or look for a larger difference.",
            )
        high *= 2
    low = high // 2
    while budget is None and high - low > max(2, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    hits = hits or math.ceil(high * systems / per_hit / accepted)
    pay = msgspec.structs.replace(pay, hits=hits)
    raters = math.ceil(high * systems / per_hit)
    spreads = {key: simulated[key] for key in ("between", "within", "alpha") if key in simulated}
    return Plan(
        high,
        hits,
        curve[high],
        tuple(sorted(curve.items())),
        cost(hits, systems, price=pay.price, fee=fee),
        max(1, min(high // overlap, captions)),
        overlap,
        raters,
        smallest_difference(high, captions, raters, wanted=wanted, overlap=overlap, **spreads),
        pay,
    )


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
) -> float:
    """What the test over raters finds with the wanted power, in z: `ratings` of each system, by `raters`."""
    if raters < 2:
        return math.nan
    used = max(1, min(ratings // overlap, captions))
    error = math.sqrt(2 * (between**2 + within**2 * used / ratings) / used + 2 * deviation**2 / raters)
    return detectable(raters - 1, alpha, wanted) * error


def worker_tests(
    pairs: tuple[int, ...] = (5, 10, 15, 20, 30, 40),
    *,
    alpha: float = 0.05,
    simulations: int = 2000,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[TestRates]:
    """False accepts and false rejects of every test for every number of control pairs; same seed, same
    table.
    """
    rates = []
    for done, k in enumerate(pairs):
        if progress:
            progress("raters", done, len(pairs))
        random = np.random.default_rng([seed, k])
        scores = {name: _honest(random, *shape, simulations, k) for name, shape in HONEST.items()}
        scores |= {name: _bot(random, name, simulations, k) for name in BOTS}
        groups = np.repeat(np.arange(simulations), k)
        for test in TESTS:
            passed = {
                name: float((run_test(test, high.ravel(), low.ravel(), groups, simulations) < alpha).mean())
                for name, (high, low) in scores.items()
            }
            rates.append(
                TestRates(
                    test,
                    k,
                    {name: passed[name] for name in BOTS},
                    {name: 1 - passed[name] for name in HONEST},
                )
            )
    return rates


def _honest(
    random: np.random.Generator, high: float, sd_high: float, low: float, sd_low: float, raters: int, k: int
) -> tuple[FloatArray, FloatArray]:
    shared = random.normal(0, SHARED, (raters, k))
    first, second = (
        np.clip(np.rint(shared + random.normal(mean, sd, (raters, k))), 0, 100)
        for mean, sd in ((high, sd_high), (low, sd_low))
    )
    return first, second


def _bot(random: np.random.Generator, kind: str, raters: int, k: int) -> tuple[FloatArray, FloatArray]:
    shape = (2, raters, k)
    if kind == "random":
        scores = random.integers(0, 101, shape).astype(float)
    elif kind == "constant":
        scores = np.full(shape, 50.0)
    elif kind == "extremes":
        scores = 100.0 * random.integers(0, 2, shape)
    elif kind == "lazy":  # leaves the handle near one spot
        scores = np.clip(np.rint(random.normal(70, 4, shape)), 0, 100)
    else:  # scores rise as the work goes on; either member of a pair may come first
        place = random.random(shape)
        scores = np.clip(np.rint(100 * place + random.normal(0, 8, shape)), 0, 100)
    return scores[0], scores[1]

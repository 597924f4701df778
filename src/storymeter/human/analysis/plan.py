"""Power of studies: HITs that a question needs, error rates of worker tests.

**HITs.** Two systems differ by `difference` in z. A caption's true score varies between captions (sd
`between`), a rating around it (sd `within`), and raters like systems differently (sd `deviation`). The power
is that of the test of `human analyse`, which takes raters as random, with one HIT a rater (module `power`).
The smallest number of ratings per system that reaches the wanted power, times the systems, over the 70 system
captions of a HIT and the share of raters that usually passes, is the number of HITs. `power.variances` takes
the sds from a pilot. With `clusters="ranksum"` it is the power of the papers' rank-sum test over captions, by
simulation: the share of simulated studies that find the difference.

**Smallest difference.** What the test over raters finds with the wanted power.

**Worker tests.** Raters of known character rate k control pairs; a bot that passes is a false accept, an
honest rater who does not is a false reject."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ...arrays import FloatArray
from ...errors import DataError, UsageError
from ..campaign.money import HOURLY, Pay, fair_price
from ..campaign.request import OVERLAP
from ..study.preference import hit_sizes
from ..study.stories import repeat_count
from .power import ACCEPTED, DEVIATION, power, power_over_raters, smallest_difference
from .quality import TESTS, Test, run_test
from .reliability import Cost, cost


class Kind(NamedTuple):
    """A HIT of a kind of study: items that are not there to test raters, and their share of all; seconds that
    an item takes, with a clip of some six seconds (survey: four stories); what is counted."""

    per_hit: int
    share: float
    seconds: float
    counted: str
    #: how many sides a difference has (`power`)
    sides: int = 1
    #: what spreads are stated in
    unit: str = "z"
    #: items and controls of a HIT, where they depend on the number of captions
    sizes: Callable[[int, int | None], tuple[int, int]] | None = None


KINDS = {
    "da": Kind(70, 0.7, 15.0, "ratings per system", 2),
    "spans": Kind(32, 2 / 3, 34.0, "ratings per system", 2),
    "preference": Kind(
        10, 10 / 20, 33.0, "comparisons of two systems", unit="answers from -2 to 2", sizes=hit_sizes
    ),
    "survey": Kind(8, 8 / 9, 80.0, "ratings per system", unit="marks"),
}
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
    task: str = "da"
    #: the test whose power it is, as in `human analyse`
    clusters: str = "raters"


@dataclass(frozen=True, slots=True)
class TestRates:
    """Shares of simulated raters: `accepts` of every bot character, `rejects` of every honest one."""

    test: Test
    pairs: int
    accepts: dict[str, float]
    rejects: dict[str, float]


def plan(
    systems: int,
    captions: int,
    difference: float | None,
    *,
    task: str = "da",
    clusters: str = "raters",
    wanted: float = 0.8,
    accepted: float = ACCEPTED,
    per_hit: int | None = None,
    overlap: int = OVERLAP,
    price: float | None = None,
    fee: float = 0.20,
    hourly: float = HOURLY,
    currency: str = "USD",
    seconds: float | None = None,
    budget: float | None = None,
    deviation: float = DEVIATION,
    **simulated: Any,
) -> Plan:
    """Doubling, then bisection, over power; with a `budget`, the power of as many HITs as it pays, without a
    `difference` that for the smallest one found. `difference` in z (preference: in answers from -2 to 2;
    survey: in marks); `clusters`: the test, as in `human analyse`; `accepted`: the share of work by raters
    who pass; `seconds`: the time of an item, by which a HIT is paid where there is no `price`; `simulated`:
    what `power` takes beside these.
    """
    kind = KINDS[task]
    if kind.sizes is not None:
        size, controls = kind.sizes(captions, per_hit)
        kind = kind._replace(per_hit=size, share=size / (size + controls + repeat_count(None, size)))
    by_raters = clusters == "raters" or kind.sides == 1
    per_hit = per_hit or kind.per_hit
    hit_seconds = (seconds or kind.seconds) * per_hit / kind.share
    pay = Pay(0, fair_price(hit_seconds, hourly) if price is None else price, fee, currency, hit_seconds)
    if difference is None and budget is None:
        raise UsageError(
            "A plan needs the smallest difference that is to be found, or a budget.",
            hint="Give --difference or --budget.",
        )
    above_zero = difference is None or difference > 0
    if systems < 2 or captions < 2 or not above_zero or not 0 < wanted < 1 or not 0 < accepted <= 1:
        raise UsageError(
            "A plan needs two systems, two captions, a difference above 0, and power and acceptance between 0"
            " and 1.",
            hint="Check the numbers given.",
        )
    # what has to be counted once for each item of a HIT: systems, pairs of systems, or the sequence
    groups = {"preference": systems * (systems - 1) / 2, "survey": 1.0}.get(task, float(systems))
    known = ("between", "within", "alpha")
    spreads: dict[str, Any] = {key: simulated[key] for key in known if key in simulated}
    spreads |= {"overlap": overlap, "deviation": deviation, "sides": kind.sides}
    curve: dict[int, float] = {}

    def raters_of(m: int) -> int:
        return math.ceil(m * groups / per_hit)

    def smallest(m: int) -> float:
        return smallest_difference(m, captions, raters_of(m), wanted=wanted, **spreads)

    def reached(m: int) -> bool:
        away = smallest(m) if difference is None else difference
        if math.isnan(away):
            curve[m] = 0.0
        elif by_raters:
            curve[m] = power_over_raters(m, captions, raters_of(m), away, **spreads)
        else:
            curve[m] = power(m, captions, away, overlap=overlap, **simulated)
        return curve[m] >= wanted

    hits = 0
    high = 16
    if budget is not None:
        each = pay.price * (1 + fee)
        hits = int(budget / each + 1e-9) if each else 0
        high = int(hits * accepted * per_hit / groups)
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
                f"Even {high:,} {kind.counted} reach a power of only {curve[high]:.2f} with {captions:,}"
                " captions.",
                hint="Rate more captions, or look for a larger difference.",
            )
        high *= 2
    low = high // 2
    while budget is None and high - low > max(2, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    hits = hits or math.ceil(high * groups / per_hit / accepted)
    pay = msgspec.structs.replace(pay, hits=hits)
    return Plan(
        high,
        hits,
        curve[high],
        tuple(sorted(curve.items())),
        cost(hits, systems, price=pay.price, fee=fee),
        max(1, min(high // overlap, captions)),
        overlap,
        raters_of(high),
        smallest(high),
        pay,
        task,
        "raters" if by_raters else "ranksum",
    )


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

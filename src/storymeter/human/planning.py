"""How many ratings a question needs, or what a budget finds: `plan` as a function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..progress import Note, unsaid
from .campaign.money import HOURLY
from .steps import Place

if TYPE_CHECKING:
    from .analysis.plan import Plan


def plan(
    systems: int,
    captions: int,
    difference: float,
    *,
    in_z: bool = False,
    power: float = 0.8,
    alpha: float = 0.05,
    pilot: Place | None = None,
    sd_captions: float | None = None,
    sd_ratings: float | None = None,
    sd_rater: float | None = None,
    accept: str = "passed",
    accepted: float | None = None,
    simulations: int = 500,
    seed: int = 0,
    note: Note = unsaid,
    **costs: Any,
) -> Plan:
    """How many HITs a difference between systems needs, by simulation.

    systems, captions: systems, and captions of each.
    difference: the smallest to be found, in points of the slider, or with `in_z` in standard deviations.
    power, alpha: wanted power and level of significance.
    pilot: ratings that the spreads are estimated from.
    sd_captions, sd_ratings, sd_rater: spreads, where they are known.
    accept: raters of the pilot to use: passed or all.
    accepted: share of HITs that will pass the worker test.
    note: called with the spreads and with what other raters would find.
    costs: per_hit, overlap, price, hourly, seconds, fee, currency, budget.
    """
    from .analysis.assessment import SYSTEM_MINIMUM
    from .analysis.plan import ACCEPTED, BETWEEN, POINTS, WITHIN, from_pilot, plan as simulated
    from .imports import read

    found = from_pilot(read(Path(pilot)), everybody=accept == "all") if pilot else None
    between = sd_captions if sd_captions is not None else found.between if found else BETWEEN
    within = sd_ratings if sd_ratings is not None else found.within if found else WITHIN
    points = sd_rater if sd_rater is not None else found.sd if found else POINTS
    share = accepted if accepted is not None else found.accepted if found else ACCEPTED
    note(
        f"Spread: {between:.2f} between captions, {within:.2f} between ratings of a caption (z); {points:.1f}"
        f" points within a rater; {share:.0%} of the work passes"
        + (
            f"; from the {found.source}."
            if found
            else "; as given or by default (--pilot estimates it from ratings)."
        )
    )
    result = simulated(
        systems,
        captions,
        difference if in_z else difference / points,
        wanted=power,
        between=between,
        within=within,
        alpha=alpha,
        accepted=share,
        simulations=simulations,
        seed=seed,
        **costs,
    )
    smallest = result.smallest_difference
    note(
        f"With {result.raters:,} raters, one HIT each, the test over raters finds differences from"
        f" {smallest:.2f} z ({smallest * points:.1f} points) on with power {power:g}."
        if smallest == smallest
        else "One rater cannot show a difference that holds for other raters: plan more HITs."
    )
    if result.pay is not None:
        note(f"Pay: {result.pay.rate}. {result.pay.bill}.")
        if warning := result.pay.warning(costs.get("hourly", HOURLY)):
            note(warning)
    if result.ratings_per_system < SYSTEM_MINIMUM:
        note(
            f"note: {result.ratings_per_system:,} ratings per system; human analyse will note fewer than"
            f" {SYSTEM_MINIMUM}, the minimum that the method's authors recommend."
        )
    return result

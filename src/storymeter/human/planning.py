"""Plans of studies: ratings that a question needs, or what a budget finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import UsageError, many
from ..progress import Note, unsaid
from .campaign.money import HOURLY
from .ratings import Ratings, from_records
from .steps import Place

if TYPE_CHECKING:
    from ..captions import Rating
    from .analysis.plan import Plan
    from .analysis.power import Variances
    from .study import Study

#: a difference this near to what the captions can show at all takes very many ratings
NEAR = 1.3


def plan(
    systems: int,
    captions: int,
    difference: float | None = None,
    *,
    task: str = "da",
    clusters: Literal["raters", "ranksum"] = "raters",
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
    """How many HITs a difference between systems needs, or what a budget finds.

    systems, captions: systems, and captions (stories) of each.
    difference: the smallest to be found, in points of the slider, or with `in_z` in standard deviations;
        preference: of the mean answer, from -2 to 2; survey: of the mean mark, from 1 to 5. With a `budget`
        it may be left out.
    clusters: the test of `human analyse` that is to find it: raters (its default), or ranksum, the papers'
        test over captions, for Direct Assessment and error spans.
    task: the kind of study: da, spans, preference or survey.
    power, alpha: wanted power and level of significance.
    pilot: ratings (or the campaign) that the spreads are estimated from.
    sd_captions, sd_ratings, sd_rater: spreads, where they are known.
    accept: raters of the pilot to use: passed or all.
    accepted: share of HITs that will pass the worker test.
    note: called with the spreads and with what other raters would find.
    costs: per_hit, overlap, price, hourly, seconds, fee, currency, budget.
    in_z: the difference is in standard deviations of a rater.
    simulations, seed: simulated studies for ranksum, and what they are drawn by.
    """
    from .analysis.plan import ACCEPTED, KINDS, plan as simulated, smallest_difference

    scored = KINDS[task].sides == 2
    if clusters == "ranksum" and not scored:
        raise UsageError(f"A {task} study has no rank-sum test.", hint="Leave out --clusters.")
    if in_z and not scored:
        raise UsageError(f"The answers of a {task} study have no z.", hint="Leave out --in-z.")
    found = _spreads(task, pilot, accept)
    between = found.between if sd_captions is None else sd_captions
    within = found.within if sd_ratings is None else sd_ratings
    points = (found.sd if sd_rater is None else sd_rater) if scored else 1.0
    share = accepted if accepted is not None else found.accepted if pilot else ACCEPTED
    within_rater = f"; {points:.1f} points within a rater" if scored else ""
    note(
        f"Spread: {between:.2f} between captions, {within:.2f} between ratings of a caption"
        f" ({KINDS[task].unit})"
        f"{within_rater}; {share:.0%} of the work passes"
        + (
            f"; from the {found.source}."
            if pilot
            else f"; {found.source} (--pilot estimates it from ratings)."
        )
    )
    result = simulated(
        systems,
        captions,
        difference if in_z or difference is None else difference / points,
        task=task,
        clusters=clusters,
        wanted=power,
        between=between,
        within=within,
        deviation=found.deviation,
        alpha=alpha,
        accepted=share,
        simulations=simulations,
        seed=seed,
        **costs,
    )
    for line in _asked(result, points if scored else None, power, costs.get("hourly", HOURLY)):
        note(line)
    floor = points * smallest_difference(
        10**9,
        captions,
        10**6,
        wanted=power,
        alpha=alpha,
        between=between,
        within=within,
        deviation=0.0,
        sides=KINDS[task].sides,
    )
    asked = result.smallest_difference if difference is None else difference
    if asked * (points if in_z or difference is None else 1.0) < NEAR * floor:
        note(
            f"note: the {captions:,} captions are the limit: however many ratings each gets, they find"
            f" differences from {floor:.3g}{' points' if scored else ''} on. Rate more captions."
        )
    return result


def _spreads(task: str, pilot: Place | None, accept: str) -> Variances:
    """Those of the pilot, or the usual ones."""
    from .sources import open_ratings
    from .study import named

    if pilot is None:
        return spreads_of(named(task), (), accept)
    found = open_ratings(Path(pilot))
    if found.kind.scored != named(task).scored or (not found.kind.scored and found.kind.name != task):
        raise UsageError(
            f"{pilot} holds the answers of a study of the kind {found.kind.name}, not {task}.",
            hint=f"Use --task {found.kind.name}.",
        )
    return spreads_of(found.kind, found.records if found.table is None else found.table, accept)


def spreads_of(kind: Study, ratings: Ratings | Sequence[Rating], accept: str) -> Variances:
    """How captions, raters and ratings differ, by the ratings of raters who pass (`accept` all: of
    everybody), and the share of them; the usual spreads where there are no ratings."""
    from .analysis.power import (
        ACCEPTED,
        ASSUMED,
        BETWEEN,
        POINTS,
        WITHIN,
        Variances,
        from_pilot,
        story_variances,
    )

    if not len(ratings):
        if kind.name not in ASSUMED:
            return Variances(BETWEEN, WITHIN, POINTS, ACCEPTED, "as given or by default")
        between, within, deviation = ASSUMED[kind.name]
        return Variances(between, within, 1.0, ACCEPTED, "as given or assumed", deviation)
    if isinstance(ratings, Ratings):
        return from_pilot(ratings, everybody=accept == "all")
    if kind.scored:
        return from_pilot(from_records(ratings), everybody=accept == "all")
    verdicts = kind.verdicts(ratings)
    used = [one for one in ratings if accept == "all" or verdicts[one.rater].accepted is not False]
    return story_variances(used, accepted=ACCEPTED if accept == "all" else len(used) / len(ratings))


def _asked(result: Plan, points: float | None, power: float, hourly: float) -> list[str]:
    """What the analysis will say of a study of this size: the same limits."""
    from .analysis.assessment import SYSTEM_MINIMUM
    from .analysis.rater_effects import FEW_RATERS

    smallest = result.smallest_difference
    in_points = f" z ({smallest * points:.1f} points)" if points is not None else ""
    said = [
        f"With {result.raters:,} raters, one HIT each, the test over raters finds differences from"
        f" {smallest:.2f}{in_points} on with power {power:g}."
        if smallest == smallest
        else "One rater cannot show a difference that holds for other raters: plan more HITs."
    ]
    if result.pay is not None:
        said.append(f"Pay: {result.pay.rate}. {result.pay.bill}.")
        said.append(result.pay.warning(hourly))
    if points is not None and result.ratings_per_system < SYSTEM_MINIMUM:
        said.append(
            f"note: {result.ratings_per_system:,} ratings per system; human analyse will note fewer than"
            f" {SYSTEM_MINIMUM}, the minimum that the method's authors recommend."
        )
    if result.raters < FEW_RATERS:
        said.append(
            f"note: {many(result.raters, 'rater')}; human analyse will note fewer than {FEW_RATERS}, whose"
            " results do not generalise to other raters."
        )
    return [line for line in said if line]

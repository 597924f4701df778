"""Plans of studies, and pilots: ratings that a question needs, or what a budget finds; and a few raters who
work first, by whom the organiser decides.

While a pilot lasts, so many raters get work, one HIT each, and others read that the study is paused. Their
answers are part of the study; HITs that fail can be done by others. The decision rests on the time that a HIT
takes (and so on the pay per hour), on the share of raters who pass the controls, on the cost, and on the
difference that the whole study will find."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError, many
from ..progress import Note, unsaid
from .analysis.assessment import SYSTEM_MINIMUM
from .analysis.plan import KINDS, Plan, plan as simulated
from .analysis.power import (
    ACCEPTED,
    ASSUMED,
    BETWEEN,
    POINTS,
    WITHIN,
    Variances,
    from_pilot,
    smallest_difference,
    story_variances,
)
from .analysis.preference import binomial
from .analysis.rater_effects import FEW_RATERS
from .campaign.export import ratings as answers
from .campaign.money import HOURLY, fair_price, measured_seconds
from .campaign.record import Campaign, Folder
from .ratings import Ratings, from_records
from .sources import open_ratings
from .steps import Place, opened
from .study import Study, named

#: a difference this near to what the captions can show at all takes very many ratings
NEAR = 1.3
#: the share of raters who pass that plans count on; fewer than half are read one by one
PLANNED, FEW = 0.8, 0.5


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
    kind = KINDS[task]
    scored = kind.sides == 2
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
        f" ({kind.unit}){within_rater}; {share:.0%} of the work passes; "
        + (f"from the {found.source}." if pilot else f"{found.source} (--pilot estimates it from ratings).")
    )
    known: dict[str, Any] = {"between": between, "within": within, "wanted": power, "alpha": alpha}
    result = simulated(
        systems,
        captions,
        difference if in_z or difference is None else difference / points,
        task=task,
        clusters=clusters,
        deviation=found.deviation,
        accepted=share,
        simulations=simulations,
        seed=seed,
        **known,
        **costs,
    )
    for line in _asked(result, points if scored else None, power, costs.get("hourly", HOURLY)):
        note(line)
    floor = points * smallest_difference(10**9, captions, 10**6, deviation=0.0, sides=kind.sides, **known)
    asked = result.smallest_difference if difference is None else difference
    if asked * (points if in_z or difference is None else 1.0) < NEAR * floor:
        note(
            f"note: the {captions:,} captions are the limit: however many ratings each gets, they find"
            f" differences from {floor:.3g}{' points' if scored else ''} on. Rate more captions."
        )
    return result


def _spreads(task: str, pilot: Place | None, accept: str) -> Variances:
    """Those of the pilot, or the usual ones."""
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


class Finding(msgspec.Struct, frozen=True):
    """One line of the decision; `good` is None where nothing can be said yet."""

    what: str
    found: str
    expected: str
    good: bool | None
    advice: str = ""


class Comment(msgspec.Struct, frozen=True):
    rater: str
    item: str
    text: str


class Pilot(msgspec.Struct, frozen=True):
    """What the pilot of a campaign found."""

    title: str
    #: raters who may work until the decision; None: there is no pilot under way
    places: int | None
    #: raters who have finished a HIT, and all who have begun one
    done: int
    begun: int
    findings: tuple[Finding, ...]
    comments: tuple[Comment, ...]
    #: whether everything that can be judged is good; None before anybody has finished, or while others work
    go: bool | None
    #: of a finished HIT (median), by the server's clock; None before there is one
    minutes_per_hit: float | None
    pay_per_hour: float | None
    passed: int
    tested: int
    cost: float
    #: in the unit of the study: points of the slider, answers from -2 to 2, marks
    smallest_difference: float | None


def pilot(
    folder: Place,
    raters: int | None = None,
    *,
    go: bool = False,
    difference: float | None = None,
    note: Note = unsaid,
) -> Pilot:
    """Begins a pilot, says what it found, or ends it.

    folder: the campaign; its server may run.
    raters: so many raters get work until the decision; None leaves the pilot as it is.
    go: ends the pilot: everybody gets work.
    difference: the smallest difference between systems that the study must find, in points of the slider
        (preference: of the mean answer; survey: of the mean mark).
    note: called with each sentence that a person should read.
    """
    if raters is not None and (raters < 1 or go):
        raise UsageError(
            "A pilot needs one rater or more, and cannot begin and end at once.",
            hint="Give --raters 5, or --go.",
        )
    with opened(folder, note) as (home, store):
        if raters is not None or go:
            store.set("pilot", None if go else str(raters))
        stated, records = store.get("pilot"), answers(home, store)
        rows = store.raters()
    return _found(home, records, rows, None if stated is None else int(stated), difference)


def _found(
    home: Folder,
    records: Sequence[Rating],
    rows: Sequence[dict[str, Any]],
    places: int | None,
    difference: float | None,
) -> Pilot:
    campaign, study = home.campaign, home.study
    finished = {row["id"] for row in rows if row["done"]}
    begun = sum(bool(row["done"] or row["active"]) for row in rows)
    seconds = measured_seconds(records)
    pay = campaign.pay(seconds=seconds)
    # as the analysis will decide, where controls can say anything
    work = [one for one in records if one.rater in finished]
    verdicts, used = study.verdicts(work), study.included(work)
    tested = [
        said.accepted and used.get(name, said).accepted is not False
        for name, said in verdicts.items()
        if said.accepted is not None
    ]
    passed = sum(tested)
    warning = pay.warning(campaign.hourly) if seconds else ""
    wanted = fair_price(seconds, campaign.hourly)
    waiting = len(finished) < places if places is not None else not finished
    findings = [
        Finding(
            "raters done",
            f"{len(finished):,} of {begun:,} who began",
            f"{places:,}" if places is not None else "1 or more",
            None if waiting else True,
            "Wait for the others." if waiting else "",
        ),
        Finding(
            "time per HIT",
            f"{seconds / 60:.1f} min (median){_range(records, finished)}" if seconds else "not known yet",
            f"{campaign.seconds_per_hit / 60:.1f} min",
            not warning if seconds else None,
            f"Pay {wanted:.2f} {campaign.currency} per HIT (campaign.json, price), or use smaller HITs."
            if warning
            else "",
        ),
        Finding(
            "pay per hour",
            (f"{pay.hourly:,.2f} {campaign.currency}" if seconds else "not known yet")
            if campaign.price
            else "unpaid",
            f"{campaign.hourly:.2f} or more" if campaign.price else "",
            not warning if seconds and campaign.price else None,
        ),
        _passing(passed, len(tested), study.missing_controls(home.key.values())),
        _cost(campaign, passed, len(tested)),
    ]
    share = passed / len(tested) if tested else PLANNED
    last, smallest = _power(home, records, share, difference)
    findings.append(last)
    comments = [
        Comment(one.rater, one.item, str(one.meta["comment"])) for one in records if one.meta.get("comment")
    ]
    judged = [one.good for one in findings if one.good is not None]
    return Pilot(
        campaign.title,
        places,
        len(finished),
        begun,
        tuple(findings),
        tuple(dict.fromkeys(comments)),
        None if waiting else all(judged),
        seconds / 60 if seconds else None,
        pay.hourly if seconds and campaign.price else None,
        passed,
        len(tested),
        round(campaign.pay().total, 2),
        smallest,
    )


def _range(records: Sequence[Rating], finished: set[str]) -> str:
    """The shortest and the longest time of the raters who are done."""
    spent = [measured_seconds([one for one in records if one.rater == name]) for name in finished]
    spent = [seconds for seconds in spent if seconds]
    return f", {min(spent) / 60:.1f} to {max(spent) / 60:.1f}" if len(spent) > 1 else ""


def _passing(passed: int, tested: int, unvouched: str) -> Finding:
    if not tested:
        return Finding("raters who pass", "nobody was tested yet", f"{PLANNED:.0%}", None, unvouched)
    share, interval, _ = binomial(passed, tested)
    low, high = interval or (0.0, 1.0)
    bad = share < FEW or high < PLANNED
    return Finding(
        "raters who pass",
        f"{passed:,} of {tested:,}: {share:.0%} (95 % interval {low:.0%} to {high:.0%})",
        f"{PLANNED:.0%}",
        not bad,
        "Read the answers of those who fail (dashboard), the instructions, and the controls." if bad else "",
    )


def _cost(campaign: Campaign, passed: int, tested: int) -> Finding:
    pay = campaign.pay()
    each = pay.price * (1 + pay.fee) * tested / passed if passed else None
    used = f"; {each:,.2f} for each HIT whose rater passes" if each else ""
    return Finding("cost in all", f"{pay.total:,.2f} {pay.currency}{used}", "", None)


def _power(
    home: Folder, records: Sequence[Rating], share: float, difference: float | None
) -> tuple[Finding, float | None]:
    """What the whole study finds, if as large a share of the raters passes."""
    campaign, study = home.campaign, home.study
    source = ""
    try:
        spread = spreads_of(study, records, "all")
    except DataError:
        spread = spreads_of(study, (), "all")
        source = " (by usual spreads: the pilot has too few second ratings)"
    shown = study.display_counts(home.key.values())
    groups = {name[1:] if isinstance(name, tuple) else () for name in shown}
    items = {name[0] if isinstance(name, tuple) else name for name in shown}
    ratings = int(sum(shown.values()) * campaign.raters_per_hit * share / max(1, len(groups)))
    raters = int(campaign.hits * campaign.raters_per_hit * share / campaign.hits_per_rater)
    asked = "stated by --difference" if difference is None else f"{difference:g} {study.difference_unit}"
    said, smallest = "none with so few raters", None
    if ratings >= 2 and raters >= 2:
        smallest = spread.sd * smallest_difference(
            ratings,
            len(items),
            raters,
            overlap=max(1, ratings // len(items)),
            between=spread.between,
            within=spread.within,
            deviation=spread.deviation,
            sides=KINDS[campaign.task].sides,
        )
        said = (
            f"{smallest:.2f} {study.difference_unit} with power .8, by {many(raters, 'rater')} who pass"
            f"{source}"
        )
    enough = None if difference is None else smallest is not None and smallest <= difference
    advice = "Add HITs (human extend --hits), or more raters of each HIT." if enough is False else ""
    return Finding("smallest difference", said, asked, enough, advice), smallest

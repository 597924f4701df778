"""A pilot: a few raters work first, and the organiser decides by what they did.

>>> from storymeter.human import pilot

While it lasts, so many raters get work, one HIT each, and others read that the study is paused. Their answers
are part of the study; HITs that fail can be done by others. The decision rests on the time that a HIT takes
(and so on the pay per hour), on the share of raters who pass the controls, on the cost, and on the difference
that the whole study will find."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError, many
from ..progress import Note, unsaid
from .planning import spreads_of
from .steps import Place, opened

#: the share of raters who pass that plans count on; fewer than half are read one by one
PLANNED, FEW = 0.8, 0.5


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
        from .campaign.export import ratings

        stated, records = store.get("pilot"), ratings(home, store)
        rows = store.raters()
    return _found(home, records, rows, None if stated is None else int(stated), difference)


def _found(
    home: Any,
    records: Sequence[Rating],
    rows: Sequence[dict[str, Any]],
    places: int | None,
    difference: float | None,
) -> Pilot:
    from .campaign.money import fair_price, measured_seconds

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
            None if not seconds else not warning,
            f"Pay {wanted:.2f} {campaign.currency} per HIT (campaign.json, price), or use smaller HITs."
            if warning
            else "",
        ),
        Finding(
            "pay per hour",
            f"{pay.hourly:,.2f} {campaign.currency}"
            if seconds and campaign.price
            else "unpaid"
            if not campaign.price
            else "not known yet",
            f"{campaign.hourly:.2f} or more" if campaign.price else "",
            None if not seconds or not campaign.price else not warning,
        ),
        _passing(passed, len(tested), study.missing_controls(home.key.values())),
        _cost(campaign, passed, len(tested)),
    ]
    share = passed / len(tested) if tested else PLANNED
    last, smallest = _power(home, records, share, difference)
    findings.append(last)
    judged = [one.good for one in findings if one.good is not None]
    return Pilot(
        campaign.title,
        places,
        len(finished),
        begun,
        tuple(findings),
        tuple(dict.fromkeys(_comments(records))),
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
    from .campaign.money import measured_seconds

    spent = [measured_seconds([one for one in records if one.rater == name]) for name in finished]
    spent = [seconds for seconds in spent if seconds]
    return f", {min(spent) / 60:.1f} to {max(spent) / 60:.1f}" if len(spent) > 1 else ""


def _passing(passed: int, tested: int, unvouched: str) -> Finding:
    if not tested:
        return Finding("raters who pass", "nobody was tested yet", f"{PLANNED:.0%}", None, unvouched)
    from .analysis.preference import binomial

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


def _cost(campaign: Any, passed: int, tested: int) -> Finding:
    pay = campaign.pay()
    each = pay.price * (1 + pay.fee) * tested / passed if passed else None
    used = f"; {each:,.2f} for each HIT whose rater passes" if each else ""
    return Finding("cost in all", f"{pay.total:,.2f} {pay.currency}{used}", "", None)


def _power(
    home: Any, records: Sequence[Rating], share: float, difference: float | None
) -> tuple[Finding, float | None]:
    """What the whole study finds, if as large a share of the raters passes."""
    from .analysis.plan import KINDS, smallest_difference

    campaign, study = home.campaign, home.study
    kind = KINDS[campaign.task]
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
    unit = study.difference_unit
    asked = f"{difference:g} {unit}" if difference is not None else "stated by --difference"
    advice = "Add HITs (human extend --hits), or more raters of each HIT."
    if ratings < 2 or raters < 2:
        enough = None if difference is None else False
        said = "none with so few raters"
        return Finding("smallest difference", said, asked, enough, "" if enough is None else advice), None
    smallest = spread.sd * smallest_difference(
        ratings,
        len(items),
        raters,
        overlap=max(1, ratings // len(items)),
        between=spread.between,
        within=spread.within,
        deviation=spread.deviation,
        sides=kind.sides,
    )
    enough = None if difference is None else smallest <= difference
    return (
        Finding(
            "smallest difference",
            f"{smallest:.2f} {unit} with power .8, by {many(raters, 'rater')} who pass{source}",
            asked,
            enough,
            advice if enough is False else "",
        ),
        smallest,
    )


def _comments(records: Sequence[Rating]) -> list[Comment]:
    return [
        Comment(one.rater, one.item, str(one.meta["comment"])) for one in records if one.meta.get("comment")
    ]

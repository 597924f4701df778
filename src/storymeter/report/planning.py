"""Plans and worker-test rates as tables and JSON."""

from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from ..errors import many
from ..human.analysis.plan import BOTS, HONEST, KINDS, Plan, TestRates
from ..human.planning import Pilot
from .presentation import Presentation, plain, present, present_all
from .table import Column, Table, numbers, to_json


@present.register(Plan)
def present_plan(plan: Plan) -> Presentation:
    return plain(
        "Plan of a human study", [plan_table(plan)], json=lambda: to_json({"schema": 1, **asdict(plan)})
    )


@present.register(Pilot)
def present_pilot(pilot: Pilot) -> Presentation:
    """The go/no-go page."""
    words = {True: "good", False: "no", None: "–"}
    rows = [[words[one.good], one.what, one.found, one.expected] for one in pilot.findings]
    under_way = (
        "No pilot is under way: everybody gets work."
        if pilot.places is None
        else f"Until the decision, work is given to {many(pilot.places, 'rater')}: storymeter human pilot DIR"
        " --go opens the study to all."
    )
    advice = [f"{one.what}: {one.advice}" for one in pilot.findings if one.advice]
    decision = {True: "GO", False: "NO GO", None: "NOT YET"}[pilot.go]
    tables = [
        Table(
            ["verdict", "finding", "found", "expected"],
            rows,
            title=f"Pilot: {decision}",
            note=" ".join([*advice, under_way]),
        )
    ]
    if pilot.comments:
        said = [[one.rater, one.item, one.text] for one in pilot.comments]
        tables.append(Table(["rater", "item", "comment"], said, title="What raters wrote"))
    return plain(
        f"Pilot of {pilot.title}",
        tables,
        json=lambda: to_json({"schema": 1, **msgspec.to_builtins(pilot)}),
    )


@present_all.register(TestRates)
def present_rates(
    first: TestRates, rates: Sequence[TestRates], *, simulations: int, seed: int, alpha: float
) -> Presentation:
    rows = [
        [
            rate.pairs,
            rate.test,
            *(rate.accepts[bot] for bot in BOTS),
            *(rate.rejects[kind] for kind in HONEST),
        ]
        for rate in rates
    ]
    columns: list[Column | str] = [
        Column("pairs", "d"),
        "test",
        *numbers(".1f", *(f"accepts {bot}" for bot in BOTS), scale=100.0),
        *numbers(".1f", *(f"rejects {kind}" for kind in HONEST), scale=100.0),
    ]
    table = Table(
        columns,
        rows,
        title="Errors of the worker tests, in % of raters",
        note=f"{simulations:,} simulated raters per cell, alpha {alpha:g}, seed {seed}.",
    )
    data = {"schema": 1, "rates": [asdict(rate) for rate in rates]}
    return plain("Errors of the worker tests", [table], json=lambda: to_json(data))


def plan_table(plan: Plan) -> Table:
    scored = KINDS[plan.task].sides == 2
    smallest = "smallest z" if scored else "smallest difference"
    found = (
        "the share of studies of this size in which the test over raters (the default of human analyse) finds"
        f" the difference; {smallest}: what it finds with the wanted power"
        if plan.clusters == "raters"
        else "the share of simulated studies of this size that found the difference by the rank-sum test over"
        f" captions; {smallest}: the smallest difference that the test over raters (the default of human"
        " analyse) finds with the wanted power"
    ) + ", if so many raters take one HIT each and like systems differently"
    return Table(
        [
            *numbers(",d", "HITs", KINDS[plan.task].counted, "captions"),
            Column("power", ".3f"),
            Column("raters", ",d"),
            Column(smallest, ".3f"),
            *numbers(",.2f", "cost", "cost per system"),
        ],
        [
            [
                plan.hits,
                plan.ratings_per_system,
                plan.captions,
                plan.power,
                plan.raters,
                plan.smallest_difference,
                plan.cost.total,
                plan.cost.per_system,
            ]
        ],
        note=(
            f"captions: of each system, rated by {plan.overlap} raters or more each; power: {found}; cost"
            " with the fee; HITs include those of raters who will not pass."
        ),
    )

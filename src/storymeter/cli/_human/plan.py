"""storymeter human plan: how many HITs a question needs, and how good the worker tests are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import UsageError
from ...human.campaign.design import OVERLAP
from .._declare import ABOVE_ZERO, AMOUNT, COUNT, FROM_TWO, PATH, WITHIN, option
from .._options import busy, format_option, output, progress_bar, rendered, say, seed_option


@click.command("plan")
@option("--systems", "Number of systems, including the hidden human system.", FROM_TWO)
@option("--captions", "Number of captions (videos) of each system.", FROM_TWO)
@option(
    "--difference", "Smallest difference to detect, in points of the slider (or in z with --in-z).", float
)
@option("--in-z", "The difference is in standard deviations of a rater, not in points.", bool)
@option("--power wanted", "Statistical power.", WITHIN, 0.8)
@option("--alpha", "Significance level.", WITHIN, 0.05)
@option(
    "--pilot", "Take the spread of captions, ratings and raters from these ratings.", PATH, metavar="RATINGS"
)
@option(
    "--sd-captions", "Spread between captions of a system, in z.  [default: 0.43]", click.FloatRange(0, 1e6)
)
@option(
    "--sd-ratings",
    "Spread between ratings of a caption, in z.  [default: 0.76]",
    click.FloatRange(0, 1e6, min_open=True),
)
@option("--sd-rater", "A rater's spread, in points.  [default: 32]", click.FloatRange(0, 1e6, min_open=True))
@option(
    "--accept",
    "Raters of the pilot to use; all for files that hold accepted raters only.",
    ("passed", "all"),
    "passed",
)
@option(
    "--accepted",
    "Share of the HITs that will pass the worker test.  [default: that of the pilot, or 0.8]",
    ABOVE_ZERO,
)
@option("--per-hit", "System captions in a HIT.", COUNT, 70)
@option("--overlap", "Number of raters per caption, so that their agreement can be measured.", COUNT, OVERLAP)
@option("--price", "Pay per HIT.", AMOUNT, 0.99)
@option("--fee", "The platform's fee, as a share of the pay.", AMOUNT, 0.2)
@option("--simulations", "Simulated studies (raters).  [default: 500 (2000)]", click.IntRange(50, 100_000))
@option(
    "--worker-tests",
    "Instead: false accepts and false rejects of every worker test by number of control pairs.",
    bool,
)
@format_option()
@seed_option
def command(
    systems: int | None,
    captions: int | None,
    difference: float | None,
    worker_tests: bool,
    style: str,
    seed: int,
    simulations: int | None,
    alpha: float,
    **options: Any,
) -> None:
    """Plan the number of ratings (power analysis).

    Number of HITs needed to detect a difference between systems; by simulation, from a pilot or from given
    spreads.

    \b
    storymeter human plan --systems 6 --captions 1900 --difference 5
    """
    if worker_tests:
        text = _worker_tests(style, seed, simulations or 2000, alpha)
    elif systems is None or captions is None or difference is None:
        raise UsageError(
            "A plan needs --systems, --captions and --difference.",
            hint="For example: storymeter human plan --systems 6 --captions 1900 --difference 5",
        )
    else:
        text = _plan(systems, captions, difference, style, seed, simulations or 500, alpha, **options)
    output(text)


def _worker_tests(style: str, seed: int, simulations: int, alpha: float) -> str:
    from ...human.analysis.plan import worker_tests
    from ...report.planning import rates_json, rates_table

    with progress_bar() as progress:
        rates = worker_tests(alpha=alpha, simulations=simulations, seed=seed, progress=progress)
    table = rates_table(rates, simulations, seed, alpha)
    return rates_json(rates) if style == "json" else rendered([table], style)


def _plan(
    systems: int,
    captions: int,
    difference: float,
    style: str,
    seed: int,
    simulations: int,
    alpha: float,
    *,
    in_z: bool,
    wanted: float,
    pilot: Path | None,
    sd_captions: float | None,
    sd_ratings: float | None,
    sd_rater: float | None,
    accept: str,
    accepted: float | None,
    **costs: Any,
) -> str:
    from ...human.analysis.plan import ACCEPTED, BETWEEN, POINTS, WITHIN, from_pilot, plan
    from ...human.imports import read
    from ...report.planning import plan_json, plan_table

    found = from_pilot(read(pilot), everybody=accept == "all") if pilot else None
    between = sd_captions if sd_captions is not None else found.between if found else BETWEEN
    within = sd_ratings if sd_ratings is not None else found.within if found else WITHIN
    points = sd_rater if sd_rater is not None else found.sd if found else POINTS
    share = accepted if accepted is not None else found.accepted if found else ACCEPTED
    say(
        f"Spread: {between:.2f} between captions, {within:.2f} between ratings of a caption (z); {points:.1f}"
        f" points within a rater; {share:.0%} of the work passes"
        + (
            f"; from the {found.source}."
            if found
            else "; as given or by default (--pilot estimates it from ratings)."
        )
    )
    with busy("simulating studies"):
        result = plan(
            systems,
            captions,
            difference if in_z else difference / points,
            wanted=wanted,
            between=between,
            within=within,
            alpha=alpha,
            accepted=share,
            simulations=simulations,
            seed=seed,
            **costs,
        )
    smallest = result.smallest_difference
    say(
        f"With {result.raters:,} raters, one HIT each, the test over raters finds differences from"
        f" {smallest:.2f} z ({smallest * points:.1f} points) on with power {wanted:g}."
        if smallest == smallest
        else "One rater cannot show a difference that holds for other raters: plan more HITs."
    )
    return plan_json(result) if style == "json" else rendered([plan_table(result)], style)

"""storymeter human plan: how many HITs a question needs, and how good the worker tests are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import UsageError
from ...human.design import OVERLAP
from .._options import busy, coloured, format_option, output, progress_bar, say, seed_option, terminal_width


@click.command("plan")
@click.option(
    "--systems", type=click.IntRange(2), help="How many systems compete (the hidden human one included)."
)
@click.option("--captions", type=click.IntRange(2), help="How many captions (videos) each system has.")
@click.option(
    "--difference",
    type=float,
    help="The difference worth finding, in points of the slider (or in z with --in-z).",
)
@click.option(
    "--in-z", is_flag=True, help="The difference is in standard deviations of a rater, not in points."
)
@click.option(
    "--power",
    "wanted",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Statistical power.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level.",
)
@click.option(
    "--pilot",
    type=click.Path(path_type=Path),
    metavar="RATINGS",
    help="Take the spread of captions, ratings and raters from these ratings.",
)
@click.option(
    "--sd-captions",
    type=click.FloatRange(0, 1e6),
    default=None,
    help="Spread between captions of a system, in z.  [default: 0.43]",
)
@click.option(
    "--sd-ratings",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=None,
    help="Spread between ratings of a caption, in z.  [default: 0.76]",
)
@click.option(
    "--sd-rater",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=None,
    help="A rater's spread, in points.  [default: 32]",
)
@click.option(
    "--accept",
    type=click.Choice(["passed", "all"]),
    default="passed",
    show_default=True,
    help="Which raters of the pilot; all for files that hold accepted raters only.",
)
@click.option(
    "--accepted",
    type=click.FloatRange(0, 1, min_open=True),
    default=None,
    help="Share of the work that will pass.  [default: that of the pilot, or 0.8]",
)
@click.option(
    "--per-hit", type=click.IntRange(1), default=70, show_default=True, help="System captions in a HIT."
)
@click.option(
    "--overlap",
    type=click.IntRange(1),
    default=OVERLAP,
    show_default=True,
    help="How many raters see each caption, so that their agreement can be asked.",
)
@click.option("--price", type=click.FloatRange(0), default=0.99, show_default=True, help="Pay per HIT.")
@click.option(
    "--fee",
    type=click.FloatRange(0),
    default=0.2,
    show_default=True,
    help="The platform's fee, as a share of the pay.",
)
@click.option(
    "--simulations",
    type=click.IntRange(50, 100_000),
    default=None,
    help="Simulated studies (raters).  [default: 500 (2000)]",
)
@click.option(
    "--worker-tests",
    is_flag=True,
    help="Instead: false accepts and false rejects of every worker test by number of control pairs.",
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

    How many HITs find a difference between systems; by simulation, from a pilot or from stated spreads.

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
    from ...human.plan import worker_tests
    from ...report.planning import rates_json, rates_table

    with progress_bar() as progress:
        rates = worker_tests(alpha=alpha, simulations=simulations, seed=seed, progress=progress)
    return (
        rates_json(rates)
        if style == "json"
        else rates_table(rates, simulations, seed, alpha).render(
            style, width=terminal_width(), colour=coloured()
        )
    )


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
    from ...human.imports import read
    from ...human.plan import ACCEPTED, BETWEEN, POINTS, WITHIN, from_pilot, plan
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
            else "; as stated or by default (--pilot takes it from ratings)."
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
    return (
        plan_json(result)
        if style == "json"
        else plan_table(result).render(style, width=terminal_width(), colour=coloured())
    )

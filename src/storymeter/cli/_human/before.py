"""`storymeter human new DIR`: a campaign from caption files and a folder of clips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ...errors import UsageError
from ...human.campaign.design import OVERLAP
from .._declare import (
    ABOVE_ZERO,
    AMOUNT,
    COUNT,
    FILE,
    FROM_TWO,
    FROM_ZERO,
    PATH,
    SHARE,
    WITHIN,
    ManyFiles,
    option,
)
from .._options import busy, format_option, output, print_result, progress_bar, say, seed_option

if TYPE_CHECKING:
    from ...human.campaign.design import Layout


@click.command("new", cls=ManyFiles, many=("--systems",))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--task",
    "da: one caption, 0-100. spans: mark its wrong words, then 0-100. preference: two caption sets,"
    " -2..2. survey: several stories, Likert scales and a vote.",
    ("da", "spans", "preference", "survey"),
    "da",
)
@option(
    "--systems",
    "Caption files, one per system (any format that `storymeter validate` knows).",
    multiple=True,
    required=True,
    metavar="FILE…",
)
@option(
    "--human human_file",
    "Captions written by people: the hidden human system, and the controls.",
    metavar="FILE",
)
@option(
    "--clips",
    "The clips, named after the videos' ids; for a survey, the pictures.",
    PATH,
    required=True,
    metavar="FOLDER",
)
@option("--hits", "Number of HITs.  [default: from the overlap]", COUNT)
@option(
    "--overlap",
    "Number of HITs that show each caption, so that agreement between raters can be measured.",
    COUNT,
    OVERLAP,
)
@option("--raters-per-hit", "Raters of each HIT.", COUNT, 1)
@option("--hits-per-rater", "HITs that one rater may do.", COUNT, 1)
@option("--raters", "Number of personal links.  [default: one for each HIT and rater]", COUNT)
@option("--blocks", "da, spans: blocks per HIT (even).  [default: 10]", FROM_TWO)
@option("--system-per-block", "System captions in a block.  [default: 7; spans: 2]", FROM_ZERO)
@option("--degraded-per-block", "Damaged captions in a block.  [default: 1]", FROM_ZERO)
@option("--repeat-per-block", "Repeated captions in a block.  [default: 1]", FROM_ZERO)
@option("--human-per-block", "[default: 1]", FROM_ZERO)
@option("--control-base", "Source of the degraded captions.", ("human", "system"), "human")
@option(
    "--merge-identical", "Captions that several systems wrote alike are rated once and credited to all.", bool
)
@option("--per-hit", "preference, survey: items per HIT.  [default: 10, 5]", COUNT)
@option(
    "--tests",
    "preference: test questions, JSON [{item, question, options, answer}].  [default: control pairs]",
    FILE,
    metavar="FILE",
)
@option(
    "--kinds",
    "spans: error categories.  [default: object,action,place,person,number,order,other]",
    metavar="A,B,…",
)
@option("--practice", "da, spans: practice items with feedback.", click.IntRange(0, 10), 2)
@option(
    "--watch",
    "Minimum time before an answer is accepted, as a share of the time that clip and text take.",
    SHARE,
    0.9,
)
@option(
    "--lease",
    "Minutes without an answer after which a HIT is assigned to another rater.",
    click.FloatRange(min=0.01),
    120.0,
)
@option("--platform", "Where raters come from.", ("local", "mturk", "prolific"), "local")
@option("--completion-code", "prolific: the study's code.", default="")
@option("--price", "Pay per HIT.", AMOUNT, 0.99)
@option("--fee", "The platform's fee, as a share of the pay.", AMOUNT, 0.20)
@option("--currency", "Currency of the pay.", default="USD")
@option("--title", "Title of the raters' pages.", default="")
@option("--contact", "Contact address for raters.", default="")
@option("--language", "Language of the pages: en, de, ja.", default="en")
@option(
    "--public-url",
    "The server's address, for whole links in links.csv.",
    default="",
    metavar="URL",
    show_default=False,
)
@option("--db", "postgresql://user@host/name.  [default: SQLite in DIR]", metavar="URL")
@option("--dry-run", "Print the plan, its cost and every problem; write nothing.", bool)
@option("--skip-bad", "Leave out items with problems instead of stopping.", bool)
@option(
    "--seed",
    "For rehearsals: the same design again. Anyone who guesses it can reconstruct the private key.  [default:"
    " 128 random bits, stored only in DIR/key.jsonl]",
    FROM_ZERO,
)
def new_command(
    folder: Path,
    systems: tuple[str, ...],
    human_file: str | None,
    tests: Path | None,
    kinds: str | None,
    db: str | None,
    raters: int | None,
    dry_run: bool,
    skip_bad: bool,
    **wanted: Any,
) -> None:
    """Build a campaign.

    Lays out the HITs, checks every clip, and writes the private key and the raters' links into DIR.

    \b
    storymeter human new study --systems a.json b.json --clips clips/
    storymeter human serve study
    """
    from ... import read
    from ...errors import DataError
    from ...human.analysis.spans import KINDS
    from ...human.campaign.organise import plan, prepare, write
    from ...human.campaign.request import CampaignRequest, Platform, Question
    from ...human.server.words import languages
    from ...report.table import Table

    known = languages()
    if wanted["language"] not in known:
        raise click.BadParameter(
            f"there are no pages in the language {wanted['language']!r}; there are {', '.join(known)}",
            param_hint="--language",
        )
    try:
        questions = msgspec.json.decode(tests.read_bytes(), type=list[Question]) if tests else []
    except msgspec.DecodeError as error:
        raise DataError(
            f"{tests} is not a list of test questions: {error}",
            hint='Write [{"item": "v1", "question": "…", "options": ["…", "…"], "answer": 0}].',
        ) from None
    options = CampaignRequest(
        layout=_layout(wanted, human_file),
        systems=[read(path) for path in systems],
        human=read(human_file) if human_file else None,
        questions=questions,
        kinds=tuple(kind.strip() for kind in kinds.split(",")) if kinds is not None else KINDS,
        platform=Platform(wanted.pop("platform"), wanted.pop("completion_code")),
        lease_minutes=wanted.pop("lease"),
        **wanted,
    )
    with progress_bar() as report:
        prepared = prepare(options, progress=report)
    say(*(f"note: {warning}" for warning in prepared.warnings))
    say(*(f"problem: {problem}" for problem in prepared.problems))
    table = Table(["", "plan"], [list(row) for row in plan(prepared)])
    if dry_run:
        output(table.render("table"))
        say(
            f"{len(prepared.problems):,} problems. Nothing was written."
            if prepared.problems
            else "No problems. Nothing was written."
        )
        raise SystemExit(1 if prepared.problems else 0)
    if prepared.problems and not skip_bad:
        raise DataError(
            f"{len(prepared.problems):,} problems, listed above; nothing was written.",
            hint="Correct them, or leave those captions out with --skip-bad.",
        )
    home = write(prepared, folder, database=db, raters=raters)
    output(table.render("table"))
    say(f"The campaign is in {folder}. Serve it: storymeter human serve {folder}")
    if home.campaign.platform.name == "local":
        say(f"Personal links for raters: {folder / 'links.csv'}")


def _layout(wanted: dict[str, Any], human_file: str | None) -> Layout | None:
    """The study's layout with what the organiser wants otherwise."""
    from ...human.study import named

    base = named(wanted["task"]).layout
    counts = {kind: wanted.pop(f"{kind}_per_block") for kind in ("system", "degraded", "repeat", "human")}
    asked = {**counts, "blocks": wanted.pop("blocks"), "control_base": wanted.pop("control_base")}
    if base is None:
        return None
    layout = msgspec.structs.replace(
        base, **{name: value for name, value in asked.items() if value is not None}
    )
    if human_file is None and layout.control_base == "system" and layout.human:
        layout = msgspec.structs.replace(layout, system=layout.system + layout.human, human=0)
        say("No --human file was given; system captions are used instead of human captions in the HITs.")
    return layout


# storymeter human plan: how many HITs a question needs, and how good the worker tests are.


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
def plan_command(
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
        _worker_tests(style, seed, simulations or 2000, alpha)
    elif systems is None or captions is None or difference is None:
        raise UsageError(
            "A plan needs --systems, --captions and --difference.",
            hint="For example: storymeter human plan --systems 6 --captions 1900 --difference 5",
        )
    else:
        _plan(systems, captions, difference, style, seed, simulations or 500, alpha, **options)


def _worker_tests(style: str, seed: int, simulations: int, alpha: float) -> None:
    from ...human.analysis.plan import worker_tests
    from ...report import present

    with progress_bar() as progress:
        rates = worker_tests(alpha=alpha, simulations=simulations, seed=seed, progress=progress)
    print_result(present(rates, simulations=simulations, seed=seed, alpha=alpha), style)


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
) -> None:
    from ...human.analysis.plan import ACCEPTED, BETWEEN, POINTS, WITHIN, from_pilot, plan
    from ...human.imports import read
    from ...report import present

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
    print_result(present(result), style)

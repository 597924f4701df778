"""Commands of `storymeter human` before a study: `new`, `check` and `plan`."""

from pathlib import Path
from typing import Any

import click

from ... import human, report
from ...errors import UsageError, many
from ...human.campaign.request import OVERLAP
from .._options import (
    ABOVE_ZERO,
    AMOUNT,
    COUNT,
    FILE,
    FROM_TWO,
    FROM_ZERO,
    PATH,
    POSITIVE,
    SHARE,
    WITHIN,
    ManyFiles,
    busy,
    format_option,
    notes_after,
    option,
    output,
    print_note,
    print_result,
    progress_bar,
    seed_option,
)


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
@option("--videos", "So many videos, drawn at random from those that all files have captions of.", COUNT)
@option("--duration", "Only videos of this length in seconds, by --human or --systems.", metavar="90-180")
@option("--max-captions", "Only videos with at most so many captions by --human, else by any system.", COUNT)
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
@option("--blocks", "da, spans: blocks per HIT (even).  [default: 10; spans: 8]", FROM_TWO)
@option("--system-per-block", "System captions in a block.  [default: 7; spans: 4]", FROM_ZERO)
@option("--degraded-per-block", "Damaged captions in a block.  [default: 1]", FROM_ZERO)
@option("--repeat-per-block", "Repeated captions in a block.  [default: 1; spans: 0]", FROM_ZERO)
@option("--human-per-block", "[default: 1]", FROM_ZERO)
@option("--control-base", "Source of the degraded captions.", ("human", "system"), "human")
@option(
    "--merge-identical", "Captions that several systems wrote alike are rated once and credited to all.", bool
)
@option("--per-hit", "preference, survey: items per HIT.  [default: 10, 8]", COUNT)
@option(
    "--repeat-per-hit",
    "preference, survey: items of a HIT that are shown a second time.  [default: one in eight; 0: none]",
    FROM_ZERO,
)
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
@option("--no-pause", "Raters cannot pause a clip; they see it in one go.", bool)
@option(
    "--lease",
    "Minutes without an answer after which a HIT is assigned to another rater.",
    click.FloatRange(min=0.01),
    120.0,
)
@option("--platform", "Where raters come from.", ("local", "mturk", "prolific"), "local")
@option(
    "--completion-code",
    "prolific: the study's code, required; @FILE reads it from a file.",
    default="",
    metavar="CODE|@FILE",
)
@option(
    "--platform-key",
    "prolific: its public keys (JWKS); visits that it did not sign are refused.",
    FILE,
    metavar="FILE",
)
@option(
    "--study-id",
    "prolific, with --platform-key: take visits of this study alone.",
    default="",
    metavar="ID",
    show_default=False,
)
@option("--price", "Pay per HIT.  [default: --hourly for the time that a HIT takes]", AMOUNT)
@option(
    "--hourly",
    "Pay per hour below which there is a warning.  [default: 8 in USD, EUR, GBP, CHF]",
    AMOUNT,
)
@option(
    "--fee",
    "The platform's fee, as a share of the pay.  [default: local 0, mturk 0.2, prolific 1/3]",
    AMOUNT,
)
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
    folder: Path, systems: tuple[str, ...], human_file: str | None, db: str | None, **options: Any
) -> None:
    """Build a campaign.

    Lays out the HITs, checks every clip, and writes the private key and the raters' links into DIR.

    \b
    storymeter human new study --systems a.json b.json --clips clips/
    storymeter human serve study
    """
    from ...human.steps import PARTS

    counts = {part: options.pop(f"{part}_per_block") for part in PARTS}
    with progress_bar() as progress:
        made = human.new(
            folder,
            systems,
            human=human_file,
            database=db,
            counts=counts,
            lease_minutes=options.pop("lease"),
            pause=not options.pop("no_pause"),
            progress=progress,
            note=print_note,
            **options,
        )
    output(report.Table(["", "plan"], [list(row) for row in made.plan]).render("table"))
    if made.home is None:
        found = many(len(made.problems), "problem") if made.problems else "No problems"
        left_out = " (what has them is left out)" if made.problems and options["skip_bad"] else ""
        print_note(f"{found}{left_out}. Nothing was written.")
        raise SystemExit(1 if made.problems and not options["skip_bad"] else 0)
    print_note(f"The campaign is in {folder}. Serve it: storymeter human serve {folder}")
    if made.home.campaign.platform.name == "local":
        print_note(f"Personal links for raters: {folder / 'links.csv'}")


@click.pass_context
def _check(context: click.Context, /, **options: Any) -> None:
    """Check the files of a campaign.

    Everything that `storymeter human new` would find: captions, clips, controls, pay, links; and the plan
    with its cost. Nothing is written. It takes the options of `new`.

    \b
    storymeter human check --systems a.json b.json --clips clips/
    """
    context.invoke(new_command, folder=Path(), db=None, dry_run=True, **options)


_WRITES = ("folder", "db", "dry_run")
check_command = ManyFiles(
    "check",
    many=("--systems",),
    params=[parameter for parameter in new_command.params if parameter.name not in _WRITES],
    callback=_check,
    help=_check.__doc__,
)


@click.command("plan")
@option("--task", "Kind of study.", ("da", "spans", "preference", "survey"), "da")
@option("--systems", "Number of systems, including the hidden human system.", FROM_TWO)
@option("--captions", "Number of captions (videos) of each system.", FROM_TWO)
@option(
    "--difference",
    "Smallest difference to detect, in points of the slider (or in z with --in-z); preference: of the mean"
    " answer, from -2 to 2; survey: of the mean mark.",
    float,
)
@option(
    "--clusters",
    "da, spans: the test of `human analyse` that is to find the difference. raters: its default; ranksum: the"
    " papers' test over captions, which holds for the same raters only.",
    ("raters", "ranksum"),
    "raters",
)
@option("--in-z", "The difference is in standard deviations of a rater, not in points.", bool)
@option("--power wanted", "Statistical power.", WITHIN, 0.8)
@option("--alpha", "Significance level.", WITHIN, 0.05)
@option(
    "--pilot", "Take the spread of captions, ratings and raters from these ratings.", PATH, metavar="RATINGS"
)
@option("--sd-captions", "Spread between captions of a system.  [default: 0.43 z]", click.FloatRange(0, 1e6))
@option(
    "--sd-ratings",
    "Spread between ratings of a caption.  [default: 0.76 z]",
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
@option(
    "--per-hit",
    "System captions (comparisons, sequences) in a HIT.  [default: da 70, spans 32, preference 10, survey 8]",
    COUNT,
)
@option("--overlap", "Number of raters per caption, so that their agreement can be measured.", COUNT, OVERLAP)
@option(
    "--budget",
    "Instead of the HITs that the power needs: the smallest difference that as many HITs as this pays find,"
    " fee included, and with --difference its power.",
    POSITIVE,
)
@option("--price", "Pay per HIT.  [default: --hourly for the time that a HIT takes]", AMOUNT)
@option("--hourly", "Pay per hour below which there is a warning.", AMOUNT, 8.0)
@option(
    "--seconds",
    "Time that a rater takes for an item, its clip included.  [default: da 15, spans 34, preference 33,"
    " survey 80]",
    POSITIVE,
)
@option("--fee", "The platform's fee, as a share of the pay.", AMOUNT, 0.2)
@option("--currency", "Currency of the pay.", default="USD")
@option(
    "--simulations",
    "Simulated studies of ranksum (raters).  [default: 500 (2000)]",
    click.IntRange(50, 100_000),
)
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

    Number of HITs needed to detect a difference between systems by the test of `human analyse`, from a pilot
    or from given spreads; or the difference that a budget finds.

    \b
    storymeter human plan --systems 6 --captions 1900 --difference 5
    storymeter human plan --systems 6 --captions 1900 --budget 600
    """
    if worker_tests:
        _worker_tests(style, seed, simulations or 2000, alpha)
    elif systems is None or captions is None or (difference is None and options["budget"] is None):
        raise UsageError(
            "A plan needs --systems, --captions, and --difference or --budget.",
            hint="For example: storymeter human plan --systems 6 --captions 1900 --difference 5",
        )
    else:
        with notes_after() as note, busy("simulating studies"):
            options["power"] = options.pop("wanted")
            found = human.plan(
                systems,
                captions,
                difference,
                alpha=alpha,
                simulations=simulations or 500,
                seed=seed,
                note=note,
                **options,
            )
        print_result(report.present(found), style)


def _worker_tests(style: str, seed: int, simulations: int, alpha: float) -> None:
    from ...human.analysis.plan import worker_tests

    with progress_bar() as progress:
        rates = worker_tests(alpha=alpha, simulations=simulations, seed=seed, progress=progress)
    print_result(report.present(rates, simulations=simulations, seed=seed, alpha=alpha), style)

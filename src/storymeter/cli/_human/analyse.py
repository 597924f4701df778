"""storymeter human analyse: worker tests, z-scores, system ranking with tests and clusters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import UsageError
from .._declare import AMOUNT, COUNT, PATH, SHARE, WITHIN, option
from .._options import busy, format_option, fragment_asked, output, rendered, say, seed_option
from ._studies import Source, files, studies, study

if TYPE_CHECKING:
    from ...human.study import Study


@click.command("analyse")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | RATINGS...", type=click.Path(path_type=Path)
)
@option(
    "--from origin",
    "Format of the files; default: detected from their content.",
    ("storymeter", "wmt", "mturk", "appraise"),
)
@option("--test", "Worker test on the control pairs.", ("t", "signed-rank", "mann-whitney"), "t")
@option(
    "--clusters",
    "raters: differences that hold for other raters (raters are random; two-sided). ranksum: the rank-sum"
    " test over captions of the papers and of WMT, which holds for these raters only.",
    ("raters", "ranksum"),
    "raters",
)
@option("--alpha", "Significance level of every test.", WITHIN, 0.05)
@option("--scale", "z: the scores in the file are already standardised.", ("raw", "z"), "raw")
@option("--accept", "all: keep every rater.", ("passed", "all"), "passed")
@option(
    "--held", "include: count raters whom the organiser put on hold.", ("leave-out", "include"), "leave-out"
)
@option("--repeats", "merge: average a rater's two ratings of a caption first.", ("all", "merge"), "all")
@option(
    "--gates",
    "control: only the test on control pairs is applied. repeats: the two scores of a repeated caption must"
    " also be closer than those of unrelated ones. attention: the agreement with the other raters must also"
    " be significantly higher than half of the usual one (if it cannot be computed: repeats). auto:"
    " attention for Storymeter campaigns, control for files of other tools.",
    ("auto", "control", "repeats", "attention"),
    "auto",
)
@option("--enforce-repeats", "Also reject raters whose scores of repeats drift up or down.", bool)
@option(
    "--replicates",
    "A second run: correlate its system scores with those of the first.",
    PATH,
    metavar="RATINGS",
)
@option(
    "--splits",
    "Number of split-half resamples.  [default: 100; 0 for more than 200,000 ratings]",
    click.IntRange(0, 100_000),
)
@option("--faithful", "Preference: share of test questions a rater must get right.", SHARE, 1.0)
@option("--minimum", "Preference: minimum number of raters per item.", COUNT, 1)
@option(
    "--stratum",
    "For files with several language pairs or other strata: the one to analyse, or `all` to analyse them"
    " together.  [default: each separately]",
    metavar="NAME",
)
@option(
    "--captions caption_file",
    "Also write the score of every caption (SYS,SID,RAW.SCR,Z.SCR,N; .json for JSON, - to print it alone).",
    metavar="FILE",
)
@option(
    "--words word_file",
    "Error spans: also write the labels of every word (JSON Lines, for storymeter meta words).",
    metavar="FILE",
)
@option("--price", "Pay per HIT.", AMOUNT, 0.99)
@option("--fee", "Fee of the platform, as a share of the pay.", AMOUNT, 0.2)
@option("--currency", "Currency of the pay.", default="USD")
@option(
    "--html page",
    "Also write a page with figures that explains every number.  [default: analysis.html]",
    is_flag=False,
    flag_value="analysis.html",
    metavar="[FILE]",
)
@option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR")
@format_option("table", "json", "csv", "latex", "markdown", "html")
@seed_option
def command(
    sources: tuple[Path, ...],
    origin: str | None,
    page: str | None,
    style: str,
    faithful: float,
    minimum: int,
    **options: Any,
) -> None:
    """Analyse ratings: worker tests, z-scores, ranking.

    Reads a campaign, or files of ratings (Storymeter exports, WMT tables, MTurk batches, Appraise
    CSV).

    \b
    storymeter human analyse ratings.csv --html people.html
    """
    if page is not None and Path(page).suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"--html would write its page to {page!r}, which is not an .html file.",
            hint="Put the ratings before the options, or name the page: --html report.html",
        )
    kind = _kind(sources, origin)
    if not kind.scored:
        records = [record for source in sources for record in _records(source)]
        found = kind.analyse(records, faithful=faithful, minimum=minimum, held=options["held"])
        output(_compared(found, style, page, options["figures"]))
    elif not kind.plain:
        records = [record for source in sources for record in _records(source)]
        output(study(Source(kind, records=records), page, style, **{**options, "stratum": None}))
    else:
        with busy("reading the ratings"):
            ratings = _table(sources, origin)
            again = options["replicates"]
            second = _table((again,), origin) if again is not None else None
        output(studies(kind, ratings, page, style, **{**options, "replicates": second}))


def _kind(sources: tuple[Path, ...], origin: str | None) -> Study:
    """What kind of study the answers are of; the first lines tell. Files of other tools hold scores."""
    from ...human.study import of_records

    ours = origin in (None, "storymeter")
    return of_records(_records(sources[0], limit=50) if ours else ())


def _records(source: Path, limit: int | None = None) -> list[Any]:
    from ...human.imports import peek, records_of

    if source.is_dir():
        return _campaign_records(source)
    return records_of(source) if limit is None else peek(source, limit)


def _campaign_records(folder: Path) -> list[Any]:
    from ...human.export import ratings
    from ._campaign import campaign

    with campaign(folder) as (home, store):
        return ratings(home, store)


def _table(sources: tuple[Path, ...], origin: str | None) -> Any:
    from ...human.imports import read
    from ...human.ratings import from_records

    folders = [source for source in sources if source.is_dir()]
    if not folders:
        return read(sources, origin)
    if len(sources) > 1:
        raise UsageError(
            "A campaign cannot be analysed together with other files.",
            hint=(
                "Export each campaign (storymeter human export DIR --format jsonl --out FILE) and give the"
                " files."
            ),
        )
    return from_records(_campaign_records(folders[0]))


def _compared(found: Any, style: str, page: str | None, figures: Path | None) -> str:
    """A study without scores, as text in the style asked for; files are written, notes said."""
    from ...report.other_studies import presented

    shown = presented(found)
    files(page, figures, shown.draw, shown.page)
    say(*shown.notes)
    if style == "json":
        return shown.json
    if style == "html" and not fragment_asked():
        return shown.page()
    return rendered(shown.tables, style)


def study_of(source: Path, seed: int) -> tuple[Any, Any]:
    """Ratings or a campaign for the report: (a study without scores, None) or (None, an assessment)."""
    from ...human.analysis import analyse
    from ...report.other_studies import presented

    kind = _kind((source,), None)
    if kind.scored:
        return None, analyse(_table((source,), None), splits=0, seed=seed)
    return presented(kind.analyse(_records(source), faithful=1.0, minimum=1)), None

"""storymeter human analyse: worker tests, z-scores, system ranking with tests and clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import UsageError
from .._options import busy, coloured, format_option, output, say, seed_option, terminal_width
from ._studies import Source, files, studies, study

_TASKS = {"preference": "preference", "test": "preference", "vote": "survey", "spans": "spans"}


@click.command("analyse")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | RATINGS...", type=click.Path(path_type=Path)
)
@click.option(
    "--from",
    "origin",
    type=click.Choice(["storymeter", "wmt", "mturk", "appraise"]),
    help="Format of the files; default: detected from their content.",
)
@click.option(
    "--test",
    type=click.Choice(["t", "signed-rank", "mann-whitney"]),
    default="t",
    show_default=True,
    help="Worker test on the control pairs.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level of every test.",
)
@click.option(
    "--scale",
    type=click.Choice(["raw", "z"]),
    default="raw",
    show_default=True,
    help="z: the scores are standardised already.",
)
@click.option(
    "--accept",
    type=click.Choice(["passed", "all"]),
    default="passed",
    show_default=True,
    help="all: keep every rater.",
)
@click.option(
    "--repeats",
    type=click.Choice(["all", "merge"]),
    default="all",
    show_default=True,
    help="merge: average a rater's two ratings of a caption first.",
)
@click.option(
    "--gates",
    type=click.Choice(["auto", "control", "repeats", "attention"]),
    default="auto",
    show_default=True,
    help=(
        "control: the test on control pairs decides alone. repeats: the two scores of a repeated caption must"
        " also be closer than those of unrelated ones. attention: a rater must also agree with the others"
        " clearly more than half as well as is usual (where that cannot be asked: repeats). auto: attention"
        " for Storymeter campaigns, control for files of other tools."
    ),
)
@click.option(
    "--enforce-repeats", is_flag=True, help="Also reject raters whose scores of repeats drift up or down."
)
@click.option(
    "--replicates",
    metavar="RATINGS",
    type=click.Path(path_type=Path),
    help="A second run: correlate its system scores with those of the first.",
)
@click.option(
    "--splits",
    type=click.IntRange(0, 100_000),
    default=None,
    help="Split-half resamples.  [default: 100; none past 200,000 ratings]",
)
@click.option(
    "--faithful",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Preference: share of test questions a rater must get right.",
)
@click.option(
    "--minimum",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Preference: minimum number of raters per item.",
)
@click.option(
    "--stratum",
    metavar="NAME",
    help=(
        "For files with several language pairs or other strata: one of them, or `all` to mix them."
        "  [default: each by itself]"
    ),
)
@click.option(
    "--captions",
    "caption_file",
    metavar="FILE",
    help=(
        "Also write the score of every caption (SYS,SID,RAW.SCR,Z.SCR,N; .json for JSON, - to print it"
        " alone)."
    ),
)
@click.option(
    "--words",
    "word_file",
    metavar="FILE",
    help="Error spans: also write the labels of every word (JSON Lines, for storymeter meta words).",
)
@click.option("--price", type=click.FloatRange(0), default=0.99, show_default=True, help="Pay per HIT.")
@click.option(
    "--fee",
    type=click.FloatRange(0),
    default=0.2,
    show_default=True,
    help="Fee of the platform, as a share of the pay.",
)
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value="analysis.html",
    metavar="[FILE]",
    help="Also write a page with figures that explains every number.  [default: analysis.html]",
)
@click.option(
    "--figures", metavar="DIR", type=click.Path(path_type=Path), help="Also write the figures as PNG files."
)
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
            f"--html would write its page to {page!r}, which is no .html file.",
            hint="Put the ratings before the options, or name the page: --html report.html",
        )
    task = _other_task(sources, origin)
    if task == "spans":
        records = [record for source in sources for record in _records(source)]
        output(study(Source(records=records), page, style, **{**options, "stratum": None}))
    elif task:
        _other(task, sources, style, faithful, minimum, page, options["figures"])
    else:
        with busy("reading the ratings"):
            ratings = _table(sources, origin)
            again = options["replicates"]
            second = _table((again,), origin) if again is not None else None
        output(studies(ratings, page, style, **{**options, "replicates": second}))


def _other_task(sources: tuple[Path, ...], origin: str | None) -> str | None:
    """Whether the records are preferences or a survey; the first line tells."""
    if origin not in (None, "storymeter"):
        return None
    for record in _records(sources[0], limit=50):
        if record.criterion in _TASKS:
            return _TASKS[record.criterion]
        if record.criterion:
            return "survey"
    return None


def _records(source: Path, limit: int | None = None) -> list[Any]:
    from ...human.imports import peek, records_of

    if source.is_dir():
        return _campaign_records(source)
    return records_of(source) if limit is None else peek(source, limit)


def _campaign_records(folder: Path) -> list[Any]:
    from ...human.export import ratings
    from ._manners import campaign

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
            "A campaign is analysed by itself.",
            hint=(
                "Export each campaign (storymeter human export DIR --format jsonl --out FILE) and give the"
                " files."
            ),
        )
    return from_records(_campaign_records(folders[0]))


def _other(
    task: str,
    sources: tuple[Path, ...],
    style: str,
    faithful: float,
    minimum: int,
    page: str | None,
    figures: Path | None,
) -> None:
    from ...human.preference import analyse_preferences
    from ...human.survey import analyse_survey
    from ...report import other_studies as report

    records = [record for source in sources for record in _records(source)]
    shown = (
        report.preferences(analyse_preferences(records, faithful=faithful, minimum=minimum))
        if task == "preference"
        else report.survey(analyse_survey(records, faithful=faithful))
    )
    files(page, figures, shown.draw, shown.page)
    for note in shown.notes:
        say(note)
    output(
        shown.json
        if style == "json"
        else (
            shown.page()
            if style == "html"
            else "\n".join(
                table.render(style, width=terminal_width(), colour=coloured()) for table in shown.tables
            )
        )
    )


def study_of(source: Path, seed: int) -> tuple[Any, Any]:
    """Ratings or a campaign for the report: (a preference study or a survey, None) or (None, an
    assessment).
    """
    from ...human.analysis import analyse
    from ...human.preference import analyse_preferences
    from ...human.survey import analyse_survey
    from ...report import other_studies as report

    task = _other_task((source,), None)
    if task in (None, "spans"):
        return None, analyse(_table((source,), None), splits=0, seed=seed)
    records = _records(source)
    if task == "preference":
        return report.preferences(analyse_preferences(records)), None
    return report.survey(analyse_survey(records)), None

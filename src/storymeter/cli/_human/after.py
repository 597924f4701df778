"""storymeter human analyse: worker tests, z-scores, system ranking with tests and clusters."""

from __future__ import annotations

import datetime
import sys
import time
from pathlib import Path
from typing import Any

import click

from ...errors import UsageError, many
from .._declare import AMOUNT, COUNT, PATH, SHARE, WITHIN, option
from .._options import busy, format_option, fragment_asked, output, put, rendered, say, seed_option
from .._reading import pairs_of
from ._campaign import campaign
from ._studies import files, studies


@click.command("analyse")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | RATINGS...", type=click.Path(path_type=Path)
)
@option(
    "--from origin",
    "Format of the files; default: detected from their content.",
    ("storymeter", "wmt", "mturk", "appraise", "table"),
)
@option(
    "--columns",
    "Columns of a table by their roles: rater=worker,item=clip,score=rating; several columns of a"
    " role are joined by + (rater=ann+bob); pattern={item} - {system} for a column per question.",
    callback=pairs_of,
    metavar="PAIRS",
)
@option(
    "--answers",
    "What the answers of a table of votes mean: 0=left,1=right,2=tie; names where they are systems.",
    callback=pairs_of,
    metavar="PAIRS",
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
@option(
    "--scale",
    "z: the scores in the file are already standardised. 1-5: the ends of the scale of a table; default:"
    " found from the scores, and 0-100 for campaigns.",
    default="raw",
    metavar="raw|z|LOW-HIGH",
)
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
def analyse_command(
    sources: tuple[Path, ...],
    origin: str | None,
    page: str | None,
    style: str,
    faithful: float,
    minimum: int,
    columns: dict[str, str] | None,
    answers: dict[str, str] | None,
    **options: Any,
) -> None:
    """Analyse ratings: worker tests, z-scores, ranking.

    Reads a campaign, or files of ratings: Storymeter exports, WMT tables, MTurk batches, Appraise CSV, and
    any table of rater, item, system and score, or of votes (CSV, JSON, Parquet, xlsx; Google Forms, Label
    Studio, Potato; a Prolific export beside it).

    \b
    storymeter human analyse ratings.csv --html people.html
    """
    from ...human.analysis.studies import result_of
    from ...human.sources import open_ratings

    if page is not None and Path(page).suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"--html would write its page to {page!r}, which is not an .html file.",
            hint="Put the ratings before the options, or name the page: --html report.html",
        )
    stated = None if options["scale"] in ("raw", "z") else options["scale"]
    options["scale"] = "z" if options["scale"] == "z" else "raw"
    with busy("reading the ratings"):
        opened = open_ratings(sources, origin, columns=columns, scale=stated, answers=answers)
        again = options["replicates"]
        second = (
            open_ratings(again, origin, columns=columns, scale=stated).table if again is not None else None
        )
    say(*opened.about)
    if opened.kind.scored:
        options |= {"faithful": faithful, "minimum": minimum, "replicates": second}
        output(studies(opened, page, style, **options))
    else:
        found = result_of(opened, faithful=faithful, minimum=minimum, held=options["held"])
        output(_compared(found, style, page, options["figures"]))


def _compared(found: Any, style: str, page: str | None, figures: Path | None) -> str:
    """A study without scores, as text in the style asked for; files are written, notes said."""
    from ...report.studies import presented

    shown = presented(found)
    files(page, figures, shown.draw, shown.page)
    say(*shown.notes)
    if style == "json":
        return shown.json
    if style == "html" and not fragment_asked():
        return shown.page()
    return rendered(shown.tables, style)


# `storymeter human export DIR`: the answers, joined with the private key.


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--format style",
    "jsonl: one Rating per line. mturk, prolific: lists of workers to accept and reject.",
    ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific"),
    "jsonl",
)
@option("--out", "Write to this file instead of stdout.", PATH)
@option("--real-ids", "The platform's worker ids instead of pseudonyms.", bool)
def export_command(folder: Path, style: str, out: Path | None, real_ids: bool) -> None:
    """Export the ratings of a campaign.

    DIR is the campaign's folder.

    \b
    storymeter human export study --out ratings.jsonl
    """
    from ...files import write_text
    from ...human.campaign.export import render

    with campaign(folder) as (home, store):
        text = render(home, store, style, real_names=real_ids)
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        say(f"{many(text.count(chr(10)), 'line')} in {out}")


# `storymeter human verify DIR CODE`: is a completion code genuine, and was it used before?


@click.command("verify")
@click.argument("words", metavar="[DIR] CODE…", nargs=-1, required=True)
@option("--real-ids", "Print the platform's worker ids too.", bool)
@format_option("table", "json", "csv")
def verify_command(words: tuple[str, ...], real_ids: bool, style: str) -> None:
    """Verify completion codes.

    Checks CODEs of the campaign in DIR (default: the current folder). A code is valid once.

    The exit code is 1 if any of them is unknown or was used before.
    """
    from ...report.table import Table

    folder, codes = (
        (Path(words[0]), words[1:])
        if len(words) > 1 and (Path(words[0]) / "campaign.json").exists()
        else (Path(), words)
    )
    rows = []
    with campaign(folder) as (_, store):
        for code in codes:
            tidy = code.strip().upper()
            found = store.use_code(tidy, time.time()).result()
            if found is None:
                rows.append([code, "unknown", None, None, None, None])
            else:
                used = found["code_used_at"]
                rows.append(
                    [
                        code,
                        "good" if used is None else "used before",
                        found["external"] if real_ids else found["pseudonym"],
                        found["hit"],
                        _when(found["finished_at"]),
                        _when(used),
                    ]
                )
    put(Table(["code", "verdict", "rater", "HIT", "finished", "first verified"], rows), style, "Codes")
    raise SystemExit(0 if all(row[1] == "good" for row in rows) else 1)


def _when(seconds: float | None) -> str | None:
    return (
        None
        if seconds is None
        else datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="seconds")
    )


# `storymeter human rank VOTES`: systems ranked by pairwise votes.


@click.command("rank")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | VOTES...", type=click.Path(path_type=Path)
)
@option(
    "--columns",
    "Columns of a table by their roles: left=first,right=second,choice=answer",
    callback=pairs_of,
    metavar="PAIRS",
)
@option(
    "--answers",
    "What the answers mean: 0=left,1=right,2=tie; names where they are systems.",
    callback=pairs_of,
    metavar="PAIRS",
)
@option("--alpha", "Significance level of the tests between systems.", WITHIN, 0.05)
@option("--faithful", "Share of test questions a rater must get right.", SHARE, 1.0)
@option(
    "--held", "include: count raters whom the organiser put on hold.", ("leave-out", "include"), "leave-out"
)
@format_option("table", "json", "csv", "latex", "markdown")
def rank_command(sources: tuple[Path, ...], style: str, **options: Any) -> None:
    """Rank systems by pairwise votes.

    Reads a table of votes (rater, item, left, right, choice) or a preference
    campaign, and fits the Bradley-Terry model with ties.

    \b
    storymeter human rank votes.csv
    """
    from ...human.analysis.pairwise import rank
    from ...report.pairwise import difference_table, ranking_data, ranking_table
    from ...report.table import to_json

    found = rank(list(sources), **options)
    say(
        f"{many(found.votes, 'vote')} of {many(found.raters, 'rater')} on"
        f" {many(found.items, 'item')}; two equal systems would"
        f" tie in {100 * found.tie_share:.0f} % of the votes.",
        *found.notes,
    )
    if style == "json":
        output(to_json(ranking_data(found)))
    else:
        tables = [ranking_table(found)]
        output(rendered(tables if style == "csv" else [*tables, difference_table(found)], style))

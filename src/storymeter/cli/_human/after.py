"""Commands of `storymeter human` after a study: `analyse`, `export` and `rank`."""

import sys
from pathlib import Path
from typing import Any

import click

from ... import human, report
from ...errors import DataError, UsageError, many
from ...files import safe_names, write_text
from .._files import pairs_of
from .._options import (
    AMOUNT,
    COUNT,
    PATH,
    SHARE,
    WITHIN,
    busy,
    format_option,
    keep,
    notes_after,
    option,
    output,
    print_note,
    print_result,
    seed_option,
)


@click.command("analyse")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | RATINGS...", type=click.Path(path_type=Path)
)
@option(
    "--from origin",
    "Format of the files; default: detected from their content.",
    ("storymeter", "wmt", "mturk", "appraise", "captions", "table"),
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
@option(
    "--missing",
    "worst: a caption that a system lacks counts as the worst, by every rater of its item.",
    ("leave-out", "worst"),
    "leave-out",
)
@option("--repeats", "merge: average a rater's two ratings of a caption first.", ("all", "merge"), "all")
@option(
    "--gates",
    "control: only the test on control pairs is applied. repeats: the two scores of a repeated caption must"
    " also be closer than those of unrelated ones. attention: the agreement with the other raters must also"
    " be significantly higher than half of the usual one (if it cannot be computed: repeats). auto:"
    " attention for Storymeter campaigns, control for files of other tools. Preference, survey: who agrees"
    " not at all with the others is left out (attention, the default where items were repeated).",
    ("auto", "control", "repeats", "attention"),
    "auto",
)
@option(
    "--robust",
    "Also a ranking by trimmed means over raters, and the share of raters that must be hostile before the"
    " order of two systems changes.",
    bool,
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
@option(
    "--faithful",
    "Preference, survey: share of test questions and controls a rater must get right.  [default: enough that"
    " guessing reaches it in 5 of 100 cases, at least 4 in 5]",
    SHARE,
)
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
@option("--price", "Pay per HIT.  [default: the campaign's; for files 0.99, as in the paper]", AMOUNT)
@option("--fee", "Fee of the platform, as a share of the pay.  [default: the campaign's, or 0.2]", AMOUNT)
@option("--currency", "Currency of the pay.  [default: the campaign's, or USD]", default=None)
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
    page: str | None,
    style: str,
    replicates: Path | None,
    caption_file: str | None,
    word_file: str | None,
    figures: Path | None,
    **options: Any,
) -> None:
    """Analyse ratings: worker tests, z-scores, ranking.

    Reads a campaign, or files of ratings: Storymeter exports, WMT tables, MTurk batches, Appraise CSV, and
    any table of rater, item, system and score, or of votes (CSV, JSON, Parquet, xlsx; Google Forms, Label
    Studio, Potato; a Prolific export beside it).

    \b
    storymeter human analyse ratings.csv --html people.html
    """
    from ...human.analysis.studies import not_applied, replications, scores_of
    from ...report.assessment import caption_csv, caption_json, replication_line

    if page is not None and Path(page).suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"--html would write its page to {page!r}, which is not an .html file.",
            hint="Put the ratings before the options, or name the page: --html report.html",
        )
    pay = {key: options.pop(key) for key in ("price", "fee", "currency")}
    with notes_after() as note, busy("analysing the ratings"):
        found = human.analyse(list(sources), note=note, **options)
        repeated = replications(found, replicates, **options) if replicates is not None else {}
        for_scores = [f"--{name}" for name, value in {**pay, "replicates": replicates}.items() if value]
        if for_scores and all(scores_of(one) is None for one in found.values()):
            note(not_applied(for_scores, "studies without scores of captions"))
    several = len(found) > 1
    parts = safe_names(found) if several else {}
    scored = {}
    for name, one in found.items():
        scores = scores_of(one)
        more = {} if scores is None else {**pay, "repeated": repeated.get(name)}
        shown = report.present(one, **more)
        if several:
            print_note(f"\n{name}")
        part = parts.get(name)
        keep(shown, _beside(page, part), _beside(figures, part))
        if name in repeated:
            print_note(replication_line(repeated[name]))
        if scores is not None:
            scored[name] = scores
        if word_file is not None:
            _words(one, _beside(word_file, part))
        if caption_file is not None and scores is None:
            raise DataError("There are no scores of captions in these answers.", hint="Leave --captions out.")
        if caption_file not in (None, "-") and scores is not None:
            path = _beside(caption_file, part)
            write_text(path, caption_json(scores) if path.endswith(".json") else caption_csv({"": scores}))
            print_note(f"Scores of {many(len(scores.captions.z), 'caption')}: {path}")
        print_note(*shown.notes_for("json" if caption_file == "-" else style))
    if caption_file == "-":
        output(caption_csv(scored))
    elif several:
        print_result(report.present(found, **pay, repeated=repeated), style)
    else:
        print_result(shown, style)


def _words(found: Any, path: str) -> None:
    """The labels of every word, into a file."""
    from ...human.analysis.span_records import to_jsonl

    labels = getattr(found, "labels", None)
    if labels is None:
        raise DataError(
            "There are no marked words in these ratings.", hint="--words is for error span studies."
        )
    write_text(path, to_jsonl(labels))
    print_note(f"Words of {many(len(labels), 'caption')}: {path}")


def _beside(path: Any, part: str | None) -> Any:
    """`people.html` and `cs-en` to `people-cs-en.html`, where there are several strata."""
    if path in (None, "-") or part is None:
        return path
    plain = Path(path)
    return type(path)(plain.with_name(f"{plain.stem}-{part}{plain.suffix}"))


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--format style",
    "jsonl: one Rating per line. mturk, prolific: lists of workers to approve and to review.",
    ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific"),
    "jsonl",
)
@option("--out", "Write to this file instead of stdout.", PATH)
@option("--real-ids", "The platform's worker ids instead of pseudonyms.", bool)
@option(
    "--reject",
    "mturk, prolific: list raters who fail the controls as REJECT. Platforms restrict rejections, and some"
    " of these raters are honest.  [default: REVIEW]",
    bool,
)
@option(
    "--controls-only",
    "mturk, prolific: approve all raters who pass the controls, as in the papers.  [default: also ask for"
    " agreement with the others, and list rings, partial and hasty raters as REVIEW]",
    bool,
)
@option("--withdrawn", "Also the answers about clips and captions that were withdrawn (human extend).", bool)
def export_command(
    folder: Path,
    style: str,
    out: Path | None,
    real_ids: bool,
    reject: bool,
    controls_only: bool,
    withdrawn: bool,
) -> None:
    """Export the ratings of a campaign.

    DIR is the campaign's folder.

    \b
    storymeter human export study --out ratings.jsonl
    """
    text = human.export(
        folder,
        style,
        real_ids=real_ids,
        reject=reject,
        controls_only=controls_only,
        withdrawn=withdrawn,
        note=print_note,
    )
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        print_note(f"{many(text.count(chr(10)), 'line')} in {out}")


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
@option(
    "--gates",
    "control: nobody is left out for disagreeing with the others or with the own answers to repeated items.",
    ("auto", "control", "repeats", "attention"),
    "auto",
)
@option("--alpha", "Significance level of the tests between systems.", WITHIN, 0.05)
@option(
    "--faithful",
    "Share of test questions and controls a rater must get right.  [default: enough that guessing reaches it"
    " in 5 of 100 cases, at least 4 in 5]",
    SHARE,
)
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
    shown = report.present(human.rank(list(sources), **options))
    print_note(*shown.notes)
    print_result(shown, style)

"""`storymeter meta …`: which metric agrees with people? Here with published judgements (`benchmark`,
`report-card`), in `own_data` with your own. Without a sub-verb, files are given: `storymeter meta CANDIDATES…
--human FILE`. Also what all sub-verbs share: options of resampling, and printing.
"""

import datetime
import shlex
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import click

from ... import __version__, meta, report
from ...errors import many
from ...files import write_text
from ...options import split
from .._options import (
    COUNT,
    NEW_FOLDER,
    PATH,
    RESAMPLES,
    device_option,
    format_option,
    images_option,
    jobs_option,
    keep,
    metrics_option,
    option,
    output,
    print_note,
    print_result,
    progress_bar,
    run_options,
    seed_option,
    together,
    tokenizer_option,
)
from .._scoring import budget, judging_options
from .._verbs import Verbs

_DEFAULT = "agree"
OWN_DATA = dict.fromkeys(("agree", "self", "similarity", "words"), "_meta.own_data")


class MetaVerbs(Verbs):
    """Anything that is no sub-verb goes to `agree`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), "--help", "-h", "--help-all"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.command("meta", cls=MetaVerbs, modules=OWN_DATA)
def meta_command() -> None:
    """Measure how well metrics agree with human scores.

    \b
    storymeter meta a.json b.json -r references.json --human ratings.csv
    storymeter meta agree --human human.csv --scores scores.csv    from tables

    Without a subcommand, `agree` runs.
    """


resampling_options = together(
    option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 500),
    option(
        "--permutations",
        "Resamples of the permutation test (segment level).",
        click.IntRange(10, 10_000_000),
        10_000,
    ),
    option(
        "--compare statistic",
        "What the permutation test compares (segment level; Williams' test between systems is"
        " about Pearson's r).",
        ("pearson", "spearman", "kendall_b", "kendall_c", "accuracy_ties"),
        "pearson",
    ),
    option(
        "--bootstrap unit",
        "Unit of resampling for system-level intervals; items: for these systems only.",
        ("items", "systems", "both"),
        "both",
    ),
    option(
        "--system-value",
        "Between systems: METEOR's mean over captions and CIDEr's idf of all systems, as in published tables,"
        " or own: each system's rated captions scored by themselves, as `storymeter score` does.",
        ("published", "own"),
        "published",
    ),
    option(
        "--reference-curve",
        "Also compute this coefficient with 1, 2, 3, … references.",
        ("pearson", "spearman", "kendall_b", "kendall_c"),
    ),
    option(
        "--curve-references",
        "With --reference-curve: up to N references, over the items that have so many.  [default: the largest"
        " number that an item has]",
        COUNT,
        metavar="N",
    ),
    option(
        "--layout",
        "Several human scores: criteria, one table with a row per metric and the coefficients of each human"
        " score beside each other, or full, all tables of each.  [default: criteria for several criteria of"
        " a study, else full]",
        ("criteria", "full"),
    ),
    option("--html page", "Also write a page with figures that explains every number.", PATH, metavar="FILE"),
    option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR"),
)


def show(shown: report.Presentation, style: str, page: Path | None, figures: Path | None) -> None:
    """Writes what --figures and --html ask for, and prints the result unless `style` is empty."""
    keep(shown, page, figures)
    print_note(*shown.notes)
    if style:
        print_result(shown, style)


class _Named(click.Command):
    """Its help lists the benchmarks that there are."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        listed = (
            f"NAME is one of {', '.join(meta.BENCHMARKS)}. FILE is a table of captions, references and human"
            " scores, DIR a folder with a table and a benchmark.toml."
        )
        wrapped = fill(listed, formatter.width - 2, break_on_hyphens=False)
        formatter.write(indent(wrapped, "  ") + "\n")


DATA = option("--data", "Folder of benchmark data.", PATH, Path(), envvar="STORYMETER_DATA", show_envvar=True)


@meta_command.command("benchmark", cls=_Named)
@click.argument("name", metavar="NAME|FILE|DIR")
@DATA
@metrics_option("Metric, or a comma-separated list.  [default: bleu_1,bleu_4,rouge_l,meteor,cider]")
@tokenizer_option("How sentences become words.")
@option("--level", "Only this level; default: all that the benchmark has.", ("segment", "system"))
@option(
    "--sample",
    "Only N items (or pairs) of the benchmark, drawn by --seed: for slow metrics.",
    COUNT,
    metavar="N",
)
@resampling_options
@images_option
@device_option
@judging_options
@format_option()
@jobs_option
@seed_option
def benchmark_command(
    name: str,
    data: Path,
    metrics: tuple[str, ...],
    reference_curve: str | None,
    layout: Any,
    style: str,
    page: Path | None,
    figures: Path | None,
    **options: Any,
) -> None:
    """Correlate metrics with human scores on a benchmark."""

    names = [one for text in metrics for one in split(text)] or None
    with progress_bar() as progress:
        found = meta.benchmark(
            name, data, names, curve=reference_curve, budget=budget(progress), progress=progress, **options
        )
    show(report.present(found, layout=layout or "full"), style, page, figures)
    if style == "table":
        by_level = [one.scores.signatures for one in found.agreements] or [found.signatures]
        lines = (f"signature of {metric}: {text}" for level in by_level for metric, text in level.items())
        print_note(*dict.fromkeys(lines))


@meta_command.command("report-card")
@DATA
@metrics_option("Only these metrics; default: all that suit a benchmark.")
@option(
    "--benchmark -b benchmarks",
    "Only these benchmarks; default: all that the folder holds.",
    multiple=True,
    metavar="NAME",
)
@option("--resamples", "Bootstrap resamples for the intervals.", RESAMPLES, 300)
@option("--date", "The date to print.  [default: today]")
@option("--out", "Write the card to this file instead of stdout.", PATH, metavar="FILE")
@option("--html page", "Also write a page: one picture, the summary, details folded.", PATH, metavar="FILE")
@option(
    "--keep kept",
    "Folder to store the values of every metric; stored values are reused.",
    NEW_FOLDER,
    metavar="DIR",
)
@judging_options
@run_options("markdown", "json")
def report_card_command(
    data: Path,
    metrics: tuple[str, ...],
    benchmarks: tuple[str, ...],
    resamples: int,
    date: str | None,
    out: Path | None,
    page: Path | None,
    kept: Path | None,
    style: str,
    **settings: Any,
) -> None:
    """Correlate all metrics on all benchmarks of a folder.

    Reports which metric to trust, with intervals, tests and signatures. With --out FILE.md the figure is
    written to FILE.svg."""
    from ...report.figures.files import themed_svg

    asked = [name for text in metrics for name in split(text)] or None
    with progress_bar() as progress:
        cards = meta.report_card(
            data,
            asked,
            benchmarks,
            resamples=resamples,
            keep=kept,
            budget=budget(progress),
            progress=progress,
            **settings,
        )
    seed = settings["seed"]
    figure = "" if out is None or style != "markdown" else f"{out.stem}.svg"
    shown = report.present(
        cards,
        figure=figure,
        date=date or datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        version=__version__,
        command=_command(metrics, benchmarks, seed, resamples),
        seed=seed,
        resamples=resamples,
    )
    if page is not None:
        write_text(page, report.render(shown, "html"))
        print_note(f"The same as a page: {page}")
    if out is not None and figure and shown.figures is not None:
        write_text(out.with_name(figure), themed_svg(shown.figures()["report-card"]))
    text = report.render(shown, style)
    if out is None:
        output(text)
    else:
        write_text(out, text)
        print_note(f"Report card of {many(len(cards), 'benchmark')}: {out}")


def _command(metrics: tuple[str, ...], benchmarks: tuple[str, ...], seed: int, resamples: int) -> str:
    """What makes this card again."""
    chosen = [*(f"-m {shlex.quote(name)}" for name in metrics), *(f"-b {name}" for name in benchmarks)]
    start = f"storymeter meta report-card --data DIR --seed {seed} --resamples {resamples}"
    return " ".join([start, *chosen])

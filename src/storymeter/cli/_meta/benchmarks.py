"""storymeter meta benchmark NAME --data DIR: metrics against real human judgements."""

import datetime
import shlex
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import click

from ... import meta, report
from ...errors import many
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
    metrics_option,
    option,
    output,
    print_note,
    progress_bar,
    run_options,
    seed_option,
    tokenizer_option,
)
from .._scoring import budget, judging_options
from . import resampling_options, show


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


@click.command("benchmark", cls=_Named)
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


# storymeter meta report-card: every metric we have on every benchmark at hand.


@click.command("report-card")
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
    from ... import __version__
    from ...files import write_text
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

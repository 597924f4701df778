"""storymeter meta report-card: every metric we have on every benchmark at hand."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import click

from .._options import (
    device_option,
    format_option,
    jobs_option,
    metrics_option,
    output,
    progress_bar,
    say,
    seed_option,
)
from ._shared import data_option


@click.command("report-card")
@data_option
@metrics_option("Only these metrics; default: all that suit a benchmark.")
@click.option(
    "--benchmark",
    "-b",
    "benchmarks",
    multiple=True,
    metavar="NAME",
    help="Only these benchmarks; default: all that the folder holds.",
)
@click.option(
    "--resamples",
    type=click.IntRange(0, 1_000_000),
    default=300,
    show_default=True,
    help="Bootstrap resamples for the intervals.",
)
@click.option("--date", default=None, help="The date to print.  [default: today]")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the card to this file instead of stdout.",
)
@device_option
@format_option("markdown", "json")
@jobs_option
@seed_option
def command(
    data: Path,
    metrics: tuple[str, ...],
    benchmarks: tuple[str, ...],
    resamples: int,
    date: str | None,
    out: Path | None,
    device: str,
    style: str,
    jobs: int,
    seed: int,
) -> None:
    """Correlate all metrics on all benchmarks of a folder.

    With intervals, tests and signatures."""
    from ... import __version__
    from ...files import write_text
    from ...meta.benchmarks import available, load
    from ...names import split
    from ...report.report_card import card_json, card_markdown

    asked = [name for text in metrics for name in split(text)]
    chosen = list(benchmarks) or available(data)
    cards, headlines = [], {}
    with progress_bar() as progress:
        for done, name in enumerate(chosen):
            progress("benchmarks", done, len(chosen))
            benchmark = load(name, data)
            headlines[name] = benchmark.headline
            cards.append(_card(benchmark, asked, resamples, device, jobs, seed, progress))
    about: dict[str, Any] = {
        "date": date or datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "version": __version__,
        "seed": seed,
        "resamples": resamples,
    }
    text = card_json(cards, **about) if style == "json" else card_markdown(cards, headlines, **about)
    if out is None:
        output(text)
    else:
        write_text(out, text)
        say(f"Report card of {len(chosen)} benchmarks: {out}")


def _card(
    benchmark: Any, asked: list[str], resamples: int, device: str, jobs: int, seed: int, progress: Any
) -> Any:
    from ...engine.run import Run
    from ...meta import run
    from ...meta.benchmarks import suitable
    from ...report.agreement import Agreement
    from ...report.report_card import PERMUTATIONS, YARDSTICK, Card

    scores, skipped = run.benchmark_scores(
        benchmark,
        asked or suitable(benchmark),
        Run(jobs=jobs, seed=seed, device=device, progress=progress),
        skip_missing=True,
    )
    agreements = []
    for level in benchmark.levels:
        results, comparisons = run.evaluate_metrics(
            scores,
            level,
            resamples=resamples,
            permutations=PERMUTATIONS,
            seed=seed,
            against=YARDSTICK,
            progress=progress,
        )
        agreements.append(Agreement(benchmark.title, level, scores, results, comparisons, scores.notes))
    return Card(benchmark.name, agreements, skipped)

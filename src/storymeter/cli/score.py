"""storymeter score: one number per system and metric, with its interval and signature."""

from __future__ import annotations

from typing import Any

import click

from ._options import (
    coloured,
    format_option,
    jobs_option,
    output,
    progress_bar,
    say,
    seed_option,
    terminal_width,
)
from ._reading import reading_options
from ._scoring import cluster_option, evaluate_files, scoring_options


@click.command()
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATES...")
@scoring_options
@cluster_option
@click.option(
    "--per-document", metavar="FILE", help="Also write one row per document (.csv, .tsv, .jsonl, .parquet)."
)
@click.option(
    "--resamples",
    type=click.IntRange(0, 1_000_000),
    default=1000,
    show_default=True,
    help="Bootstrap resamples for the interval; 0: none.",
)
@format_option()
@jobs_option
@seed_option
@reading_options
def command(
    candidates: tuple[str, ...],
    per_document: str | None,
    resamples: int,
    style: str,
    jobs: int,
    seed: int,
    **options: Any,
) -> None:
    """Score CANDIDATES (one file per system) against references.

    \b
    storymeter score mine.json yours.json --references people.json
    storymeter score mine.json -r annotator_1.json -r annotator_2.json -m "soda_c,soda_c(scorer=sts)"
    """
    from ..report.scores import coverage_lines, document_writer, score_json, score_table

    write = (
        document_writer(per_document) if per_document else None
    )  # a name that cannot be written must not cost the scoring
    with progress_bar() as progress:
        report = evaluate_files(
            candidates, jobs=jobs, seed=seed, resamples=resamples, progress=progress, **options
        )
    if write is not None:
        write(report)
        say(f"One row per document: {per_document}")
    if options["references"]:
        for line in coverage_lines(report):
            say(line)
    elif not options["metrics"]:
        say("Without --references these are only the measures that need none.")
    output(
        score_json(report)
        if style == "json"
        else score_table(report).render(style, width=terminal_width(), colour=coloured())
    )
    if style == "table":
        for score in report.systems[0].scores:
            say(f"signature of {score.metric}: {score.signature}")

"""storymeter score: one number per system and metric, with its interval and signature."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
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
from ._scoring import cluster_option, is_saved, score_files, score_into, scoring_options


@click.command()
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATES...")
@scoring_options
@cluster_option
@click.option(
    "--per-document", metavar="FILE", help="Also write one row per document (.csv, .tsv, .jsonl, .parquet)."
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    metavar="RUN.smr",
    help="Keep the whole run in a file for compare, show, report and meta; interrupted, the same command goes on.",
)
@click.option(
    "--into",
    type=click.Path(exists=True, dir_okay=False),
    metavar="RUN.smr",
    help="Add CANDIDATES to a saved run: its references, metrics and protocol; nothing is scored again.",
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
    save: str | None,
    into: str | None,
    style: str,
    **options: Any,
) -> None:
    """Score CANDIDATES (one file per system) against references.

    \b
    storymeter score mine.json yours.json --references people.json
    storymeter score mine.json -r annotator_1.json -r annotator_2.json -m "soda_c,soda_c(scorer=sts)"
    storymeter score mine.json yours.json -r people.json --save run.smr
    storymeter score theirs.json --into run.smr
    """
    from ..report.scores import coverage_lines, document_writer, score_json, score_table

    _check(save, into, candidates)
    write = document_writer(per_document) if per_document else None  # a wrong name must not cost the scoring
    with progress_bar() as progress:
        if into is not None:
            results = score_into(into, candidates, progress, options)
        else:
            results = score_files(candidates, save=save, progress=progress, **options)
    if write is not None:
        write(results)
        say(f"One row per document: {per_document}")
    if results.references:
        for line in coverage_lines(results):
            say(line)
    elif not options["metrics"]:
        say("Without --references these are only the measures that need none.")
    output(
        score_json(results)
        if style == "json"
        else score_table(results).render(style, width=terminal_width(), colour=coloured())
    )
    if style == "table":
        for score in results.systems[0].scores:
            say(f"signature of {score.metric}: {score.signature}")


def _check(save: str | None, into: str | None, candidates: tuple[str, ...]) -> None:
    if save is not None and not is_saved(save):
        raise UsageError(f"--save {save!r} does not end in .smr.", hint="Name it like run.smr")
    if (save or into) and any(map(is_saved, candidates)):
        raise UsageError(
            "These are scored already.", hint="Give the captions of systems, or leave --save out."
        )
    if into is None:
        return
    if save is not None:
        raise UsageError("--save makes a run, --into adds to one.", hint="Give one of the two.")
    context = click.get_current_context()
    for name in ("references", "metrics", "protocol", "tokenizer", "resamples", "seed", "cluster"):
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            hint = "Leave it out, or score all systems anew with --save."
            raise UsageError(f"With --into, --{name} comes from the saved run.", hint=hint)

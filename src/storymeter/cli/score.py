"""storymeter score: one number per system and metric, with its interval and signature."""

from __future__ import annotations

import click

from ..names import split
from ._options import (
    coloured,
    device_option,
    format_option,
    jobs_option,
    output,
    progress_bar,
    say,
    seed_option,
    terminal_width,
)
from ._reading import read_candidates, read_references, reading_options


@click.command()
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATES...")
@click.option("--references", "-r", multiple=True, metavar="FILE", help="What people wrote; once per annotator.")
@click.option("--metric", "-m", "metrics", multiple=True, metavar="NAME", help="Metric, or a comma-separated list; default: by kind of document.")
@click.option("--protocol", default="paper", show_default=True, help="Named set of choices; see storymeter info --protocols.")
@click.option("--tokenizer", type=click.Choice(["ptb", "whitespace", "none"]), default="ptb", show_default=True)
@click.option("--per-document", metavar="FILE", help="Also write one row per document (.csv, .jsonl, .parquet).")
@click.option("--images", type=click.Path(exists=True, file_okay=False), help="Folder of the stories' images.")
@click.option("--resamples", type=click.IntRange(0, 1_000_000), default=1000, show_default=True, help="Bootstrap resamples for the interval; 0: none.")
@format_option()
@jobs_option
@seed_option
@device_option
@reading_options
def command(candidates: tuple[str, ...], references: tuple[str, ...], metrics: tuple[str, ...], protocol: str, tokenizer: str,
            per_document: str | None, images: str | None, resamples: int, style: str, jobs: int, seed: int, device: str,
            **reading: str | bool | None) -> None:
    """Score CANDIDATES (one file per system) against references."""
    from .. import protocol as protocols
    from ..engine.defaults import default_metrics
    from ..engine.evaluate import evaluate
    from ..registry import metric as get_metric
    from ..report.scores import coverage_lines, score_json, score_table, write_documents

    names = [name for text in metrics for name in split(text)]
    for name in names:
        get_metric(name)  # a misspelt name must not cost the time of reading the files
    protocols.get(protocol)
    systems = read_candidates(candidates, **reading)
    against = read_references(references, **reading)
    names = names or default_metrics(systems[0].kind, references=bool(against), images=images is not None)
    with progress_bar() as progress:
        report = evaluate(candidates=systems, references=against, metrics=names, protocol=protocol, tokenizer=tokenizer,  # type: ignore[arg-type]
                          jobs=jobs, seed=seed, resamples=resamples, device=device, images=images, progress=progress)
    if per_document:
        write_documents(report, per_document)
        say(f"One row per document: {per_document}")
    if against:
        for line in coverage_lines(report):
            say(line)
    output(score_json(report) if style == "json" else score_table(report).render(style, width=terminal_width(), colour=coloured()))
    if style == "table":
        say(f"Signature of the first score: {report.systems[0].scores[0].signature}")

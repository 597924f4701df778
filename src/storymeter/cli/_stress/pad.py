"""`storymeter stress pad`: redundant captions."""

from __future__ import annotations

from typing import Any

import click

from ...names import split
from .._declare import option
from .._options import progress_bar
from .._scoring import make_run
from ._shared import chosen, deliver, read, repeats_option, stress_options


@click.command("pad")
@click.argument("candidates")
@option("--n n", "Captions per video after padding, comma-separated.", default="20,50")
@repeats_option
@stress_options
def command(
    candidates: str,
    n: str,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Add redundant captions.

    Repeated captions, other captions under the same segment, captions of other videos (section 4 of the SODA
    paper)."""
    from ...errors import UsageError
    from ...stress import experiment, tables

    if not all(part.isascii() and part.isdigit() for part in split(n)) or not split(n):
        raise UsageError(f"--n cannot be {n!r}.", hint="Write it like --n 20,50")
    names = chosen(metrics, experiment.PAPER_METRICS)
    (corpus,), against = read([candidates], references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        result = tables.pad(corpus, run, n=[int(part) for part in split(n)], repeats=repeats, metrics=names)
    deliver(
        result,
        verb="pad",
        style=style,
        out=out,
        base="original",
        title=f"{corpus.name}: padded",
        intro="A measure of the story should not reward redundant captions.",
    )

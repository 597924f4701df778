"""`storymeter stress pad`: redundant captions."""

from __future__ import annotations

from typing import Any

import click

from ...options import split
from .._declare import option
from ._shared import deliver, experiment, experiment_options, repeats_option


@click.command("pad")
@option("--n n", "Captions per video after padding, comma-separated.", default="20,50")
@repeats_option
@experiment_options
def command(candidates: str, n: str, repeats: int, **options: Any) -> None:
    """Add redundant captions.

    Repeated captions, other captions under the same segment, captions of other videos (section 4 of the SODA
    paper)."""
    from ...errors import UsageError
    from ...stress import experiment as tables
    from ...stress.experiment import PAPER_METRICS

    if not all(part.isascii() and part.isdigit() for part in split(n)) or not split(n):
        raise UsageError(f"--n cannot be {n!r}.", hint="Write it like --n 20,50")
    with experiment(candidates, options, PAPER_METRICS) as (corpus, run, names):
        result = tables.pad(corpus, run, n=[int(part) for part in split(n)], repeats=repeats, metrics=names)
    deliver(
        result,
        options,
        verb="pad",
        base="original",
        title=f"{corpus.name}: padded",
        intro="A good metric should not reward redundant captions.",
    )

"""`storymeter stress count`: the number of captions."""

from __future__ import annotations

from typing import Any

import click

from ...names import split
from .._declare import option
from .._options import progress_bar
from .._scoring import make_run
from ._shared import chosen, deliver, read, repeats_option, stress_options


@click.command("count")
@click.argument("candidates")
@option("--m m", "Multiples of the references' captions, comma-separated; default .1,.5,1,2,10,all.")
@option("--k k", "Numbers of captions instead, comma-separated: 3,7,15,200.")
@repeats_option
@stress_options
def command(
    candidates: str,
    m: str | None,
    k: str | None,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Vary the number of captions.

    Scores when only some captions are kept (table 1 of the SODA papers)."""
    from ...stress import experiment, tables

    names = chosen(metrics, experiment.PAPER_METRICS)
    (corpus,), against = read([candidates], references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        result = tables.count(corpus, run, m=split(m or ""), k=split(k or ""), repeats=repeats, metrics=names)
    deliver(
        result,
        verb="count",
        style=style,
        out=out,
        base=None,
        title=f"{corpus.name}: number of captions",
        intro=(
            "Captions were drawn at random without replacement. A measure of the story should be highest near"
            " the number of reference captions (m = 1)."
        ),
    )

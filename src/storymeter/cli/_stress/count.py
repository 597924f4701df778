"""`storymeter stress count`: the number of captions."""

from __future__ import annotations

from typing import Any

import click

from ...options import split
from .._declare import option
from ._shared import deliver, experiment, experiment_options, repeats_option


@click.command("count")
@option("--m m", "Multiples of the references' captions, comma-separated; default .1,.5,1,2,10,all.")
@option("--k k", "Numbers of captions instead, comma-separated: 3,7,15,200.")
@repeats_option
@experiment_options
def command(candidates: str, m: str | None, k: str | None, repeats: int, **options: Any) -> None:
    """Vary the number of captions.

    Scores when only some captions are kept (table 1 of the SODA papers)."""
    from ...stress import experiment as tables
    from ...stress.experiment import PAPER_METRICS

    with experiment(candidates, options, PAPER_METRICS) as (corpus, run, names):
        result = tables.count(corpus, run, m=split(m or ""), k=split(k or ""), repeats=repeats, metrics=names)
    deliver(
        result,
        options,
        verb="count",
        base=None,
        title=f"{corpus.name}: number of captions",
        intro=(
            "Captions were drawn at random without replacement. A good metric should be highest near"
            " the number of reference captions (m = 1)."
        ),
    )

"""`storymeter stress order`: the order of captions."""

from __future__ import annotations

from typing import Any

import click

from .._declare import SHARE, option
from ._shared import deliver, experiment, experiment_options, repeats_option


@click.command("order")
@option("--bound", "IoU of each jittered segment with the original stays above this.", SHARE, 0.7)
@option("--as-told", "Reorder the original captions instead of the oracle captions.", bool)
@option("--reverse", "Also a column with the order reversed.", bool)
@repeats_option
@experiment_options
def command(
    candidates: str, bound: float, as_told: bool, reverse: bool, repeats: int, **options: Any
) -> None:
    """Change the order of the captions.

    Table 3 of the SODA paper."""
    from ...stress import experiment as tables

    with experiment(candidates, options, ("anet(scorer=meteor)", "soda_c")) as (corpus, run, names):
        result = tables.order(
            corpus,
            run,
            repeats=repeats,
            bound=bound,
            metrics=names,
            oracle=not as_told,
            reverse=reverse,
        )
    deliver(
        result,
        options,
        verb="order",
        base="Correct",
        title=f"{corpus.name}: order of captions",
        intro=(
            "Percentage changes are from the correct order. A good metric should fall when sentences are"
            " swapped, and most when all are shuffled."
        ),
    )

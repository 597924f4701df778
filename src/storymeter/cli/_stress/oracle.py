"""`storymeter stress oracle`: oracle captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._options import progress_bar, put
from .._scoring import make_run
from ._shared import read, stress_options


@click.command("oracle")
@click.argument("candidates", nargs=-1, required=True)
@stress_options
def command(
    candidates: tuple[str, ...],
    **options: Any,
) -> None:
    """Score the oracle captions of each system.

    Mean METEOR and Self-BLEU of its oracle captions (table 2 of the SODA paper)."""
    from ...files import write_text
    from ...report.stress import oracle_table
    from ...stress import experiment

    systems, against = read(candidates, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        scores = [experiment.oracle(corpus, run) for corpus in systems]
    put(oracle_table(scores), options["style"], "Oracle captions")
    if out := options["out"]:
        for ending, kind in (("csv", "csv"), ("tex", "latex"), ("json", "json")):
            write_text(Path(out) / f"oracle.{ending}", oracle_table(scores).render(kind))

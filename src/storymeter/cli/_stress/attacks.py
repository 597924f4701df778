"""`storymeter stress attacks`: captions that carry instructions."""

from __future__ import annotations

from typing import Any

import click

from .._declare import FROM_TWO, option
from .._options import put
from ._shared import experiment, experiment_options, keep


@click.command("attacks")
@option("--most", "Maximum number of attacked documents, drawn by --seed.", FROM_TWO, 20)
@option("--long", "One line for each of the fifty attacks.", bool)
@option("--shuffled", "Put the words of each attack in random order, as a control.", bool)
@experiment_options
def command(candidates: str, most: int, long: bool, shuffled: bool, **options: Any) -> None:
    """Test metrics and judges with attacks inside captions.

    Instructions, flattery, marks, closing delimiters and more (fifty attacks of ten kinds) are added to
    captions of the wrong document; the table shows how much their scores rise."""
    from ...report.stress import attack_data, attack_list, attack_table
    from ...report.table import to_json
    from ...stress.persuasion import attacks as run_attacks

    with experiment(candidates, options) as (corpus, run, names):
        found = run_attacks(corpus, run, metrics=names, most=most, shuffled=shuffled)
    data = to_json(
        {
            "schema": 1,
            "signature": str(found.result.signature),
            "documents": found.documents,
            "verdicts": {verdict.metric: verdict.answer for verdict in found.verdicts()},
            "attacks": attack_data(found),
        }
    )
    table = attack_list(found) if long or options["style"] == "csv" else attack_table(found)
    put(table, options["style"], f"{corpus.name}: attacks inside captions", json=data)
    keep(options["out"], "attacks", json=data, csv=attack_list(found).render("csv"))

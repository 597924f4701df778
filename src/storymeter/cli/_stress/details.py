"""`storymeter stress details`: one wrong detail."""

from __future__ import annotations

from typing import Any

import click

from ...errors import many
from .._declare import COUNT, option
from .._options import put, say
from ._shared import experiment, experiment_options, keep


@click.command("details")
@option("--most", "Maximum number of pairs of each kind, drawn by --seed.", COUNT, 200)
@option("--pairs", "Also write the pairs to this JSON Lines file.", click.Path(dir_okay=False))
@experiment_options
def command(candidates: str, most: int, pairs: str | None, **options: Any) -> None:
    """Change one detail of correct captions.

    CANDIDATES are human captions; one object, action, colour or number that the references mention is
    changed, a `not` inserted, or subject and object exchanged. The table has the share of pairs in which
    the true caption scores higher."""
    import msgspec

    from ...files import write_text
    from ...report.agreement import choice_data, choice_table
    from ...report.table import to_json
    from ...stress.wrong_details import details as run_details

    usual = ["meteor", "cider", "rouge_l", "bleu_4", "sts", "bertscore", "facts"]
    with experiment(candidates, options, usual) as (corpus, run, names):
        found = run_details(corpus, run, metrics=names, most=most)
    table = choice_table(found.results, f"{corpus.name}: one wrong detail")
    data = to_json({"schema": 1, "accuracy": choice_data(found.results), "signatures": found.signatures})
    put(table, options["style"], json=data)
    if pairs is not None:
        lines = [msgspec.json.encode(pair._asdict()).decode() for pair in found.pairs]
        write_text(pairs, "\n".join(lines) + "\n")
        say(f"{many(len(lines), 'pair')}: {pairs}")
    keep(options["out"], "details", json=data, csv=table.render("csv"))

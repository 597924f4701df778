"""`storymeter stress attacks`: captions that carry instructions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._declare import FROM_TWO, option
from .._options import output, progress_bar, put, say
from .._scoring import make_run, metric_names
from ._shared import chosen, read, stress_options


@click.command("attacks")
@click.argument("candidates")
@option("--most", "Documents at most that are attacked, drawn by --seed.", FROM_TWO, 20)
@option("--long", "One line for each of the fifty attacks.", bool)
@option("--shuffled", "Put the words of each attack in random order, as a control.", bool)
@stress_options
def command(
    candidates: str,
    most: int,
    long: bool,
    shuffled: bool,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Can a metric or a judge be talked into it?

    Captions of the wrong document carry instructions, flattery, marks, closing delimiters and more, fifty
    attacks of ten kinds: what do they gain?"""
    from ...engine.defaults import default_metrics
    from ...files import write_text
    from ...report.attacks import attack_data, attack_list, attack_table
    from ...report.table import to_json
    from ...stress.persuasion import persuasion

    metric_names(metrics)
    (corpus,), against = read([candidates], references, options, needed=False)
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = chosen(metrics, [name for name in usual if name != "localisation"])
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        found = persuasion(corpus, run, metrics=names, most=most, shuffled=shuffled)
    data = to_json(
        {
            "schema": 1,
            "signature": str(found.result.signature),
            "documents": found.documents,
            "verdicts": {verdict.metric: verdict.holds for verdict in found.verdicts()},
            "attacks": attack_data(found),
        }
    )
    table = attack_list(found) if long or style == "csv" else attack_table(found)
    output(data) if style == "json" else put(table, style, f"{corpus.name}: talked into it?")
    if out:
        write_text(Path(out) / "attacks.json", data)
        write_text(Path(out) / "attacks.csv", attack_list(found).render("csv"))
        say(f"Tables: {out}/attacks.*")

"""`storymeter stress audit`: all stress tests, with a verdict per property."""

from __future__ import annotations

from typing import Any

import click

from .._declare import option
from .._options import progress_bar
from .._scoring import make_run, metric_names
from ._shared import chosen, deliver, read, stress_options


@click.command("audit")
@click.argument("candidates")
@option("--repeats", "Random repeats of each transformation.", click.IntRange(1, 1000), 3)
@stress_options
def command(
    candidates: str,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Run all stress tests and give a verdict per property.

    The numbers behind each verdict are printed below it."""
    from ...engine.defaults import default_metrics
    from ...report.attacks import attack_table
    from ...report.stress import audit_figure, audit_json, audit_table, damage_tables
    from ...stress.audit import audit as run_audit

    metric_names(metrics)
    (corpus,), against = read([candidates], references, options, needed=False)
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = chosen(metrics, [name for name in usual if name != "localisation"])
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        found = run_audit(corpus, run, metrics=names, repeats=repeats)
    attacks = [attack_table(found.persuasion)] if found.persuasion else []
    deliver(
        found.result,
        verb="audit",
        style=style,
        out=out,
        base="original",
        title=f"{corpus.name}: what does each metric reward?",
        intro="Each line is one kind of damage; the verdicts are derived from these numbers.",
        shown=[audit_table(found), *attacks, *damage_tables(found.result)],
        json=audit_json(found),
        figure=audit_figure(found),
    )

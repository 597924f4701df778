"""`storymeter stress audit`: all stress tests, with a verdict per property."""

from __future__ import annotations

from typing import Any

import click

from .._declare import option
from .._scoring import unit_option
from ._shared import deliver, experiment, experiment_options


@click.command("audit")
@option("--repeats", "Random repeats of each transformation.", click.IntRange(1, 1000), 3)
@unit_option
@experiment_options
def command(candidates: str, repeats: int, unit: str, **options: Any) -> None:
    """Run all stress tests and give a verdict per property.

    The numbers behind each verdict are printed below it."""
    from ...report.stress import attack_table, audit_figure, audit_json, audit_table, damage_tables
    from ...stress.auditing import audit as run_audit

    with experiment(candidates, options) as (corpus, run, names):
        found = run_audit(corpus, run, metrics=names, repeats=repeats, unit=unit or "")
    attacks = [attack_table(found.persuasion)] if found.persuasion else []
    deliver(
        found.result,
        options,
        verb="audit",
        base="original",
        title=f"{corpus.name}: stress audit",
        intro="Each line is one kind of damage; the verdicts are derived from these numbers.",
        shown=[audit_table(found), *attacks, *damage_tables(found.result)],
        json=audit_json(found),
        figure=audit_figure(found),
    )

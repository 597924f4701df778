"""storymeter gate: fail a build if a new version is worse than a saved one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec

from ..errors import UsageError
from ._declare import FILE, NEW_FILE, option
from ._judging import judging_options
from ._options import format_option, jobs_option, output, progress_bar, put, say
from ._reading import reading_options
from ._scoring import make_run, read_both


@click.command()
@click.argument("candidates", nargs=-1, required=True, metavar="NEW...")
@option(
    "--against",
    "Saved run with the baseline (`score --save RUN.smr`).",
    FILE,
    required=True,
    metavar="RUN.smr",
)
@option(
    "--fail-if",
    "METRIC < LIMIT or METRIC > LIMIT: fail if the change of the score, in the units of the tables, is beyond"
    " the limit by more than chance; may be repeated.",
    multiple=True,
    required=True,
    metavar="CONDITION",
)
@option("--baseline", "System of the saved run to compare with; default: its only one.", metavar="NAME")
@option("--junit", "Also write the result as JUnit XML.", NEW_FILE, metavar="FILE")
@option("--markdown", "Also write the result as Markdown.", NEW_FILE, metavar="FILE")
@format_option("table", "json", "markdown")
@jobs_option
@judging_options
@reading_options
def command(
    candidates: tuple[str, ...],
    against: Path,
    fail_if: tuple[str, ...],
    baseline: str | None,
    junit: Path | None,
    markdown: Path | None,
    style: str,
    **options: Any,
) -> None:
    """Fail a build if NEW is worse than a saved baseline.

    NEW is scored with the references, protocol and unit of the saved run; several files are training runs of
    one system. The exit code is 0 if the gate passes and 1 if it fails.

    \b
    storymeter gate new.json --against run.smr --fail-if 'soda_c < -0.5'
    storymeter gate new.json --against a.smr --fail-if 'soda_c < 0' --junit g.xml
    """
    from ..engine.gate import check, condition
    from ..engine.results import merged
    from ..engine.saved import load
    from ..engine.seeds import collapsed
    from ..engine.units import DOCUMENT
    from ..files import write_text
    from ..report.comparison import gate_json, gate_junit, gate_markdown, gate_paragraph, gate_table

    conditions = [condition(text) for text in fail_if]
    before = load(against)
    names = [system.name for system in collapsed(before).systems]
    if baseline is None and len(names) > 1:
        raise UsageError(
            f"The run has several systems: {', '.join(names)}.", hint="Name the baseline: --baseline NAME"
        )
    old = baseline or names[0]
    if old not in names:
        raise UsageError(f"The run has no system {old!r}.", hint=f"It has {', '.join(names)}.")
    known = [score.metric for score in before.systems[0].scores]
    asked = list(dict.fromkeys(each.metric for each in conditions))
    lacking = [name for name in asked if name not in known]
    if lacking:
        raise UsageError(
            f"The saved run has no scores of {', '.join(lacking)}.", hint=f"It has {', '.join(known)}."
        )
    before = before.only(*asked)
    options = {"images": None, "videos": None, **options}
    with progress_bar() as progress:
        read, _ = read_both(candidates, (), options, asked)
        new = "new" if old != "new" else "new (candidate)"
        members = [f"{new}/{k + 1}" for k in range(len(read))] if len(read) > 1 else [new]
        systems = [
            msgspec.structs.replace(corpus, name=name) for corpus, name in zip(read, members, strict=True)
        ]
        run = make_run(before.references, progress, {**options, **before.conditions.settings})
        labels = [score.metric for score in before.systems[0].scores]
        fresh = run.score(systems, labels, 0, unit=before.conditions.unit or DOCUMENT)
    seeds = {new: tuple(members)} if len(members) > 1 else {}
    fresh = replace(fresh, references=before.references, conditions=before.conditions, seeds=seeds)
    checked = check(merged([before, fresh]), new, old, conditions)
    if junit is not None:
        write_text(junit, gate_junit(checked, new, old))
    if markdown is not None:
        write_text(markdown, gate_markdown(checked, new, old))
    if style == "json":
        output(gate_json(checked, new, old))
    elif style == "markdown":
        output(gate_markdown(checked, new, old))
    else:
        put(gate_table(checked, short=True), "table")
        say(gate_paragraph(checked, new, old))
    if any(each.failed for each in checked):
        click.get_current_context().exit(1)

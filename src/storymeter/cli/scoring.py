"""Commands that score systems: `score`, `compare` (is a difference significant?), `gate` (fail a build
if a new version is worse than a saved one).
"""

import contextlib
import shlex
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from .. import engine, formats, report
from ..errors import StorymeterError, UsageError
from ..files import write_text
from ..report.fitting import escape_controls
from ._files import layout_of, reading_options, result_options
from ._options import (
    FILE,
    NEW_FILE,
    Resamples,
    busy,
    format_option,
    jobs_option,
    option,
    output,
    print_note,
    print_result,
    progress_bar,
)
from ._scoring import (
    annotators_option,
    budget,
    cluster_options,
    judging_options,
    score_files,
    scoring_options,
    spread_of_annotators,
    system_option,
    unit_option,
)


@click.command("score")
@click.argument("candidates", nargs=-1, metavar="CANDIDATES...")
@scoring_options
@unit_option
@system_option
@annotators_option
@cluster_options
@option("--per-document", "Also write one row per document (.csv, .tsv, .jsonl, .parquet).", metavar="FILE")
@option(
    "--save",
    "Save the whole run in a file for compare, show, report and meta; after an interruption the same command"
    " continues. For a corpus in shards: a folder.",
    click.Path(),
    metavar="RUN.smr",
)
@option(
    "--into",
    "Add CANDIDATES to a saved run, with its references, metrics and protocol; the other systems are not"
    " scored again.",
    click.Path(exists=True, dir_okay=False),
    metavar="RUN.smr",
)
@option(
    "--resamples",
    "Resamples of the intervals and of each test; auto: as many as the marks need; 0: neither.",
    Resamples(0),
    "auto",
)
@option("--long", "One row per system and metric, with the parts of each score.", bool)
@result_options
def score_command(
    candidates: tuple[str, ...],
    per_document: str | None,
    save: str | None,
    into: str | None,
    long: bool,
    annotators: bool,
    style: str,
    **options: Any,
) -> None:
    """Score CANDIDATES (one file per system) against references.

    \b
    storymeter score mine.json yours.json -r references.json
    storymeter score mine.json -r first.json -r second.json -m soda_c,anet
    storymeter score mine.json yours.json -r references.json --save run.smr
    storymeter score theirs.json --into run.smr
    storymeter score yours.json --system mine=a.json,b.json -r references.json
    storymeter score 'mine/*.parquet' -r 'people/*.parquet' --save run   in shards
    """
    from ..engine.suitability import kind_of, left_out
    from ..engine.systems import is_saved
    from ..engine.units import collapsed
    from ..report.marks import coverage_lines
    from ..report.scores import document_writer, score_line, signature_lines

    _check(save, into, candidates, per_document)
    write = document_writer(per_document) if per_document else None  # a wrong name must not cost the scoring
    with progress_bar() as progress:

        def each(system: str, score: Any) -> None:
            progress.line(score_line(system, score))

        results = score_files(candidates, progress, {**options, "save": save, "into": into, "each": each})
    if write is not None:
        write(results)
        print_note(f"One row per document: {per_document}")
    print_note(*coverage_lines(results))
    if not results.references and not options["metrics"]:
        print_note("No --references were given: only metrics that need none are computed.")
        print_note(*_own_references(candidates))
    fresh = results.references and not options["metrics"] and not any(map(is_saved, candidates))
    if fresh and (lacking := left_out(kind_of(results.systems[0].candidates))):
        print_note(lacking)
    spread = spread_of_annotators(results, candidates, options) if annotators else []
    results = collapsed(results)
    tests = _tests(results, options["resamples"]) if not long and style != "csv" else []
    print_result(report.present(results, comparisons=tests, spread=spread, long=long), style)
    if style == "table":
        print_note("Signatures (what the numbers depend on):")
        for line in signature_lines(results):  # in one piece, so that it can be copied
            click.echo(escape_controls(line), err=True)


def _own_references(candidates: tuple[str, ...]) -> list[str]:
    """What to add where a file of records holds references beside its captions."""

    found = []
    for path in candidates:
        with contextlib.suppress(StorymeterError):
            ours, theirs = (
                formats.read(path, role=role).meta.get("read_as") for role in ("candidates", "references")
            )
            if theirs and theirs != ours:
                found.append(
                    f"{path} holds other texts too ({theirs}): -r {shlex.quote(path)} scores against them."
                )
    return found


def _tests(results: engine.Results, resamples: Any) -> list[engine.Comparison]:
    """The tests behind the marks: those of `compare`, with the same options."""
    untested = resamples == 0 or (results.in_shards and not results.conditions.resamples)
    if len(results.systems) < 2 or results.systems[0].scores[0].n < 2 or untested:
        return []
    with busy("comparing the systems"):
        return results.compare(resamples=resamples)


def _check(save: str | None, into: str | None, candidates: tuple[str, ...], per_document: str | None) -> None:
    from ..engine.systems import in_shards, is_saved

    sharded = into is None and in_shards(candidates, click.get_current_context().params["references"])
    if sharded and save is not None and save.endswith(".smr"):
        raise UsageError("A corpus in shards is saved in a folder.", hint="Name it like --save run")
    if save is not None and not sharded and not save.endswith(".smr"):
        raise UsageError(f"--save {save!r} does not end in .smr.", hint="Name it like run.smr")
    if sharded and per_document:
        hint = "Score a file of these documents alone."
        raise UsageError("A run in shards keeps no rows, so --per-document has nothing to write.", hint=hint)
    if (save or into) and any(map(is_saved, candidates)):
        raise UsageError(
            "This run is scored already.", hint="Give the captions of systems, or leave --save out."
        )
    if into is None:
        return
    if save is not None:
        raise UsageError("--save writes a new run, --into adds to an existing one.", hint="Give one.")
    context = click.get_current_context()
    saved = {"references", "metrics", "protocol", "tokenizer", "resamples", "seed", "cluster", "unit"}
    for param in context.command.params:
        given = context.get_parameter_source(param.name or "") == click.core.ParameterSource.COMMANDLINE
        if param.name in saved and given:
            flag = max(param.opts, key=len)
            hint = "Leave it out, or score all systems again with --save."
            raise UsageError(f"With --into, {flag} comes from the saved run.", hint=hint)


_NO_SEEDS = (
    "One training run per system: the noise of training is not in the intervals and tests (--system"
    " NAME=a.json,b.json gives several)."
)


@click.command("compare")
@click.argument("candidates", nargs=-1, metavar="A B [C...]")
@scoring_options
@unit_option
@system_option
@annotators_option
@cluster_options
@option(
    "--resamples",
    "Resamples of each test; auto: until chance decides no significance, all swaps up to 12 documents.",
    Resamples(99),
    "auto",
)
@option(
    "--difference",
    "Also print how many documents find a difference of so many points in 80 of 100 studies.",
    click.FloatRange(min=0, min_open=True),
    metavar="POINTS",
)
@option("--most", "Number of documents with the largest differences to list.", click.IntRange(0, 1000), 5)
@result_options
def compare_command(
    candidates: tuple[str, ...],
    resamples: Any,
    most: int,
    difference: float | None,
    annotators: bool,
    style: str,
    **options: Any,
) -> None:
    """Test the differences between systems.

    Systems are compared pairwise on the same documents: paired permutation test, corrected after Holm over
    the comparisons of one metric, bootstrap-t test and simultaneous intervals. The saved run's seed is used
    unless --seed is given.

    \b
    storymeter compare mine.json yours.json -r references.json -m soda_c
    storymeter compare --system mine=a.json,b.json yours.json -r references.json
    storymeter compare run.smr
    storymeter compare run.smr --difference 0.5     documents that find it
    """
    from ..engine.systems import in_shards, is_saved
    from ..engine.units import collapsed
    from ..report.marks import coverage_lines
    from ..report.scores import annotator_table, spread_records

    if len(candidates) + len(options["systems"]) < 2 and not any(map(is_saved, candidates)):
        raise UsageError(
            "A comparison needs two systems.",
            hint="Give two files or more: storymeter compare A.json B.json --references FILE",
        )
    with progress_bar() as progress:
        drawn = resamples if in_shards(candidates, options["references"]) else 0  # rows are not kept there
        results = score_files(candidates, progress, {**options, "resamples": drawn})
    if len(collapsed(results).systems) < 2:
        raise UsageError(
            "A comparison needs two systems.", hint="Add one: storymeter score NEW.json --into RUN.smr"
        )
    with busy("comparing the systems"):
        given = click.get_current_context().get_parameter_source("seed") == ParameterSource.COMMANDLINE
        seed = options["seed"] if given else None
        comparisons = results.compare(resamples=resamples, seed=seed, most=most, difference=difference)
    print_note(*coverage_lines(results))
    if not results.seeds:
        print_note(_NO_SEEDS)
    more: dict[str, Any] = {}
    if annotators:
        drawn_alike = {**options, "resamples": resamples}
        spread = spread_of_annotators(results, candidates, drawn_alike, pairs=True)
        more = {"annotators": spread_records(results, spread), "spread": annotator_table(results, spread)}
    print_result(report.present(comparisons, difference=difference, **more), style)


@click.command("gate")
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
def gate_command(
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
    one system. The exit code is 0 if the gate passes, 1 if it fails, and 2 if it could not be run.

    \b
    storymeter gate new.json --against run.smr --fail-if 'soda_c < -0.5'
    storymeter gate new.json --against a.smr --fail-if 'soda_c < 0' --junit g.xml
    """
    from ..report.comparison import gate_junit, gate_markdown

    layout = layout_of(options)
    with progress_bar() as progress:
        settings = {"jobs": options["jobs"], "budget": budget(progress), "progress": progress}
        try:
            found = engine.gate(
                candidates, against, fail_if, baseline=baseline, layout=layout, note=print_note, **settings
            )
            if junit is not None:
                write_text(junit, gate_junit(found))
            if markdown is not None:
                write_text(markdown, gate_markdown(found))
        except Exception as error:
            error.exit_code = 2  # type: ignore[attr-defined]  # 1 is the verdict of a gate that was run
            raise
    if style == "markdown":
        output(gate_markdown(found))
    else:
        shown = report.present(found)
        print_result(shown, style)
        print_note(*shown.notes_for(style))
    if found.failed:
        click.get_current_context().exit(1)

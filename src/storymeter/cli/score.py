"""storymeter score: one number per system and metric, with its interval and signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ._declare import Resamples, option
from ._options import busy, print_result, progress_bar, say
from ._reading import result_options
from ._scoring import (
    annotators_option,
    cluster_options,
    score_files,
    scoring_options,
    spread_of_annotators,
    system_option,
    unit_option,
)

if TYPE_CHECKING:
    from ..engine.results import Comparison, Results
    from ..engine.results import Resamples as Resampled
    from ..scores import Score


@click.command()
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
def command(
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
    from ..engine.defaults import kind_of, left_out
    from ..engine.seeds import collapsed
    from ..engine.systems import is_saved
    from ..report import present
    from ..report.fitting import escape_controls
    from ..report.scores import coverage_lines, document_writer, score_line, signature_lines

    _check(save, into, candidates, per_document)
    write = document_writer(per_document) if per_document else None  # a wrong name must not cost the scoring
    with progress_bar() as progress:

        def each(system: str, score: Score) -> None:
            progress.line(score_line(system, score))

        results = score_files(candidates, progress, {**options, "save": save, "into": into, "each": each})
    if write is not None:
        write(results)
        say(f"One row per document: {per_document}")
    if results.references:
        say(*coverage_lines(results))
    elif not options["metrics"]:
        say("No --references were given: only metrics that need none are computed.")
    fresh = results.references and not options["metrics"] and not any(map(is_saved, candidates))
    if fresh and (lacking := left_out(kind_of(results.systems[0].candidates))):
        say(lacking)
    spread = spread_of_annotators(results, options) if annotators else []
    results = collapsed(results)
    tests = _tests(results, options["resamples"]) if not long and style != "csv" else []
    print_result(present(results, comparisons=tests, spread=spread, long=long), style)
    if style == "table":
        say("Signatures (what the numbers depend on):")
        for line in signature_lines(results):  # in one piece, so that it can be copied
            click.echo(escape_controls(line), err=True)


def _tests(results: Results, resamples: Resampled) -> list[Comparison]:
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
    for name in ("references", "metrics", "protocol", "tokenizer", "resamples", "seed", "cluster", "unit"):
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            hint = "Leave it out, or score all systems again with --save."
            raise UsageError(f"With --into, --{name} comes from the saved run.", hint=hint)

"""storymeter meta CANDIDATES... --human FILE: metrics against human scores, on your own data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import report
from ...engine.systems import is_saved, require_equal_lines
from ...errors import DataError, UsageError
from ...meta.agreeing import measured
from ...meta.compute import pooled_documents, values_of, values_of_file, values_of_results
from ...meta.run import CurvePoint, reference_curve as curve_of
from ...meta.scores import Judgement, join_scores
from ...progress import silent
from .._files import result_options, unequal_lines_option
from .._options import PATH, option, output, print_note, progress_bar
from .._scoring import make_run, metric_names, read_both, score_files, scoring_options
from . import resampling_options, show

if TYPE_CHECKING:
    from ...meta.agreeing import OneTable


@click.command("agree")
@click.argument("candidates", nargs=-1, metavar="[CANDIDATES]...")
@option("--human", "Human scores: a table of scores, ratings, or a campaign.", PATH, metavar="FILE|DIR")
@option("--scores", "Precomputed metric scores: one column per metric.", PATH, metavar="FILE")
@option("--level", "One point per judged caption, or per system.", ("segment", "system"), "segment")
@option("--human-score which", "Human score to use, if the file has both.", ("z", "raw"), "z")
@option("--accept", "Raters to use, if the file holds ratings.", ("passed", "all"), "passed")
@option("--ties", "Preferences: credit for a tie of the metric.", ("half", "wrong", "drop"), "half")
@unequal_lines_option
@scoring_options
@resampling_options
@result_options
def agree_command(
    candidates: tuple[str, ...],
    human: Path | None,
    scores: Path | None,
    level: Any,
    which: Any,
    accept: Any,
    reference_curve: str | None,
    curve_references: int | None,
    layout: Any,
    ties: str,
    style: str,
    page: Path | None,
    figures: Path | None,
    **options: Any,
) -> None:
    """Correlate metrics with human scores of your own data.

    Metrics are computed for CANDIDATES (one file per system), or read with --scores, or stand in one table
    with the human scores.

    \b
    storymeter meta table.csv            video,system,human,mymetric,meteor
    storymeter meta agree a.json b.json -r references.json --human ratings.csv
    """
    from ...meta.agreeing import read_people
    from ...meta.inputs import open_human, read_preferences, read_scores

    resampling = {
        key: options.pop(key) for key in ("resamples", "permutations", "unit", "statistic", "system_value")
    }
    table = human or (Path(candidates[0]) if len(candidates) == 1 else None)
    if table is not None and scores is None and (human is None or not candidates):
        found = _one_table(table, options["columns"], alone=human is None)
        tables, known, candidates = found.human, values_of_file(found.metrics), ()
    elif human is None:
        raise UsageError(
            "There are no human scores.",
            hint="Give them with --human FILE, or one table with human and metric columns: storymeter meta"
            " FILE",
        )
    else:
        opened = open_human(human)
        if opened is not None and opened.kind.stories:
            options["stories"] = True
        people = read_preferences(human, accept=accept, opened=opened) if opened is not None else None
        if people is not None:
            preferences, notes = people
            output(_preferences(preferences, candidates, scores, ties, style, options))
            print_note(*notes)
            return
        tables = read_people(human, which, accept, opened)
        known = values_of_file(read_scores(scores)) if scores is not None else {}
    with progress_bar() as progress:
        scored = [join_scores(table, known) for table in tables.values()]
        curves: list[dict[str, list[CurvePoint]]] = [{} for _ in scored]
        if candidates:
            asked = {
                "statistic": reference_curve,
                "up_to": curve_references,
                "resamples": resampling["resamples"],
            }
            curve = asked if reference_curve else None
            apart = level == "system" and resampling["system_value"] == "own"
            scored, curves = _score(scored, candidates, curve, progress, apart, **options)
        again = {**resampling, "seed": options["seed"], "jobs": options["jobs"], "progress": progress}
        agreements = [
            measured(title, level, table, curve, reference_curve, **again)
            for title, table, curve in zip(tables, scored, curves, strict=True)
        ]
    show(report.present(agreements, layout=layout), style, page, figures)


def _one_table(path: Path, columns: dict[str, str] | None, *, alone: bool) -> OneTable:
    """Human and metric scores of one table; where it is none, what else is needed."""
    from ...meta.agreeing import read_one_table
    from ...meta.inputs import open_human

    if not alone and (path.is_dir() or open_human(path) is not None):
        raise UsageError(
            "There is nothing to correlate.",
            hint="Give candidate files with --references and --metric, or metric scores with --scores FILE.",
        )
    try:
        return read_one_table(path, columns)
    except DataError as error:
        other = "Human scores of their own: --human FILE" if alone else "Metric scores: --scores FILE"
        raise UsageError(error.message, hint=f"{error.hint}\n{other}") from None


def _score(
    tables: list[Any],
    candidates: tuple[str, ...],
    curve: dict[str, Any] | None,
    progress: Any,
    apart: bool,
    **options: Any,
) -> tuple[list[Any], list[dict[str, list[CurvePoint]]]]:
    """The metrics of the candidates, computed once (or saved), beside every table of human scores; and the
    number-of-references curves. `apart`: every system is scored by itself.
    """
    first, equal = tables[0], not options["unequal_lines"]
    whole = first.items == ("",)  # people judged whole systems: corpus scores
    none: list[dict[str, list[CurvePoint]]] = [{} for _ in tables]
    if whole or any(map(is_saved, candidates)):
        if curve:
            raise UsageError("--reference-curve scores documents.", hint="Give files of captions.")
        results = score_files(candidates, progress, {**options, "resamples": 0, "equal_lines": equal})
        values = values_of_results(results, systems=whole)
        return [join_scores(table, values) for table in tables], none
    judged = [
        [
            Judgement(t.systems[s], t.items[i], float(v))
            for s, i, v in zip(t.system, t.item, t.human, strict=True)
        ]
        for t in tables
    ]
    wanted = {(j.system, j.item) for judgements in judged for j in judgements}
    task, names, run = _pooled(candidates, wanted, progress, options)
    if not len(task):
        raise DataError(
            f"No document of {', '.join(candidates)} has both a human score and a reference; the human scores"
            f" are for the systems {', '.join(first.systems[:5])} and items such as"
            f" {', '.join(first.items[:3])}.",
            hint=(
                "The name of a system is its file name without suffix; the item is the document id. Use the"
                " same names in all files."
            ),
        )

    def ask(run: Any, names: Any) -> tuple[Any, Any]:
        values, _ = values_of(task, names, run, apart=apart)
        if not curve:
            return values, none
        return values, [curve_of(task, judgements, names, run, **curve) for judgements in judged]

    with run.announced(names, ask):
        values, drawn = ask(run, names)
    return [join_scores(table, values) for table in tables], drawn


def _pooled(
    candidates: tuple[str, ...], wanted: Any, progress: Any, options: dict[str, Any]
) -> tuple[Any, list[str], Any]:
    """The documents that people judged as one task, the metrics asked for, and the run that scores them."""
    from ...engine.suitability import default_metrics

    names = metric_names(options["metrics"])
    systems, against = read_both(candidates, options["references"], options, names)
    if not options["unequal_lines"]:
        require_equal_lines([*systems, *against])
    images = options["images"] is not None
    names = names or default_metrics(systems[0].kind, references=bool(against), images=images)
    return pooled_documents(systems, against, wanted), names, make_run((), progress, options)


def _preferences(
    preferences: Any,
    candidates: tuple[str, ...],
    scores: Path | None,
    ties: str,
    style: str,
    options: dict[str, Any],
) -> str:
    """Accuracy against -2..2: how often a metric prefers what people prefer."""
    from ...human.analysis.preference import metric_accuracy
    from ...meta.inputs import read_scores
    from ...report.agreement import accuracy_json, accuracy_table

    values = values_of_file(read_scores(scores)) if scores is not None else {}
    if any(map(is_saved, candidates)):
        values |= values_of_results(score_files(candidates, silent, {**options, "resamples": 0}))
    elif candidates:
        wanted = {(name, item) for p in preferences for item in p.items for name in (p.a, p.b)}
        task, names, run = _pooled(candidates, wanted, silent, options)
        values |= values_of(task, names, run)[0]
    rows = []
    for preference in preferences:
        for metric, entry in values.items():
            sign = -1 if entry.higher_is_better is False else 1
            by = {
                name: {item: sign * v for (system, item), v in entry.values.items() if system == name}
                for name in (preference.a, preference.b)
            }
            rows.append(
                (
                    preference,
                    metric_accuracy(preference, metric, by[preference.a], by[preference.b], ties=ties),
                )
            )
    return accuracy_json(rows) if style == "json" else accuracy_table(rows).render(style)

"""storymeter meta CANDIDATES... --human FILE: metrics against human scores, on your own data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import report
from ...errors import DataError, UsageError
from ...meta.agreeing import measured
from ...meta.agreeing_files import PreferenceAccuracy, ScoredFiles, agree_files
from ...meta.compute import values_of_file
from ...meta.scores import join_scores
from .._files import layout_of, result_options, unequal_lines_option
from .._options import PATH, option, print_note, progress_bar
from .._scoring import metric_names, scoring_options, settings_of
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
    resampling = {
        key: options.pop(key) for key in ("resamples", "permutations", "unit", "statistic", "system_value")
    }
    table = human or (Path(candidates[0]) if len(candidates) == 1 else None)
    alone = scores is None and (human is None or not candidates)
    if table is None or (human is None and scores is not None):
        raise UsageError(
            "There are no human scores.",
            hint="Give them with --human FILE, or one table with human and metric columns: storymeter meta"
            " FILE",
        )
    found = _one_table(table, options["columns"], alone=human is None) if alone else None
    with progress_bar() as progress:
        again = {**resampling, "seed": options["seed"], "jobs": options["jobs"], "progress": progress}
        if found is not None:
            known = values_of_file(found.metrics)
            scored = {title: join_scores(people, known) for title, people in found.human.items()}
            agreements = [measured(title, level, joined, **again) for title, joined in scored.items()]
            show(report.present(agreements, layout=layout), style, page, figures)
            return
        files = ScoredFiles(
            candidates,
            options["references"],
            metric_names(options["metrics"]),
            layout_of(options),
            unequal_lines=options["unequal_lines"],
            stories=options.get("stories", False),
            note=print_note,
            settings=settings_of(options, progress),
        )
        result = agree_files(
            table,
            files,
            scores=scores,
            level=level,
            accept=accept,
            which=which,
            ties=ties,
            reference_curve=reference_curve,
            curve_references=curve_references,
            **again,
        )
    how = {} if isinstance(result, PreferenceAccuracy) else {"layout": layout}
    show(report.present(result, **how), style, page, figures)


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

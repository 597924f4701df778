"""`storymeter meta agree | self | similarity | words`: metrics against people, against themselves, and
captions against each other, on your own data.
"""

from pathlib import Path
from typing import Any

import click

from ... import engine, meta, report
from ...errors import DataError, UsageError
from ...files import write_text
from ...options import split
from ...registry import scorer as get_scorer
from .._files import layout_of, result_options, unequal_lines_option
from .._options import (
    ABOVE_ZERO,
    PATH,
    RESAMPLES,
    ManyFiles,
    device_option,
    metrics_option,
    option,
    print_note,
    print_result,
    progress_bar,
    run_options,
    tokenizer_option,
)
from .._scoring import (
    budget,
    judging_options,
    metric_names,
    read_both,
    scoring_options,
    settings_of,
)
from . import resampling_options, show


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
    from ...meta.agreeing import measured
    from ...meta.agreeing_files import PreferenceAccuracy, ScoredFiles, agree_files
    from ...meta.scores import join_scores, values_of_file

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


def _one_table(path: Path, columns: dict[str, str] | None, *, alone: bool) -> Any:
    """Human and metric scores of one table; where it is none, what else is needed."""
    from ...meta.inputs import open_human, read_one_table

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


@click.command("self")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATES...")
@option("--trials", "Number of times that everything is scored.", click.IntRange(2, 100), 2)
@option("--resamples", "Bootstrap resamples for the interval of Pearson's r; 0: none.", RESAMPLES, 1000)
@scoring_options
@result_options
def self_command(
    candidates: tuple[str, ...],
    trials: int,
    resamples: int,
    metrics: tuple[str, ...],
    style: str,
    **options: Any,
) -> None:
    """Agreement of a judge with itself.

    CANDIDATES are scored several times: all requests to a judge are sent again (stored answers are
    not used), other metrics are computed again.

    \b
    storymeter meta self mine.json -r r.json -m "judge(model=NAME,endpoint=URL)"
    """
    from ...engine.suitability import default_metrics

    names = metric_names(metrics)
    systems, against = read_both(candidates, options["references"], options)
    names = names or default_metrics(systems[0].kind, references=bool(against))
    with progress_bar() as progress:
        run = engine.Run(against, **settings_of(options, progress))
        found = meta.self_agreement(systems, run, metrics=names, trials=trials, resamples=resamples)
    print_result(report.present(found), style)


@click.command("similarity", cls=ManyFiles, many=("--systems", "--human"))
@option("--systems", "Captions by systems, one file each.", multiple=True, required=True, metavar="FILE...")
@option(
    "--human people", "Captions of the same items by people, one file each.", multiple=True, metavar="FILE..."
)
@option("--scorer", "Scorer of the similarity of two captions.", default="sts", metavar="NAME")
@tokenizer_option("For scorers that count words.")
@unequal_lines_option
@option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 1000)
@option("--html page", "Also write a page with figures that explains every number.", PATH, metavar="FILE")
@option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR")
@option("--out", "Write the result to this file instead of stdout.", PATH, metavar="FILE")
@device_option
@judging_options
@result_options
def similarity_command(
    systems: tuple[str, ...],
    people: tuple[str, ...],
    scorer: str,
    tokenizer: Any,
    unequal_lines: bool,
    resamples: int,
    page: Path | None,
    figures: Path | None,
    out: Path | None,
    device: str,
    style: str,
    jobs: int,
    seed: int,
    **reading: Any,
) -> None:
    """Measure how similar the captions of sources are.

    Compares captions of the same items by systems and people, every source with every other: means
    and distributions."""
    from ...engine.systems import require_equal_lines

    judge = get_scorer(scorer)
    with progress_bar() as progress:
        read, _ = read_both([*systems, *people], (), reading)
        if not unequal_lines:
            require_equal_lines(read)
        found = meta.similarity(
            read[: len(systems)],
            read[len(systems) :],
            scorer=judge,
            tokenizer=tokenizer,
            jobs=jobs,
            resamples=resamples,
            seed=seed,
            device=device,
            budget=budget(progress),
            progress=progress,
        )
    shown = report.present(found)
    show(shown, style if out is None else "", page, figures)
    if out is not None:
        write_text(out, report.render(shown, style))
        print_note(f"Similarities of {len(found.names)} sources: {out}")
    if style == "table":
        print_note(f"signature: {found.signature}")


@click.command("words")
@click.argument("labels", metavar="LABELS", type=click.Path(path_type=Path))
@option(
    "--references -r", "Captions of the same items by people.", multiple=True, required=True, metavar="FILE"
)
@metrics_option("Scorer of sentence pairs, or a comma-separated list.  [default: meteor,rouge_l,bleu_1]")
@option("--threshold", "Share of raters who must have marked a word for it to be wrong.", ABOVE_ZERO, 0.5)
@option("--tokenizer", "Tokeniser.", ("ptb", "whitespace", "none"), "ptb")
@option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 1000)
@judging_options
@run_options()
def words_command(
    labels: Path, references: tuple[str, ...], metrics: tuple[str, ...], style: str, **options: Any
) -> None:
    """Does a metric penalise the words that raters marked as wrong?

    LABELS are the words of an error span study: storymeter human analyse CAMPAIGN --words LABELS. The blame
    of a word is the gain in score when it is left out.

    \b
    storymeter meta words labels.jsonl -r references.json -m meteor,rouge_l
    """
    names = [name for text in metrics for name in split(text)]
    if names:
        options["metrics"] = names
    with progress_bar() as progress:
        found = meta.point_at_words(labels, references, budget=budget(progress), progress=progress, **options)
    print_result(report.present(found), style)

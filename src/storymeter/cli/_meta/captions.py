"""storymeter meta self CANDIDATES…: does a metric or a judge say the same when it is asked again?"""

from pathlib import Path
from typing import Any

import click

from ... import meta, report
from .._files import result_options, unequal_lines_option
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
from .._scoring import budget, judging_options, make_run, metric_names, read_both, scoring_options
from . import show


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
        run = make_run(against, progress, options)
        found = meta.self_agreement(systems, run, metrics=names, trials=trials, resamples=resamples)
    print_result(report.present(found), style)


# storymeter meta similarity --systems A B … [--human H …]: similarity of captions between sources.


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
    from ...files import write_text
    from ...registry import scorer as get_scorer

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


# storymeter meta words LABELS -r REFERENCES…: does a metric penalise the words that raters marked?


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
    from ...options import split

    names = [name for text in metrics for name in split(text)]
    if names:
        options["metrics"] = names
    with progress_bar() as progress:
        found = meta.point_at_words(labels, references, budget=budget(progress), progress=progress, **options)
    print_result(report.present(found), style)

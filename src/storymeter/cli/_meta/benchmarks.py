"""storymeter meta benchmark NAME --data DIR: metrics against real human judgements."""

from __future__ import annotations

import datetime
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...meta.agreeing import measured
from .._declare import COUNT, NEW_FOLDER, PATH, RESAMPLES, option
from .._judging import budget, judging_options
from .._options import (
    data_option,
    device_option,
    format_option,
    jobs_option,
    metrics_option,
    output,
    progress_bar,
    put,
    run_options,
    say,
    seed_option,
    tokenizer_option,
)
from ._shared import resampling_options, show


@click.command("benchmark")
@click.argument("name", metavar="NAME")
@data_option
@metrics_option("Metric, or a comma-separated list.  [default: bleu_1,bleu_4,rouge_l,meteor,cider]")
@tokenizer_option("How sentences become words.")
@option("--level", "Only this level; default: all that the benchmark has.", ("segment", "system"))
@option(
    "--reference-curve",
    "Also compute this coefficient with 1, 2, 3, … references.",
    ("pearson", "spearman", "kendall_b", "kendall_c"),
)
@option(
    "--sample",
    "Only N items (or pairs) of the benchmark, drawn by --seed: for slow metrics.",
    COUNT,
    metavar="N",
)
@resampling_options
@device_option
@judging_options
@format_option()
@jobs_option
@seed_option
def benchmark_command(
    name: str,
    data: Path,
    metrics: tuple[str, ...],
    tokenizer: Any,
    level: str | None,
    reference_curve: str | None,
    sample: int | None,
    style: str,
    page: Path | None,
    figures: Path | None,
    device: str,
    **resampling: Any,
) -> None:
    """Correlate metrics with human scores on a benchmark.

    NAME is one of flickr8k-expert, flickr8k-expert-all, trecvid-2016, trecvid-2017, trecvid-2016-multiple,
    trecvid-2017-multiple, stories-roc, story-cloze, factvc-activitynet, factvc-youcook2, pascal-50s,
    wrong-detail, foil, nebula, thumb, msvd-eval, hat."""
    from ...engine.run import Run
    from ...meta import run
    from ...meta.benchmark import sampled
    from ...meta.benchmarks import load
    from ...meta.scores import tabulate
    from ...options import split

    jobs, seed, resamples = (resampling[key] for key in ("jobs", "seed", "resamples"))
    benchmark = load(name, data)
    if sample is not None:
        benchmark = sampled(benchmark, sample, seed)
    default = (
        ["bleu_1", "bleu_4", "rouge_l", "meteor", "cider"]
        if benchmark.needs_references
        else ["rovist_nr", "self_bleu", "distinct_2", "words"]
    )
    names = [one for text in metrics for one in split(text)] or default
    settings: dict[str, Any] = {"tokenizer": tokenizer, "jobs": jobs, "seed": seed, "device": device}
    if benchmark.choices:
        with progress_bar() as progress:
            bound = Run(**settings, budget=budget(progress), progress=progress)
            show_choices(benchmark, names, bound, style, resamples, seed)
        if benchmark.words:
            show_words(benchmark, names, style, resamples, seed)
        return
    with progress_bar() as progress:
        bound = Run(**settings, budget=budget(progress), progress=progress)
        scores, _ = run.benchmark_scores(benchmark, names, bound)
        curve = (
            run.reference_curve(benchmark.task, benchmark.judgements, names, bound, statistic=reference_curve)
            if reference_curve
            else {}
        )
        agreements = [
            measured(benchmark.title, one, scores, curve, reference_curve, progress=progress, **resampling)
            for one in (benchmark.levels if level is None else (level,))
        ]
        for criterion, judgements in benchmark.criteria.items():  # the same values beside other human scores
            beside = replace(
                tabulate(judgements),
                metrics=scores.metrics,
                signatures=scores.signatures,
                lower_is_better=scores.lower_is_better,
            )
            agreements.append(measured(f"{benchmark.title}: {criterion}", "segment", beside, **resampling))
    show(agreements, style, page, figures)
    if benchmark.words:
        show_words(benchmark, names, style, resamples, seed)
    if style == "table":
        say(*(f"signature of {metric}: {signature}" for metric, signature in scores.signatures.items()))


# storymeter meta report-card: every metric we have on every benchmark at hand.


@click.command("report-card")
@data_option
@metrics_option("Only these metrics; default: all that suit a benchmark.")
@option(
    "--benchmark -b benchmarks",
    "Only these benchmarks; default: all that the folder holds.",
    multiple=True,
    metavar="NAME",
)
@option("--resamples", "Bootstrap resamples for the intervals.", RESAMPLES, 300)
@option("--date", "The date to print.  [default: today]")
@option("--out", "Write the card to this file instead of stdout.", PATH, metavar="FILE")
@option("--html page", "Also write a page: one picture, the summary, details folded.", PATH, metavar="FILE")
@option(
    "--keep kept",
    "Folder to store the values of every metric; stored values are reused.",
    NEW_FOLDER,
    metavar="DIR",
)
@run_options("markdown", "json")
def report_card_command(
    data: Path,
    metrics: tuple[str, ...],
    benchmarks: tuple[str, ...],
    resamples: int,
    date: str | None,
    out: Path | None,
    page: Path | None,
    kept: Path | None,
    device: str,
    style: str,
    jobs: int,
    seed: int,
) -> None:
    """Correlate all metrics on all benchmarks of a folder.

    Reports which metric to trust, with intervals, tests and signatures. With --out FILE.md the figure is
    written to FILE.svg."""
    from ... import __version__
    from ...engine.run import Run
    from ...errors import DataError
    from ...files import write_text
    from ...meta.benchmarks import available, load
    from ...meta.overall_ranking import standings
    from ...options import split
    from ...report import report_card

    asked = [name for text in metrics for name in split(text)]
    chosen = list(benchmarks) or available(data)
    if not chosen:
        raise DataError(f"{data} holds no benchmark.", hint="docs/meta-evaluation.md has the layout.")
    cards = []
    with progress_bar() as progress:
        run = Run(jobs=jobs, seed=seed, device=device, progress=progress)
        for done, name in enumerate(chosen):
            progress("benchmarks", done, len(chosen))
            cards.append(_card(load(name, data), asked, run, kept, resamples))
    about: dict[str, Any] = {
        "date": date or datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "version": __version__,
        "command": _command(metrics, benchmarks, seed, resamples),
        "seed": seed,
        "resamples": resamples,
    }
    if page is not None:
        write_text(page, report_card.card_page(cards, **about))
        say(f"The same as a page: {page}")
    figure = "" if out is None or style != "markdown" else f"{out.stem}.svg"
    if out is not None and figure:
        counted = report_card.contests(cards)
        drawn = report_card.picture(standings(counted), counted)
        write_text(out.with_name(figure), report_card.standalone(drawn))
    text = (
        report_card.card_json(cards, **about)
        if style == "json"
        else report_card.card_markdown(cards, figure=figure, **about)
    )
    if out is None:
        output(text)
    else:
        write_text(out, text)
        say(f"Report card of {len(chosen)} benchmark{'s' * (len(chosen) != 1)}: {out}")


def _command(metrics: tuple[str, ...], benchmarks: tuple[str, ...], seed: int, resamples: int) -> str:
    """What makes this card again."""
    chosen = [*(f"-m {shlex.quote(name)}" for name in metrics), *(f"-b {name}" for name in benchmarks)]
    start = f"storymeter meta report-card --data DIR --seed {seed} --resamples {resamples}"
    return " ".join([start, *chosen])


def _card(benchmark: Any, asked: list[str], run: Any, kept: Path | None, resamples: int) -> Any:
    from ...meta.benchmarks import suitable
    from ...meta.value_cache import kept_values
    from ...report.report_card import Card

    values, skipped = kept_values(benchmark, asked or suitable(benchmark), run, kept, skip_missing=True)
    signatures = {name: entry.signature for name, entry in values.items()}
    about = {"skipped": skipped, "signatures": signatures, "notes": benchmark.notes}
    made = _of_choices if benchmark.choices else _of_scores
    found = made(benchmark, values, run, resamples)
    return Card(benchmark.name, benchmark.title, benchmark.headline, **found, **about)


def _of_choices(benchmark: Any, values: Any, run: Any, resamples: int) -> dict[str, Any]:
    from ...meta.choices import choice_contest, choice_results
    from ...report.report_card import PERMUTATIONS

    results = choice_results(benchmark.choices, values, resamples=resamples, seed=run.context.seed)
    if not benchmark.needs_references:
        return {"choices": results}
    contest = choice_contest(benchmark, values, results, permutations=PERMUTATIONS, seed=run.context.seed)
    return {"choices": results, "contest": contest}


def _of_scores(benchmark: Any, values: Any, run: Any, resamples: int) -> dict[str, Any]:
    from ...meta.choices import segment_contest
    from ...meta.scores import join_scores, tabulate
    from ...report.report_card import PERMUTATIONS, YARDSTICK

    human = tabulate(benchmark.judgements, scale=benchmark.scale, notes=benchmark.notes)
    scores = join_scores(human, values)
    again: dict[str, Any] = {"permutations": PERMUTATIONS, "seed": run.context.seed}
    found = {
        level: measured(benchmark.title, level, scores, resamples=resamples, against=YARDSTICK, **again)
        for level in benchmark.levels
    }
    contest = None
    if "segment" in found and benchmark.needs_references:
        contest = segment_contest(benchmark, scores, found["segment"].results, **again)
    return {"agreements": list(found.values()), "contest": contest}


# Benchmarks that ask something else than a correlation: which of two texts is better, which words are
# wrong.


def show_choices(benchmark: Any, names: list[str], run: Any, style: str, resamples: int, seed: int) -> None:
    from ...meta.choices import choice_results
    from ...meta.compute import values_of
    from ...meta.run import check_references
    from ...report.agreement import choice_data, choice_table
    from ...report.table import to_json

    check_references(benchmark, names)
    found, _ = values_of(benchmark.task, names, run)
    results = choice_results(benchmark.choices, found, resamples=resamples, seed=seed)
    signatures = {metric: known.signature for metric, known in found.items()}
    say(*benchmark.notes)
    data = {"schema": 1, "benchmark": benchmark.name, "accuracy": choice_data(results)}
    put(choice_table(results, benchmark.title), style, json=to_json({**data, "signatures": signatures}))
    if style == "table":
        say(*(f"signature of {metric}: {signature}" for metric, signature in signatures.items()))


def show_words(benchmark: Any, names: list[str], style: str, resamples: int, seed: int) -> None:
    """AUC per word of every metric that says something of words, and of the plainest yardstick."""
    from ...meta.words import said_at_all, word_auc, word_measures
    from ...report.agreement import word_table

    measures = {"the word is in a reference": said_at_all, **word_measures(names)}
    if len(measures) == 1 or style == "json":
        return
    for content in (True, False):
        results = word_auc(
            benchmark.words, measures, content=content, resamples=min(resamples, 200), seed=seed
        )
        title = f"{benchmark.title}: {'content words' if content else 'all words'}"
        put(word_table(results, title), style)

"""storymeter meta benchmark NAME --data DIR: metrics against real human judgements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...meta.agreeing import measured
from .._declare import COUNT, option
from .._judging import budget, judging_options
from .._options import (
    data_option,
    device_option,
    format_option,
    jobs_option,
    metrics_option,
    progress_bar,
    say,
    seed_option,
    tokenizer_option,
)
from ._shared import resampling_options, show
from ._special import show_choices, show_words


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
def command(
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

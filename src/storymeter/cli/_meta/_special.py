"""Benchmarks that ask something else than a correlation: which of two texts is better, which words are
wrong.
"""

from __future__ import annotations

from typing import Any

from .._options import output, progress_bar, put, say


def show_choices(
    benchmark: Any,
    names: list[str],
    tokenizer: Any,
    style: str,
    resamples: int,
    device: str,
    jobs: int,
    seed: int,
) -> None:
    from ...engine.run import Run
    from ...meta.choices import choice_results
    from ...meta.compute import values_of
    from ...report.choices import choice_data, choice_table
    from ...report.table import to_json

    with progress_bar() as progress:
        run = Run(tokenizer=tokenizer, jobs=jobs, seed=seed, device=device, progress=progress)
        found, _ = values_of(benchmark.task, names, run)
    values = {
        metric: {"\t".join(key): value for key, value in known.values.items()}
        for metric, known in found.items()
    }
    directions = {metric: -1 if known.higher_is_better is False else 1 for metric, known in found.items()}
    signatures = {metric: known.signature for metric, known in found.items()}
    results = choice_results(benchmark.choices, values, directions=directions, resamples=resamples, seed=seed)
    for note in benchmark.notes:
        say(note)
    if style == "json":
        data = {"schema": 1, "benchmark": benchmark.name, "accuracy": choice_data(results)}
        output(to_json({**data, "signatures": signatures}))
        return
    table = choice_table(results, benchmark.title)
    put(table, style)
    if style == "table":
        for metric, signature in signatures.items():
            say(f"signature of {metric}: {signature}")


def show_words(benchmark: Any, names: list[str], style: str, resamples: int, seed: int) -> None:
    """AUC per word of every metric that says something of words, and of the plainest yardstick."""
    from ...meta.word_labels import said_at_all, word_auc, word_measures
    from ...report.choices import word_table

    measures = {"the word is in a reference": said_at_all, **word_measures(names)}
    if len(measures) == 1 or style == "json":
        return
    for content in (True, False):
        results = word_auc(
            benchmark.words, measures, content=content, resamples=min(resamples, 200), seed=seed
        )
        title = f"{benchmark.title}: {'content words' if content else 'all words'}"
        put(word_table(results, title), style)

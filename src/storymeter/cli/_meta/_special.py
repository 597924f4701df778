"""Benchmarks that ask something else than a correlation: which of two texts is better, which words are
wrong.
"""

from __future__ import annotations

from typing import Any

from .._options import put, say


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

"""Tables of accuracies over pairs of texts and of AUC per word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..meta.choices import ChoiceResult
from ..meta.words import WordResult
from .table import Column, Table, numbers


def choice_table(results: Sequence[ChoiceResult], title: str) -> Table:
    """One row per metric, one column per category, best mean first; ties of the metric in a column of their
    own.
    """
    categories = list(dict.fromkeys(one.category for one in results))
    last = categories[-1]
    by_metric: dict[str, dict[str, ChoiceResult]] = {}
    for one in results:
        by_metric.setdefault(one.metric, {})[one.category] = one
    ranked = sorted(by_metric, key=lambda metric: -by_metric[metric][last].accuracy)
    rows: list[list[Any]] = [
        [
            metric,
            *(by_metric[metric][category].accuracy for category in categories),
            by_metric[metric][last].ties,
            by_metric[metric][last].pairs,
        ]
        for metric in ranked
    ]
    columns = [*numbers(".1f", *categories, scale=100), *numbers(",d", "ties", "pairs")]
    note = "Share of pairs in which the better text scores higher, in per cent; a tie counts half."
    return Table(["metric", *columns], rows, title, note)


def choice_data(results: Sequence[ChoiceResult]) -> list[dict[str, Any]]:
    return [one._asdict() for one in results]


def word_table(results: Sequence[WordResult], title: str) -> Table:
    rows = [
        [one.measure, one.words, one.wrong, one.auc, *(one.interval or (None, None)), one.lowest]
        for one in sorted(results, key=lambda one: -one.auc)
    ]
    columns = [
        *numbers(",d", "words", "called wrong"),
        Column("AUC", ".4f"),
        *numbers(".3f", "from", "to", "lowest is wrong"),
    ]
    return Table(
        ["support of a word", *columns],
        rows,
        title,
        (
            "AUC: how often a word that was not marked as wrong has more support than a word that was. Lowest"
            " is wrong: share of the sentences with a wrong word in which the least supported word is a wrong"
            " one."
        ),
    )

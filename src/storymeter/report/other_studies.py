"""Preferences and surveys as JSON and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..human.preference import MetricAccuracy, Preference
from ..human.survey import Survey
from .table import Column, Table, to_json


def _clean(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict):
        return {key: _clean(v) for key, v in value.items()}
    return [_clean(v) for v in value] if isinstance(value, list | tuple) else value


def preference_json(results: Sequence[Preference]) -> str:
    return to_json({"schema": 1, "task": "preference", "pairs": [_clean(asdict(result)) for result in results]})


def survey_json(result: Survey) -> str:
    return to_json({"schema": 1, "task": "survey", **_clean(asdict(result))})


def preference_tables(results: Sequence[Preference]) -> list[Table]:
    rows = []
    for r in results:
        interval = f"[{100 * r.interval[0]:.1f}, {100 * r.interval[1]:.1f}]" if r.interval else "no item decided"
        rows.append([r.a, r.b, len(r.items), r.wins_a, r.wins_b, r.undecided, r.share_b, interval, r.p, r.alpha])
    note = "share B: of the decided items, how many B wins; p: two-sided binomial test against a coin; alpha: Krippendorff's, ordinal (– where no item has two raters or nothing varies)."
    said = [note for r in results for note in r.notes]
    return [Table(["A", "B", Column("items", ",d"), Column("A wins", "d"), Column("B wins", "d"), Column("undecided", "d"), Column("share B %", ".1f", 100.0), "95 %",
                   Column("p", ".4g"), Column("alpha", ".3f")], rows, title="Preferences", note=" ".join([note, *dict.fromkeys(said)]))]


def survey_tables(result: Survey) -> list[Table]:
    total = sum(result.votes.values())
    mean = {(m.system, m.criterion): m for m in result.means}
    rows: list[list[Any]] = []
    for system in result.systems:
        cells = [mean[system, c].mean if (system, c) in mean else None for c in result.criteria]
        rows.append([system, *cells, result.votes[system], result.votes[system] / total if total else None])
    first = Table(["system", *(Column(c, ".2f") for c in result.criteria), Column("votes", "d"), Column("vote share %", ".1f", 100.0)], rows, title="Criteria and votes",
                  note=" ".join(["Means of story means, 1 to 5." + ("" if total else " Nobody voted."), *result.notes]))
    rows = [[c.criterion, c.spearman, c.pearson, c.kendall, c.sequences, c.dropped, result.alphas.get(c.criterion)] for c in result.correlations]
    second = Table(["criterion", Column("Spearman", ".3f"), Column("Pearson", ".3f"), Column("Kendall b", ".3f"), Column("sequences", "d"), Column("dropped", "d"), Column("alpha", ".3f")],
                   rows, title="Criteria against the rank by votes",
                   note="Correlated within each sequence, then averaged; dropped: sequences where a side is constant (– where all are); alpha: agreement of raters (Krippendorff, ordinal).")
    return [first, second]


def accuracy_json(rows: Sequence[tuple[Preference, MetricAccuracy]]) -> str:
    return to_json({"schema": 1, "metrics": [{"a": p.a, "b": p.b, **_clean(asdict(m))} for p, m in rows]})


def accuracy_table(rows: Sequence[tuple[Preference, MetricAccuracy]]) -> Table:
    cells = [[p.a, p.b, m.metric, m.accuracy, f"[{100 * m.interval[0]:.1f}, {100 * m.interval[1]:.1f}]" if m.interval else "no decided item", m.n, m.ties] for p, m in rows]
    rule = rows[0][1].rule if rows else "half"
    meaning = {"half": "counts half", "wrong": "counts as wrong", "drop": "is left out"}[rule]
    return Table(["A", "B", "metric", Column("accuracy %", ".1f", 100.0), "95 %", Column("items", "d"), Column("metric ties", "d")], cells, title="Accuracy against human preferences",
                 note=f"Share of items on which the metric prefers what people prefer. Items on which people are undecided are left out; a tie of the metric {meaning}.")

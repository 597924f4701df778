"""A meta-evaluation as JSON and as tables."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..human.analysis.preference import MetricAccuracy, Preference
from ..meta.agreeing import Agreement as Agreement
from ..meta.choices import ChoiceResult
from ..meta.scores import Scores
from ..meta.statistics import MetricResult
from ..meta.words import Pointing, WordResult
from ..registry import heading
from ..stats.correlation import pearson
from .table import Cell, Column, Table, interval_cell, keys, numbers

STATISTICS = {
    "pearson": "r",
    "spearman": "rho",
    "kendall_b": "tau-b",
    "kendall_c": "tau-c",
    "pearson_by_item": "r by item",
    "kendall_b_by_item": "tau-b by item",
    "pearson_by_system": "r by system",
    "kendall_b_by_system": "tau-b by system",
    "accuracy_ties": "acc ties",
    "accuracy_calibrated": "acc calibrated",
    "kendall_like": "Kendall-like",
    "pairwise_accuracy": "pairwise acc",
    "soft_pairwise_accuracy": "soft pairwise acc",
    "auc": "AUC",
}


def agreement_data(agreement: Agreement) -> dict[str, Any]:
    metrics = [
        {
            "metric": r.metric,
            **r.values,
            "intervals": dict(r.intervals),
            "n": r.n,
            "dropped": r.dropped,
            "reasons": dict(r.reasons),
            "signature": r.signature,
            "higher_is_better": r.higher_is_better,
        }
        for r in agreement.results
    ]
    curve = (
        {
            "statistic": agreement.curve_statistic,
            "values": {k: [point.value for point in v] for k, v in agreement.curve.items()},
            "intervals": {k: [point.interval for point in v] for k, v in agreement.curve.items()},
            "n": {k: [point.n for point in v] for k, v in agreement.curve.items()},
        }
        if agreement.curve
        else None
    )
    return {
        "schema": 1,
        "title": agreement.title,
        "level": agreement.level,
        "metrics": metrics,
        "comparisons": [asdict(c) for c in agreement.comparisons],
        "notes": list(agreement.notes),
        **({"reference_curve": curve} if curve else {}),
    }


def displayed_statistics(results: Sequence[MetricResult]) -> list[str]:
    return [key for key in STATISTICS if any(key in r.values for r in results)]


def agreement_table(agreement: Agreement, corrected: str = "in the table of comparisons") -> Table:
    """Best first (by Pearson, or by what is compared); a number that is not there has its reason in the last
    column. `corrected`: where the corrected p are.
    """
    ranked = best_first(agreement)
    leader = ranked[0].metric if ranked else ""
    best = {c.worse: c for c in agreement.comparisons if c.better == leader}
    others = [key for key in displayed_statistics(agreement.results) if key != "pearson"]
    fisher = agreement.level == "system"
    rows = []
    for r in ranked:
        against = best.get(r.metric)
        said = [f"{STATISTICS.get(key, key)}: {reason}" for key, reason in r.reasons.items()]
        if against is not None and against.reason:
            said.append(f"no test: {against.reason}")
        if not r.higher_is_better:
            said.append("lower is better: sign reversed")
        rows.append(
            [
                headed(r),
                r.n,
                r.values["pearson"],
                interval_cell(r.intervals.get("pearson"), "none drawn"),
                *([interval_cell(r.intervals.get("pearson_fisher"), "too few")] if fisher else []),
                *(r.values.get(k) for k in others),
                against.p if against else None,
                "; ".join(said) or ("best" if r.metric == leader else ""),
            ]
        )
    columns: list[Column | str] = [
        *keys("metric"),
        Column("n", ",d"),
        *numbers("+.3f", "r", "95 %"),
        *([Column("Fisher 95 %", "+.3f", ends=("low_fisher", "high_fisher"))] if fisher else []),
        *numbers("+.3f", *(STATISTICS[k] for k in others)),
        Column("p against best", ".4f"),
        "remarks",
    ]
    test = (
        "Williams' test"
        if agreement.level == "system"
        else f"permutation test on {STATISTICS[_compared(agreement)]}"
    )
    return Table(
        columns,
        rows,
        title=f"{agreement.title} ({agreement.level} level)",
        note=f"p against best: {test}, two-sided, uncorrected (corrected ones {corrected})."
        + (" Fisher 95 %: of r, for other systems of the same kind." if fisher else ""),
    )


def headed(result: MetricResult) -> Cell:
    """The name of a metric of a table; of one that Storymeter scored, with its engine (`Measure.heading`)."""
    ours = result.signature and "|plugin:" not in result.signature
    return Cell(result.metric, heading(result.metric) if ours else result.metric)


def _compared(agreement: Agreement) -> str:
    return agreement.comparisons[0].statistic if agreement.comparisons else "pearson"


def best_first(agreement: Agreement) -> list[MetricResult]:
    """By what is compared; what has no value comes last."""

    def value(r: MetricResult) -> float:
        found = r.values[_compared(agreement)]
        return 2.0 if math.isnan(found) else -found

    return sorted(agreement.results, key=lambda r: (value(r), r.metric))


def system_points(
    scores: Scores, metric: str
) -> tuple[FloatArray, FloatArray, list[str], str, tuple[float, float] | None]:
    """Metric, human score and name of each system that has both, what is said of them, and slope and offset
    of the least-squares line; None where a side is constant (after Graham et al. 2018, figures 8-10).
    """
    use = scores.rows_of(metric)
    x = scores.own(metric, use)
    y = scores.by_system(np.where(use, scores.human, np.nan))
    there = ~np.isnan(x) & ~np.isnan(y)
    x, y, names = x[there], y[there], [scores.systems[k] for k in np.flatnonzero(there)]
    r = pearson(x, y)
    if math.isnan(r):
        return x, y, names, "no correlation: a side is constant", None
    slope, offset = np.polyfit(x, y, 1)
    return x, y, names, f"r = {r:.3f}, n = {len(x)}", (float(slope), float(offset))


def interval_table(agreement: Agreement) -> Table:
    rows = [
        [
            headed(r),
            STATISTICS[key],
            r.values[key],
            *(tuple(i) if i else None for i in map(r.intervals.get, (key, f"{key}_fisher"))),
            r.reasons.get(key, ""),
        ]
        for r in best_first(agreement)
        for key in displayed_statistics([r])
    ]
    independent = agreement.level == "system" or any(
        "pearson_fisher" in r.intervals for r in agreement.results
    )
    return _with_reasons(
        [
            *keys("metric", "statistic"),
            Column("value", "+.4f"),
            Column("95 % bootstrap", "+.3f"),
            Column("95 % Fisher z", "+.3f", ends=("low_fisher", "high_fisher")),
            "reason",
        ],
        rows,
        title=f"Intervals ({agreement.level} level)",
        note=(
            "–: Fisher's z exists for plain coefficients only; the bootstrap was not asked for (--resamples"
            " 0), has fewer than two items, or most resamples were constant."
            + (
                ""
                if independent
                else " Judgements of one item are not independent, as Fisher's z takes them."
            )
        ),
    )


def comparison_table(agreement: Agreement) -> Table:
    williams = agreement.level == "system"
    rows = [
        [
            *(c.better, c.worse, c.r_better, c.r_worse, c.r_between),
            *([c.t] if williams else []),
            _range(c.interval),
            *(c.p, c.p_holm, c.p_bh),
            *([c.p_perm_systems, c.p_perm_both] if williams else []),
            c.reason,
        ]
        for c in agreement.comparisons
    ]
    what = STATISTICS[_compared(agreement)]
    columns: list[Column | str] = [
        *keys("better", "worse"),
        *numbers("+.3f", f"{what} better", f"{what} worse", f"{what} between"),
        *([Column("t", ".3f")] if williams else []),
        "95 % of the lead",
        *numbers(".4g", "p", "p Holm", "p BH", *(("PERM-SYS", "PERM-BOTH") if williams else ())),
        "reason",
    ]
    if not any(c.interval for c in agreement.comparisons):
        place = columns.index("95 % of the lead")
        columns, rows = (
            [*columns[:place], *columns[place + 1 :]],
            [[*row[:place], *row[place + 1 :]] for row in rows],
        )
    return _with_reasons(
        columns, rows, title="Metrics compared: " + ("Williams' test" if williams else "permutation test")
    )


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"[{interval[0]:+.3f}, {interval[1]:+.3f}]"


def _with_reasons(columns: list[Column | str], rows: list[list[Any]], *, title: str, note: str = "") -> Table:
    """The last column says why a number is missing; it is left out where none is."""
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, rows, title=title, note=note)


def williams_matrix(agreement: Agreement) -> Table:
    """Two-sided p of the metrics of row and column, where the row's is the higher (Graham & Baldwin 2014)."""
    names = [r.metric for r in best_first(agreement)]
    p = {(c.better, c.worse): c.p for c in agreement.comparisons}
    rows = [
        [
            a,
            *(
                ("" if a == b else "–" if (a, b) not in p or math.isnan(p[a, b]) else f"{p[a, b]:.4f}")
                for b in names
            ),
        ]
        for a in names
    ]
    return Table(
        ["better \\ worse", *names],
        rows,
        title="Williams' test, two-sided p: the row's correlation is higher than the column's",
        note="–: the row's correlation is not the higher one, or no test can be made.",
    )


# Tables of accuracies over pairs of texts and of AUC per word.


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


def pointing_table(found: Sequence[Pointing]) -> Table:
    rows = [
        [one.metric, one.auc, one.interval, one.first, one.chance, one.captions, one.words, one.wrong]
        for one in found
    ]
    return Table(
        [
            *keys("metric"),
            *numbers(".3f", "AUC", "95 %"),
            *numbers(".1f", "first %", "chance %", scale=100.0),
            *numbers(",d", "captions", "words", "wrong"),
        ],
        rows,
        title="Words that a metric penalises",
        note=(
            "AUC: how often a wrong word of a caption gets a larger penalty than a correct one (0.5 is"
            " chance); first: how often the word with the largest penalty is wrong."
        ),
    )


def accuracy_table(rows: Sequence[tuple[Preference, MetricAccuracy]]) -> Table:
    cells = [
        [
            *(p.a, p.b, m.metric, m.accuracy),
            interval_cell(m.interval, "no decided item"),
            *(m.n, m.ties),
        ]
        for p, m in rows
    ]
    rule = rows[0][1].rule if rows else "half"
    meaning = {"half": "counts half", "wrong": "counts as wrong", "drop": "is left out"}[rule]
    return Table(
        [
            *keys("A", "B", "metric"),
            *numbers(".1f", "accuracy %", "95 %", scale=100.0),
            *numbers("d", "items", "metric ties"),
        ],
        cells,
        title="Accuracy against human preferences",
        note=(
            "Share of items on which the metric prefers what people prefer. Items on which people are"
            f" undecided are left out; a tie of the metric {meaning}."
        ),
    )

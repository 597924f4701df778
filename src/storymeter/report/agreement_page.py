"""A meta-evaluation as a page that explains its numbers, and its figures."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
from markupsafe import Markup

from ..meta.agreeing_files import PreferenceAccuracy
from ..meta.benchmarks import Benchmarked
from ..meta.scores import Scores
from ..meta.words import Pointing
from ..stats.correlation import pearson
from .agreement import (
    STATISTICS,
    Agreement,
    accuracy_table,
    agreement_data,
    agreement_table,
    best_first,
    choice_data,
    choice_table,
    comparison_table,
    displayed_statistics,
    headed,
    interval_table,
    pointing_table,
    system_points,
    williams_matrix,
    word_table,
)
from .figures.charts import Tile, heat_map, lines
from .figures.points import Dot, dots, scatter
from .presentation import Presentation, html_page, plain, present, present_all, shown
from .table import Column, Table, interval_cell, keys, numbers, to_json

WORDS = {
    "r": (
        "Pearson's correlation with the human scores: 1 means that the metric rises exactly as people's"
        " scores do, 0 that there is no linear relation"
    ),
    "rho": "Spearman's correlation: the same for ranks, so that only order counts",
    "tau-b": (
        "Kendall's tau-b: pairs that metric and people order alike minus pairs that they order differently,"
        " as a share, with ties taken out"
    ),
    "tau-c": (
        "Kendall's tau-c: the same for scales of unequal length, such as a fine metric against four-point"
        " judgements"
    ),
    "r by item": "Pearson's correlation between systems within one item, averaged over items",
    "tau-b by item": "tau-b between systems within one item, averaged over items",
    "r by system": "Pearson's correlation between the items of one system, averaged over systems",
    "tau-b by system": "tau-b between the items of one system, averaged over systems",
    "acc ties": "share of pairs on which metric and people agree which is better, or that both are equal",
    "acc calibrated": "the same when metric differences up to the best epsilon count as equal",
    "Kendall-like": (
        "agreement on pairs that people rate at least 25 points apart: agreements minus disagreements, as a"
        " share"
    ),
    "pairwise acc": "share of pairs of systems that metric and people order alike",
    "soft pairwise acc": (
        "how well the metric's certainty about pairs of systems matches that of people, 1 being perfect"
    ),
    "AUC": (
        "area under the ROC curve: the chance that a text that people called right scores higher than one"
        " that they called wrong"
    ),
    "95 %": (
        "the range in which the number would lie in 95 of 100 samples of items of the same size (bootstrap)"
    ),
    "n": "number of data points: judgements at segment level, systems at system level",
    "p against best": (
        "p-value of the difference between the best metric and this one: the probability of a difference at"
        " least as large if both were equally good"
    ),
}


def correlation_matrix(scores: Scores, level: str) -> tuple[list[str], np.ndarray]:
    names = ["human", *scores.metrics]
    columns = [scores.human, *scores.metrics.values()]
    if level == "system":
        own = [scores.own(metric, scores.rows_of(metric)) for metric in scores.metrics]
        columns = [scores.by_system(scores.human), *own]
    r = np.full((len(names), len(names)), np.nan)
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            there = ~np.isnan(a) & ~np.isnan(b)
            r[i, j] = pearson(a[there], b[there])
    return names, r


def draw(agreement: Agreement) -> dict[str, Markup]:
    pictures = {"metrics": _matrix(agreement)}
    if len(agreement.scores.systems) > 1:
        pictures |= {f"scatter-{r.metric}": _scatter(agreement, r.metric) for r in best_first(agreement)}
    curve = _curve(agreement)
    return pictures if curve is None else {**pictures, "references": curve}


@present_all.register(Agreement)
def present_agreements(
    first: Agreement,
    agreements: Sequence[Agreement] | Mapping[str, Agreement],
    *,
    layout: Literal["criteria", "full"] | None = None,
) -> Presentation:
    """`layout`: criteria, one table for all human scores, or full, the tables of each; None: in a terminal
    and a document the former, where there are several human scores."""
    listed = list(agreements.values()) if isinstance(agreements, Mapping) else list(agreements)
    several = len({agreement.title for agreement in listed}) > 1

    def tables(style: str, width: int | None) -> list[Table]:
        if several and (layout == "criteria" or (layout is None and style != "csv")):
            curves = [
                replace(curve_table(one), title=f"{one.title}: number of references")
                for one in listed
                if one.curve
            ]
            return [*criteria_tables(listed), *curves]
        each = [(agreement, _tables(agreement, style)) for agreement in listed]
        if style == "csv" and len(listed) > 1:  # these have no headings
            return [_named(agreement, table) for agreement, own in each for table in own]
        return [table for _, own in each for table in own]

    def figures() -> dict[str, Markup]:
        return {
            f"{agreement.level}-{f'{agreement.title}-' if several else ''}{name}": data
            for agreement in listed
            for name, data in draw(agreement).items()
        }

    def json() -> str:  # a benchmark at both levels has both under `levels`
        data = [agreement_data(agreement) for agreement in listed]
        return to_json(data[0] if len(data) == 1 else {"schema": 1, "levels": data})

    return Presentation(
        "Agreement with people",
        tables,
        json,
        list(dict.fromkeys(note for agreement in listed for note in agreement.notes)),
        page=lambda: agreement_page(listed),
        figures=figures,
    )


@present.register(Agreement)
def present_agreement(agreement: Agreement, **options: Any) -> Presentation:
    return present_agreements(agreement, [agreement], **options)


@present_all.register(Pointing)
def present_pointing(first: Pointing, found: Sequence[Pointing]) -> Presentation:
    data = {"schema": 1, "words": [asdict(one) for one in found]}
    return plain("Storymeter", [pointing_table(found)], json=lambda: to_json(data))


@present.register(PreferenceAccuracy)
def present_preference_accuracy(found: PreferenceAccuracy) -> Presentation:
    table = accuracy_table(found.rows)
    data = {"schema": 1, "metrics": [{"a": p.a, "b": p.b, **asdict(m)} for p, m in found.rows]}
    return plain(table.title, [table], json=lambda: to_json(data), notes=found.notes)


@present.register(Benchmarked)
def present_benchmark(
    found: Benchmarked, *, layout: Literal["criteria", "full"] | None = None
) -> Presentation:
    """Agreements, or accuracies over pairs of texts; below them results by word."""
    words = [word_table(results, f"{found.title}: {which}") for which, results in found.words.items()]
    if found.agreements:
        shown = present(list(found.agreements), layout=layout)
        return replace(shown, tables=lambda style, width: [*shown.tables(style, width), *words])
    data = {"schema": 1, "benchmark": found.name, "accuracy": choice_data(found.choices)}
    return Presentation(
        found.title,
        lambda style, width: [choice_table(found.choices, found.title), *words],
        lambda: to_json({**data, "signatures": found.signatures}),
        found.notes,
    )


def _tables(agreement: Agreement, style: str) -> list[Table]:
    several = len(agreement.results) > 1
    matrix = several and agreement.level == "system" and style == "table"
    elsewhere = (
        ["in the table of comparisons: --format markdown, csv or json, or --html FILE"] if matrix else []
    )
    tables = [agreement_table(agreement, *elsewhere)]
    if style == "table":
        tables.append(interval_table(agreement))
    if several:
        tables.append(williams_matrix(agreement) if matrix else comparison_table(agreement))
    if agreement.curve and style != "csv":
        tables.append(curve_table(agreement))
    return tables


def curve_table(agreement: Agreement) -> Table:
    """The coefficient with 1, 2, 3, … references of each item (RoViST, figure 4)."""
    rows = [
        [metric, k, point.value, interval_cell(point.interval, "none drawn"), point.n]
        for metric, points in agreement.curve.items()
        for k, point in enumerate(points, 1)
    ]
    columns = [
        *(*keys("metric"), Column("references", ",d")),
        *numbers("+.3f", STATISTICS[agreement.curve_statistic], "95 %"),
        Column("n", ",d"),
    ]
    return Table(
        columns,
        rows,
        title="Number of references",
        note="The first references of each item, over items that have the last number. 95 %: by bootstrap.",
    )


def criteria_tables(agreements: Sequence[Agreement]) -> list[Table]:
    """One for each level."""
    levels = dict.fromkeys(one.level for one in agreements)
    return [criteria_table([one for one in agreements if one.level == level]) for level in levels]


def criteria_table(agreements: Sequence[Agreement]) -> Table:
    """A row per metric, and per human score its coefficients (RoViST, table 1). Where all parts of RoViST
    stand beside their criteria, the last row has each part with the criterion that it is about."""
    shown = ("spearman", "pearson", "kendall_b")
    titled = dict(zip(_criteria([one.title for one in agreements]), agreements, strict=True))
    names = sorted(titled, key=[*_PARTS].index) if titled.keys() <= _PARTS.keys() else [*titled]
    found = [{r.metric: r for r in titled[name].results} for name in names]
    rows: list[list[Any]] = [
        [
            headed(r),
            *(one[r.metric].values.get(key) if r.metric in one else None for one in found for key in shown),
        ]
        for r in {r.metric: r for one in found for r in one.values()}.values()
    ]
    parts = [
        next((r for metric, r in one.items() if metric.partition("(")[0] == _PARTS.get(name)), None)
        for name, one in zip(names, found, strict=True)
    ]
    if all(parts):
        rows.append(
            ["rovist (-vg/-c/-nr)", *(part.values.get(key) for part in parts if part for key in shown)]
        )
    n = sorted({r.n for one in found for r in one.values()})
    return Table(
        [
            *keys("metric"),
            *numbers("+.3f", *(f"{name} {STATISTICS[key]}" for name in names for key in shown)),
        ],
        rows,
        title=f"Agreement by criterion ({agreements[0].level} level, n = {', '.join(f'{k:,}' for k in n)})",
        note="Intervals and tests of each: --layout full, --format json or --html FILE.",
    )


#: the criterion of a survey, and the part of RoViST that is about it
_PARTS = {"grounded": "rovist_vg", "coherent": "rovist_c", "no_repetition": "rovist_nr", "overall": "rovist"}


def _criteria(titles: Sequence[str]) -> list[str]:
    """What titles do not have in common: `study, grounded`, `study, coherent` are grounded and coherent."""
    last = [re.split(r"[,:] ", title)[-1] for title in titles]
    return last if len(set(last)) == len(last) else list(titles)


def _named(agreement: Agreement, table: Table) -> Table:
    name = f"{agreement.title} ({agreement.level} level)"
    return replace(table, columns=["data", *table.columns], rows=[[name, *row] for row in table.rows])


def agreement_page(agreements: Sequence[Agreement]) -> str:
    several = len({agreement.title for agreement in agreements}) > 1
    levels, explained = [], set[str]()
    for agreement in agreements:
        statistics = [STATISTICS[key] for key in displayed_statistics(agreement.results)]
        keys = [*statistics, "95 %", "n", "p against best"]
        both = agreement.level == "system" or len(agreements) == 1
        levels.append(
            {
                "title": f"{agreement.title}: {agreement.level} level",
                "notes": agreement.notes,
                "table": shown(
                    replace(agreement_table(agreement), title=""),
                    {key: WORDS[key] for key in keys if key not in explained},
                ),
                "forest": _forest(agreement),
                "scatters": [_scatter(agreement, r.metric) for r in best_first(agreement)]
                if both and len(agreement.scores.systems) > 1
                else [],
                "matrix": _matrix(agreement),
                "curve": _curve(agreement),
                "curve_table": shown(curve_table(agreement)) if agreement.curve else None,
                "intervals": shown(interval_table(agreement)),
                "comparisons": shown(comparison_table(agreement)),
                "signatures": [(r.metric, r.signature or "scores from a file") for r in agreement.results],
            }
        )
        explained.update(keys)
    studies = {agreement.title.rpartition(",")[0] for agreement in agreements}
    study = studies.pop() if several and len(studies) == 1 else ""
    beside = [shown(replace(table, note="")) for table in criteria_tables(agreements)] if several else []
    return html_page(
        "agreement.html",
        title=f"Agreement of metrics with human scores: {study or agreements[0].title}",
        beside=beside,
        levels=levels,
    )


def _forest(agreement: Agreement) -> Markup:
    """Every metric's correlation with people, with its interval."""
    rows = [
        Dot(r.metric, r.values["pearson"], r.intervals.get("pearson"), f"n {r.n:,}", k)
        for k, r in enumerate(best_first(agreement))
        if not math.isnan(r.values["pearson"])
    ]
    return dots(
        rows,
        label="Pearson's r with the human scores, with its 95 % interval",
        alternative="; ".join(f"{row.name} {row.value:+.3f}" for row in rows),
        zero=True,
    )


def _scatter(agreement: Agreement, metric: str) -> Markup:
    """One point per system, the least-squares line and r (after Graham et al. 2018, figures 8-10)."""
    x, y, names, title, line = system_points(agreement.scores, metric)
    return scatter(
        x.tolist(),
        y.tolist(),
        names,
        labels=(metric, "human score"),
        alternative=f"Each point is a system: {metric} against the human score.",
        title=title,
        line=line,
    )


def _matrix(agreement: Agreement) -> Markup:
    names, r = correlation_matrix(agreement.scores, agreement.level)
    return correlation_figure(names, r, "Correlation of every metric with every other and with people.")


def correlation_figure(names: Sequence[str], r: np.ndarray, alternative: str) -> Markup:
    tiles = [
        [
            Tile("–" if np.isnan(x) else f"{x:.2f}", None if np.isnan(x) else float(x), f"{a} and {b}")
            for b, x in zip(names, row, strict=True)
        ]
        for a, row in zip(names, r, strict=True)
    ]
    return heat_map(names, names, tiles, alternative=alternative)


def _curve(agreement: Agreement) -> Markup | None:
    if not agreement.curve:
        return None
    longest = max(len(values) for values in agreement.curve.values())
    return lines(
        {metric: [point.value for point in points] for metric, points in agreement.curve.items()},
        [str(k) for k in range(1, longest + 1)],
        labels=("number of references", STATISTICS[agreement.curve_statistic]),
        alternative="Agreement with people by number of references.",
        zero=False,
    )

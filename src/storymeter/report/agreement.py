"""A meta-evaluation as JSON, as tables, and as a page that explains its numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from ..meta.comparisons import MetricComparison
from ..meta.scores import Scores
from ..meta.statistics import MetricResult
from ..stats.correlation import pearson
from .figures.heat import Tile, heat_map
from .figures.intervals import Dot, dots
from .figures.lines import lines
from .figures.scatter import scatter
from .table import Cell, Column, Table, to_json
from .templating import render, shown

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
WORDS = {
    "r": (
        "Pearson's correlation with the human scores: 1 means that the metric rises exactly as people's"
        " scores do, 0 that it knows nothing of them"
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
    "n": "how many points the numbers rest on: judgements at segment level, systems at system level",
    "p against best": (
        "how likely the lead of the best metric over this one would be if both were equally good; a small"
        " number means that the lead is real"
    ),
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """What one run of `storymeter meta` found."""

    title: str
    level: str
    scores: Scores
    results: Sequence[MetricResult]
    comparisons: Sequence[MetricComparison]
    notes: Sequence[str] = ()
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    curve_statistic: str = "kendall_c"


def _clean(value: float) -> float | None:
    return None if math.isnan(value) else value


def agreement_data(agreement: Agreement) -> dict[str, Any]:
    metrics = []
    for r in agreement.results:
        metrics.append(
            {
                "metric": r.metric,
                **{key: _clean(value) for key, value in r.values.items()},
                "intervals": dict(r.intervals),
                "n": r.n,
                "dropped": r.dropped,
                "reasons": dict(r.reasons),
                "signature": r.signature,
                "higher_is_better": r.higher_is_better,
            }
        )
    comparisons = [
        {key: _clean(value) if isinstance(value, float) else value for key, value in asdict(c).items()}
        for c in agreement.comparisons
    ]
    curve = (
        {
            "statistic": agreement.curve_statistic,
            "values": {k: [_clean(x) for x in v] for k, v in agreement.curve.items()},
        }
        if agreement.curve
        else None
    )
    return {
        "schema": 1,
        "title": agreement.title,
        "level": agreement.level,
        "metrics": metrics,
        "comparisons": comparisons,
        "notes": list(agreement.notes),
        **({"reference_curve": curve} if curve else {}),
    }


def agreement_json(agreements: Sequence[Agreement]) -> str:
    """One agreement is an object; several (a benchmark at both levels) are a list under `levels`."""
    return to_json(
        agreement_data(agreements[0])
        if len(agreements) == 1
        else {"schema": 1, "levels": [agreement_data(a) for a in agreements]}
    )


def shown_statistics(results: Sequence[MetricResult]) -> list[str]:
    return [key for key in STATISTICS if any(key in r.values for r in results)]


def agreement_table(agreement: Agreement) -> Table:
    """Best first (by Pearson, or by what is compared); a number that is not there has its reason in the last
    column.
    """
    best = {c.worse: c for c in agreement.comparisons if agreement.results and c.better == _best(agreement)}
    keys = shown_statistics(agreement.results)
    rows = []
    for r in _sorted(agreement):
        low_high = r.intervals.get("pearson")
        against = best.get(r.metric)
        said = [f"{STATISTICS.get(key, key)}: {reason}" for key, reason in r.reasons.items()]
        if against is not None and against.reason:
            said.append(f"no test: {against.reason}")
        if not r.higher_is_better:
            said.append("less is better: sign turned round")
        rows.append(
            [
                r.metric,
                r.n,
                r.values["pearson"],
                tuple(low_high) if low_high else Cell(None, "none drawn"),
                *(r.values.get(k) for k in keys if k != "pearson"),
                against.p if against else None,
                "; ".join(said) or ("best" if r.metric == _best(agreement) else ""),
            ]
        )
    columns: list[Column | str] = [
        Column("metric", key=True),
        Column("n", ",d"),
        Column("r", "+.3f"),
        Column("95 %", "+.3f"),
        *(Column(STATISTICS[k], "+.3f") for k in keys if k != "pearson"),
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
        note=f"p against best: {test}, one-sided, uncorrected (corrected ones in the table of comparisons).",
    )


def _compared(agreement: Agreement) -> str:
    return agreement.comparisons[0].statistic if agreement.comparisons else "pearson"


def _sorted(agreement: Agreement) -> list[MetricResult]:
    def value(r: MetricResult) -> float:
        found = r.values[_compared(agreement)]
        return 2.0 if math.isnan(found) else -found

    return sorted(agreement.results, key=lambda r: (value(r), r.metric))


def _best(agreement: Agreement) -> str:
    return _sorted(agreement)[0].metric


def interval_table(agreement: Agreement) -> Table:
    rows = []
    for r in _sorted(agreement):
        for key in STATISTICS:
            if key in r.values:
                boot, fisher = r.intervals.get(key), r.intervals.get(f"{key}_fisher")
                rows.append(
                    [
                        r.metric,
                        STATISTICS[key],
                        r.values[key],
                        *(tuple(i) if i else None for i in (boot, fisher)),
                        r.reasons.get(key, ""),
                    ]
                )
    return _with_reasons(
        [
            Column("metric", key=True),
            Column("statistic", key=True),
            Column("value", "+.4f"),
            Column("95 % bootstrap", "+.3f"),
            Column("95 % Fisher z", "+.3f", ends=("low_fisher", "high_fisher")),
            "reason",
        ],
        rows,
        title=f"Intervals ({agreement.level} level)",
        note=(
            "–: Fisher's z exists for plain coefficients only; the bootstrap was not asked for (--resamples"
            " 0), has fewer than two items, or most draws were constant."
        ),
    )


def comparison_table(agreement: Agreement) -> Table:
    rows = [
        [
            c.better,
            c.worse,
            c.r_better,
            c.r_worse,
            c.r_between,
            c.t if c.test == "williams" else _range(c.interval),
            c.p,
            c.p_holm,
            c.p_bh,
            c.reason,
        ]
        for c in agreement.comparisons
    ]
    williams = agreement.level == "system"
    what = STATISTICS[_compared(agreement)]
    columns: list[Column | str] = [
        Column("better", key=True),
        Column("worse", key=True),
        Column(f"{what} better", "+.3f"),
        Column(f"{what} worse", "+.3f"),
        Column(f"{what} between", "+.3f"),
        Column("t", ".3f") if williams else "95 % of the lead",
        Column("p", ".4g"),
        Column("p Holm", ".4g"),
        Column("p BH", ".4g"),
        "reason",
    ]
    if not williams and not any(c.interval for c in agreement.comparisons):
        columns, rows = [*columns[:5], *columns[6:]], [[*row[:5], *row[6:]] for row in rows]
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
    """p that the metric of the row correlates no better than that of the column (Graham & Baldwin 2014)."""
    names = [r.metric for r in _sorted(agreement)]
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
        title="Williams' test, one-sided p: the row's correlation is higher than the column's",
        note="–: the row's correlation is not the higher one, or no test can be made.",
    )


def correlation_matrix(scores: Scores, level: str) -> tuple[list[str], np.ndarray]:
    names = ["human", *scores.metrics]
    columns = [scores.human, *scores.metrics.values()]
    if level == "system":
        columns = [scores.by_system(column) for column in columns]
    r = np.full((len(names), len(names)), np.nan)
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            there = ~np.isnan(a) & ~np.isnan(b)
            r[i, j] = pearson(a[there], b[there])
    return names, r


def draw(agreement: Agreement) -> dict[str, bytes]:
    from .plots_meta import heat_map, reference_curve, scatter

    pictures = {"metrics": heat_map(*correlation_matrix(agreement.scores, agreement.level))}
    if len(agreement.scores.systems) > 1:
        pictures |= {f"scatter-{r.metric}": scatter(agreement.scores, r.metric) for r in _sorted(agreement)}
    if agreement.curve:
        pictures["references"] = reference_curve(agreement.curve, STATISTICS[agreement.curve_statistic])
    return pictures


def agreement_page(agreements: Sequence[Agreement]) -> str:
    levels = []
    for agreement in agreements:
        keys = [STATISTICS[key] for key in shown_statistics(agreement.results)]
        both = agreement.level == "system" or len(agreements) == 1
        levels.append(
            {
                "title": f"{agreement.title}: {agreement.level} level",
                "notes": agreement.notes,
                "table": shown(
                    replace(agreement_table(agreement), title=""),
                    {key: WORDS[key] for key in (*keys, "95 %", "n", "p against best")},
                ),
                "forest": _forest(agreement),
                "scatters": _scatters(agreement) if both and len(agreement.scores.systems) > 1 else [],
                "matrix": _matrix(agreement),
                "curve": _curve(agreement),
                "intervals": shown(interval_table(agreement)),
                "comparisons": shown(comparison_table(agreement)),
                "signatures": [(r.metric, r.signature or "scores from a file") for r in agreement.results],
            }
        )
    return render(
        "agreement.html", title=f"Which metric agrees with people? {agreements[0].title}", levels=levels
    )


def _forest(agreement: Agreement) -> Markup:
    """Every metric's correlation with people, with its interval."""
    rows = [
        Dot(r.metric, r.values["pearson"], r.intervals.get("pearson"), f"n {r.n:,}", k)
        for k, r in enumerate(_sorted(agreement))
        if not math.isnan(r.values["pearson"])
    ]
    return dots(
        rows,
        label="Pearson's r with the human scores, with its 95 % interval",
        alternative="; ".join(f"{row.name} {row.value:+.3f}" for row in rows),
        zero=True,
    )


def _scatters(agreement: Agreement) -> list[Markup]:
    """One point per system, the least-squares line and r (after Graham et al. 2018, figures 8-10)."""
    scores, drawn = agreement.scores, []
    for r in _sorted(agreement):
        use = scores.rows_of(r.metric)
        x = scores.by_system(np.where(use, scores.metrics[r.metric], np.nan))
        y = scores.by_system(np.where(use, scores.human, np.nan))
        there = ~np.isnan(x) & ~np.isnan(y)
        value = pearson(x[there], y[there])
        known = not math.isnan(value)
        slope, offset = np.polyfit(x[there], y[there], 1) if known else (0.0, 0.0)
        drawn.append(
            scatter(
                x[there].tolist(),
                y[there].tolist(),
                [name for name, here in zip(scores.systems, there, strict=True) if here],
                labels=(r.metric, "human score"),
                alternative=f"Each point is a system: {r.metric} against the human score.",
                title=f"r = {value:.3f}, n = {int(there.sum())}"
                if known
                else "no correlation: a side is constant",
                line=(float(slope), float(offset)) if known else None,
            )
        )
    return drawn


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
        agreement.curve,
        [str(k) for k in range(1, longest + 1)],
        labels=("number of references", STATISTICS[agreement.curve_statistic]),
        alternative="Agreement with people by number of references.",
        zero=False,
    )

"""Comparisons as tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ..engine.compare import Comparison
from ..registry import metric as get_metric
from .table import Column, Table, to_json


def comparison_json(comparisons: Sequence[Comparison]) -> str:
    return to_json({"schema": 1, "comparisons": [asdict(comparison) for comparison in comparisons]})


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    rows = []
    for c in comparisons:
        scale = 100.0 if get_metric(c.metric).percent else 1.0
        low, high = (bound * scale for bound in c.interval)
        rows.append(
            [
                c.metric,
                c.a,
                c.b,
                c.value_a * scale,
                c.value_b * scale,
                c.difference * scale,
                f"[{low:+.2f}, {high:+.2f}]",
                c.p_permutation,
                c.p_bootstrap,
                c.p_holm,
                f"{c.wins}/{c.ties}/{c.losses}",
                c.n,
            ]
        )
    columns: list[Column | str] = [
        "metric",
        "A",
        "B",
        Column("A's score", ".2f"),
        Column("B's score", ".2f"),
        Column("A - B", "+.2f"),
        "95 %",
        Column("p permutation", ".4f"),
        Column("p bootstrap", ".4f"),
        Column("p Holm", ".4f"),
        "win/tie/loss",
        Column("n", ",d"),
    ]
    return Table(
        columns,
        rows,
        note=(
            "p Holm corrects the permutation test over all rows of this table; win/tie/loss counts documents."
        ),
    )


def difference_table(comparisons: Sequence[Comparison]) -> Table:
    """The documents where two systems differ most, for the first metric of the run."""
    rows = []
    for c in comparisons:
        if c.metric == comparisons[0].metric:
            scale = 100.0 if get_metric(c.metric).percent else 1.0
            rows += [
                [c.a, c.b, d.document, d.a * scale, d.b * scale, (d.a - d.b) * scale]
                for d in c.most_different
            ]
    title = f"Where they differ most ({comparisons[0].metric})" if comparisons else ""
    return Table(
        [
            "A",
            "B",
            "document",
            Column("A's score", ".2f"),
            Column("B's score", ".2f"),
            Column("A - B", "+.2f"),
        ],
        rows,
        title=title,
    )

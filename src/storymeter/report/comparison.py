"""Comparisons as tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from ..engine.compare import Comparison
from .table import Cell, Column, Table, keys, numbers, to_json

#: a difference is called significant below this p after Holm's correction
SIGNIFICANT = 0.05
SCORES = ("A's score", "B's score", "A - B")


def too_few_resamples(comparisons: Sequence[Comparison]) -> str:
    """A sentence where no difference, however large, could be significant: p = (count + 1) / (k + 1) is at
    least 1 / (k + 1), and Holm multiplies it by the number of tests.
    """
    tests, drawn = len(comparisons), min((c.resamples for c in comparisons), default=0)
    least = tests / (drawn + 1)
    if not drawn or least < SIGNIFICANT:
        return ""
    return (
        f"{drawn:,} resamples are too few for {tests:,} tests: with Holm's correction the smallest possible p"
        f" is {min(1.0, least):.3f}, so no difference can be significant. Use --resamples"
        f" {math.ceil(tests / SIGNIFICANT)} or more."
    )


def comparison_json(comparisons: Sequence[Comparison]) -> str:
    records = [asdict(comparison) for comparison in comparisons]
    for record in records:
        del record["percent"]  # values are fractions here, whatever people are shown
        del record["resamples"]  # one option of the whole run
    return to_json({"schema": 1, "comparisons": records})


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    rows = [
        [
            c.metric,
            c.a,
            c.b,
            *_values(c, c.value_a, c.value_b, c.difference),
            Cell(c.interval, f"[{', '.join(f'{end * c.scale:+.2f}' for end in c.interval)}]"),
            *(c.p_permutation, c.p_bootstrap, c.p_holm),
            Cell({"wins": c.wins, "ties": c.ties, "losses": c.losses}, win_tie_loss(c)),
            c.n,
        ]
        for c in comparisons
    ]
    columns: list[Column | str] = [
        *keys("metric", "A", "B"),
        *SCORES,
        "95 %",
        *numbers(".4f", "p permutation", "p bootstrap", "p Holm"),
        Column("win/tie/loss", prefix=""),
        Column("n", ",d"),
    ]
    return Table(
        columns,
        rows,
        note=(
            "p Holm corrects the permutation test over all rows of this table; win/tie/loss counts documents."
            f" {too_few_resamples(comparisons)}"
        ).strip(),
    )


def _values(c: Comparison, a: float, b: float, difference: float) -> list[Cell]:
    """The cells under SCORES."""
    shown = ((a, ""), (b, ""), (difference, "+"))
    return [Cell(value, f"{value * c.scale:{sign}.2f}") for value, sign in shown]


def win_tie_loss(c: Comparison) -> str:
    return "–" if c.wins is None else f"{c.wins:,}/{c.ties:,}/{c.losses:,}"


def difference_table(comparisons: Sequence[Comparison]) -> Table:
    """The documents where two systems differ most, for the first metric of the run."""
    rows = [
        [c.a, c.b, d.document, *_values(c, d.a, d.b, d.a - d.b)]
        for c in comparisons
        if c.metric == comparisons[0].metric
        for d in c.most_different
    ]
    title = f"Documents with the largest differences ({comparisons[0].metric})" if comparisons else ""
    return Table([*keys("A", "B", "document"), *SCORES], rows, title=title)

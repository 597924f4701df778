"""Comparisons as tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..engine.compare import Comparison
from .marks import rough, too_few
from .table import Cell, Column, Table, keys, numbers, to_json

SCORES = ("A's score", "B's score", "A - B")


def comparison_json(comparisons: Sequence[Comparison]) -> str:
    return to_json({"schema": 1, "comparisons": comparison_records(comparisons)})


def comparison_records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    records = [asdict(comparison) for comparison in comparisons]
    for record in records:
        del record["percent"]  # values are fractions here, whatever people are shown
    return records


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    seeded = any(c.p_seeds is not None for c in comparisons)
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
            Cell(c.detectable, f"{c.detectable * c.scale:.2f}"),
            *([c.p_seeds] if seeded else []),
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
        "detectable",
        *(numbers(".4f", "p seeds") if seeded else []),
    ]
    tests = max((c.tests for c in comparisons), default=1)
    notes = [
        f"p Holm: corrected over the {tests} comparisons of one metric; their 95 % intervals hold together."
        if tests > 1
        else "",
        "p permutation: could the outputs be exchanged; p bootstrap: are the scores equal (bootstrap-t).",
        "detectable: the smallest difference that this many documents find in 80 of 100 studies.",
        "p seeds: Welch's t-test over training runs; there p Holm corrects it, and the interval contains"
        " their noise."
        if seeded
        else "",
        "win/tie/loss counts documents.",
        f"Resampled and swapped by units: {comparisons[0].units:,}."
        if any(c.units not in (0, c.n) for c in comparisons)
        else "",
        rough(min((c.units or c.n for c in comparisons), default=0)),
        too_few(comparisons),
    ]
    return Table(columns, rows, note=" ".join(note for note in notes if note))


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

"""The table of a blend on benchmarks that it was not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..meta.blend import YARDSTICK, LeftOut
from .table import Column, Table, numbers

_NAMES = {"pearson": "r", "kendall_c": "tau-c"}
_NOTE = (
    "Each benchmark is left out in turn; weights, and in the last rows the recipe, come from the other ones."
    " p: one-sided permutation tests, Holm's correction over the benchmarks; - means the blend is behind."
)


def blend_table(found: Mapping[str, Sequence[LeftOut]]) -> Table:
    rows: list[list[Any]] = []
    for recipe, results in found.items():
        for one in results:
            name = recipe if one.recipe == recipe else f"{recipe}: {one.recipe}"
            weights = ", ".join(f"{part} {weight:.2f}" for part, weight in one.weights.items())
            statistic = f"{one.benchmark}, {_NAMES.get(one.statistic, one.statistic)}"
            against = [one.yardstick, _sign(one.value, one.yardstick, one.p_yardstick)]
            best = [f"{one.best_part} {one.best:.3f}", _sign(one.value, one.best, one.p_best)]
            rows.append([name, statistic, one.value, one.interval, *against, *best, weights])
    columns: list[Column | str] = [
        "recipe",
        "left out",
        *numbers(".3f", "blend", "95 %", YARDSTICK),
        f"p, {YARDSTICK}",
        "best part",
        "p, best part",
        "weights",
    ]
    return Table(columns, rows, "Blends on benchmarks left out", _NOTE)


def _sign(value: float, other: float, p: float) -> str:
    return f"{'+' if value > other else '-'} {'< .001' if p < 0.001 else f'{p:.3f}'}"


def blend_data(found: Mapping[str, Sequence[LeftOut]]) -> dict[str, list[dict[str, Any]]]:
    return {recipe: [asdict(one) for one in results] for recipe, results in found.items()}

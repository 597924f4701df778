"""SPICE of captions by id: by rules, or by the original program where its jars are given.

`Spice()` reads captions with the rules engine: its values are an approximation and not comparable with
published SPICE, and the first call says so. Where the environment variable STORYMETER_SPICE names the folder
of the original's jars (or `Spice(jars=…)` does), that program is run instead.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import StorymeterWarning
from .. import Items, items

if TYPE_CHECKING:
    from ....pairs.spice import Facts

Scores = dict[str, dict[str, float]]
_said: list[str] = []


class Spice:
    """`compute_score` gives (mean of F1 over all facts, list of `{"All": {"f", "pr", "re", …}, …}`)."""

    def __init__(self, jars: str | None = None) -> None:
        from ....pairs.spice import Spice as _Spice  # late, as below: most callers want no SPICE
        from ....pairs.spice_java import VARIABLE

        folder = os.environ.get(VARIABLE, "") if jars is None else jars
        scorer = _Spice("java", jars=folder) if folder else _Spice()
        self._scorer: Any = scorer.open()

    def float_convert(self, obj: Any) -> float:
        """A number, or NaN for what is none."""
        try:
            return float(obj)
        except (TypeError, ValueError):
            return math.nan

    def compute_score(
        self, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]
    ) -> tuple[np.float64, list[Scores]]:
        found = items(gts, res)
        rows = self._by_program(found) if self._scorer.scorer.engine == "java" else self._by_rules(found)
        values = [row["All"]["f"] for row in rows]
        return np.float64(np.mean(values)), rows

    def method(self) -> str:
        return "SPICE"

    def _by_rules(self, found: Items) -> list[Scores]:
        from ....pairs.spice import chosen
        from ....pairs.spice_java import NAMES, VARIABLE

        if not _said:
            _said.append("once")
            warnings.warn(
                "SPICE is computed by rules here, without a parser: values are not comparable with published"
                f" SPICE. For the original program, set {VARIABLE} to the folder that contains spice-1.0.jar"
                " and its lib.",
                StorymeterWarning,
                stacklevel=3,
            )
        self._scorer.facts([*found.candidates, *(line for group in found.references for line in group)])
        rows = []
        for candidate, group in zip(found.candidates, found.references, strict=True):
            ours = self._scorer.facts([candidate])[0]
            theirs = frozenset().union(*self._scorer.facts(group))
            row = {
                name: _compared(chosen(ours, category), chosen(theirs, category))
                for category, name in NAMES.items()
            }
            # a caption and references without any fact count 0
            row["All"] = {key: 0.0 if math.isnan(value) else value for key, value in row["All"].items()}
            rows.append(row)
        return rows

    def _by_program(self, found: Items) -> list[Scores]:
        from ....pairs.spice_java import NAMES

        values = self._scorer.by_category(
            candidates=found.candidates, references=found.references, jobs=found.jobs
        )
        return [
            {name: {"f": float(value)} for name, value in zip(NAMES.values(), row, strict=True)}
            for row in values
        ]


def _compared(ours: Facts, theirs: Facts) -> dict[str, float]:
    """Facts of the candidate that match (tp) or do not (fp), facts of the references that are missed (fn)."""
    from ....pairs.spice import match

    found = sum(any(match(fact, other) for other in theirs) for fact in ours)
    recalled = sum(any(match(other, fact) for other in ours) for fact in theirs)
    precision = found / len(ours) if ours else math.nan
    recall = recalled / len(theirs) if theirs else math.nan
    f = 2 * precision * recall / (precision + recall) if found and recalled else 0.0
    return {
        "f": f if ours or theirs else math.nan,
        "pr": precision,
        "re": recall,
        "tp": float(found),
        "fp": float(len(ours) - found),
        "fn": float(len(theirs) - recalled),
        "numImages": 1.0,
    }

"""Scorers of one's own: a subclass of `PairScorer` defines `score_indexed`, and what else it needs of the
methods of `PairModel`, on the class of its options (docs/plugins.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..arrays import FloatArray, beyond
from ..context import Settings
from ..errors import UsageError
from ..measure import is_own
from ..options import with_bound
from ..plugins import gave, place, real_numbers
from .model import PLAIN_COLUMNS, IndexedPairs, PairModel, Unpack

#: methods of a model that the class of such a scorer may define
HOOKS = (
    *("score_indexed", "prepare", "depends_on", "has_words", "statistics_indexed", "stored_indexed"),
    *("bounds_indexed", "score_groups", "_pairs", "_matrix", "_statistics"),
)


def hook(model: PairModel, scorer: Any) -> None:
    """Lets the model call what the class of a scorer defines of its methods; `super()` in these finds the
    model's own, as it did when a scorer was its own model."""
    _check_statistics(model)
    defined = [name for name in HOOKS if hasattr(type(scorer), name)]
    inherited = {name: staticmethod(partial(getattr(PairModel, name), model)) for name in HOOKS}
    caller = inheriting(scorer, inherited) if defined != ["score_indexed"] else scorer
    for name in defined:
        setattr(model, name, getattr(caller, name))


def _check_statistics(model: PairModel) -> None:
    """Additive statistics are columns, rows and the value of their sums: with one of them missing, the value
    of a corpus would be made by a formula for other columns."""
    scorer, kind = model.scorer, type(model.scorer)
    there = {
        "pair_columns": scorer.traits.pair_columns != PLAIN_COLUMNS,
        "statistics_indexed": hasattr(kind, "statistics_indexed")
        or type(model).statistics_indexed is not PairModel.statistics_indexed,
        "value_of": hasattr(kind, "value_of") or hasattr(kind, "_value_of"),
    }
    lacking = [name for name, given in there.items() if not given]
    if lacking and (there["pair_columns"] or there["statistics_indexed"]):
        raise UsageError(
            f"{scorer.name} ({place(kind)}) has additive statistics, but not {' and '.join(lacking)}.",
            hint="Define pair_columns, statistics_indexed and value_of, or none of them.",
        )


def inheriting(scorer: Any, inherited: Mapping[str, Any]) -> Any:
    """A copy of a scorer of one's own whose `super()` finds these attributes after those of its classes."""
    kind = type(scorer)
    derived = type(
        kind.__name__, (kind, type("Inherited", (), dict(inherited))), {"__module__": kind.__module__}
    )
    made: Any = object.__new__(derived)
    for key, value in vars(scorer).items():
        object.__setattr__(made, key, value)
    return made


class PluggedModel(PairModel):
    """Calls the methods of a scorer of one's own, on a copy that has `device` and `_progress`."""

    def __init__(self, scorer: Any, settings: Settings | None = None, *, tokenised: bool = False) -> None:
        super().__init__(scorer, settings, tokenised=tokenised)
        own: Any = with_bound(scorer, device=self.device, _progress=self.progress)
        self._hold(own.within(settings) if settings is not None and hasattr(type(own), "within") else own)

    def _hold(self, own: Any) -> None:
        self._own = own
        hook(self, own)

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        found: FloatArray = self._own.score_indexed(jobs=jobs, **pairs)
        return found

    def fit(self, references: Sequence[Sequence[str]]) -> PluggedModel:
        if is_own(next(cls for cls in type(self._own).__mro__ if "fit" in vars(cls))):
            return self
        fitted = PluggedModel(self.scorer, self.settings, tokenised=self.tokenised)
        own = self._own.fit(references)
        if not hasattr(own, "score_indexed"):
            raise UsageError(
                f"{gave(self.scorer, 'fit')} {type(own).__name__}.",
                hint="fit(references) returns a new scorer: copy.copy(self), with what it has learnt.",
            )
        fitted._hold(own)
        fitted._learnt = references
        return fitted

    def _checked(self, values: FloatArray, wanted: int) -> FloatArray:
        """Numbers at all, one for each pair, and within the declared range."""
        values = super()._checked(real_numbers(values, self._gave()), wanted)
        scorer, finite = self.scorer, np.isfinite(values)
        low, high = scorer.traits.range
        where = f"{scorer.name} ({place(type(scorer))})"
        if not scorer.traits.may_be_missing and not finite.all():
            raise UsageError(
                f"{where} gave no number for {int((~finite).sum()):,} of {len(values):,} pairs.",
                hint="score_indexed gives a finite number for every pair.",
            )
        known = values[finite]
        outside = known[beyond(known, low, high)]
        if len(outside):
            raise UsageError(
                f"{where} gives {outside[0]:g} for a pair, outside of its declared range {low:g} to"
                f" {high:g}.",
                hint="Declare it in the class, range = (low, high); percent = False prints it unscaled.",
            )
        return values

    def _gave(self) -> str:
        return gave(self.scorer, "score_indexed")

"""Scorers of one's own: a subclass of `PairScorer` defines `score_indexed`, and what else it needs of the
methods of `PairModel`, on the class of its options (docs/plugins.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..arrays import FloatArray
from ..errors import UsageError
from ..options import with_bound
from ..plugins import check_range, gave, real_numbers
from .arguments import IndexedPairs
from .model import PairModel
from .scorer import PairScorer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..context import Settings

#: methods of a model that the class of such a scorer may define
HOOKS = (
    *(
        "score_indexed",
        "prepare",
        "depends_on",
        "has_words",
        "statistics_indexed",
        "stored_indexed",
        "bounds_indexed",
    ),
    *("score_groups", "_pairs", "_matrix", "_statistics"),
)


def hook(model: PairModel, scorer: PairScorer) -> None:
    """Lets the model call what the class of a scorer defines of its methods."""
    for name in HOOKS:
        if hasattr(type(scorer), name):
            setattr(model, name, getattr(scorer, name))


class ModelScorer(PairScorer):
    """A scorer of one's own by a model or another program: it reads sentences as they were written, and takes
    its time. `device` is where its model runs."""

    _own = True
    raw_text = slow = uses_device = True
    device: str = "cpu"


class PluggedModel(PairModel):
    """Calls the methods of a scorer of one's own, on a copy that has `device` and `_progress`."""

    def __init__(
        self, scorer: PairScorer, settings: Settings | None = None, *, tokenised: bool = False
    ) -> None:
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
        if type(self._own).fit is PairScorer.fit:
            return self
        fitted = PluggedModel(self.scorer, self.settings, tokenised=self.tokenised)
        own = self._own.fit(references)
        if not isinstance(own, PairScorer):
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
        check_range(self.scorer, values)
        return values

    def _gave(self) -> str:
        return gave(self.scorer, "score_indexed")

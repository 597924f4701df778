"""Human studies: build, serve and simulate them, and analyse the answers.

>>> from storymeter.human import analyse
>>> pair = {"rater": "r1", "left": "a", "right": "b"}
>>> votes = [{**pair, "video": "v1", "choice": "left"}, {**pair, "video": "v2", "choice": "tie"}]
>>> found = analyse(votes)["all"]
>>> found[0].wins_a, found[0].undecided
(1, 1)

`rank` ranks systems by pairwise votes. The other steps of a study are commands: `storymeter human new`,
`serve`, `simulate`, `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .analysis.pairwise import rank as rank
    from .analysis.studies import analyse as analyse

_LATE = {"analyse": "analysis.studies", "rank": "analysis.pairwise"}
__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

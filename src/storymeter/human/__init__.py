"""Human studies: build, serve and simulate them, and analyse the answers.

>>> from storymeter.human import analyse
>>> pair = {"rater": "r1", "left": "a", "right": "b"}
>>> votes = [{**pair, "video": "v1", "choice": "left"}, {**pair, "video": "v2", "choice": "tie"}]
>>> found = analyse(votes)["all"]
>>> found[0].wins_a, found[0].undecided
(1, 1)

`rank` ranks systems by pairwise votes. `plan` says how many ratings a question needs, `new` builds a
campaign, `serve` runs its server, `simulate` rehearses it, `extend` adds to it, `status` and `export` read
it, `backup` and `restore` keep it; `check`, `preview`, `verify`, `erase` and `close` are an organiser's work
beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .analysis.studies import analyse as analyse
    from .analysis.studies import rank as rank
    from .keeping import check as check
    from .keeping import close as close
    from .keeping import erase as erase
    from .keeping import extend as extend
    from .keeping import preview as preview
    from .keeping import verify as verify
    from .planning import plan as plan
    from .steps import NewCampaign as NewCampaign
    from .steps import backup as backup
    from .steps import export as export
    from .steps import new as new
    from .steps import restore as restore
    from .steps import serve as serve
    from .steps import simulate as simulate
    from .steps import status as status

_STEPS = ("NewCampaign", "backup", "export", "new", "restore", "serve", "simulate", "status")
_LATE = {
    "analyse": "analysis.studies",
    "rank": "analysis.studies",
    "plan": "planning",
    **dict.fromkeys(("check", "close", "erase", "extend", "preview", "verify"), "keeping"),
    **dict.fromkeys(_STEPS, "steps"),
}
__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

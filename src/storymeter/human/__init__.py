"""Human studies: build, serve and simulate them, and analyse the answers.

>>> from storymeter.human import analyse
>>> pair = {"rater": "r1", "left": "a", "right": "b"}
>>> votes = [{**pair, "video": "v1", "choice": "left"}, {**pair, "video": "v2", "choice": "tie"}]
>>> found = analyse(votes)["all"]
>>> found[0].wins_a, found[0].undecided
(1, 1)

`rank` ranks systems by pairwise votes. `plan` says how many ratings a question needs, `new` builds a
campaign, `serve` runs its server, `simulate` rehearses it, `pilot` tries it with a few raters, `extend` adds
to it, `status` and `export` read it, `backup` and `restore` keep it; `check`, `preview`, `verify`, `erase`
and `close` are an organiser's work beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .analysis.studies import analyse as analyse, rank as rank
    from .keeping import (
        check as check,
        close as close,
        erase as erase,
        extend as extend,
        preview as preview,
        verify as verify,
    )
    from .planning import pilot as pilot, plan as plan
    from .steps import (
        NewCampaign as NewCampaign,
        backup as backup,
        export as export,
        new as new,
        restore as restore,
        serve as serve,
        simulate as simulate,
        status as status,
    )

_STEPS = ("NewCampaign", "backup", "export", "new", "restore", "serve", "simulate", "status")
_LATE = {
    "analyse": "analysis.studies",
    "rank": "analysis.studies",
    "pilot": "planning",
    "plan": "planning",
    **dict.fromkeys(("check", "close", "erase", "extend", "preview", "verify"), "keeping"),
    **dict.fromkeys(_STEPS, "steps"),
}
__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

"""Statistics: resampling, paired tests, correlations, corrections for several tests. They know nothing of
captions; names load on first use.

- `bootstrap_interval`, `paired_permutations`, `paired_bootstraps`: from rows of additive statistics.
- `pearson`, `williams`: correlation of two columns; difference of two correlations with a third column.
- `holm`: p-values adjusted for several tests.

>>> from storymeter.stats import holm, williams
>>> test = williams(0.9, 0.8, 0.7, n=20)      # r(human, A), r(human, B), r(A, B)
>>> round(test.t, 3), round(test.p, 3)        # p is one-sided: A is not better than B
(1.372, 0.094)
>>> [round(p, 3) for p in holm([0.01, 0.04, 0.03]).tolist()]
[0.03, 0.06, 0.06]

Everything else is in the modules: `correlation` and `ties` (agreement with people), `dependent` (tests
between metrics), `ranks` (rank tests), `paired`, `poisson` (documents in many places), `resampling`
(bootstrap, many tests)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .correlation import pearson as pearson
    from .dependent import williams as williams
    from .paired import paired_bootstraps as paired_bootstraps, paired_permutations as paired_permutations
    from .resampling import bootstrap_interval as bootstrap_interval, holm as holm

_LATE = {
    "bootstrap_interval": "resampling",
    "holm": "resampling",
    "paired_bootstraps": "paired",
    "paired_permutations": "paired",
    "pearson": "correlation",
    "williams": "dependent",
}

__all__ = sorted(_LATE)
__getattr__, __dir__ = late(__name__, _LATE)

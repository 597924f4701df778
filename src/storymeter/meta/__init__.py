"""Which metric deserves trust: agreement of metrics with people.

>>> from storymeter.meta import agree
>>> table = [{"video": n, "system": "a", "human": n, "mine": n * n} for n in range(10)]
>>> round(agree(table, resamples=0)["human"].results[0].values["pearson"], 3)
0.963

Benchmarks and the report card are commands: `storymeter meta benchmark`, `storymeter meta report-card`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .agreeing import Agreement as Agreement
    from .agreeing import agree as agree

_LATE = {"Agreement": "agreeing", "agree": "agreeing"}
__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

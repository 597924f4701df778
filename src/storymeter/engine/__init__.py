"""Runs: systems scored by metrics against references, saved, loaded and compared.

>>> from storymeter.engine import Run
>>> Run(protocol="soda-v1").references
[]

`storymeter.evaluate` does all of it in one call; `storymeter.report` writes tables and pages of the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .results import Comparison as Comparison
    from .results import Results as Results
    from .results import SystemResult as SystemResult
    from .run import Run as Run
    from .saved import load as load
    from .sharded.run import score_shards as score_shards

_LATE = {
    "Comparison": "results",
    "Results": "results",
    "Run": "run",
    "SystemResult": "results",
    "load": "saved",
    "score_shards": "sharded.run",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

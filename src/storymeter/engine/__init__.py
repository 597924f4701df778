"""Runs: systems scored by metrics against references, saved, loaded and compared.

>>> from storymeter.engine import Run
>>> Run(protocol="soda-v1").references
[]

`score_files` scores files, `compare` tests the differences between systems, `show` looks at one document.
`storymeter.evaluate` does all of it in one call; `storymeter.report` writes tables and pages of the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .comparing import compare as compare
    from .metric_checks import MetricCheck as MetricCheck
    from .metric_checks import assert_metric as assert_metric
    from .metric_checks import check_metric as check_metric
    from .one_document import show as show
    from .results import Comparison as Comparison
    from .results import Results as Results
    from .results import SystemResult as SystemResult
    from .run import Run as Run
    from .saved import load as load
    from .scored_files import score_files as score_files
    from .sharded.run import score_shards as score_shards
    from .systems import Layout as Layout

_LATE = {
    "Comparison": "results",
    "Layout": "systems",
    "MetricCheck": "metric_checks",
    "Results": "results",
    "Run": "run",
    "SystemResult": "results",
    "assert_metric": "metric_checks",
    "check_metric": "metric_checks",
    "compare": "comparing",
    "load": "saved",
    "score_files": "scored_files",
    "score_shards": "sharded.run",
    "show": "one_document",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

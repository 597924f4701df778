"""Runs: systems scored by metrics against references, saved, loaded and compared.

>>> from storymeter.engine import Run
>>> Run(protocol="soda-v1").references
[]

`validate` examines files, `score_files` scores them, `compare` tests the differences between systems (of
several runs, which `merged` makes one), `gate` those between two versions, `show` looks at one document,
`check_metric` examines a metric of one's own.
`storymeter.evaluate` does all of it in one call; `storymeter.report` writes tables and pages of the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .comparing import compare as compare, merged as merged
    from .gating import gate as gate
    from .metric_checks import (
        MetricCheck as MetricCheck,
        assert_metric as assert_metric,
        check_metric as check_metric,
    )
    from .one_document import show as show
    from .results import Comparison as Comparison, Results as Results, SystemResult as SystemResult
    from .run import Run as Run
    from .saved import load as load
    from .scored_files import score_files as score_files
    from .sharded.run import score_shards as score_shards
    from .systems import Layout as Layout, validate as validate

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
    "gate": "gating",
    "load": "saved",
    "merged": "comparing",
    "score_files": "scored_files",
    "score_shards": "sharded.run",
    "show": "one_document",
    "validate": "systems",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

"""Resampling, paired tests, correlations and multiple comparisons; knows nothing of captions.

Names are loaded on first use, so that a bootstrap does not wait for scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .multiple import benjamini_hochberg as benjamini_hochberg
    from .multiple import holm as holm
    from .paired import paired_bootstrap as paired_bootstrap
    from .paired import paired_permutation as paired_permutation
    from .paired import win_tie_loss as win_tie_loss
    from .resampling import bootstrap_interval as bootstrap_interval

_LATE = {
    "benjamini_hochberg": "multiple",
    "bootstrap_interval": "resampling",
    "holm": "multiple",
    "paired_bootstrap": "paired",
    "paired_permutation": "paired",
    "win_tie_loss": "paired",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(importlib.import_module(f".{_LATE[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])

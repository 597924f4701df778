"""The kinds of studies, by name. A new kind is one more module and one more line here."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ...errors import DataError, closest
from .base import Dealt, Study, Verdict
from .da import DirectAssessment
from .preference import Duel, Preference
from .spans import ErrorSpans, Marked
from .survey import CRITERIA, Panel, Survey

__all__ = [
    "CRITERIA",
    "KEY_LINES",
    "STUDIES",
    "Dealt",
    "Duel",
    "Marked",
    "Panel",
    "Study",
    "Verdict",
    "named",
]

STUDIES: dict[str, Study] = {
    one.name: one for one in (DirectAssessment(), Preference(), Survey(), ErrorSpans())
}
#: the types of the lines of a private key
KEY_LINES: Any = functools.reduce(operator.or_, (one.line for one in STUDIES.values()))


def named(name: str) -> Study:
    if name not in STUDIES:
        raise DataError(f"There is no kind of study called {name!r}.", hint=closest(name, STUDIES))
    return STUDIES[name]

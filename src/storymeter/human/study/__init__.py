"""The kinds of studies, by name. A new kind is one more module and one more line here."""

import functools
import operator
from collections.abc import Iterable
from typing import Any

from ...captions import Rating
from ...errors import DataError, suggest
from .base import TEST, ControlResult, Design, Study
from .da import DirectAssessment
from .preference import Duel, Preference
from .spans import ErrorSpans, Marked
from .survey import CRITERIA, Panel, Survey

__all__ = [
    "CRITERIA",
    "KEY_LINES",
    "STUDIES",
    "ControlResult",
    "Design",
    "Duel",
    "Marked",
    "Panel",
    "Study",
    "named",
    "of_criterion",
    "of_records",
]

STUDIES: dict[str, Study] = {
    one.name: one for one in (DirectAssessment(), Preference(), Survey(), ErrorSpans())
}
#: the types of the lines of a private key
KEY_LINES: Any = functools.reduce(operator.or_, (one.line for one in STUDIES.values()))


def of_records(records: Iterable[Rating]) -> Study:
    """The kind of study that these answers are of, by the first criterion that is no test question's."""
    criteria = [record.criterion for record in records]
    return of_criterion(next((one for one in criteria if one != TEST), "preference" if criteria else ""))


def of_criterion(criterion: str) -> Study:
    """The kind of study whose answers are of this criterion."""
    unnamed = next(one for one in STUDIES.values() if not one.criteria)
    return next((one for one in STUDIES.values() if criterion in one.criteria), unnamed)


def named(name: str) -> Study:
    if name not in STUDIES:
        raise DataError(f"There is no kind of study called {name!r}.", hint=suggest(name, STUDIES))
    return STUDIES[name]

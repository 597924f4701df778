"""Whether numbers of one metric were computed alike for all systems: their signatures say.

Scores by two versions of a plug-in, or by two prompts of a judge, have one name and mean two things: to
compare them is refused. Other fields that differ (a model that the server calls otherwise, a version of
Storymeter) are a warning, once. Fields that say something of the captions of one system, or of the days on
which a judge answered, may differ.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable, Mapping, Sequence

from ..errors import StorymeterWarning, UsageError
from ..scores import Score, Signature

#: what is computed otherwise
FORMULA = ("plugin", "prompt", "parameters")
#: what follows from the captions of a system, or from the time
OF_SYSTEM = frozenset({"answered", "marks", "repaired", "compares", "learnt", "stories", "regions", "vg"})


def check_comparable(scores: Mapping[str, Sequence[Score]]) -> None:
    """Raises where a metric is not the same for all systems; `scores` by system."""
    by_metric: dict[str, dict[str, Signature]] = {}
    for system, listed in scores.items():
        for score in listed:
            by_metric.setdefault(score.metric, {})[system] = score.signature
    for metric, signatures in by_metric.items():
        for field in differing(signatures.values()):
            values = {system: dict(own.fields).get(field, "") for system, own in signatures.items()}
            first = next(iter(values))
            other = next(system for system, value in values.items() if value != values[first])
            seen = (
                f"{metric} was not computed alike for all systems: {field} is {_shown(values[first])} for"
                f" {first} and {_shown(values[other])} for {other}"
            )
            if field in FORMULA:
                raise UsageError(
                    f"{seen}. Their scores cannot be compared.",
                    hint="Score all systems again with what is installed now, or compare other metrics: -m",
                )
            _warn_once(f"{seen}: differences between them may come from that.")


def differing(signatures: Iterable[Signature]) -> list[str]:
    """The fields that are not the same in all, those of the formula first."""
    listed = [dict(signature.fields) for signature in signatures]
    names = dict.fromkeys(name for fields in listed for name in fields if name not in OF_SYSTEM)
    found = [name for name in names if len({fields.get(name, "") for fields in listed}) > 1]
    return sorted(found, key=lambda name: (name not in FORMULA, found.index(name)))


def _shown(value: str) -> str:
    return repr(value) if value else "not stated"


@functools.cache
def _warn_once(text: str) -> None:
    warnings.warn(text, StorymeterWarning, stacklevel=4)

"""Who can be believed so far: by control pairs, or by questions and stories that only who looked gets
right.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...captions import Rating
from .base import ControlResult

TEST = "test"


def by_pairs(records: Sequence[Rating]) -> dict[str, ControlResult]:
    """The worker test and the flags of every rater, by `storymeter.human.quality`. Only the control pairs
    decide here: about whom to pay, and about work that is not finished, the gate of the repeats is too
    sharp. Who has answered no pair yet has no verdict.
    """
    from ..quality import assess
    from ..ratings import from_records

    if not records:
        return {}
    return {
        w.id: ControlResult(
            w.accepted if w.pairs else None, w.reason, w.pairs, w.mean_high, w.mean_low, w.p, w.flags
        )
        for w in assess(from_records(records), gates="control").workers
    }


def by_tests(records: Sequence[Rating], share: float = 1.0) -> dict[str, ControlResult]:
    """The share of test questions and control stories that each rater got right."""
    found: dict[str, list[float]] = {}
    for record in records:
        answers = found.setdefault(record.rater, [])
        if record.criterion == TEST:
            answers.append(record.value)
    return {rater: _tested(answers, share) for rater, answers in found.items()}


def _tested(answers: Sequence[float], share: float) -> ControlResult:
    if not answers:
        return ControlResult(None, "no test question answered")
    right = sum(answers) / len(answers)
    said = f"{sum(answers):.0f} of {len(answers)} test questions right"
    return ControlResult(right >= share, said, tests=len(answers), tests_right=right)

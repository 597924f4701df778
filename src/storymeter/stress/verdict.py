"""What an audit says of one metric: a property, whether it holds, and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    metric: str
    property: str
    holds: bool
    because: str

"""Records of `bench/uncertainty.py`: a claim about an interval, a mark or a p-value, and how it is measured.

A module of claims holds functions under `@claim`, and `bench/uncertainty.py` imports it. A function gets a
generator of random numbers and the number of simulated studies, and returns how often the event was seen, of
how many: `(hits, trials)`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Measure = Callable[[np.random.Generator, int], tuple[int, int]]
CLAIMS: list[Claim] = []


@dataclass(frozen=True)
class Claim:
    """`low` and `high` are the bars; None: measured, stated in docs/uncertainty.md, no bar."""

    name: str
    nominal: float
    low: float | None
    high: float | None
    studies: int
    measure: Measure


@dataclass(frozen=True)
class Measured:
    claim: Claim
    hits: int
    trials: int

    @property
    def share(self) -> float:
        return self.hits / self.trials

    @property
    def error(self) -> float:
        """Monte Carlo standard error."""
        return math.sqrt(max(self.share * (1 - self.share), 0.25 / self.trials) / self.trials)

    @property
    def verdict(self) -> str:
        """A bar is missed where the share lies outside by more than two standard errors."""
        low, high = self.claim.low, self.claim.high
        if low is None and high is None:
            return "stated"
        below = low is not None and self.share < low - 2 * self.error
        above = high is not None and self.share > high + 2 * self.error
        return "MISSED" if below or above else "holds"


def claim(
    name: str, nominal: float, *, low: float | None = None, high: float | None = None, studies: int = 1000
) -> Callable[[Measure], Measure]:
    def add(measure: Measure) -> Measure:
        CLAIMS.append(Claim(name, nominal, low, high, studies, measure))
        return measure

    return add


def measured(one: Claim, seed: int, factor: float) -> Measured:
    """Each claim has its own stream of random numbers, so that claims may be added or run alone."""
    random = np.random.default_rng([seed, zlib.crc32(one.name.encode())])
    return Measured(one, *one.measure(random, max(10, round(one.studies * factor))))

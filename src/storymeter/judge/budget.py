"""What a run may spend on judges: requests, seconds, and whether somebody is asked before it starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import DataError, UsageError


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is about to be sent; tokens are guessed from characters, so about right and no more."""

    where: str
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None = None

    def __str__(self) -> str:
        cost = "" if self.cost is None else f", about {self.cost:,.2f} in the currency of --token-price"
        return (
            f"{self.requests:,} requests to {self.where}, about {self.tokens_in:,} tokens in and at most"
            f" {self.tokens_out:,} out{cost}"
        )


@dataclass
class Budget:
    """Shared by all judges of a run. `price` is that of a million tokens in and out; `ask` hears the estimate
    and says whether to go on."""

    max_requests: int | None = None
    deadline: float | None = None
    price: tuple[float, float] | None = None
    ask: Callable[[Estimate], bool] | None = None
    #: requests that were sent, retries among them
    sent: int = 0
    _agreed: int = 0
    _began: float | None = field(default=None, repr=False)

    def open(self, where: str, requests: int, tokens_in: int, tokens_out: int) -> None:
        """Before a batch: raises where it cannot be paid, or somebody says no."""
        if self._began is None:
            self._began = time.monotonic()
        if self.max_requests is not None and self.sent + requests > self.max_requests:
            raise UsageError(
                f"The judge needs {requests:,} more requests after {self.sent:,}, and --max-requests allows"
                f" {self.max_requests:,} in all; none of them was sent.",
                hint="Raise --max-requests, or score fewer documents; earlier answers are kept.",
            )
        # asked once, and again when a run grows to more than twice what was agreed to
        if self.ask is not None and self.sent + requests > 2 * self._agreed:
            price = self.price
            cost = None if price is None else (tokens_in * price[0] + tokens_out * price[1]) / 1e6
            if not self.ask(Estimate(where, requests, tokens_in, tokens_out, cost)):
                raise UsageError("Nothing was sent to the judge.", hint="Score without it, or answer yes.")
            self._agreed = self.sent + requests

    def spend(self) -> None:
        """Before each request."""
        if self.max_requests is not None and self.sent >= self.max_requests:
            raise DataError(
                f"--max-requests {self.max_requests:,} is used up: some requests had to be repeated.",
                hint="Answers received so far are kept; run the same command again to continue.",
            )
        if self.left() <= 0:
            raise self.late()
        self.sent += 1

    def left(self) -> float:
        """Seconds until the deadline."""
        if self.deadline is None or self._began is None:
            return float("inf")
        return self.deadline - (time.monotonic() - self._began)

    def late(self) -> DataError:
        return DataError(
            f"The deadline of {self.deadline:g} s has passed.",
            hint="Answers received so far are kept; run the same command again to continue.",
        )

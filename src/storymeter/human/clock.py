"""The server's clock: the time of day when it started, and from then on only forward."""

from __future__ import annotations

import time


class Clock:
    """Seconds since 1970 that neither jump nor run backwards, whatever happens to the time of day."""

    def __init__(self) -> None:
        self._start = time.time() - time.monotonic()

    def now(self) -> float:
        return self._start + time.monotonic()

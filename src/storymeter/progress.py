"""Callbacks that report the progress of long work."""

import math
import time
from collections.abc import Callable

#: called as progress(what, done, total); `what` may end in a tab and a remark that changes: tokens a second
Progress = Callable[[str, int, int], None]
#: called with a sentence that a person should read: what was assumed of a file, where something was saved
Note = Callable[[str], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of a library call: none."""


def unsaid(text: str) -> None:
    """The notes of a library call: none."""


class LoggedProgress:
    """Progress as lines, for logs: the beginning of each kind of work, then a line every
    `every` seconds with the time left."""

    def __init__(self, note: Note, every: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._note, self._every, self._clock = note, every, clock
        self._begun: dict[str, tuple[float, int]] = {}
        self._last = -math.inf

    def __call__(self, what: str, done: int, total: int) -> None:
        kind, _, remark = what.partition("\t")
        now = self._clock()
        if kind not in self._begun:
            self._begun[kind] = now, done
            self._last = now
            self._note(f"{kind} …")
            return
        if now - self._last < self._every or done >= total:
            return
        self._last = now
        begin, first = self._begun[kind]
        left = (now - begin) / max(done - first, 1) * (total - done)
        more = f" ({remark})" if remark else ""
        self._note(f"{kind}{more}: {done:,} of {total:,}, about {_duration(left)} left")


def _duration(seconds: float) -> str:
    """
    >>> _duration(12.2), _duration(200), _duration(9000)
    ('12 s', '3 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"

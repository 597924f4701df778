"""Times of records: seconds, clock times, and milliseconds or frames where the name of the field says so."""

from __future__ import annotations

from typing import Any

from . import aliases
from .aliases import tier
from .problem_log import MISSING
from .spans import simple, times
from .tables import number
from .times import seconds


class Clock:
    """Reads the times of one field; `fps` is the frame rate of the record, where it has one.

    >>> Clock("start_ms", None).seconds(1500), Clock("start", None).seconds("1:30")
    (1.5, 90)
    >>> Clock("segment", None).pair("0:05 - 0:09"), Clock("start_frame", 25).seconds(50)
    ((5, 9), 2.0)
    """

    def __init__(self, name: str, fps: Any) -> None:
        self.millis = aliases.unit(name) == "ms"
        self.frames = aliases.unit(name) == "frame"
        rate = number(fps)
        self.fps = rate if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None

    def seconds(self, value: Any) -> Any:
        """A time in seconds; what cannot be read is handed on, to be reported."""
        value = number(value)
        if isinstance(value, str):
            found = seconds(simple(value.strip()))
            value = value if found is None else found
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if self.millis:
            return value / 1000
        if self.frames:
            return value / self.fps if self.fps else f"frame {value:g} without a field fps"
        return value

    def pair(self, value: Any) -> tuple[Any, Any]:
        """Start and end out of a list of two, an object, or a text."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list | str | dict):
            value = value[0]
        if value is None or value == "":
            return MISSING, MISSING
        if isinstance(value, list) and len(value) == 2:
            return self.seconds(value[0]), self.seconds(value[1])
        if isinstance(value, dict):
            start = next((value[n] for n in value if tier(n, aliases.START)), None)
            end = next((value[n] for n in value if tier(n, aliases.END)), None)
            return self.seconds(start), self.seconds(end)
        if isinstance(value, str) and (found := times(value)):
            return self.seconds(found[0]), self.seconds(found[1])
        wrong = value if isinstance(value, list | str | dict) else [value]
        return wrong, wrong

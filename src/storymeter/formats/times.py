"""Clock times and durations as people and models write them, in seconds.

    4   4.5   0029.0   4,5           seconds, with a decimal point or comma
    4s   4.5 sec   1m30s   2 min     with units
    1:30   01:30.25   120:00.000     minutes and seconds; minutes may pass 59
    1:02:03   00:00:04,500           hours, minutes and seconds

Seconds past 59 beside minutes, or minutes past 59 beside hours, are no clock time. `1,234` is no number:
one would have to guess whether the comma is a decimal one.

>>> [seconds(text) for text in ("1:30", "120:00.000", "00:00:04,500", "1m30s", "4,5 sec", "0029.0", "7")]
[90, 7200.0, 4.5, 90, 4.5, 29.0, 7]
>>> [seconds(text) for text in ("1:75", "1:2", "1:60:00", "1,234", "12 %", "")]
[None, None, None, None, None, None]
"""

from __future__ import annotations

import re

CLOCK = r"(?:\d{1,9}:)?\d{1,9}:\d\d(?:[.,]\d{1,9})?(?!:?\d)"
_COUNT = r"\d{1,9}(?:[.,]\d{1,9})?"
_HOUR, _MINUTE, _SECOND = (
    r"(?:hours?|hrs?|h|時間|小时)(?![A-Za-z])",
    r"(?:minutes?|mins?|m|分钟|分)(?![A-Za-z])",
    r"(?:seconds?|secs?|s|秒)(?![A-Za-z])",
)
#: at least one unit: `1 h`, `2 min 3 s`, `4.5 seconds`
MEASURED = (
    rf"(?:{_COUNT} ?{_HOUR} ?(?:{_COUNT} ?{_MINUTE} ?)?(?:{_COUNT} ?{_SECOND})?"
    rf"|{_COUNT} ?{_MINUTE} ?(?:{_COUNT} ?{_SECOND})?|{_COUNT} ?{_SECOND})"
)
NUMBER = rf"{_COUNT}(?![\d:.,]*\d)"
#: any of the three, the most telling first
TIME = rf"(?:{CLOCK}|{MEASURED}|{NUMBER})"

_CLOCK = re.compile(r"(?:(\d{1,9}):)?(\d{1,9}):(\d\d)(?:[.,](\d{1,9}))?")
_PARTS = [re.compile(rf"({_COUNT}) ?{unit}") for unit in (_HOUR, _MINUTE, _SECOND)]
_PLAIN = re.compile(_COUNT)
_WHOLE = re.compile(MEASURED)


def clock(text: str) -> float | None:
    """`1:30`, `1:02:03.5`, `120:00.000` in seconds; None where it is no clock time."""
    found = _CLOCK.fullmatch(text)
    if not found:
        return None
    hours, minutes, whole, fraction = found.groups()
    if int(whole) > 59 or (hours is not None and int(minutes) > 59):
        return None
    time = int(hours or 0) * 3600 + int(minutes) * 60 + int(whole)
    return float(f"{time}.{fraction}") if fraction else time


def seconds(text: str) -> float | None:
    """Any of the ways above; None where it is none of them."""
    text = text.strip()
    if ":" in text:
        return clock(text)
    if _PLAIN.fullmatch(text):
        return _count(text)
    if not _WHOLE.fullmatch(text):
        return None
    total: float = 0
    for scale, pattern in zip((3600, 60, 1), _PARTS, strict=True):
        if (found := pattern.search(text)) is not None:
            count = _count(found[1])
            if count is None:
                return None
            total += scale * count
    return total


def _count(digits: str) -> float | None:
    """A whole number stays whole; `1,234` could mean two things and is none."""
    if digits.isdigit():
        return int(digits)
    whole, _, fraction = digits.partition(",")
    if fraction and len(fraction) == 3 and whole.strip("0"):
        return None
    return float(digits.replace(",", "."))

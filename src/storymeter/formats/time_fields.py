"""Which two fields hold the starts and ends of captions where the usual names do not say so: by their values.

Times in clock notation or with seconds (`00:02`, `12.5s`) tell themselves; plain numbers only count under two
names such as `t_begin` and `t_finish`, since scores, places and counts are numbers, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from . import aliases
from .aliases import sided
from .field_values import Clock, text_id
from .record_rows import Row
from .roles import get, lookup

_MOST = 12  #: fields that are looked at
_NOTATED = re.compile(r".*\d(?::\d\d|\s?(?:s|secs?|seconds?))(?![^\W\d]).*", re.IGNORECASE)


def _time(name: str, value: Any) -> float | None:
    rate = 1 if aliases.unit(name) == "frame" else None
    found = Clock(name, rate).seconds(value)
    sound = isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e8
    return found if sound else None


class TimeFields:
    """The fields of a sample of rows that may be starts and ends; `taken` have a role already."""

    def __init__(
        self, rows: Sequence[Row], names: Sequence[str], taken: Sequence[str] = (), start: str = ""
    ) -> None:
        self.rows = rows
        self.values: dict[str, list[Any]] = {}
        #: in clock notation, or with seconds
        self.notated: set[str] = set()
        for name in names:
            if name in taken or (aliases.known(name) and not sided(name) and name != start):
                continue
            values = [get(row.fields, name) for row in rows]
            given = [v for v in values if v is not None and v != ""]
            if not sided(name) and not all(isinstance(v, str) for v in given):
                continue
            times = [v for v in given if _time(name, v) is not None]
            share = 0.5 if sided(name) else 1
            if not given or len(times) < share * len(given) or 2 * len(given) < len(rows):
                continue
            clocks = [isinstance(v, str) and _NOTATED.fullmatch(v) is not None for v in times]
            zeros = [_time(name, v) == 0 for v in times]
            marked = any(clocks) and all(c or z for c, z in zip(clocks, zeros, strict=True))
            if (marked or sided(name)) and len(self.values) < _MOST:
                self.values[name] = values
                self.notated |= {name} if marked else set()

    def telling(self) -> list[str]:
        """The fields that look like times, starts first."""
        return sorted(self.values, key=lambda n: aliases.around(n, 0) is None)

    def pairs(self, ids: Sequence[str] = (), start: str = "", end: str = "") -> list[tuple[str, str]]:
        """The pairs of fields that fit best as start and end; one of them may be given."""
        strong: list[tuple[str, str]] = []
        named, others = strong[:], strong[:]
        for a, b in permutations(self.values, 2):
            if (start and a != start) or (end and b != end) or not self._ordered(a, b):
                continue
            first, second = aliases.around(a, 0), aliases.around(b, 1)
            first = ("", "") if first is None and a == start else first  # `time` beside `t_finish`
            if first is not None and second is not None and self._sure(a, b, any(first)):
                if first == second:
                    strong.append((a, b))
                elif not self._constant(b, ids):
                    named.append((a, b))
            elif {a, b} <= self.notated and aliases.around(a, 1) is None and aliases.around(b, 0) is None:
                others += [(a, b)] * (not any(self._constant(n, ids) for n in (a, b)))
        return strong or named or others

    def _sure(self, a: str, b: str, timely: bool) -> bool:
        """Numbers of one record alone only under names that say more than `to` and `from`."""
        return {a, b} <= self.notated or timely or len(self.rows) > 1

    def _ordered(self, a: str, b: str) -> bool:
        """In every record; under two telling names a few may be wrong, which the reader reports."""
        both = [
            (x, y)
            for v, w in zip(self.values[a], self.values[b], strict=True)
            if (x := _time(a, v)) is not None and (y := _time(b, w)) is not None
        ]
        fits = sum(x <= y for x, y in both)
        least = 0.8 if sided(a) and sided(b) else 1
        return any(x < y for x, y in both) and fits >= least * len(both)

    def _constant(self, name: str, ids: Sequence[str]) -> bool:
        """The same for all captions of each item that has several: a length, or a date."""
        for id in (*ids, ""):
            groups: dict[str, list[Any]] = {}
            for row, value in zip(self.rows, self.values[name], strict=True):
                item = text_id(lookup(row, id, outside=True)) if id else row.key or row.group
                groups.setdefault(str(item), []).append(value)
            several = [group for group in groups.values() if len(group) > 1]
            if several and all(len(set(map(str, group))) == 1 for group in several):
                return True
        return False

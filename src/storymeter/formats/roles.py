"""The roles that fields of records can have (id, caption, times …), and the values of each field.

`TimeFields` finds by their values the two fields of starts and ends whose names are unusual. Times in clock
notation or with seconds (`00:02`, `12.5s`) are certain; plain numbers only count under two names such as
`t_begin` and `t_finish`, since scores, places and counts are numbers, too.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from . import aliases
from .aliases import IDS, NEVER, REFERENCES, Role, is_reference_name, plain, sided, text_tier, tier
from .field_values import Clock, flat, is_name, text_id
from .record_rows import FILE, KEY, NUMBER, VALUE, Found, Row

_SAMPLE = 2000
#: what can be named in --columns, and the role it stands for
MAPPED = {
    "video": "id",
    "id": "id",
    "text": "text",
    "caption": "text",
    "answer": "text",
    "start": "start",
    "end": "end",
    "segment": "span",
    "times": "span",
    "duration": "duration",
    "length": "length",
    "image": "image",
    "images": "images",
    "fps": "fps",
    "order": "order",
}


#: why a field that holds texts is not read
OWNED = "fields called target, label or reference are never read as a candidate's caption"


@dataclass(frozen=True)
class Question:
    """Several readings of one role that fit equally well (or none: `fields` is empty)."""

    role: str
    fields: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Roles:
    """The field of each role; '' where there is none."""

    id: str = ""
    text: str = ""
    start: str = ""
    end: str = ""
    span: str = ""
    duration: str = ""
    #: how long each caption lasts, where there is no end
    length: str = ""
    fps: str = ""
    image: str = ""
    images: str = ""
    order: str = ""
    #: a column per sentence of a story, or per alternative caption
    parts: tuple[str, ...] = ()
    story: bool = False

    @property
    def timed(self) -> bool:
        return bool(self.start or self.span)

    def described(self) -> str:
        """`id = question_id, caption = text`"""
        shown = {
            KEY: "the key",
            FILE: "the name of the file",
            NUMBER: "the number in the list",
            VALUE: "the text",
        }
        named = {
            "id": self.id,
            "caption": f"{self.parts[0]} … {self.parts[-1]}" if self.parts else self.text,
            "start": self.start,
            "end": self.end,
            "times": self.span,
            "length": self.length,
            "duration": self.duration if self.timed else "",
            "images": self.images or self.image,
        }
        return ", ".join(f"{role} = {shown.get(name, name)}" for role, name in named.items() if name)


def get(fields: Mapping[str, Any] | None, name: str) -> Any:
    """A field, or one inside an object: `doc.video_id`."""
    if fields is None or not name:
        return None
    if name in fields:
        return fields[name]
    head, dot, tail = name.partition(".")
    inner = fields.get(head) if dot else None
    return get(inner, tail) if isinstance(inner, dict) else None


def lookup(row: Row, name: str, *, outside: bool = False) -> Any:
    """A field of the row; `outside`: of the record around it first."""
    first, second = (row.parent, row.fields) if outside else (row.fields, row.parent)
    value = get(first, name)
    return get(second, name) if value is None else value


class Fields:
    """The fields of a sample of rows and their values."""

    def __init__(self, found: Found, columns: Mapping[str, str], role: Role | None) -> None:
        self.found, self.columns, self.role = found, columns, role
        self.rows = found.rows[:_SAMPLE]
        self.inside = _names(row.fields for row in self.rows)
        self.outside = _names(row.parent or {} for row in self.rows)
        self.names = list(dict.fromkeys((*self.inside, *self.outside)))
        self.questions: list[Question] = []

    def _first(
        self, table: dict[str, int], names: Iterable[str], fits: Callable[[Any], bool] | None = None
    ) -> str:
        return next(
            (n for n in names if "." not in n and tier(n, table) and (fits is None or self._most(n, fits))),
            "",
        )

    def _all(self, name: str) -> list[Any]:
        return [lookup(row, name) for row in self.rows]

    def _values(self, name: str) -> list[Any]:
        return [v for v in self._all(name) if v is not None and v != ""]

    def _most(self, name: str, fits: Callable[[Any], bool], *, share: float = 0.5) -> bool:
        values = self._values(name)
        return bool(values) and sum(map(fits, values)) >= max(1, share * len(values))

    def _settle(self, names: list[str], size: Callable[[str], int]) -> list[str]:
        """Fields that are filled, and that do not say the same of every item, before others."""
        if len(names) < 2:
            return names
        filled = {n: len(self._values(n)) for n in names}
        full = [n for n in names if 5 * filled[n] > max(filled.values())]
        names = full or names
        if len(names) > 1 and len(self.rows) > 2:
            vary = [n for n in names if len({repr(v) for v in self._values(n)}) > 1]
            names = vary or names
        return names

    def _wordy(self, name: str) -> bool:
        """Sentences: at least two words on average, most of them of letters."""
        values = [v[0] if isinstance(v, list) and v else v for v in map(flat, self._values(name))]
        words = [word for v in values if isinstance(v, str) for word in v.split()]
        letters = sum(word[0].isalpha() for word in words)
        return bool(values) and len(words) >= 2 * len(values) and 2 * letters > len(words)

    def _sentences(self, names: Iterable[str], taken: tuple[str, ...], *, ids: bool = False) -> list[str]:
        """Fields of sentences whose name says nothing else; `ids`: or that it is an id."""
        return [
            n
            for n in names
            if n not in taken
            and "." not in n
            and text_tier(n, self.role) is None
            and not is_reference_name(n)
            and plain(n) not in NEVER | REFERENCES.keys()
            and (tier(n, IDS) is None or (ids and not self._most(n, is_name)))
            and self._wordy(n)
        ]

    def _names_items(self, name: str) -> bool:
        """Names with digits in place of texts."""
        values = [str(flat(v)) for v in self._values(name)]
        return all(len(v.split()) == 1 and any(c.isdigit() for c in v) for v in values)

    def _word_count(self, name: str) -> int:
        return sum(len(str(v).split()) for v in self._values(name))

    def _alike(self, names: list[str], form: Callable[[str], str] = str.strip) -> bool:
        """Do the fields say the same everywhere?"""
        columns = [[form(str(flat(v))) for v in self._all(n)] for n in names]
        return all(column == columns[0] for column in columns)

    def _ask(self, role: str, fields: Iterable[str]) -> None:
        self.questions.append(Question(role, tuple(fields)))


def _names(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The fields of records, also those of objects inside them, in the order of their first record."""
    names: dict[str, None] = {}
    for record in records:
        for name, value in record.items():
            names[name] = None
            if isinstance(value, dict):
                names |= {f"{name}.{inner}": None for inner in value if isinstance(inner, str)}
    return list(names)


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

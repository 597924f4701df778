"""The roles that fields of records can have (id, caption, times …), and the values of each field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .aliases import IDS, NEVER, REFERENCES, Role, is_reference_name, plain, text_tier, tier
from .field_values import flat, is_name
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

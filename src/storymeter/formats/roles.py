"""The roles that fields of records can have (id, caption, times …), the values of each field, and questions
that only the user can decide: each becomes an error that names the command for every reading.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .aliases import IDS, NEVER, REFERENCES, Role, is_reference_name, plain, text_tier, tier
from .base import Source
from .checks import Check
from .field_values import flat, is_name
from .problems import Mark, Path, named
from .record_rows import FILE, KEY, NUMBER, VALUE, Found, Unequal, Unfit, lookup

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


_SHOWN = {
    "text": "the caption",
    "video": "the id",
    "segment": "the times",
    "start": "the start",
    "end": "the end",
}


@dataclass
class Plan:
    """How a file would be read."""

    found: Found
    roles: Roles
    questions: list[Question]

    @property
    def asks_which_text(self) -> bool:
        """Whether several fields fit as the caption."""
        return any(question.role == "text" and question.fields for question in self.questions)


class Unread:
    """Reports what a plan leaves open: values that are no records, questions, columns that do not exist."""

    def __init__(self, source: Source, plan: Plan, check: Check) -> None:
        self.source, self.plan, self.check = source, plan, check
        self.found = plan.found

    def report(self) -> bool:
        """Report all of it as errors. True: no document can be made."""
        for at, value in self.found.wrong:
            self.wrong(at, value)
        for question in self.plan.questions:
            self.ask(question)
        lacking = self.lacking_columns()
        return bool(self.plan.questions) or lacking

    def lacking_columns(self) -> bool:
        """Fields that the user named and that no record has."""
        lacking = False
        for ours, theirs in self.source.columns.items():
            number = ours == "fps" and theirs.replace(".", "").isdigit()
            if (
                ours == "records"
                or theirs == KEY
                or number
                or any(lookup(row, theirs) is not None for row in self.found.rows)
            ):
                continue
            lacking = True
            detail = f"{self._fields()}; map it with --columns {ours}=NAME"
            self.check.error("missing-column", f"there is no column for {ours!r}", (), detail=detail)
        return lacking

    def _fields(self) -> str:
        seen = list(
            dict.fromkeys(n for row in self.found.rows[:50] for n in (*(row.parent or {}), *row.fields))
        )
        return f"fields: {', '.join(map(repr, seen[:12]))}"

    def wrong(self, at: Path, value: Any) -> None:
        if isinstance(value, Unequal):
            message = f"{value.times} and {value.texts} differ in number"
            self.check.error("unequal-lists", message, at)
        elif isinstance(value, Unfit):
            self.check.error("wrong-type", value.message, at, detail=value.detail)
        else:
            self.check.error("wrong-type", "no record with a caption", at, detail=f"found {named(value)}")

    def ask(self, question: Question) -> None:
        code, message, detail = self._asked(question)
        self.check.error(code, message, (), detail=detail)

    def _asked(self, question: Question) -> tuple[str, str, str]:
        """The code of the error, its message, and the fields with the command for every reading."""
        role, fields, keys, rows = question.role, question.fields, self._fields(), self.found.rows
        of_lines = bool(rows and rows[0].at and isinstance(rows[0].at[0], Mark))
        code, shown = "missing-column" if of_lines else "missing-key", _SHOWN.get(role, role)
        if role == "records":
            message = "several parts of the file hold records"
            if len(fields) == 1:
                message = (
                    "the only records stand under the name of references, which no candidate is read from"
                )
            ways = self._commands(f"records={name}" for name in fields[:4])
            return "ambiguous", message, f"{', '.join(fields[:6])}; choose: {ways}"
        if role == "pair":
            message = "several pairs of fields may be the start and the end"
            return "ambiguous", message, f"{keys}; choose: {self._commands(fields[:4])}"
        if role == "fps":
            message = f"{fields[0]!r} holds frames, and no field holds the frame rate"
            return "missing-column", message, f"{keys}; for 25 frames a second: {self.command('fps=25')}"
        if role == "length":
            ways = self._commands(f"{name}={fields[0]}" for name in ("length", "duration"))
            message = f"captions have a start and {fields[0]!r} without an end"
            return "ambiguous", message, f"{question.reason}; choose: {ways}"
        if question.reason:
            way = self.command(f"{role}={fields[0]}")
            return (
                code,
                f"no field holds {shown}",
                f"{keys}; {question.reason}; to read it all the same: {way}",
            )
        if fields:
            ways = self._commands(f"{role}={name}" for name in fields[:4])
            names = ", ".join("the key" if name == KEY else name for name in fields)
            return "ambiguous", f"several fields fit equally well as {shown}", f"{names}; choose: {ways}"
        near = '[{"video_id": "a", "caption": "…"}]'
        way = self.command(f"{role}=FIELD")
        detail = f"{keys}; the nearest known shape is {near}; name the field: {way}"
        return code, f"no field holds {shown}", detail

    def _commands(self, readings: Iterable[str]) -> str:
        return " or ".join(map(self.command, readings))

    def command(self, columns: str) -> str:
        """The command that reads the file in this way."""
        path = self.source.path
        columns = shlex.quote(columns)
        if self.source.role == "references":
            return f"`storymeter score … -r {path} --reference-columns {columns}`"
        verb = "score" if self.source.role == "candidates" else "validate"
        return f"`storymeter {verb} {path} --columns {columns}`"

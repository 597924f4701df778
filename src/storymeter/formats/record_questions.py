"""Questions about a file of records that only the user can decide.

Each question becomes an error that names the command for every reading.
"""

import shlex
from dataclasses import dataclass
from typing import Any

from .base import Source
from .checks import Check
from .problems import Mark, Path, named
from .record_rows import KEY, Found, Unequal, Unfit
from .roles import Question, Roles, lookup

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
        role, fields = question.role, question.fields
        keys = self._fields()
        rows = self.found.rows
        code = (
            "missing-column"
            if rows and isinstance(rows[0].at[0] if rows[0].at else 0, Mark)
            else "missing-key"
        )
        shown = _SHOWN.get(role, role)
        if role == "records":
            message = "several parts of the file hold records"
            if len(fields) == 1:
                message = (
                    "the only records stand under the name of references, which no candidate is read from"
                )
            ways = " or ".join(self.command(f"records={name}") for name in fields[:4])
            self.check.error("ambiguous", message, (), detail=f"{', '.join(fields[:6])}; choose: {ways}")
        elif role == "pair":
            ways = " or ".join(self.command(way) for way in fields[:4])
            message = "several pairs of fields may be the start and the end"
            self.check.error("ambiguous", message, (), detail=f"{keys}; choose: {ways}")
        elif role == "fps":
            message = f"{fields[0]!r} holds frames, and no field holds the frame rate"
            way = self.command("fps=25")
            self.check.error("missing-column", message, (), detail=f"{keys}; for 25 frames a second: {way}")
        elif role == "length":
            ways = " or ".join(self.command(f"{name}={fields[0]}") for name in ("length", "duration"))
            message = f"captions have a start and {fields[0]!r} without an end"
            self.check.error("ambiguous", message, (), detail=f"{question.reason}; choose: {ways}")
        elif question.reason:
            way = self.command(f"{role}={fields[0]}")
            detail = f"{keys}; {question.reason}; to read it all the same: {way}"
            self.check.error(code, f"no field holds {shown}", (), detail=detail)
        elif fields:
            ways = " or ".join(self.command(f"{role}={name}") for name in fields[:4])
            names = ", ".join("the key" if name == KEY else name for name in fields)
            self.check.error(
                "ambiguous",
                f"several fields fit equally well as {shown}",
                (),
                detail=f"{names}; choose: {ways}",
            )
        else:
            way = self.command(f"{role}=FIELD")
            near = '[{"video_id": "a", "caption": "…"}]'
            self.check.error(
                code,
                f"no field holds {shown}",
                (),
                detail=f"{keys}; the nearest known shape is {near}; name the field: {way}",
            )

    def command(self, columns: str) -> str:
        """The command that reads the file in this way."""
        path = self.source.path
        columns = shlex.quote(columns)
        if self.source.role == "references":
            return f"`storymeter score … -r {path} --reference-columns {columns}`"
        verb = "score" if self.source.role == "candidates" else "validate"
        return f"`storymeter {verb} {path} --columns {columns}`"

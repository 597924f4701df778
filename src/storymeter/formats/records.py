"""Any records of an id and a caption: the container, the roles of its fields, and documents out of them.

Nothing is guessed: two readings that fit equally well are an error that names the command for each, and so is
a field that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..captions import Corpus, Document
from ..errors import UsageError
from . import aliases, record_tables
from .aliases import Role
from .base import Format, carrying
from .checks import Check
from .containers import unfold
from .problems import Path
from .record_builder import Builder
from .record_questions import Plan
from .record_rows import Found, Row, explode
from .role_finder import Finder
from .roles import MAPPED, OWNED, Question, Roles
from .source import Source


class Records(Format):
    name = "records"
    title = "Records of an id and a caption, under any usual names"
    shape = '[{"video_id": "a", "caption": "…"}]   {"a": {"caption": "…"}}   id,caption'
    suffixes = ()
    carries = carrying("documents", "several", "alternatives", "times", "untimed", "open", "duration", "meta")

    def sniff(self, source: Source) -> bool:
        return plan_of(source) is not None

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        check_columns(source.columns)
        plan = plan_of(source, check)
        if plan is None:
            return ()
        return Builder(source, plan, check).documents()

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        raise UsageError("Records can be read but not written.", hint="Choose a format with --to.")


def check_columns(columns: Mapping[str, str]) -> None:
    if unknown := columns.keys() - MAPPED.keys() - {"records", "alternative", "meta"}:
        raise UsageError(
            f"There is no column {', '.join(sorted(unknown))}.",
            hint=f"Columns that can be mapped: {', '.join([*MAPPED, 'records'])}.",
        )


def plan_of(source: Source, check: Check | None = None) -> Plan | None:
    """The rows of a file and the roles of their fields; None where it holds no records."""
    check = check or Check()
    found = _container(source, check)
    if found is None:
        return None
    return plan_rows(found, source.columns, source.role)


def plan_rows(found: Found, columns: Mapping[str, str], role: Role | None) -> Plan | None:
    if found.question:
        return Plan(found, Roles(), [Question("records", found.question)])
    said = next((columns[k] for k in ("text", "caption", "answer") if k in columns), "")
    holders = explode(found, role, said)
    if holders:
        owned = role == "candidates" and any(map(aliases.is_reference_name, holders))
        return Plan(found, Roles(), [Question("text", holders, OWNED if owned else "")])
    if not found.rows:
        return Plan(found, Roles(), []) if found.wrong else None
    for row in found.rows:
        if "" in row.fields:
            row.fields = {name or "(no name)": cell for name, cell in row.fields.items()}
    finder = Finder(found, columns, role)
    roles = finder.roles()
    return Plan(found, roles, finder.questions)


def _container(source: Source, check: Check) -> Found | None:
    if source.is_workbook:
        return record_tables.workbook(source, check)
    if source.data.startswith(b"PAR1"):
        from .tables import Parquet

        rows = list(Parquet().rows(source, check))
        return Found([Row((mark,), row, group=n) for n, (mark, row) in enumerate(rows)]) if rows else None
    if source.foreign:
        return None
    if source.is_json:
        if record_tables.is_lines_of_json(source):
            return record_tables.json_lines(source, source.role, check)
        value = source.value
        at: Path = ()
        if path := source.columns.get("records"):
            for step in path.split("."):
                value, at = (value.get(step), (*at, step)) if isinstance(value, dict) else (None, at)
        return unfold(value, source.role, at)
    if source.suffix in (".srt", ".vtt"):
        return None
    return record_tables.delimited(source, check) or record_tables.led_lines(source)[0]

"""Any records of an id and a caption: the container, the roles of its fields, and documents out of them.

Nothing is guessed: two readings that fit equally well are an error that names the command for each, and so is
a field that cannot be read.

Known formats keep their readers. `prefers_records` says where a file that looks like a known format is read
as records instead: where the known one would take a reference for a caption, the fields of one record for
ids, sentences for alternatives, or an id for a part of its caption; and where it finds no caption at all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch

from ..captions import Corpus, Document
from ..errors import UsageError
from . import aliases, record_tables
from .activitynet import Ids, Reference
from .aliases import IDS, Role, known as known_name, plain, tier
from .base import Format, Source, carrying, some_of
from .checks import Check
from .containers import unfold
from .datasets import Coco, TimeChat
from .field_values import flat, stem
from .items import is_item
from .line_formats import Lines, Plain
from .problems import Path
from .prose import ANSWER, Prose, is_answer, key_of
from .record_builder import Builder, what_lists_are
from .record_rows import KEY, VALUE, Found, Row, explode, lookup
from .role_finder import Finder
from .roles import MAPPED, OWNED, Plan, Question, Roles
from .spans import heads
from .subtitles import Subtitles, YouTube
from .tables import ALIASES, Parquet, Table, Tsv, named_columns


class Records(Format):
    name = "records"
    title = "Records of an id and a caption, under any usual names"
    shape = '[{"video_id": "a", "caption": "…"}]   {"a": {"caption": "…"}}   id,caption'
    suffixes = ()
    named_fields = True
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


_CELLS = re.compile(r"[\d:.]+\s*[,;|\t]\s*\d")  #: two times at the head of a row


@singledispatch
def prefers_records(known: Format, source: Source) -> bool:
    """Would the known format misread the file? Formats that are not named below never do."""
    return False


def may_be_records(known: Format, source: Source) -> bool:
    """Where the known format read no caption: may records be tried? Not for an entry of a dense reference
    that lacks its times."""
    if isinstance(known, Reference) and isinstance(source.value, dict):
        return not any(
            isinstance(v, dict) and "duration" in v and "timestamps" not in v for v in some_of(source.value)
        )
    return not isinstance(known, Subtitles | Ids)


@prefers_records.register
def _texts_by_id(known: Plain, source: Source) -> bool:
    plan = plan_of(source)
    if plan is None:
        return False
    if source.columns or plan.found.wrong or all(map(known_name, source.value)):
        return True  # one record or a table, not texts by id
    if plan.questions or plan.found.under or not plan.found.keyed:
        return True
    if (plan.roles.id, plan.roles.text) != (KEY, VALUE):
        return True
    lists = [v for v in source.value.values() if isinstance(v, list) and all(isinstance(m, str) for m in v)]
    return any(len(t) > 1 for t in lists) and what_lists_are(lists, source) != "alternatives"


@prefers_records.register
def _strings(known: Ids, source: Source) -> bool:
    """A list of sentences rather than of ids."""
    members = some_of(source.value, 200)
    return sum(len(str(m).split()) > 2 for m in members) * 2 > len(members)


@prefers_records.register
def _coco(known: Coco, source: Source) -> bool:
    plan = plan_of(source)
    if plan is None:
        return False
    fields = {name for row in plan.found.rows[:50] for name in row.fields}
    roles = plan.roles
    if "image_id" not in fields:
        return bool(roles.id) or not any(tier(n, IDS) for n in fields)
    return (
        roles.timed
        or any(plain(name) == "storyid" for name in fields)  # a sentence of a story, with its picture
        or roles.text not in ("caption", "")
        or plan.asks_which_text
    )


@prefers_records.register
def _timed_lists(known: TimeChat, source: Source) -> bool:
    plan = plan_of(source)
    return plan is not None and (
        plan.asks_which_text or plan.roles.text not in ("caption", "sentence", VALUE, "")
    )


@prefers_records.register
def _table(known: Table, source: Source) -> bool:
    if source.columns.keys() - ALIASES.keys():
        return True
    if isinstance(known, Tsv) and _cell_holds_rows(known, source):
        return True
    first = next(iter(known.rows(source, Check())), None)
    names = list(first[1]) if first else []
    if not names or source.columns:
        return False
    if "video" in names and "text" in names and ALIASES.keys() >= set(names):
        return False  # as we write it
    plan = plan_of(source)
    if plan is None:
        return False
    check = Check()
    columns = named_columns(names, {}, check)
    if check.failed or plan.asks_which_text:
        return True
    roles = plan.roles
    if plan.questions:  # only records ask what times mean
        return any(q.role in ("fps", "length", "segment", "start", "end", "pair") for q in plan.questions)
    theirs = tuple(columns[role] for role in ("video", "text", "start", "end"))
    if (roles.id, roles.text, roles.start, roles.end) != theirs or roles.span or roles.parts or roles.order:
        return True
    ids = [flat(row.fields.get(roles.id)) for row in plan.found.rows[:200]]
    return roles.id != "video" and any(isinstance(i, str) and stem(i) != i for i in ids)


def _cell_holds_rows(known: Tsv, source: Source) -> bool:
    """A lone quote at the head of a cell would make the rows after it a part of the cell."""
    cells = [cell for _, row in known.rows(source, Check()) for cell in row.values()]
    return any(isinstance(cell, str) and "\n" in cell and "\t" in cell for cell in cells)


@prefers_records.register
def _answers(known: Prose, source: Source) -> bool:
    """Records with the answers of models under another field than the one that is tried first."""
    if "answer" in source.columns:
        return not source.columns.keys() - {"answer", "video", "duration"} and _untimed(source)
    if heads(source.head.lstrip().split("\n")[0]):
        return False
    if not source.is_json and source.suffix not in (".csv", ".tsv", ".parquet") and not source.is_workbook:
        return False
    plan: Plan | None = plan_of(source)
    if plan is None or plan.roles.timed or plan.roles.text == VALUE or not plan.found.rows:
        return False
    if is_item(plan.found.rows[0].fields):
        return False
    if plan.found.under or plan.asks_which_text:
        return True
    ids = [flat(lookup(row, plan.roles.id)) for row in plan.found.rows[:200] if not plan.found.keyed]
    if not plan.questions and any(isinstance(i, str) and stem(i) != i for i in ids):
        return True
    tried_first = key_of(plan.found.rows[0].fields, ANSWER, "")
    return bool(plan.roles.text) and tried_first not in (plan.roles.text, "")


def _untimed(source: Source) -> bool:
    plan = plan_of(source)
    if plan is None or plan.questions:
        return False
    texts = [flat(row.fields.get(plan.roles.text)) for row in plan.found.rows[:200]]
    written = [t for t in texts if t is not None]
    return bool(written) and all(isinstance(t, str) and not is_answer(t) for t in written)


@prefers_records.register
def _lines(known: Lines, source: Source) -> bool:
    return plan_of(source) is not None


@prefers_records.register
def _chapters(known: YouTube, source: Source) -> bool:
    """A table whose first column is a time."""
    first = source.head.lstrip().split("\n")[0]
    if any(c.isdigit() for c in first) and not _CELLS.match(first):
        return False
    plan = plan_of(source)
    return plan is not None and (plan.roles.timed or any(q.role == "start" for q in plan.questions))

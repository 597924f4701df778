"""Ratings from files: our own export (JSON Lines, CSV), WMT tables, MTurk batch results, Appraise exports.
Other tables are read by `storymeter.human.tables`.

`read(path)` looks at the file and picks the reader; `read(path, "wmt")` insists. Formats that carry no pair
links (all but ours) link a control to the same worker's rating of the same system's caption of the same item
in the same HIT. A human caption (REF) is filed there under the system whose place it takes; it competes as a
system of its own only where its author is nobody's system. Systems that share a caption are joined by `+`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError, some
from ..files import content
from .own_files import credit_all, plain_cell, records, require_columns, storymeter, text
from .ratings import Labels, Ratings, from_columns

_WMT_KINDS = {"SYSTEM": "system", "REPEAT": "repeat", "REF": "human", "BAD_REF": "degraded"}
_MTURK_KINDS = {
    "system": "system",
    "repeat": "repeat",
    "ref": "human",
    "cal": "degraded",
    "bad": "degraded",
    "bad_ref": "degraded",
}
_APPRAISE_KINDS = {"TGT": "system", "CHK": "repeat", "REF": "human", "BAD": "degraded"}
_APPRAISE_KIND_COLUMN = 3
#: what a line of our exports has, and what tells them from other tables with such columns
_OWN = frozenset({"item", "system", "rater", "value"})
_OWN_MORE = frozenset({"kind", "criterion", "hit", "pair", "position"})
_FIELDS = ("rater", "hit", "item", "system", "kind", "value", "seconds", "stratum", "position")
_EMPTY = "Give a file of ratings: a Storymeter export, a WMT table, MTurk batch results or an Appraise CSV."
_OTHERWISE = {"kind": "system", "hit": "", "pair": "", "stratum": "", "held": "", "campaign": ""}


def read(paths: Sequence[Path] | Path, format: str | None = None) -> Ratings:
    """One or more files of ratings of known formats; several are read as one table."""
    notes: list[str] = []
    files = [paths] if isinstance(paths, Path) else paths
    formats, tables = zip(*(columns_of_file(path, format, notes) for path in files), strict=True)
    return pooled(tables, [path.name for path in files], notes, ours=set(formats) == {"storymeter"})


def pooled(
    tables: Sequence[dict[str, Any]], names: Sequence[str], notes: list[str], *, ours: bool
) -> Ratings:
    """Tables of several sources as one. A rating that stands in two of them counts once, and is named with
    its sources. HITs of different campaigns are different HITs; where a source does not name its campaign,
    it is one of its own."""
    if len(tables) == 1:
        return replace(from_columns(tables[0], notes), ours=ours)
    whole = _joined(tables)
    source = [k for k, table in enumerate(tables) for _ in range(len(table["value"]))]
    campaign = whole.get("campaign") or [""] * len(source)
    where, what = (
        list(zip(*([_known(cell) for cell in whole[key]] for key in keys if key in whole), strict=True))
        for keys in (("campaign", "rater", "hit", "position", "item", "system", "kind"), ("value", "seconds"))
    )
    again, of = repeated_rows(source, where, what, names, notes)
    whole["campaign"] = [name or f"file {of[k] + 1}" for name, k in zip(campaign, source, strict=True)]
    if again:
        whole = {
            key: [c for row, c in enumerate(column) if row not in again] for key, column in whole.items()
        }
    return replace(from_columns(whole, notes), ours=ours)


def _known(cell: Any) -> Any:
    """NaN is no number, and equal to another NaN."""
    return None if cell != cell else cell


#: so large a share of the answers that two sources have to the same questions are equal: it is one campaign
SAME_CAMPAIGN = 0.9


def repeated_rows(
    source: Sequence[int],
    where: Sequence[Any],
    what: Sequence[Any],
    names: Sequence[str],
    notes: list[str],
) -> tuple[set[int], dict[int, int]]:
    """Rows that stand in an earlier source, too, and the source whose campaign each source belongs to.

    `where` names the place of each answer (rater, HIT, position, item), `what` the answer. Two sources are
    exports of one campaign where nearly all places that both have hold the same answer; by chance only some
    do. What stands in both counts once, and is said with the names of the sources."""
    rows: dict[int, dict[Any, int]] = {}
    for row, (k, place) in enumerate(zip(source, where, strict=True)):
        rows.setdefault(k, {}).setdefault(place, row)
    again: set[int] = set()
    of = {k: k for k in range(len(names))}
    for k, other in itertools.combinations(sorted(rows), 2):
        shared = rows[k].keys() & rows[other].keys()
        same = {rows[other][place] for place in shared if what[rows[k][place]] == what[rows[other][place]]}
        if shared and len(same) >= SAME_CAMPAIGN * len(shared):
            of[other] = min(of[other], of[k])
            if fresh := same - again:
                notes.append(
                    f"{len(fresh):,} answers stand both in {names[k]} and in {names[other]}; each counts"
                    " once."
                )
            again |= fresh
    return again, of


def _joined(tables: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """One below the other; a column that only some have is filled up."""
    out: dict[str, list[Any]] = {key: [] for table in tables for key in table}
    for table in tables:
        for key, column in out.items():
            found = table.get(key)
            column += (
                [_OTHERWISE.get(key)] * len(table["value"])
                if found is None
                else found.listed()
                if isinstance(found, Labels)
                else list(found)
            )
    return out


def columns_of_file(path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The format of a file, and its ratings by columns."""
    return columns_in(content(path, _EMPTY), path, format, notes)


def columns_in(raw: bytes, path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The same, of a file that was read already."""
    chosen = format or sniff(raw)
    if chosen not in READERS:
        raise UsageError(
            f"There is no format of ratings called {chosen!r}.", hint=f"Known: {', '.join(READERS)}."
        )
    with _readable(path):
        return chosen, READERS[chosen](raw, path.name, notes)


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise DataError(
            f"{path.name} cannot be read as a table: {error}.",
            hint="Look for a quotation mark that is never closed.",
        ) from None


def sniff(raw: bytes) -> str:
    """The format of a file of ratings, by its first line; an error where it is none of those known here."""
    head = raw[:65536].decode(errors="replace")
    first = next(iter(head.splitlines()), "")
    if first.lstrip().startswith("{") and set(re.findall(r'"(\w+)"\s*:', first)) >= _OWN:
        return "storymeter"
    if "Answer.Q1" in first:
        return "mturk"
    words = words_of(first)
    if {"WorkerId", "sys_id", "type", "score"} <= words:
        return "wmt"
    if words >= _OWN:
        return "storymeter"
    cells = next(csv.reader([first]))
    if len(cells) > _APPRAISE_KIND_COLUMN and cells[_APPRAISE_KIND_COLUMN] in _APPRAISE_KINDS:
        return "appraise"
    raise DataError(
        "The format of this file of ratings is not known.",
        hint="Name the format with --from storymeter|wmt|mturk|appraise|table.",
    )


def is_known(raw: bytes) -> bool:
    """Whether a file is of one of these formats; other tables are read by the names of their columns."""
    try:
        sniff(raw)
    except (DataError, csv.Error):
        return False
    return True


def is_plain_table(raw: bytes) -> bool:
    """Whether a file has the columns of our exports by chance: rater, item, system, value and nothing of
    the rest."""
    first = raw[:65536].decode(errors="replace").lstrip().split("\n", 1)[0]
    return first[:1] != "{" and words_of(first) >= _OWN and not words_of(first) & _OWN_MORE


def words_of(line: str) -> set[str]:
    return {word.strip('"').removeprefix("Input.") for word in line.replace(",", " ").split()}


def records_in(raw: bytes, path: Path) -> list[Rating]:
    """The records of one of our exports, for studies whose answers are not single scores (preference,
    survey)."""
    with _readable(path):
        return records(raw, path.name)


def records_of(path: Path) -> list[Rating]:
    """The same, of a file that was not read yet."""
    return records_in(content(path, _EMPTY), path)


def first_criterion(raw: bytes, name: str) -> str | None:
    """The first criterion of one of our exports that is no test question's; None where the file is
    something else or cannot be read as such (reading it says what is wrong)."""
    try:
        if sniff(raw) != "storymeter":
            return None
        found: Iterator[str]
        if raw.lstrip()[:1] == b"{":
            lines = (line for line in io.BytesIO(raw) if line.strip())
            found = (msgspec.json.decode(line, type=_Criterion).criterion for line in lines)
        else:
            rows = csv.DictReader(io.StringIO(text(raw, name), newline=""))
            found = (row.get("criterion") or "" for row in rows)
        seen = ""
        for criterion in found:
            if criterion != "test":
                return criterion
            seen = "preference"
        return seen
    except (DataError, csv.Error, msgspec.MsgspecError):
        return None


class _Criterion(msgspec.Struct):
    criterion: str = ""


class _Table:
    """The ratings of a file of another tool, row by row, and what cannot be read of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []
        self._rows: list[tuple[Any, ...]] = []
        self._total: Counter[tuple[str, str]] = Counter()

    def add(self, rater: str, hit: str, *cells: str | float | None, position: int | None = None) -> None:
        """The cells in the order of `_FIELDS`; the position is counted where it is not known."""
        self._total[rater, hit] += 1
        self._rows.append((rater, hit, *cells, self._total[rater, hit] if position is None else position))

    def columns(self, hint: str, *, whole_hit: bool = False) -> dict[str, list[Any]]:
        """All of it by columns, or an error with this hint. `whole_hit`: every row gives the time of the
        whole HIT, which is shared out.
        """
        if self.problems:
            raise DataError(
                f"{self.name}: {len(self.problems):,} ratings cannot be read: {some(self.problems, limit=3)}",
                hint=hint,
            )
        if not self._rows:
            raise DataError(f"{self.name} holds no rating.", hint=hint)
        out = dict(zip(_FIELDS, map(list, zip(*self._rows, strict=True)), strict=True))
        out["pair"] = [f"{system} {item}" for system, item in zip(out["system"], out["item"], strict=True)]
        _settle(out)
        if whole_hit:
            out["seconds"] = [
                None if s is None else s / self._total[rater, hit]
                for s, rater, hit in zip(out["seconds"], out["rater"], out["hit"], strict=True)
            ]
        return out


def wmt(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`HITId WorkerId src trg item hit sys_id rid type sid score time`: header blank-separated, rows
    tab-separated; other mixtures of tabs, blanks and commas occur, and names in quotation marks. Ratings of
    different language pairs (src, trg) are strata.
    """
    lines = text(raw, name).splitlines()
    place = {
        key.removeprefix("Input."): k for k, key in enumerate(re.split(r"[\s,\"]+", lines[0].strip(' \t"')))
    }
    require_columns(
        name,
        place,
        ("WorkerId", "sys_id", "type", "sid", "score"),
        "A WMT table begins: HITId WorkerId src trg item hit sys_id rid type sid score time",
    )
    table = _Table(name)
    for number, line in enumerate(_distinct(lines[1:], notes), 2):
        if not line.strip():
            continue
        cells = split_row(line, len(place))
        if len(cells) != len(place):
            table.problems.append(f"line {number} has {len(cells)} cells, the header {len(place)}")
            continue
        try:
            kind, value = _WMT_KINDS[cells[place["type"]]], float(cells[place["score"]])
            system, sid, rater = (cells[place[key]] for key in ("sys_id", "sid", "WorkerId"))
            hit = " ".join(cells[place[key]] for key in ("HITId", "hit") if key in place)
            seconds = (
                float(cells[place["time"]])
                if "time" in place and cells[place["time"]] not in ("", "NA")
                else None
            )
        except (KeyError, IndexError, ValueError):
            table.problems.append(f"line {number}: {line[:60]!r}")
            continue
        stratum = "-".join(cells[place[key]] for key in ("src", "trg") if key in place)
        table.add(rater, hit, sid, system, kind, value, seconds, stratum)
    return table.columns(
        "A row has the columns of the header, separated by tabs (names with spaces may be put in quotation"
        " marks); type is SYSTEM, REPEAT, REF or BAD_REF.",
        whole_hit=True,
    )


def mturk(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """Batch results: one line per assignment, `Answer.Q1` = `idx_rid_score|…`, the items in `Input.*_idx`."""
    table = _Table(name)
    empty: list[str] = []
    reader = csv.DictReader(io.StringIO(text(raw, name), newline=""))
    require_columns(
        name,
        reader.fieldnames or (),
        ("WorkerId", "HITId", "Answer.Q1"),
        "Download the batch results from the platform again.",
    )
    for number, row in enumerate(reader, 2):
        answers = [part for part in (row["Answer.Q1"] or "").split("|") if part]
        if not answers:
            empty.append(row.get("AssignmentId") or f"line {number}")
        for answer in answers:
            try:
                index, rid, score = answer.split("_")
                if row[f"Input.rid_{index}"] != rid:
                    raise ValueError
                kind, system, sid = (
                    _MTURK_KINDS[row[f"Input.tst_{index}"]],
                    row[f"Input.sys_id_{index}"],
                    row[f"Input.sid_{index}"],
                )
                place, value, rater, hit = int(index), float(score), row["WorkerId"], row["HITId"]
                if None in (system, sid, rater, hit):  # a row that breaks off
                    raise ValueError
            except (KeyError, ValueError):
                table.problems.append(f"line {number}, answer {answer[:30]!r}")
                continue
            time = row.get("WorkTimeInSeconds") or ""
            seconds = float(time) if time.isdecimal() else None
            stratum = "-".join(row.get(f"Input.{key}") or "" for key in ("src", "trg")).strip("-")
            table.add(rater, hit, sid, system, kind, value, seconds, stratum, position=place)
    if empty:
        notes.append(f"{len(empty):,} assignments hold no answer and were left out: {some(empty)}")
    return table.columns(
        "Answer.Q1 holds index_rid_score joined by |; Input.tst_index is system, repeat, ref or cal.",
        whole_hit=True,
    )


def appraise(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`user,system,segment,type,source,target,score[,document,is_document_score],start,end`, no header."""
    table = _Table(name)
    documents = 0
    for number, quoted in enumerate(csv.reader(_distinct(text(raw, name).splitlines(), notes)), 1):
        cells = [plain_cell(cell) for cell in quoted]
        if not cells:
            continue
        if len(cells) > 8 and cells[8] == "True":
            documents += 1
            continue
        try:
            user, system, segment = cells[:3]
            kind, value = _APPRAISE_KINDS[cells[_APPRAISE_KIND_COLUMN]], float(cells[6])
            document = cells[7] if len(cells) > 9 else ""
            seconds = float(cells[-1]) - float(cells[-2]) if len(cells) > 8 else None
        except (KeyError, IndexError, ValueError):
            table.problems.append(f"line {number}")
            continue
        item, stratum = f"{document} {segment}".strip(), "-".join(cells[4:6]).strip("-")
        table.add(user, "", item, system, kind, value, seconds, stratum)
    if documents:
        notes.append(f"{documents:,} scores of whole documents were left out; only segments are analysed.")
    return table.columns(
        "A row is user,system,segment,type,source,target,score,…; type is TGT, CHK, REF or BAD."
    )


_CELLS = re.compile(r'"((?:[^"]|"")*)"|([^\s"]+)')


def split_row(line: str, wanted: int) -> list[str]:
    """The cells of a row: at tabs, at commas or at blanks, whichever gives as many as are wanted.

    >>> split_row('h1\\tw 1\\t"my system"', 3), split_row('h1 w1  "my system"', 3), split_row("h1,w 1,s", 3)
    (['h1', 'w 1', 'my system'], ['h1', 'w1', 'my system'], ['h1', 'w 1', 's'])
    >>> split_row('h1\\tw1 "my system"', 3)
    ['h1', 'w1', 'my system']
    """
    blanks = [quoted.replace('""', '"') if bare == "" else bare for quoted, bare in _CELLS.findall(line)]
    tried = [next(csv.reader([line], delimiter=mark)) for mark in "\t," if mark in line]
    ways = [*tried, blanks]
    return next((cells for cells in ways if len(cells) == wanted), ways[0])


def _distinct(lines: Sequence[str], notes: list[str]) -> list[str]:
    """These formats number every rating or give its time, so that a line that comes twice is one rating
    written twice.
    """
    once = list(dict.fromkeys(lines))
    if len(once) < len(lines):
        notes.append(f"{len(lines) - len(once):,} duplicate lines were left out.")
    return once


def _settle(out: dict[str, list[Any]]) -> None:
    """Human captions that only stand in for a system's lose its name; names joined by + credit every one of
    them.
    """
    own = {
        name
        for joined, kind in zip(out["system"], out["kind"], strict=True)
        if kind == "system"
        for name in (joined, *joined.split("+"))
    }
    for row, (system, kind) in enumerate(zip(out["system"], out["kind"], strict=True)):
        if kind == "human" and system in own:
            out["system"][row] = out["pair"][row] = ""
    credit_all(out)


READERS: dict[str, Callable[[bytes, str, list[str]], dict[str, Any]]] = {
    "storymeter": storymeter,
    "wmt": wmt,
    "mturk": mturk,
    "appraise": appraise,
}

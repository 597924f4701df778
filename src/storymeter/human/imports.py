"""Ratings from files: our own export (JSON Lines, CSV), WMT tables, MTurk batch results, Appraise exports.

`read(path)` looks at the file and picks the reader; `read(path, "wmt")` insists. Formats that carry no pair links (all
but ours) link a control to the same worker's rating of the same system's caption of the same item in the same HIT.
A human caption (REF) is filed there under the system whose place it takes; it competes as a system of its own only where its
author is nobody's system. Systems that share a caption are joined by `+`.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError, some
from .ratings import Ratings, from_columns

_WMT_KINDS = {"SYSTEM": "system", "REPEAT": "repeat", "REF": "human", "BAD_REF": "degraded"}
_MTURK_KINDS = {"system": "system", "repeat": "repeat", "ref": "human", "cal": "degraded", "bad": "degraded", "bad_ref": "degraded"}
_APPRAISE_KINDS = {"TGT": "system", "CHK": "repeat", "REF": "human", "BAD": "degraded"}
_APPRAISE_KIND_COLUMN = 3
_FIELDS = ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds")


def read(paths: Sequence[Path] | Path, format: str | None = None) -> Ratings:
    """One or more files of ratings; several are read as one table."""
    listed = [paths] if isinstance(paths, Path) else list(paths)
    columns: dict[str, list[Any]] = {}
    notes: list[str] = []
    formats = set()
    for path in listed:
        chosen, found = read_columns(path, format, notes)
        formats.add(chosen)
        for key, values in found.items():
            columns.setdefault(key, []).extend(values)
    return replace(from_columns(columns, notes), ours=formats == {"storymeter"})


def read_columns(path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, list[Any]]]:
    raw = _bytes(path)
    chosen = format or sniff(raw)
    if chosen not in READERS:
        raise UsageError(f"There is no format of ratings called {chosen!r}.", hint=f"Known: {', '.join(READERS)}.")
    with _readable(path):
        return chosen, READERS[chosen](raw, path.name, notes)


def _bytes(path: Path) -> bytes:
    """The file without its byte order mark, if there is anything in it."""
    try:
        raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", hint="Check the name of the file.") from None
    if not raw.strip():
        raise DataError(f"{path} is empty.", hint="Give a file of ratings: an export of ours, a WMT table, MTurk batch results or an Appraise CSV.")
    return raw


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise DataError(f"{path.name} cannot be read as a table: {error}.", hint="Look for a quotation mark that is never closed.") from None


def sniff(raw: bytes) -> str:
    head = raw[:65536].decode(errors="replace")
    first = head.splitlines()[0]
    if first.lstrip().startswith("{"):
        return "storymeter"
    if "Answer.Q1" in first:
        return "mturk"
    words = {word.removeprefix("Input.") for word in first.replace(",", " ").split()}
    if {"WorkerId", "sys_id", "type", "score"} <= words:
        return "wmt"
    if {"item", "system", "rater", "value"} <= {word.strip('"') for word in words}:
        return "storymeter"
    cells = next(csv.reader([first]))
    if len(cells) > _APPRAISE_KIND_COLUMN and cells[_APPRAISE_KIND_COLUMN] in _APPRAISE_KINDS:
        return "appraise"
    raise DataError("This is no file of ratings that we know.", hint="Say which format it is with --from storymeter|wmt|mturk|appraise.")


def _text(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not UTF-8 (byte {error.start:,}).", hint="Convert it: iconv -f latin1 -t utf-8 FILE") from None


class _Line(msgspec.Struct, gc=False):
    """A rating as it is read: a million of these need no garbage collector to look after them."""

    item: str
    system: str
    rater: str
    value: float | None
    kind: str = "system"
    hit: str = ""
    pair: str = ""
    position: float | None = None
    seconds: float | None = None
    meta: msgspec.Raw = msgspec.Raw()


def storymeter(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    lines: Sequence[_Line | Rating]
    if raw.lstrip()[:1] == b"{":
        try:
            lines = msgspec.json.Decoder(_Line).decode_lines(raw)
        except msgspec.MsgspecError:
            lines = _json_lines(raw, name)  # says which lines, or reads numbers that came as text
    else:
        text = _text(raw, name)
        quick = _csv_columns(text)
        if quick is not None:
            _credit_all(quick)
            return quick
        lines = _own_csv(text, name)
    columns: dict[str, list[Any]] = {key: list(map(operator.attrgetter(key), lines)) for key in _FIELDS}
    if b'"systems"' in raw:
        columns["systems"] = [_systems(line.meta) for line in lines]
    else:
        _credit_all(columns)
    return columns


def _csv_columns(text: str) -> dict[str, list[Any]] | None:
    """A regular table, column by column, each name kept once; None where a row needs a closer look (then `_own_csv` says what is wrong)."""
    reader = csv.reader(io.StringIO(text, newline=""))
    head = next(reader, [])
    place = {key: head.index(key) for key in _FIELDS if key in head}
    if len(set(head)) < len(head) or "meta" in head or not {"item", "system", "rater", "value"} <= place.keys():
        return None
    out: dict[str, list[Any]] = {key: [] for key in place}
    known: dict[str, str] = {}
    quoted = "'" in text
    try:
        while rows := list(itertools.islice(reader, 500)):  # fewer than wake the garbage collector
            if {len(row) for row in rows} != {len(head)}:
                return None
            cells = list(zip(*rows, strict=True))
            out["value"] += map(float, cells[place["value"]])
            for key in place.keys() - {"value"}:
                column: Sequence[str] = list(map(plain_cell, cells[place[key]])) if quoted else cells[place[key]]
                if key in ("position", "seconds"):
                    out[key] += [float(cell) if cell else None for cell in column]
                else:
                    out[key] += map(known.setdefault, column, column)
    except (ValueError, csv.Error):
        return None
    if "kind" in out and "" in out["kind"]:
        out["kind"] = [kind or "system" for kind in out["kind"]]
    return out


def _systems(meta: msgspec.Raw | dict[str, Any]) -> list[str] | None:
    known = msgspec.json.decode(meta) if isinstance(meta, msgspec.Raw) and bytes(meta) else meta
    several = known.get("systems") if isinstance(known, dict) else None
    return [str(name) for name in several] if isinstance(several, list) else None


def records_of(path: Path) -> list[Rating]:
    """The records of one of our exports, for studies whose answers are not single scores (preference, survey)."""
    raw = _bytes(path)
    with _readable(path):
        return _records(raw, path.name)


def _records(raw: bytes, name: str) -> list[Rating]:
    return _json_lines(raw, name) if raw.lstrip()[:1] == b"{" else _own_csv(_text(raw, name), name)


def peek(path: Path, limit: int) -> list[Rating]:
    """The first records of one of our exports; none where the file is something else or cannot be read as such."""
    try:
        with path.open("rb") as file:
            head = [line for _, line in zip(range(limit + 1), file, strict=False)]
        raw = b"".join(head).removeprefix(codecs.BOM_UTF8)
        return _records(raw, path.name) if raw.strip() and sniff(raw) == "storymeter" else []
    except (DataError, OSError, csv.Error):
        return []  # the reading proper says what is wrong


def _json_lines(raw: bytes, name: str) -> list[Rating]:
    decoder = msgspec.json.Decoder(Rating, strict=False)
    try:
        return decoder.decode_lines(raw)
    except msgspec.MsgspecError:
        if _is_json(raw):
            raise DataError(f"{name} is one JSON value, not a rating per line.",
                            hint="Ratings come from storymeter human export, or as a table; captions are scored with storymeter score.") from None
        problems = []
        for number, line in enumerate(raw.splitlines(), 1):
            try:
                if line.strip():
                    decoder.decode(line)
            except msgspec.MsgspecError as error:
                problems.append(f"line {number}: {error}")
        raise DataError(f"{name}: {len(problems):,} lines are no ratings: {some(problems, limit=3)}",
                        hint="A line is a JSON object with at least item, system, rater and value.") from None


def _is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except msgspec.MsgspecError:
        return False
    return True


def _own_csv(text: str, name: str) -> list[Rating]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    lacking = [key for key in ("item", "system", "rater", "value") if key not in (reader.fieldnames or [])]
    if lacking:
        raise DataError(f"{name} has no column {', '.join(lacking)}.", hint="A table of ratings needs item, system, rater and value.")
    out, problems = [], []
    known = set(Rating.__struct_fields__)
    for number, row in enumerate(reader, 2):
        cells: dict[str, Any] = {key: plain_cell(cell) for key, cell in row.items() if key in known and cell not in (None, "")}
        try:
            if "meta" in cells:
                cells["meta"] = msgspec.json.decode(cells["meta"])
            cells.setdefault("meta", {key: row[key] for key in ("state", "against") if row.get(key)})
            out.append(msgspec.convert({"item": "", "system": "", "rater": "", **cells}, Rating, strict=False))
        except msgspec.MsgspecError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise DataError(f"{name}: {len(problems):,} rows are no ratings: {some(problems, limit=3)}", hint="Mend these rows, or take them out.")
    return out


def plain_cell(cell: str) -> str:
    """Undo the quote that keeps a spreadsheet from running a cell as a formula."""
    return cell[1:] if len(cell) > 1 and cell[0] == "'" and cell[1] in "=+-@\t\r" else cell


def wmt(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`HITId WorkerId src trg item hit sys_id rid type sid score time`: header blank-separated, rows tab-separated."""
    lines = _text(raw, name).splitlines()
    place = {key.removeprefix("Input."): k for k, key in enumerate(lines[0].split())}
    lacking = [key for key in ("WorkerId", "sys_id", "type", "sid", "score") if key not in place]
    if lacking:
        raise DataError(f"{name} has no column {', '.join(lacking)}.", hint="A WMT table begins: HITId WorkerId src trg item hit sys_id rid type sid score time")
    out: dict[str, list[Any]] = {key: [] for key in ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds")}
    problems: list[str] = []
    total: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(_distinct(lines[1:], notes), 2):
        if not line.strip():
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        try:
            kind, value = _WMT_KINDS[cells[place["type"]]], float(cells[place["score"]])
            system, sid, rater = (cells[place[key]] for key in ("sys_id", "sid", "WorkerId"))
            hit = " ".join(cells[place[key]] for key in ("HITId", "hit") if key in place)
            seconds = float(cells[place["time"]]) if "time" in place and cells[place["time"]] not in ("", "NA") else None
        except (KeyError, IndexError, ValueError):
            problems.append(f"line {number}")
            continue
        total[rater, hit] += 1
        _add(out, item=sid, system=system, rater=rater, value=value, kind=kind, hit=hit, pair=f"{system} {sid}", position=total[rater, hit], seconds=seconds)
    _settle(out)
    _refuse(problems, out, name, "A row has the columns of the header; type is SYSTEM, REPEAT, REF or BAD_REF.")
    _share_time(out, total)
    return out


def mturk(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """Batch results: one line per assignment, `Answer.Q1` = `idx_rid_score|…`, the items in `Input.*_idx`."""
    out: dict[str, list[Any]] = {key: [] for key in ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds")}
    problems: list[str] = []
    empty: list[str] = []
    total: Counter[tuple[str, str]] = Counter()
    reader = csv.DictReader(io.StringIO(_text(raw, name), newline=""))
    lacking = [key for key in ("WorkerId", "HITId", "Answer.Q1") if key not in (reader.fieldnames or [])]
    if lacking:
        raise DataError(f"{name} has no column {', '.join(lacking)}.", hint="Download the batch results from the platform again.")
    for number, row in enumerate(reader, 2):
        answers = [part for part in (row["Answer.Q1"] or "").split("|") if part]
        if not answers:
            empty.append(row.get("AssignmentId") or f"line {number}")
        for answer in answers:
            try:
                index, rid, score = answer.split("_")
                if row[f"Input.rid_{index}"] != rid:
                    raise ValueError
                kind, system, sid = _MTURK_KINDS[row[f"Input.tst_{index}"]], row[f"Input.sys_id_{index}"], row[f"Input.sid_{index}"]
                place, value = int(index), float(score)
                if None in (system, sid, row["WorkerId"], row["HITId"]):  # a row that breaks off
                    raise ValueError
            except (KeyError, ValueError):
                problems.append(f"line {number}, answer {answer[:30]!r}")
                continue
            seconds = row.get("WorkTimeInSeconds") or ""
            total[row["WorkerId"], row["HITId"]] += 1
            _add(out, item=sid, system=system, rater=row["WorkerId"], value=value, kind=kind, hit=row["HITId"],
                 pair=f"{system} {sid}", position=place, seconds=float(seconds) if seconds.isdecimal() else None)
    _settle(out)
    if empty:
        notes.append(f"{len(empty):,} assignments hold no answer and were left out: {some(empty)}")
    _refuse(problems, out, name, "Answer.Q1 holds index_rid_score joined by |; Input.tst_index is system, repeat, ref or cal.")
    _share_time(out, total)
    return out


def appraise(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`user,system,segment,type,source,target,score[,document,is_document_score],start,end`, no header."""
    out: dict[str, list[Any]] = {key: [] for key in ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds")}
    problems: list[str] = []
    documents = 0
    seen: Counter[str] = Counter()
    for number, quoted in enumerate(csv.reader(_distinct(_text(raw, name).splitlines(), notes)), 1):
        cells = [plain_cell(cell) for cell in quoted]
        if not cells:
            continue
        if len(cells) > 8 and cells[8] == "True":
            documents += 1
            continue
        try:
            user, system, segment, kind, value = cells[0], cells[1], cells[2], _APPRAISE_KINDS[cells[_APPRAISE_KIND_COLUMN]], float(cells[6])
            document = cells[7] if len(cells) > 9 else ""
            seconds = float(cells[-1]) - float(cells[-2]) if len(cells) > 8 else None
        except (KeyError, IndexError, ValueError):
            problems.append(f"line {number}")
            continue
        item = f"{document} {segment}".strip()
        seen[user] += 1
        _add(out, item=item, system=system, rater=user, value=value, kind=kind, hit="", pair=f"{system} {item}", position=seen[user], seconds=seconds)
    _settle(out)
    if documents:
        notes.append(f"{documents:,} scores of whole documents were left out; only segments are analysed.")
    _refuse(problems, out, name, "A row is user,system,segment,type,source,target,score,…; type is TGT, CHK, REF or BAD.")
    return out


def _add(out: dict[str, list[Any]], **cells: Any) -> None:
    for key, cell in cells.items():
        out[key].append(cell)


def _distinct(lines: Sequence[str], notes: list[str]) -> list[str]:
    """These formats number every rating or give its time, so that a line that comes twice is one rating written twice."""
    once = list(dict.fromkeys(lines))
    if len(once) < len(lines):
        notes.append(f"{len(lines) - len(once):,} lines repeat an earlier line and count once.")
    return once


def _settle(out: dict[str, list[Any]]) -> None:
    """Human captions that only stand in for a system's lose its name; names joined by + credit every one of them."""
    own = {name for joined, kind in zip(out["system"], out["kind"], strict=True) if kind == "system" for name in (joined, *joined.split("+"))}
    for row, (system, kind) in enumerate(zip(out["system"], out["kind"], strict=True)):
        if kind == "human" and system in own:
            out["system"][row] = out["pair"][row] = ""
    _credit_all(out)


def _credit_all(out: dict[str, list[Any]]) -> None:
    """`a+b` means that both wrote the caption, where both are known by themselves."""
    if not any("+" in system for system in set(out["system"])):
        return
    known = {system for system in out["system"] if "+" not in system}
    out["systems"] = [parts if len(parts := system.split("+")) > 1 and known.issuperset(parts) else None for system in out["system"]]


def _share_time(out: dict[str, list[Any]], total: Counter[tuple[str, str]]) -> None:
    """These files give the time of the whole HIT in every row: share it out."""
    out["seconds"] = [None if s is None else s / total[rater, hit] for s, rater, hit in zip(out["seconds"], out["rater"], out["hit"], strict=True)]


def _refuse(problems: list[str], out: dict[str, list[Any]], name: str, hint: str) -> None:
    if problems:
        raise DataError(f"{name}: {len(problems):,} ratings cannot be read: {some(problems, limit=3)}", hint=hint)
    if not out["value"]:
        raise DataError(f"{name} holds no rating.", hint=hint)


READERS: dict[str, Callable[[bytes, str, list[str]], dict[str, list[Any]]]] = {"storymeter": storymeter, "wmt": wmt, "mturk": mturk, "appraise": appraise}

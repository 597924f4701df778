"""Rows of named cells from any container: CSV (comma, tab, semicolon), JSON, JSON Lines, Parquet, xlsx.

Each may be compressed (gzip, xz, bzip2), begin with a byte order mark or carry the index column of a data
frame. Nested records become columns with a dotted name (`data.video`). Exports of annotation tools become
plain rows: Label Studio (tasks with annotations) and Potato (a line per item and rater). Rows and data frames
of a program are taken, too; a data frame is known by its methods, so that no package is imported for it.

>>> rated = {"from_name": "quality", "type": "rating", "value": {"rating": 4}}
>>> done = {"completed_by": 7, "lead_time": 9.5, "result": [rated]}
>>> unfolded([{"id": 1, "data": {"video": "v1", "system": "a"}, "annotations": [done]}])
[{'video': 'v1', 'system': 'a', 'annotator': 7, 'lead time': 9.5, 'quality': 4}]
"""

import bz2
import codecs
import csv
import gzip
import io
import itertools
import lzma
import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from ...errors import DataError, MissingPartError, first_few
from ...files import content, unguarded
from ...formats.zipped import WorkbookError, is_workbook, sheet_rows
from ..rating_files import text

HINT = "Give a table of ratings: a row per rating with rater, item, system and score."
#: how a compressed file begins
_PACKED = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ\x00": lzma.decompress, b"BZh": bz2.decompress}
_MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "-", "–"})
#: keys under which files keep their records
_UNDER = ("annotations", "results", "ratings", "records", "rows", "items", "responses", "votes", "data")
#: where the value of a Label Studio result stands
_VALUES = ("rating", "number", "choices", "selected", "text", "taxonomy")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a file: its column heads, and the cells of every row by head (None where a cell is
    empty)."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    #: the folder of the file, for exports with a folder per rater
    folder: str = ""
    #: the file as it was given, for commands
    path: str = ""

    def column(self, head: str) -> list[Any]:
        return [row.get(head) for row in self.rows]


def read_sheet(path: Path) -> Sheet:
    """The table of a file."""
    raw = unpacked(content(path, HINT), path.name)
    folder = path.resolve().parent.name
    sheet = sheet_of(raw, path.name, folder)
    return replace(sheet, folder=folder, path=str(path))


def sheet_of(raw: bytes, name: str, folder: str = "") -> Sheet:
    """The table in the bytes of a file."""
    if raw[:4] == b"PAR1":
        return from_rows(_parquet(raw, name), name)
    if is_workbook(raw):
        try:
            return _from_cells(sheet_rows(raw), name)
        except WorkbookError as error:
            raise DataError(
                f"{name} cannot be read as an xlsx workbook: {error}.",
                hint="Save it as CSV (UTF-8) and give that.",
            ) from None
    wide = raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    whole = raw.decode("utf-16", errors="replace") if wide else text(raw, name)
    if whole.lstrip()[:1] in ("[", "{"):
        return from_rows(unfolded(_json_rows(whole, name), folder), name)
    return _from_cells(_separated(whole, name), name)


def unpacked(raw: bytes, name: str) -> bytes:
    """The bytes of a compressed file; other files as they are."""
    unpack = next((unpack for mark, unpack in _PACKED.items() if raw.startswith(mark)), None)
    if unpack is None:
        return raw
    try:
        raw = unpack(raw)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise DataError(
            f"{name} cannot be decompressed: {error}.", hint="The file is cut off or damaged; copy it again."
        ) from None
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if not raw.strip():
        raise DataError(f"{name} is empty.", hint=HINT)
    return raw


def from_rows(rows: Iterable[Mapping[str, Any]], name: str) -> Sheet:
    """Records as a table; nested records become columns with a dotted name."""
    flat = [_flat(row) for row in rows]
    heads = list(dict.fromkeys(head for row in flat for head in row))
    return _without_index(Sheet(name, tuple(heads), tuple(flat)))


def from_object(table: Any) -> Sheet:
    """A data frame (pandas, polars, datasets), a dict of columns, or a sequence of records."""
    if isinstance(table, Mapping):
        return from_rows(_json_records(dict(table), "table"), "table")
    for method, arguments in (
        ("to_dict", {"orient": "records"}),  # pandas
        ("to_dicts", {}),  # polars
        ("to_pylist", {}),  # pyarrow
        ("to_list", {}),  # datasets
    ):
        found = getattr(table, method, None)
        if callable(found):
            rows = found(**arguments)
            break
    else:
        rows = list(table)
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise DataError(
            "The table has no rows." if not rows else f"A row is a {type(rows[0]).__name__}, not a record.",
            hint="Give a path, a list of dicts such as {'rater': …, 'item': …, 'system': …, 'score': …}, or a"
            " data frame.",
        )
    return from_rows(unfolded(rows), "table")


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        head = f"{before}{key}".strip()
        if isinstance(value, Mapping):
            out.update(_flat(value, f"{head}."))
        elif isinstance(value, list) and len(value) == 1 and not isinstance(value[0], Mapping | list):
            out[head] = cell(value[0])
        else:
            out[head] = cell(value)
    return out


def cell(value: Any) -> Any:
    """A cell as it is compared: text without blanks around it, and None where nothing stands in it."""
    if hasattr(value, "item") and callable(value.item) and getattr(value, "shape", None) == ():
        value = value.item()  # a NumPy scalar
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, str):
        value = unguarded(value.strip()).strip()
        return None if value.lower() in _MISSING else value
    if hasattr(value, "isoformat"):
        return None if str(value) == "NaT" else value.isoformat()
    return value


def _without_index(sheet: Sheet) -> Sheet:
    """Without the index column that a data frame writes: no name, and the numbers of the rows."""
    dropped = {
        head
        for head in sheet.heads
        if (head == "" or head.lower().startswith(("unnamed: ", "__index_level_")) or head == "level_0")
        and (_counts(sheet.column(head)) or not any(value is not None for value in sheet.column(head)))
    }
    heads = tuple(head for head in sheet.heads if head not in dropped)
    rows = tuple({key: value for key, value in row.items() if key not in dropped} for row in sheet.rows)
    return replace(sheet, heads=heads, rows=rows)


def _counts(column: Sequence[Any]) -> bool:
    try:
        numbers = [int(str(value)) for value in column]
    except ValueError:
        return False
    return len(set(numbers)) == len(numbers) and all(n >= 0 for n in numbers)


def _separated(whole: str, name: str) -> list[list[Any]]:
    first = next(line for line in whole.splitlines() if line.strip())
    separator = max("\t;,|", key=lambda mark: len(next(csv.reader([first], delimiter=mark))))
    try:
        rows: list[list[Any]] = list(csv.reader(io.StringIO(whole, newline=""), delimiter=separator))
    except csv.Error as error:
        raise DataError(
            f"{name} cannot be read as a table: {error}.",
            hint="Look for a quotation mark that is never closed.",
        ) from None
    return rows


def _from_cells(cells: Iterable[Sequence[Any]], name: str) -> Sheet:
    """Rows of cells of which the first are the heads; empty rows are left out."""
    numbered = [
        (number, row) for number, row in enumerate(cells, 1) if any(cell(value) is not None for value in row)
    ]
    if len(numbered) < 2:
        raise DataError(f"{name} has a header but no rows.", hint=HINT)
    heads = ["" if value is None else str(value).strip() for value in numbered[0][1]]
    if len(numbered) > 2 and any('"ImportId"' in str(value) for value in numbered[2][1]):
        heads = _qualtrics(heads, [str(value or "").strip() for value in numbered[1][1]])
        numbered = [numbered[0], *numbered[3:]]
    doubled = sorted({head for head in heads if head and heads.count(head) > 1})
    if doubled:
        raise DataError(
            f"{name}: {first_few(doubled)} is the name of more than one column.",
            hint="Give each column its own name in the first line.",
        )
    wrong = [
        str(number)
        for number, row in numbered[1:]
        if any(cell(value) is not None for value in row[len(heads) :])
    ]
    wrong += [str(number) for number, row in numbered[1:] if len(row) < len(heads) and name.endswith("sv")]
    if wrong:
        raise DataError(
            f"{name}: {len(wrong):,} lines do not have the {len(heads)} columns of the header: lines"
            f" {first_few(wrong)}.",
            hint="Check the separators.",
        )
    rows = [
        {head: cell(value) for head, value in itertools.zip_longest(heads, row[: len(heads)])}
        for _, row in numbered[1:]
    ]
    return _without_index(Sheet(name, tuple(heads), tuple(rows)))


def _qualtrics(heads: Sequence[str], questions: Sequence[str]) -> list[str]:
    """The heads of Qualtrics, three lines: `Q7` is named by its question, in the second line."""
    unique = [q for q in questions if q and questions.count(q) == 1]
    return [
        " ".join(question.split()) if re.match(r"Q(?:ID)?\d", head) and question in unique else head
        for head, question in itertools.zip_longest(heads, questions[: len(heads)], fillvalue="")
    ]


def _parquet(raw: bytes, name: str) -> list[dict[str, Any]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPartError.extra("Parquet", "parquet") from None
    try:
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(pyarrow.BufferReader(raw)).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{name} cannot be read as Parquet: {str(error).splitlines()[0][:200]}.",
            hint="Write the file again.",
        ) from None
    return rows


def _json_rows(whole: str, name: str) -> list[dict[str, Any]]:
    try:
        return _json_records(msgspec.json.decode(whole), name)
    except msgspec.MsgspecError as error:
        problems: list[str] = []
        rows: list[dict[str, Any]] = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                if line.strip():
                    rows.append(msgspec.json.decode(line, type=dict[str, Any]))
            except msgspec.MsgspecError as wrong:
                problems.append(f"line {number}: {wrong}")
        if not problems:
            return rows
        if not rows:
            raise DataError(f"{name} is not JSON: {error}.", hint="Export the file again.") from None
        raise DataError(
            f"{name}: {len(problems):,} lines are not JSON records: {first_few(problems, limit=3)}",
            hint="Write one JSON object per line.",
        ) from None


def _json_records(value: Any, name: str) -> list[dict[str, Any]]:
    """The records of a JSON value, wherever it keeps them."""
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return value
    if isinstance(value, dict) and value:
        heads, data = value.get("columns"), value.get("data")
        if isinstance(heads, list) and isinstance(data, list):
            return [dict(zip(map(str, heads), row, strict=False)) for row in data]
        lists = {key: list(column) for key, column in value.items() if _is_column(column)}
        if len(lists) == len(value) and len({len(column) for column in lists.values()}) == 1:
            return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        inner = list(value.values())
        if all(isinstance(column, dict) for column in inner):
            keys = [tuple(column) for column in inner]
            alike = len(set(keys)) == 1 and keys[0] and not any(_nested(column) for column in inner)
            if alike and all(key.isdecimal() for key in keys[0]):  # pandas: {"column": {"0": …}}
                return [{head: value[head][key] for head in value} for key in keys[0]]
            return [{"id": key, **record} for key, record in value.items()]
        if all(isinstance(column, list) and column and isinstance(column[0], dict) for column in inner) and (
            len(value) > 1 or next(iter(value)) not in _UNDER
        ):
            return [{"id": key, **record} for key, records in value.items() for record in records]
        for key in (*_UNDER, *value):
            if isinstance(value.get(key), list | dict) and value[key]:
                return _json_records(value[key], name)
        return [value]
    raise DataError(f"{name} holds no records.", hint=HINT)


def _is_column(value: Any) -> bool:
    return (
        not isinstance(value, str | bytes | Mapping)
        and (isinstance(value, list | tuple) or (hasattr(value, "__iter__") and hasattr(value, "__len__")))
        and not any(isinstance(one, Mapping) for one in value)
    )


def _nested(record: Mapping[str, Any]) -> bool:
    return any(isinstance(value, Mapping | list) for value in record.values())


def unfolded(rows: Sequence[Mapping[str, Any]], folder: str = "") -> list[dict[str, Any]]:
    """The rows of a tool's export with a column per question; other rows as they are."""
    first = rows[0] if rows else {}
    if isinstance(first.get("annotations", first.get("completions")), list) and (
        "data" in first or "result" in first
    ):
        return [line for row in rows for line in _label_studio(row)]
    if any("label_annotations" in row for row in rows):
        return [_potato(row, folder) for row in rows]
    return [dict(row) for row in rows]


def _label_studio(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = dict(task.get("data") or {})
    out = []
    for annotation in task.get("annotations") or task.get("completions") or ():
        if annotation.get("was_cancelled") or annotation.get("ground_truth") or not annotation.get("result"):
            continue
        line = {**data, "annotator": _person(annotation.get("completed_by"))}
        if not data.keys() - {"text", "caption"}:
            line["task"] = task.get("id")
        if annotation.get("lead_time") is not None:
            line["lead time"] = annotation["lead_time"]
        if annotation.get("created_at"):
            line["created at"] = annotation["created_at"]
        for result in annotation["result"]:
            value = result.get("value") or {}
            found = next((value[key] for key in _VALUES if key in value), None)
            if isinstance(found, list):
                found = found[0] if len(found) == 1 else None
            name = str(result.get("from_name", "score"))
            if found is not None:
                line[name if name not in data else f"answer.{name}"] = found
        out.append(line)
    return out


def _person(who: Any) -> Any:
    if isinstance(who, Mapping):
        return who.get("email") or who.get("username") or who.get("id")
    return who


def _potato(row: Mapping[str, Any], folder: str) -> dict[str, Any]:
    rater = next((row[key] for key in ("user_id", "user", "annotator", "username") if row.get(key)), folder)
    item = next((row[key] for key in ("instance_id", "id", "item_id") if row.get(key) is not None), None)
    known = {"user_id", "user", "annotator", "username", "instance_id", "id", "item_id"}
    known |= {"displayed_text", "behavioral_data"}
    rest = {key: value for key, value in row.items() if key not in known and not key.endswith("_annotations")}
    line: dict[str, Any] = {"annotator": rater, "item": item, **rest}
    for question, answers in (row.get("label_annotations") or {}).items():
        line[str(question)] = _answer(answers)
    timing = row.get("behavioral_data") or {}
    if isinstance(timing, Mapping) and isinstance(timing.get("time_spent"), int | float):
        line["time spent"] = timing["time_spent"]
    return line


def _answer(answers: Any) -> Any:
    """The option that was ticked: `{"scale_4": "4"}` is 4, `{"left": true}` is left."""
    if not isinstance(answers, Mapping):
        return answers
    ticked = {
        key: value for key, value in answers.items() if value not in (None, "", False, "0", "false", "off")
    }
    if len(ticked) != 1:
        return None
    ((label, value),) = ticked.items()
    if re.fullmatch(r"-?\d+(\.\d+)?", str(value)) and value is not True:
        inside = re.search(r"\d+$", str(label))
        return inside[0] if inside and str(value) == "1" and inside[0] != "1" else value
    inside = re.search(r"\d+$", str(label))
    if value is True or str(value).lower() in ("true", "on"):
        return inside[0] if inside and re.match(r"scale|likert|option|rating", str(label), re.I) else label
    return value

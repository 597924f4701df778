"""Zip archives with captions: Excel workbooks, and logs of Inspect (inspect-ai).

A workbook's first sheet gives rows of values, by the standard library alone. Sizes are bounded before
anything is unpacked, and a document type in the XML (which could expand without bound) is refused.

A log (`.eval` or JSON) gives JSON Lines of id, completion and target. An `.eval` file is a zip with one JSON
file per sample, compressed with Zstandard, which Python before 3.14 does not read: pyarrow does. Long texts
stand once in `attachments` of the sample, and are named where they belong (`attachment://…`).
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import msgspec

from ..errors import MissingPartError

LARGEST_LOG = 1 << 32  #: bytes of all samples of an unpacked log
_REFERENCE = "attachment://"
_ZSTANDARD = 93  #: the number of the method in a zip
_HEADER = 30  #: bytes of an entry's header before its name
#: what a file that is no log, or a broken one, may raise
_BROKEN = (
    *(msgspec.DecodeError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error),
    *(TypeError, KeyError, AttributeError, IndexError, OSError, struct.error),
)


def log_lines(data: bytes) -> bytes | None:
    """The samples of a log, one line each; None where the file is no log of Inspect."""
    try:
        if data.startswith(b"PK\x03\x04") and b"_journal/start.json" in data:
            samples = list(_zipped(data))
        elif data[:1] == b"{" and all(key in data for key in (b'"samples"', b'"plan"', b'"eval"')):
            log = msgspec.json.decode(data)
            if not isinstance(log, dict) or not {"version", "eval", "samples"} <= log.keys():
                return None
            samples = log["samples"] or []
        else:
            return None
        return b"\n".join(msgspec.json.encode(_record(sample)) for sample in samples)
    except _BROKEN:
        return None


def _zipped(data: bytes) -> Iterator[Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        samples = [each for each in archive.infolist() if each.filename.startswith("samples/")]
        if sum(each.file_size for each in samples) > LARGEST_LOG:
            raise zipfile.BadZipFile("too large")
        for each in samples:
            zstandard = each.compress_type == _ZSTANDARD
            yield msgspec.json.decode(_zstandard(data, each) if zstandard else archive.read(each))


def _zstandard(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    try:
        import pyarrow
    except ImportError:
        raise MissingPartError(
            "An .eval log of Inspect is compressed with Zstandard, which needs pyarrow.",
            hint="pip install 'storymeter[parquet]', or: inspect log convert LOG --to json --output-dir json",
        ) from None
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    begin = entry.header_offset + _HEADER + name + extra
    packed = data[begin : begin + entry.compress_size]
    unpacked: bytes = pyarrow.Codec("zstd").decompress(packed, entry.file_size, asbytes=True)
    return unpacked


def _record(sample: dict[str, Any]) -> dict[str, Any]:
    output = sample.get("output") or {}
    said = output.get("completion")
    if said is None:
        choices = output.get("choices") or [{"message": {"content": ""}}]
        said = choices[0]["message"]["content"]
    if isinstance(said, list):  # parts of a message
        said = "".join(part.get("text", "") for part in said if part.get("type") == "text")
    attachments = sample.get("attachments") or {}
    if said.startswith(_REFERENCE):
        said = attachments[said.removeprefix(_REFERENCE)]
    # several epochs of a sample are several answers, which candidates may not have
    return {"id": sample["id"], "completion": said, "target": sample.get("target")}


LARGEST_SHEET = 1 << 29  #: bytes of XML in one part
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")


class WorkbookError(ValueError):
    """A workbook that cannot be read; the message says why."""


def is_workbook(data: bytes) -> bool:
    return data.startswith(b"PK\x03\x04") and b"xl/" in data


def sheet_rows(data: bytes, number: int = 0) -> list[list[Any]]:
    """The cells of a sheet, by default the first: texts, numbers, truth values, None where a cell is empty.
    The rows of merged cells all have their value."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sheet = _sheets(archive)[number]
            shared = [_text(item) for item in _elements(archive, "xl/sharedStrings.xml", "si")]
            numbered: dict[int, list[Any]] = {}
            for row in _elements(archive, sheet, "row"):
                numbered[int(row.get("r") or len(numbered) + 1)] = _row(row, shared)
            for merged in _elements(archive, sheet, "mergeCell"):
                _fill(numbered, merged.get("ref", ""))
            return list(numbered.values())
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, NotImplementedError, OSError) as error:
        raise WorkbookError(str(error)) from None
    except WorkbookError:
        raise
    except (RuntimeError, EOFError, IndexError, ValueError, zlib.error) as error:  # encrypted, cut off
        raise WorkbookError(str(error)) from None


def count_sheets(data: bytes) -> int:
    """How many sheets a workbook has; 0 where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return len(_sheets(archive))
    except (zipfile.BadZipFile, WorkbookError, OSError):
        return 0


def _fill(numbered: dict[int, list[Any]], ref: str) -> None:
    """Give the rows below the first of merged cells its value (`A2:A4`)."""
    found = _RANGE.fullmatch(ref)
    if not found or found[1] != found[3]:
        return  # a title over several columns
    column, first, last = _column(found[1]), int(found[2]), int(found[4])
    value = next(iter(numbered.get(first, [])[column : column + 1]), None)
    for number in numbered.keys() & set(range(first + 1, min(last, max(numbered, default=0)) + 1)):
        row = numbered[number]
        row += [None] * (column + 1 - len(row))
        row[column] = value


def _sheets(archive: zipfile.ZipFile) -> list[str]:
    names = [n for n in archive.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", n)]
    if not names:
        raise WorkbookError("it holds no sheet")
    return sorted(names, key=lambda name: (len(name), name))


def _elements(archive: zipfile.ZipFile, name: str, tag: str) -> Iterator[ElementTree.Element]:
    if name not in archive.namelist():
        return
    with archive.open(name) as part:
        xml = part.read(LARGEST_SHEET + 1)
    if len(xml) > LARGEST_SHEET:
        raise WorkbookError(f"{name} is larger than {LARGEST_SHEET >> 20} MB")
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
        raise WorkbookError(f"{name} declares a document type")
    for _, element in ElementTree.iterparse(io.BytesIO(xml)):  # noqa: S314 - no document type, bounded size
        if element.tag.rpartition("}")[2] == tag:
            yield element
            element.clear()


def _text(element: ElementTree.Element) -> str:
    """All runs of a text, without the phonetic ones."""
    out = []
    for part in element:
        kind = part.tag.rpartition("}")[2]
        if kind == "t":
            out.append(part.text or "")
        elif kind == "r":
            out += [t.text or "" for t in part if t.tag.rpartition("}")[2] == "t"]
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), "".join(out))


def _row(row: ElementTree.Element, shared: list[str]) -> list[Any]:
    cells: list[Any] = []
    for cell in row:
        if cell.tag.rpartition("}")[2] != "c":
            continue
        place = _CELL.match(cell.get("r", ""))
        column = _column(place[1]) if place else len(cells)
        cells += [None] * (column - len(cells))
        value = _value(cell, shared)
        if column < len(cells):
            cells[column] = value
        else:
            cells.append(value)
    return cells


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: ElementTree.Element, shared: list[str]) -> Any:
    kind = cell.get("t", "n")
    parts = {part.tag.rpartition("}")[2]: part for part in cell}
    if kind == "inlineStr":
        return _text(parts["is"]) if "is" in parts else None
    value = parts["v"].text if "v" in parts else None
    if value is None:
        return None
    if kind == "s":
        return shared[int(value)]
    if kind == "b":
        return value == "1"
    if kind in ("str", "e", "d"):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 1e15 else number

"""Our own exports, JSON Lines and CSV, read by columns: names are numbered as they come, so that a million
ratings never are a million objects. A file that is not regular is read again row by row, to say which rows
are wrong."""

import contextlib
import csv
import io
import itertools
import operator
from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from ..arrays import FloatArray, IntArray
from ..captions import Rating
from ..errors import DataError, first_few
from ..files import unguarded
from .ratings import Labels, Numbering, columns_of

_NAMES = ("item", "system", "rater", "kind", "hit", "pair", "stratum", "held", "campaign")
_NUMBERS = ("value", "position", "seconds")
#: what error spans say beside the score, as columns of CSV; lists and objects are JSON
META_COLUMNS = ("systems", "text", "spans", "missing", "planted")
_AS_JSON = ("systems", "spans", "planted")
#: bytes of JSON Lines and rows of CSV at a time; so few rows do not wake the garbage collector
_BYTES, _ROWS = 1 << 21, 500


class _Line(msgspec.Struct, gc=False):
    """A rating as it is read."""

    item: str
    system: str
    rater: str
    value: float | None
    kind: str = "system"
    hit: str = ""
    pair: str = ""
    position: float | None = None
    seconds: float | None = None
    stratum: str = ""
    held: str = ""
    campaign: str = ""
    meta: msgspec.Raw = msgspec.Raw()


class _Columns:
    """Columns that grow piece by piece."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys
        self.numbering = {key: Numbering() for key in keys if key in _NAMES}
        self.codes: dict[str, list[IntArray]] = {key: [] for key in self.numbering}
        self.numbers: dict[str, list[FloatArray]] = {key: [] for key in keys if key in _NUMBERS}

    def add(self, key: str, piece: Sequence[Any]) -> None:
        if key in _NAMES:
            self.codes[key].append(self.numbering[key].codes(piece))
        else:
            self.numbers[key].append(np.array(piece, dtype=float))  # None becomes NaN

    def whole(self) -> dict[str, Any]:
        return {
            key: (
                self.numbering[key].labels(self.codes[key])
                if key in _NAMES
                else np.concatenate(self.numbers[key] or [np.empty(0)])
            )
            for key in self.keys
        }


def storymeter(raw: bytes, name: str, notes: list[str]) -> dict[str, Any]:
    if raw.lstrip()[:1] == b"{":
        try:
            return _json_columns(raw)
        except msgspec.MsgspecError:
            rows = json_lines(raw, name)  # says which lines, or reads numbers that came as text
    else:
        content = text(raw, name)
        quick = csv_columns(content)
        if quick is not None:
            credit_all(quick)
            return quick
        rows = csv_rows(content, name)
    columns: dict[str, Any] = columns_of(rows)
    columns["systems"] = [_systems(row.meta) for row in rows]
    if not any(columns["systems"]):
        del columns["systems"]
        credit_all(columns)
    return columns


def _json_columns(raw: bytes) -> dict[str, Any]:
    decoder, columns = msgspec.json.Decoder(_Line), _Columns((*_NAMES, *_NUMBERS))
    shared, on_hold = b'"systems"' in raw, b'"held":' in raw
    systems: list[list[str] | None] = []
    held: list[str] = []
    for piece in _pieces(raw):
        lines = decoder.decode_lines(piece)
        for key in columns.keys:
            columns.add(key, list(map(operator.attrgetter(key), lines)))
        if shared:
            systems += [_systems(line.meta) for line in lines]
        if on_hold:
            held += [line.held or _held(line.meta) for line in lines]
    out = columns.whole()
    if on_hold:
        out["held"] = held
    if shared:
        out["systems"] = systems
    else:
        credit_all(out)
    return out


def _pieces(raw: bytes) -> Iterator[memoryview]:
    """Whole lines, some megabytes at a time."""
    begin, view = 0, memoryview(raw)
    while begin < len(raw):
        end = raw.find(b"\n", begin + _BYTES) + 1 or len(raw)
        yield view[begin:end]
        begin = end


def csv_columns(content: str) -> dict[str, Any] | None:
    """A regular table, column by column; None where a row needs a closer look (then `csv_rows` says what is
    wrong).
    """
    reader = csv.reader(io.StringIO(content, newline=""))
    head = next(reader, [])
    place = {key: head.index(key) for key in (*_NAMES, *_NUMBERS) if key in head}
    if (
        len(set(head)) < len(head)
        or "meta" in head
        or not {"item", "system", "rater", "value"} <= place.keys()
    ):
        return None
    columns = _Columns(tuple(place))
    quoted = "'" in content
    try:
        while rows := list(itertools.islice(reader, _ROWS)):
            if {len(row) for row in rows} != {len(head)}:
                return None
            cells = list(zip(*rows, strict=True))
            columns.add("value", list(map(float, cells[place["value"]])))
            for key in place.keys() - {"value"}:
                column: Sequence[Any] = (
                    list(map(unguarded, cells[place[key]])) if quoted else cells[place[key]]
                )
                if key == "kind" and "" in column:
                    column = [kind or "system" for kind in column]
                columns.add(
                    key, column if key in _NAMES else [float(cell) if cell else None for cell in column]
                )
    except (ValueError, csv.Error):
        return None
    return columns.whole()


def records(raw: bytes, name: str) -> list[Rating]:
    """Row by row, with all that a row says."""
    return json_lines(raw, name) if raw.lstrip()[:1] == b"{" else csv_rows(text(raw, name), name)


def json_lines(raw: bytes, name: str) -> list[Rating]:
    decoder = msgspec.json.Decoder(Rating, strict=False)
    try:
        return decoder.decode_lines(raw)
    except msgspec.MsgspecError:
        with contextlib.suppress(msgspec.MsgspecError):
            msgspec.json.decode(raw)
            raise DataError(
                f"{name} is one JSON value, not a rating per line.",
                hint=(
                    "Ratings come from storymeter human export, or as a table; captions are scored with"
                    " storymeter score."
                ),
            ) from None
        problems = []
        for number, line in enumerate(raw.splitlines(), 1):
            try:
                if line.strip():
                    decoder.decode(line)
            except msgspec.MsgspecError as error:
                problems.append(f"line {number}: {error}")
        raise DataError(
            f"{name}: {len(problems):,} lines are not ratings: {first_few(problems, limit=3)}",
            hint="A line is a JSON object with at least item, system, rater and value.",
        ) from None


def csv_rows(content: str, name: str) -> list[Rating]:
    reader = csv.DictReader(io.StringIO(content, newline=""))
    require_columns(
        name,
        reader.fieldnames or (),
        ("item", "system", "rater", "value"),
        "A table of ratings needs item, system, rater and value.",
    )
    out, problems = [], []
    known = set(Rating.__struct_fields__)
    for number, row in enumerate(reader, 2):
        cells: dict[str, Any] = {
            key: unguarded(cell) for key, cell in row.items() if key in known and cell not in (None, "")
        }
        try:
            if "meta" in cells:
                cells["meta"] = msgspec.json.decode(cells["meta"])
            cells.setdefault(
                "meta",
                {
                    key: msgspec.json.decode(row[key]) if key in _AS_JSON else unguarded(row[key])
                    for key in ("state", "against", "stratum", "held", "comment", *META_COLUMNS)
                    if row.get(key)
                },
            )
            out.append(
                msgspec.convert({"item": "", "system": "", "rater": "", **cells}, Rating, strict=False)
            )
        except msgspec.MsgspecError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise DataError(
            f"{name}: {len(problems):,} rows are not ratings: {first_few(problems, limit=3)}",
            hint="Correct these rows, or remove them.",
        )
    return out


def studies(raw: bytes) -> list[Any]:
    """What lines say of their campaign (`meta.study`): the first line of each export."""
    if raw.lstrip()[:1] != b"{":
        with contextlib.suppress(UnicodeDecodeError, csv.Error, msgspec.MsgspecError):
            head = raw[: raw.find(b"\n") + 1]
            if b"study" in head:
                rows = csv.DictReader(io.StringIO(raw.decode(), newline=""))
                cell = next(iter(rows), {}).get("study")
                return [msgspec.json.decode(cell)] if cell else []
        return []
    found, at = [], raw.find(b'"study":{')
    while at >= 0:
        begin, end = raw.rfind(b"\n", 0, at) + 1, raw.find(b"\n", at)
        with contextlib.suppress(msgspec.MsgspecError, AttributeError, TypeError):
            line = msgspec.json.decode(raw[begin : end if end >= 0 else len(raw)])
            found += [line["meta"]["study"]] if "study" in line.get("meta", {}) else []
        at = raw.find(b'"study":{', end) if end >= 0 else -1
    return found


def credit_all(columns: dict[str, Any]) -> None:
    """`a+b` means that both wrote the caption, where both are known by themselves."""
    names = columns["system"].names if isinstance(columns["system"], Labels) else set(columns["system"])
    if not any("+" in name for name in names):
        return
    known = {name for name in names if "+" not in name}
    parts = {
        name: several if len(several := name.split("+")) > 1 and known.issuperset(several) else None
        for name in names
    }
    columns["systems"] = [parts[name] for name in Labels.of(columns["system"]).to_list()]


def require_columns(name: str, there: Container[str], wanted: Sequence[str], hint: str) -> None:
    lacking = [key for key in wanted if key not in there]
    if lacking:
        raise DataError(f"{name} has no column {', '.join(lacking)}.", hint=hint)


def text(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not UTF-8 (byte {error.start:,}).", hint="Convert it: iconv -f latin1 -t utf-8 FILE"
        ) from None


def _held(meta: msgspec.Raw) -> str:
    return str(_known(meta).get("held", "")) if b'"held":' in bytes(meta) else ""


def _known(meta: msgspec.Raw | dict[str, Any]) -> dict[str, Any]:
    known = msgspec.json.decode(meta) if isinstance(meta, msgspec.Raw) and bytes(meta) else meta
    return known if isinstance(known, dict) else {}


def _systems(meta: msgspec.Raw | dict[str, Any]) -> list[str] | None:
    several = _known(meta).get("systems")
    return [str(name) for name in several] if isinstance(several, list) else None

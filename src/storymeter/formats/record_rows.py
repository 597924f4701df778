"""Rows of records: tables of columns as rows, and records that hold several captions cut into a row per
caption.

    {"columns": […], "data": [[…]]}                                         tables of pandas and W&B
    {"video_id": {"0": "a"}, "caption": {"0": "…"}}                         columns by index
    {"video_id": "a", "events": [{"start": 0, "end": 4, "caption": "…"}]}   a list of timed captions
    {"video_id": "a", "timestamps": [[0, 4]], "captions": ["…"]}            parallel lists

The fields around the captions stand in `Row.parent`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import aliases
from .aliases import Role, is_text_name, plain, tier
from .problems import Path, is_number, named
from .spans import times

VALUE = "(text)"  #: the field of a text that stands directly under its id
KEY = "(key)"  #: the id is the key under which the record stands
FILE = "(file)"  #: the id is the name of the file
NUMBER = "(number)"  #: the id is the number of the line or of the member of a list
_DEEP = 6


@dataclass(slots=True)
class Row:
    """One record, or one caption of a record whose other fields are in `parent`."""

    at: Path
    fields: dict[str, Any]
    key: str | None = None
    parent: dict[str, Any] | None = None
    #: rows cut out of one record have the same number
    group: int = 0
    #: the member's own number within its record
    member: int = 0


@dataclass(slots=True)
class Found:
    """The rows of a file, what stood around them, and what could not be read as a row."""

    rows: list[Row]
    keyed: bool = False
    #: what the rows were taken from, in words, where it was a choice
    under: str = ""
    wrong: list[tuple[Path, Any]] = field(default_factory=list)
    #: containers that fit equally well
    question: tuple[str, ...] = ()
    rest: dict[str, Any] = field(default_factory=dict)
    #: the file holds one record without an id
    single: bool = False
    #: the keys are the numbers of the members of a list
    numbered: bool = False


@dataclass(frozen=True)
class Unfit:
    """A part of a file that is no record, and why."""

    message: str
    detail: str


@dataclass(frozen=True)
class Unequal:
    """Two lists of a record that should be equally long."""

    texts: str
    times: str


def explode(found: Found, role: Role | None, text: str = "") -> tuple[str, ...]:
    """Cut records that hold lists of captions into a row per caption, in place. Returns the fields that fit
    equally well where there are several: nothing is cut then."""
    holders = [
        name
        for name in dict.fromkeys(n for row in found.rows[:200] for n in row.fields)
        if (
            name in (VALUE, text) and any(_is_list_of_items(row.fields.get(name)) for row in found.rows[:200])
        )
        or any(holds_captions(name, row.fields[name]) for row in found.rows[:200] if name in row.fields)
    ]
    if len(holders) > 1:
        wanted = [n for n in holders if aliases.is_reference_name(n) == (role == "references")]
        holders = wanted or holders
        timed = [n for n in holders if any(_is_timed_list(row.fields.get(n)) for row in found.rows[:200])]
        holders = timed if len(timed) == 1 else holders
        tiers = {n: aliases.text_tier(n, role) or 50 for n in holders}
        best = [n for n in holders if tiers[n] == min(tiers.values())]
        holders = best if len(best) == 1 else holders
    if text in holders:
        holders = [text]
    if len(holders) > 1 or (role == "candidates" and any(map(aliases.is_reference_name, holders))):
        return tuple(holders)
    rows: list[Row] = []
    for row in found.rows:
        rows += _members(row, holders[0], found) if holders else _parallel(row, found)
    found.rows = rows
    return ()


def _is_list_of_items(cell: Any) -> bool:
    if isinstance(cell, dict):
        return _lists_of_fields(cell) is not None
    return isinstance(cell, list) and bool(cell) and any(isinstance(m, dict) or is_triple(m) for m in cell)


def _is_timed_list(cell: Any) -> bool:
    members = cell if isinstance(cell, list) else list(cell.values()) if isinstance(cell, dict) else []
    if isinstance(cell, dict) and has_time(cell):
        return True
    return any(has_time(m) if isinstance(m, dict) else is_triple(m) for m in members[:20])


def _members(row: Row, name: str, found: Found) -> list[Row]:
    cell = _unwrapped(row.fields.get(name))
    if isinstance(cell, str) or name not in row.fields or cell is None:
        return [row]
    parent = {n: c for n, c in row.fields.items() if n != name}
    place = row.at if name == VALUE else (*row.at, name)
    if isinstance(cell, dict):
        size = _lists_of_fields(cell)
        if size is not None:
            listed: list[tuple[Any, Any]] = [(i, {n: c[i] for n, c in cell.items()}) for i in range(size)]
        elif all(isinstance(m, dict) for m in cell.values()):
            listed = list(cell.items())
        else:
            listed = [(None, cell)]
    else:
        listed = list(enumerate(cell)) if isinstance(cell, list) else [(None, cell)]
    out = []
    for n, (step, member) in enumerate(listed):
        at = place if step is None else (*place, step)
        if isinstance(member, list):
            member = positions(member) or (member if all(isinstance(m, str) for m in member) else None)
            member = {VALUE: member} if isinstance(member, list) else member
        elif isinstance(member, str):
            member = {VALUE: member}
        if not isinstance(member, dict):
            found.wrong.append((at, listed[n][1]))
            continue
        out.append(Row(at, member, row.key, parent, row.group, n))
    if not listed:
        out.append(Row(place, {VALUE: []}, row.key, parent, row.group))
    return out


def _parallel(row: Row, found: Found) -> list[Row]:
    """`{"timestamps": [[0, 4]], "captions": ["…"]}`, `{"start": [0], "end": [4], "text": ["…"]}`"""
    texts = [n for n, c in row.fields.items() if is_texts(c) and is_text_name(n)]
    spans = [n for n, c in row.fields.items() if isinstance(c, list) and c and _are_times(n, c)]
    if not texts or not spans:
        return [row]
    size = len(row.fields[texts[0]])
    if any(len(row.fields[n]) != size for n in spans):
        found.wrong.append((row.at, Unequal(texts[0], spans[0])))
        return []
    lists = [
        n for n, c in row.fields.items() if isinstance(c, list) and len(c) == size and n in (*texts, *spans)
    ]
    parent = {n: c for n, c in row.fields.items() if n not in lists}
    return [
        Row((*row.at, texts[0], i), {n: row.fields[n][i] for n in lists}, row.key, parent, row.group, i)
        for i in range(size)
    ]


def holds_captions(name: str, cell: Any, *, timed: bool = False) -> bool:
    """A list of objects or of [start, end, text] under the name of captions."""
    key = plain(name)
    if key in aliases.INNER or key in aliases.IMAGES:
        return False
    fits = key in aliases.WRAPPERS or is_text_name(name) or key in aliases.SPAN
    if not fits:
        return False
    cell = _unwrapped(cell)
    if isinstance(cell, dict):
        return _lists_of_fields(cell) is not None or (
            bool(cell) and all(isinstance(m, dict) and _speaks(m, timed) for m in list(cell.values())[:20])
        )
    if not isinstance(cell, list) or not cell:
        return False
    return any(_speaks(m, timed) if isinstance(m, dict) else is_triple(m) for m in cell[:20])


def _unwrapped(cell: Any) -> Any:
    """The list inside of objects of one key, and of lists of one list."""
    for _ in range(_DEEP):
        if isinstance(cell, dict) and len(cell) == 1:
            (inner,) = cell.values()
            if not (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
                return cell
        elif (
            isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], list) and not is_triple(cell[0])
        ):
            inner = cell[0]
        else:
            return cell
        cell = inner
    return cell


def _speaks(member: dict[str, Any], timed: bool) -> bool:
    texts = any(is_text_name(n) for n in member)
    return texts and (not timed or has_time(member))


def has_time(names: Iterable[str]) -> bool:
    return any(
        tier(n, aliases.START) or tier(n, aliases.SPAN) or _scaled(n, "start", "begin", "framestart")
        for n in names
    )


def _scaled(name: str, *heads: str) -> bool:
    """Whether a name that begins like this is that of a time in milliseconds or frames."""
    return bool(aliases.unit(name)) and plain(name).startswith(heads)


def is_triple(member: Any) -> bool:
    """[start, end, text], [[start, end], text], [text, start, end] or [text, [start, end]]"""
    return isinstance(member, list) and positions(member) is not None


def positions(member: list[Any]) -> dict[str, Any] | None:
    """The parts of a timed caption in a list, by name."""

    def time(value: Any) -> bool:
        if isinstance(value, str):
            return len(value) < 16 and any(c.isdigit() for c in value) and " " not in value.strip()
        return is_number(value)

    def pair(value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and all(time(v) for v in value)

    match member:
        case [a, b, str(text)] if time(a) and time(b):
            return {"start": a, "end": b, VALUE: text}
        case [str(text), a, b] if time(a) and time(b):
            return {"start": a, "end": b, VALUE: text}
        case [span, str(text)] if pair(span):
            return {"segment": span, VALUE: text}
        case [str(text), span] if pair(span):
            return {"segment": span, VALUE: text}
    return None


def _lists_of_fields(cell: dict[str, Any]) -> int | None:
    """The size of an object of equally long lists that hold texts and times (a sequence of `datasets`)."""
    if not cell or not all(isinstance(column, list) for column in cell.values()):
        return None
    sizes = {len(column) for column in cell.values()}
    texts = any(is_text_name(n) for n in cell)
    named = sum(map(aliases.known, cell))
    return sizes.pop() if len(sizes) == 1 and texts and named > 1 else None


def is_texts(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(each, str) for each in cell)


def _are_times(name: str, cell: list[Any]) -> bool:
    """Whether a list under this name holds spans, starts or ends."""
    one_pair = (
        len(cell) == 2 and not isinstance(cell[0], list) and times(f"{cell[0]} - {cell[1]}") is not None
    )
    if tier(name, aliases.SPAN) and all(isinstance(p, list | str) for p in cell) and not one_pair:
        return True
    edge = tier(name, aliases.START) or tier(name, aliases.END) or aliases.sided(name)
    texts = all(isinstance(c, str) and not any(ch.isdigit() for ch in c) for c in cell)
    return bool(edge or _scaled(name, "start", "begin", "end", "stop", "frame")) and not texts


def columns_and_data(value: dict[str, Any], at: Path) -> Found | None:
    """`{"columns": […], "data": [[…]]}` of W&B and pandas, `{"schema": …, "data": [{…}]}` of pandas."""
    tables = [
        n for n, c in value.items() if isinstance(c, list) and c and all(isinstance(r, list) for r in c)
    ]
    under = "data" if "data" in value or len(tables) != 1 else tables[0]
    data = value.get(under)
    if not isinstance(data, list):
        return None
    head = value.get("columns")
    if head is None and (heads := _heads(value, data)):
        if len(heads) > 1:
            return Found([], wrong=[((*at, under), data)])
        head = value[heads[0]]
    if isinstance(head, list) and not data:
        return Found([], wrong=[((*at, under), data)])
    if isinstance(head, list) and all(isinstance(row, list) for row in data):
        names = [str(c.get("name", i)) if isinstance(c, dict) else str(c) for i, c in enumerate(head)]
        return rows_of_cells(names, enumerate(data), (*at, under))
    return None


def rows_of_cells(names: list[str], listed: Iterable[tuple[int, list[Any]]], at: Path) -> Found:
    """Numbered lists of cells as rows of these fields; a list of another length is wrong."""
    found = Found([])
    for i, cells in listed:
        if len(cells) == len(names):
            found.rows.append(Row((*at, i), dict(zip(names, cells, strict=True)), group=i))
        else:
            found.wrong.append(((*at, i), cells))
    return found


def _heads(value: dict[str, Any], data: list[Any]) -> list[str]:
    """The keys of lists that may name the columns of `data` where there is no key `columns`."""
    if not all(isinstance(row, list) for row in data):
        return []
    if not any(isinstance(cell, str) for row in data for cell in row):
        return []
    widths = {len(row) for row in data} - {0, 1}
    fits = [n for n, cell in value.items() if is_texts(cell) and len(set(cell)) == len(cell) in widths]
    known = {n: sum(map(aliases.known, value[n])) for n in fits if plain(n) != "index"}
    if strong := [n for n, count in known.items() if count > 1]:
        return strong
    return [n for n, count in known.items() if count or all(len(head.split()) == 1 for head in value[n])]


def columns(value: dict[str, Any], at: Path) -> Found | None:
    """An object of columns, each a list or an object by index, as pandas writes it."""
    if len(value) < 2 or not all(isinstance(column, list | dict) for column in value.values()):
        return None
    has_text = any(map(is_text_name, value))
    has_id = any(tier(n, aliases.IDS) for n in value)
    if not (has_text and has_id and 2 * sum(map(aliases.known, value)) >= len(value)):
        return None
    lists = [isinstance(column, list) for column in value.values()]
    if any(lists) and not all(lists):
        return _odd_columns(value, at)
    cells = {n: dict(enumerate(c)) if isinstance(c, list) else c for n, c in value.items()}
    index = list(dict.fromkeys(key for column in cells.values() for key in column))
    nested = any(isinstance(cell, dict) for column in cells.values() for cell in list(column.values())[:20])
    gaps = not all(lists) and any(len(column) * 2 <= len(index) for column in cells.values())
    if nested or gaps:
        return _odd_columns(value, at)
    rows = [
        Row((*at, key), {n: column[key] for n, column in cells.items() if key in column}, group=i)
        for i, key in enumerate(index)
    ]
    return Found(rows) if rows else None


def _odd_columns(value: dict[str, Any], at: Path) -> Found | None:
    """Columns by index, of which some have another index or hold no cells: an error, if the id is one."""
    cells = {
        n: c
        for n, c in value.items()
        if isinstance(c, dict) and not any(isinstance(cell, dict | list) for cell in c.values())
    }
    ids = [n for n in cells if tier(n, aliases.IDS) is not None and is_counter(list(cells[n]))]
    odd = [n for n in value if n not in cells or (ids and not value[n].keys() & value[ids[0]].keys())]
    if not ids or not odd:
        return None
    message = f"the column does not hold a cell for each of {ids[0]!r}"
    return Found([], wrong=[((*at, n), Unfit(message, f"found {named(value[n])}")) for n in odd])


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


def is_counter(values: Sequence[Any]) -> bool:
    """0, 1, 2 … or 1, 2, 3 …, also as texts."""
    try:
        numbers = [int(value) for value in values]
    except (TypeError, ValueError):
        return False
    return numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))

"""Rows of records, and records that hold several captions cut into a row per caption.

    {"video_id": "a", "events": [{"start": 0, "end": 4, "caption": "…"}]}   a list of timed captions
    {"video_id": "a", "timestamps": [[0, 4]], "captions": ["…"]}            parallel lists

The fields around the captions stand in `Row.parent`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import aliases
from .aliases import Role, plain, tier
from .problems import Path
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


def annotated(value: list[Any], at: Path) -> Found | None:
    """Captions of Label Studio: `[{"data": {…}, "annotations": [{"result": [{"value": …}]}]}]`"""
    found = Found([])

    def listed(cell: Any, place: Path) -> list[tuple[Path, dict[str, Any]]]:
        """The objects of a list; what is none is kept as wrong."""
        members = cell if isinstance(cell, list) else [cell]
        found.wrong += [((*place, n), m) for n, m in enumerate(members) if not isinstance(m, dict)]
        return [((*place, n), m) for n, m in enumerate(members) if isinstance(m, dict)]

    for i, task in enumerate(value):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict) or "annotations" not in task:
            return None
        parent = task["data"]
        if not any(tier(name, aliases.IDS) for name in parent):
            parent = {"task_id": task.get("id"), **parent}
        for at_annotation, annotation in listed(task["annotations"], (*at, i, "annotations")):
            group = len(found.rows)
            for place, result in listed(annotation.get("result"), (*at_annotation, "result")):
                cell = result.get("value")
                if not isinstance(cell, dict):
                    found.wrong.append((place, result))
                elif text := cell.get("text"):
                    lines = text if isinstance(text, list) else [text]
                    if not is_texts(lines):
                        found.wrong.append(((*place, "value", "text"), text))
                        continue
                    fields = {**cell, "text": "\n".join(lines)}
                    found.rows.append(Row((*place, "value"), fields, None, parent, group))
                elif any(_speech(c) for n, c in cell.items() if not n.endswith(("labels", "choices"))):
                    found.wrong.append(((*place, "value"), cell))
    return found if found.rows else None


def _speech(cell: Any) -> bool:
    """A list of texts, or an object or a list that holds one."""
    inner = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else ()
    return is_texts(cell) or any(map(_speech, inner))


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
    texts = [n for n, c in row.fields.items() if is_texts(c) and aliases.text_tier(n, None) is not None]
    spans = [
        n
        for n, c in row.fields.items()
        if isinstance(c, list)
        and c
        and (
            (tier(n, aliases.SPAN) and all(isinstance(p, list | str) for p in c) and not _one_pair(c))
            or (
                (tier(n, aliases.START) or tier(n, aliases.END) or _scaled_any(n) or aliases.sided(n))
                and not _texts_only(c)
            )
        )
    ]
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
    fits = key in aliases.WRAPPERS or aliases.text_tier(name, None) is not None or key in aliases.SPAN
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
    texts = any(aliases.text_tier(n, None) is not None for n in member)
    return texts and (not timed or has_time(member))


def has_time(names: Iterable[str]) -> bool:
    return any(
        tier(n, table) is not None or _scaled(n) for n in names for table in (aliases.START, aliases.SPAN)
    )


def _scaled(name: str) -> bool:
    key = plain(name)
    return bool(aliases.unit(name)) and key.startswith(("start", "begin", "framestart", "startframe"))


def is_triple(member: Any) -> bool:
    """[start, end, text], [[start, end], text], [text, start, end] or [text, [start, end]]"""
    return isinstance(member, list) and positions(member) is not None


def positions(member: list[Any]) -> dict[str, Any] | None:
    """The parts of a timed caption in a list, by name."""

    def time(value: Any) -> bool:
        if isinstance(value, str):
            return len(value) < 16 and any(c.isdigit() for c in value) and " " not in value.strip()
        return isinstance(value, int | float) and not isinstance(value, bool)

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
    texts = any(aliases.text_tier(n, None) is not None for n in cell)
    named = sum(map(aliases.known, cell))
    return sizes.pop() if len(sizes) == 1 and texts and named > 1 else None


def is_texts(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(each, str) for each in cell)


def _one_pair(cell: list[Any]) -> bool:
    return len(cell) == 2 and not isinstance(cell[0], list) and times(f"{cell[0]} - {cell[1]}") is not None


def _texts_only(cell: list[Any]) -> bool:
    return all(isinstance(c, str) and not any(ch.isdigit() for ch in c) for c in cell)


def _scaled_any(name: str) -> bool:
    key = plain(name)
    return bool(aliases.unit(name)) and key.startswith(("start", "begin", "end", "stop", "frame"))

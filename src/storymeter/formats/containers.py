"""Any container of records as one list of rows: JSON of every usual shape, JSON Lines, tables, lines of text.

    [{"video_id": "a", "caption": "…"}]                 a row per record
    {"a": "…"}  {"a": ["…"]}  {"a": {"caption": "…"}}   a row per key
    {"results": […]}  {"images": […], "annotations": […]}   the records under a key
    {"columns": […], "data": [[…]]}  {"video_id": {"0": "a"}, "caption": {"0": "…"}}   a row per index
    [["a", "…"]]                                        a row per list, fields by position

A record that holds a list of timed captions, or parallel lists of times and texts, becomes a row per caption;
the fields around it stand in `Row.parent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import aliases
from .aliases import Role, plain, tier
from .items import is_item
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


def unfold(value: Any, role: Role | None = None, at: Path = (), depth: int = 0) -> Found | None:
    """The rows of a JSON value; None where it holds no records."""
    if depth > _DEEP or not isinstance(value, dict | list) or not value:
        return None
    return _of_list(value, role, at, depth) if isinstance(value, list) else _of_dict(value, role, at, depth)


# -- lists


def _of_list(value: list[Any], role: Role | None, at: Path, depth: int) -> Found | None:
    kinds = {type(member) for member in value}
    if kinds <= {str}:
        rows = [Row((*at, i), {VALUE: text}, str(i + 1), group=i) for i, text in enumerate(value)]
        return Found(rows, True, numbered=True)
    if list in kinds and dict not in kinds:
        return _of_lists(value, at)
    flat: list[tuple[Path, Any]] = []
    for i, member in enumerate(value):
        if isinstance(member, list) and member and all(isinstance(each, dict) for each in member):
            flat += [((*at, i, j), each) for j, each in enumerate(member)]
        else:
            flat.append(((*at, i), member))
    records = [(place, member) for place, member in flat if isinstance(member, dict)]
    if not records:
        return None
    found = Found(
        [Row(place, member, group=n) for n, (place, member) in enumerate(records)],
        wrong=[(place, member) for place, member in flat if not isinstance(member, dict)],
    )
    if all(len(r) == 1 for _, r in records) and len({k for _, r in records for k in r}) == len(records) > 1:
        (names,) = ([key for _, record in records for key in record],)
        if not any(aliases.known(name) for name in names):  # [{"a": "…"}, {"b": "…"}]
            merged = _of_dict({k: v for _, r in records for k, v in r.items()}, role, at, depth + 1)
            if merged and merged.keyed:
                places = {k: place for place, r in records for k in r}
                for row in merged.rows:
                    row.at = (*places.get(row.key or "", at), *row.at[len(at) :])
                merged.wrong += found.wrong
                return merged
    return found


def _of_lists(value: list[Any], at: Path) -> Found | None:
    """A table of lists; the first one may be the head."""
    lists = [(i, member) for i, member in enumerate(value) if isinstance(member, list)]
    width = max(len(member) for _, member in lists)
    head = [str(cell) for cell in lists[0][1]]
    named = (
        len(lists) > 1
        and all(isinstance(cell, str) for cell in lists[0][1])
        and len(set(head)) == len(head)
        and sum(aliases.known(cell) for cell in head) >= 2
    )
    names = head if named else [str(i) for i in range(width)]
    if width < 2:
        return None
    found = Found([])
    for i, member in lists[1:] if named else lists:
        if len(member) != len(names):
            found.wrong.append(((*at, i), member))
        else:
            row = dict(zip(names, member, strict=True))
            found.rows.append(Row((*at, i), row, group=i))
    found.wrong += [((*at, i), m) for i, m in enumerate(value) if not isinstance(m, list)]
    return found


# -- objects


def _of_dict(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    found = _columns_and_data(value, at) or _columns(value, at)
    if found:
        return found
    if _is_record(value):
        return Found([Row(at, value)], single=not _own_id(value))
    if depth < _DEEP and (found := _wrapped(value, role, at, depth)):
        return found
    if _is_part_of_record(value):
        return Found([Row(at, value)], single=not _own_id(value))
    return _by_id(value, role, at, depth)


def _is_part_of_record(value: dict[str, Any]) -> bool:
    """One record in which something is lacking or has another name: no key is an id."""
    texts = [n for n in value if len(plain(n)) > 1 and aliases.text_tier(n, None) is not None]
    others = [cell for n, cell in value.items() if n not in texts]
    if all(map(aliases.known, value)):
        return any(isinstance(cell, str | int | float) for cell in value.values()) or bool(texts)
    ids = [n for n in value if (tier(n, aliases.IDS) or 9) < 3 and not aliases.text_tier(n, None)]
    scalar = all(isinstance(cell, str | int | float | None) for cell in value.values())
    if scalar and any(isinstance(value[n], int) or len(str(value[n]).split()) == 1 for n in ids):
        return True
    if not texts or not all(isinstance(cell, str | int | float | None) for cell in others):
        return False
    return not any(isinstance(cell, str) and len(cell.split()) > 1 for cell in others)


def _columns_and_data(value: dict[str, Any], at: Path) -> Found | None:
    """`{"columns": […], "data": [[…]]}` of W&B and pandas, `{"schema": …, "data": [{…}]}` of pandas."""
    data = value.get("data")
    if not isinstance(data, list):
        return None
    columns = value.get("columns")
    if isinstance(columns, list) and not data:
        return Found([], wrong=[((*at, "data"), data)])
    if isinstance(columns, list) and all(isinstance(row, list) for row in data):
        names = [str(c.get("name", i)) if isinstance(c, dict) else str(c) for i, c in enumerate(columns)]
        rows, wrong = [], []
        for i, row in enumerate(data):
            place = (*at, "data", i)
            if len(row) == len(names):
                rows.append(Row(place, dict(zip(names, row, strict=True)), group=i))
            else:
                wrong.append((place, row))
        return Found(rows, wrong=wrong)
    return None


def _columns(value: dict[str, Any], at: Path) -> Found | None:
    """An object of columns, each a list or an object by index, as pandas writes it."""
    if len(value) < 2 or not all(isinstance(column, list | dict) for column in value.values()):
        return None
    names = list(value)
    has_text = any(aliases.text_tier(n, None) is not None for n in names)
    has_id = any(tier(n, aliases.IDS) is not None for n in names)
    if not (has_text and has_id and sum(aliases.known(n) for n in names) * 2 >= len(names)):
        return None
    columns = list(value.values())
    if all(isinstance(column, dict) for column in columns):
        index = list(dict.fromkeys(key for column in columns for key in column))
        scalars = not any(isinstance(cell, dict) for column in columns for cell in list(column.values())[:20])
        if not scalars or not all(len(column) * 2 > len(index) for column in columns):
            return None
        return Found(
            [
                Row((*at, key), {n: column[key] for n, column in value.items() if key in column}, group=i)
                for i, key in enumerate(index)
            ]
        )
    if all(isinstance(column, list) for column in columns) and not any(
        isinstance(cell, dict) for column in columns for cell in column[:20]
    ):
        size = max(map(len, columns))
        found = Found(
            [
                Row((*at, i), {n: column[i] for n, column in value.items() if i < len(column)}, group=i)
                for i in range(size)
            ]
        )
        return found if size else None
    return None


def _own_id(value: dict[str, Any]) -> bool:
    return any(
        tier(name, aliases.IDS) is not None and isinstance(cell, str | int | list) and not _many(cell)
        for name, cell in value.items()
    )


def _many(cell: Any) -> bool:
    return isinstance(cell, list) and (len(cell) != 1 or not isinstance(cell[0], str | int))


def _is_record(value: dict[str, Any]) -> bool:
    """One record alone: an id and a text or captions; or timed captions without an id."""
    texts = [n for n in value if aliases.text_tier(n, None) is not None]
    written = [n for n in texts if isinstance(value[n], str)]
    if _own_id(value) and (written or any(_holds_captions(n, value[n]) for n in value)):
        inner = [n for n in value if plain(n) in aliases.WRAPPERS and _has_ids(value[n])]
        return not inner
    if is_item(value) and (written or any(_texts(value[n]) for n in texts)):
        return True
    events = [n for n in value if _holds_captions(n, value[n], timed=True) and not _has_ids(value[n])]
    return bool(events) and all(
        aliases.known(n) or plain(n) in aliases.WRAPPERS | aliases.BESIDE for n in value
    )


def _texts(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(each, str) for each in cell)


def _has_ids(cell: Any) -> bool:
    """A list of records that name their items themselves; numbers from 0 or 1 on are no such names."""
    if not isinstance(cell, list):
        return False
    members = [member for member in cell[:50] if isinstance(member, dict)]
    for name in dict.fromkeys(n for member in members for n in member):
        if (found := tier(name, aliases.IDS)) is None:
            continue
        ids = [m[name] for m in members if name in m]
        if all(isinstance(i, str | int) and not isinstance(i, bool) for i in ids) and (
            found == 1 or not is_counter(ids)
        ):
            return True
    return False


def is_counter(values: Sequence[Any]) -> bool:
    """0, 1, 2 … or 1, 2, 3 …, also as texts."""
    try:
        numbers = [int(value) for value in values]
    except (TypeError, ValueError):
        return False
    return numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))


def _holds_captions(name: str, cell: Any, *, timed: bool = False) -> bool:
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


def _wrapped(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    """The records under a key, alone or beside others that hold no captions."""
    inner = {
        name: cell
        for name, cell in value.items()
        if isinstance(cell, dict | list) and cell and plain(name) not in aliases.BESIDE
    }
    named = [n for n in inner if aliases.is_part(n)]
    if not inner:  # no captions beside `videos` or `images`, but perhaps in them
        inner = {
            n: cell for n, cell in value.items() if isinstance(cell, dict | list) and _holds_records(cell)
        }
        named = list(inner)
    fields = [
        n for n in value if n in named or plain(n) in aliases.BESIDE or not isinstance(value[n], dict | list)
    ]
    if not named or len(fields) < len(value):
        return _of_parts(value, inner, role, at, depth)
    if any(isinstance(value[n], str) and plain(n) not in aliases.BESIDE for n in value if n not in inner):
        texts = [n for n in value if isinstance(value[n], str) and aliases.text_tier(n, None) is not None]
        if texts:
            return None
    return _choose({n: inner[n] for n in named}, value, role, at, depth)


def _holds_records(cell: Any) -> bool:
    members = cell[:20] if isinstance(cell, list) else list(cell.values())[:20]
    return any(
        isinstance(m, dict)
        and any((isinstance(c, str) and _is_text_name(n)) or _holds_captions(n, c) for n, c in m.items())
        for m in members
    )


def _is_text_name(name: str) -> bool:
    return aliases.text_tier(name, None) is not None


def _of_parts(
    value: dict[str, Any], inner: dict[str, Any], role: Role | None, at: Path, depth: int
) -> Found | None:
    """Names that nobody knows over containers: `{"my-model": {"a": "…"}}`, `{"train": […], "val": […]}`."""
    if not inner or len(inner) < len([v for v in value.values() if v is not None]):
        return None
    if all(_names_others(name, cell) for name, cell in inner.items()) or (
        len(inner) <= 20 and all(_maps_ids(cell) for cell in inner.values())
    ):
        return _choose(inner, value, role, at, depth)
    return None


def _names_others(key: str, cell: Any) -> bool:
    """A list of records under a key that is not their id: they name other items, or several."""
    members = [member for member in cell[:50] if isinstance(member, dict)] if isinstance(cell, list) else []
    for name in dict.fromkeys(n for member in members for n in member):
        ids = {m[name] for m in members if isinstance(m.get(name), str | int)}
        if (
            tier(name, aliases.IDS) == 1
            and ids
            and {str(i).rpartition(".")[0] or str(i) for i in ids} != {key}
        ):
            return True
    return False


def _maps_ids(cell: Any) -> bool:
    """An object of texts, or of lists or objects, by names that are no fields."""
    if not isinstance(cell, dict) or not cell:
        return False
    names = list(cell)[:50]
    named = [n for n in names if aliases.known(n) or plain(n) in aliases.WRAPPERS or times(n)]
    wordy = all(isinstance(cell[n], str) and len(cell[n].split()) > 1 for n in names)
    if named and not (wordy and 2 * len(named) < len(names)):
        return False
    return all(isinstance(cell[n], str | list | dict) for n in names) and not all(n.isdigit() for n in names)


def _choose(
    parts: dict[str, Any], value: dict[str, Any], role: Role | None, at: Path, depth: int
) -> Found | None:
    found = {
        name: rows for name, cell in parts.items() if (rows := unfold(cell, role, (*at, name), depth + 1))
    }
    found = {name: rows for name, rows in found.items() if _has_text(rows)} or found
    if not found:
        return None
    best = list(found)
    if role == "candidates" and all(map(aliases.is_reference_name, best)):
        return Found([], question=tuple(best))
    if len(best) > 1:
        wanted = [n for n in best if aliases.is_reference_name(n) == (role == "references")]
        best = wanted if 0 < len(wanted) < len(best) or role == "references" else best
        if role != "references" and len(best) > 1:
            outputs = [n for n in best if plain(n) in aliases.OUTPUTS]
            best = outputs if len(outputs) == 1 else best
        if len(best) > 1 and len(own := [n for n in best if _has_ids(parts[n])]) == 1:
            best = own
    if len(best) != 1:
        return Found([], question=tuple(best or found))
    chosen = found[best[0]]
    chosen.under = f"{best[0]}.{chosen.under}" if chosen.under else best[0]
    chosen.rest = {n: cell for n, cell in value.items() if n != best[0]}
    return chosen


def _has_text(found: Found) -> bool:
    return bool(found.question) or any(
        name == VALUE or aliases.text_tier(name, None) is not None or _holds_captions(name, cell)
        for row in found.rows[:20]
        for name, cell in row.fields.items()
    )


def _by_id(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    rows: list[Row] = []
    wrong: list[tuple[Path, Any]] = []
    for number, (key, cell) in enumerate(value.items()):
        place = (*at, key)
        if isinstance(cell, str):
            rows.append(Row(place, {VALUE: cell}, key, group=number))
        elif isinstance(cell, dict):
            rows.append(_timed_keys(place, cell, key, number) or Row(place, cell, key, group=number))
        elif isinstance(cell, list) and not cell:
            rows.append(Row(place, {VALUE: []}, key, group=number))
        elif isinstance(cell, list) and all(isinstance(m, str | dict | list) for m in cell):
            cell = cell[0] if len(cell) == 1 and isinstance(cell[0], str) else cell
            member = positions(cell) if isinstance(cell, list) else None
            rows.append(Row(place, member or {VALUE: cell}, key, group=number))
        elif isinstance(cell, list) and (member := positions(cell)):
            rows.append(Row(place, member, key, group=number))
        else:
            wrong.append((place, cell))
    if not any(row.fields != {VALUE: []} for row in rows):
        return None
    if not rows or 2 * len(wrong) > len(rows) + len(wrong):
        return None
    if not any(_has_text(Found([row])) for row in rows[:20]) and not any(row.fields for row in rows):
        return None
    return Found(rows, True, wrong=wrong)


def _timed_keys(place: Path, cell: dict[str, Any], key: str, number: int) -> Row | None:
    """`{"a": {"0:00 - 0:12": "…"}}`"""
    if cell and all(isinstance(t, str) and times(k) for k, t in cell.items()):
        items = [{"segment": list(times(k) or ()), VALUE: text} for k, text in cell.items()]
        return Row(place, {VALUE: items}, key, group=number)
    return None


# -- records that hold several captions


def explode(found: Found, role: Role | None, text: str = "") -> tuple[str, ...]:
    """Cut records that hold lists of captions into a row per caption, in place. Returns the fields that fit
    equally well where there are several: nothing is cut then."""
    holders = [
        name
        for name in dict.fromkeys(n for row in found.rows[:200] for n in row.fields)
        if (
            name in (VALUE, text) and any(_is_list_of_items(row.fields.get(name)) for row in found.rows[:200])
        )
        or any(_holds_captions(name, row.fields[name]) for row in found.rows[:200] if name in row.fields)
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
    if len(holders) > 1:
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
    texts = [n for n, c in row.fields.items() if _texts(c) and aliases.text_tier(n, None) is not None]
    spans = [
        n
        for n, c in row.fields.items()
        if isinstance(c, list)
        and c
        and (
            (tier(n, aliases.SPAN) and all(isinstance(p, list | str) for p in c) and not _one_pair(c))
            or ((tier(n, aliases.START) or tier(n, aliases.END) or _scaled_any(n)) and not _texts_only(c))
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


@dataclass(frozen=True)
class Unequal:
    """Two lists of a record that should be equally long."""

    texts: str
    times: str


def _one_pair(cell: list[Any]) -> bool:
    return len(cell) == 2 and not isinstance(cell[0], list) and times(f"{cell[0]} - {cell[1]}") is not None


def _texts_only(cell: list[Any]) -> bool:
    return all(isinstance(c, str) and not any(ch.isdigit() for ch in c) for c in cell)


def _scaled_any(name: str) -> bool:
    key = plain(name)
    return bool(aliases.unit(name)) and key.startswith(("start", "begin", "end", "stop", "frame"))

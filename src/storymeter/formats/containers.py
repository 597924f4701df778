"""Any container of records as one list of rows: JSON of every usual shape, JSON Lines, tables, lines of text.

    [{"video_id": "a", "caption": "…"}]                 a row per record
    {"a": "…"}  {"a": ["…"]}  {"a": {"caption": "…"}}   a row per key
    {"results": […]}  {"images": […], "annotations": […]}   the records under a key
    {"columns": […], "data": [[…]]}  {"video_id": {"0": "a"}, "caption": {"0": "…"}}   a row per index
    [["a", "…"]]                                        a row per list, fields by position

`record_rows` cuts records that hold several captions into a row per caption.
"""

from typing import Any

from . import aliases
from .aliases import Role, is_text_name, plain, tier
from .items import is_item
from .problems import Path, named
from .record_rows import (
    VALUE,
    Found,
    Row,
    Unfit,
    columns,
    columns_and_data,
    holds_captions,
    is_counter,
    is_texts,
    positions,
    rows_of_cells,
)
from .spans import times

_DEEP = 6


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
    if found := annotated(value, at):
        return found
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
    places = {key: place for place, record in records for key in record}
    alone = all(len(record) == 1 for _, record in records) and len(places) == len(records) > 1
    if alone and not any(map(aliases.known, places)):  # [{"a": "…"}, {"b": "…"}]
        merged = _of_dict({k: v for _, r in records for k, v in r.items()}, role, at, depth + 1)
        if merged and merged.keyed:
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
    found = rows_of_cells(names, lists[1:] if named else lists, at)
    found.wrong += [((*at, i), m) for i, m in enumerate(value) if not isinstance(m, list)]
    return found


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


# -- objects


def _of_dict(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    found = columns_and_data(value, at) or columns(value, at)
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
    texts = [n for n in value if len(plain(n)) > 1 and is_text_name(n)]
    others = [cell for n, cell in value.items() if n not in texts]
    if all(map(aliases.known, value)):
        return any(isinstance(cell, str | int | float) for cell in value.values()) or bool(texts)
    ids = [n for n in value if (tier(n, aliases.IDS) or 9) < 3 and not is_text_name(n)]
    scalar = all(isinstance(cell, str | int | float | None) for cell in value.values())
    if scalar and any(isinstance(value[n], int) or len(str(value[n]).split()) == 1 for n in ids):
        return True
    if not texts or not all(isinstance(cell, str | int | float | None) for cell in others):
        return False
    return not any(isinstance(cell, str) and len(cell.split()) > 1 for cell in others)


def _own_id(value: dict[str, Any]) -> bool:
    """Whether a field of an id holds one, or a list of one."""
    cells = [cell for name, cell in value.items() if tier(name, aliases.IDS) is not None]
    ones = [cell[0] if isinstance(cell, list) and len(cell) == 1 else cell for cell in cells]
    return any(isinstance(one, str | int) for one in ones)


def _is_record(value: dict[str, Any]) -> bool:
    """One record alone: an id and a text or captions; or timed captions without an id."""
    texts = [n for n in value if is_text_name(n)]
    written = [n for n in texts if isinstance(value[n], str)]
    if _own_id(value) and (written or any(holds_captions(n, value[n]) for n in value)):
        inner = [n for n in value if plain(n) in aliases.WRAPPERS and _has_ids(value[n])]
        return not inner
    if is_item(value) and (written or any(is_texts(value[n]) for n in texts)):
        return True
    events = [n for n in value if holds_captions(n, value[n], timed=True) and not _has_ids(value[n])]
    return bool(events) and all(
        aliases.known(n) or plain(n) in aliases.WRAPPERS | aliases.BESIDE for n in value
    )


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


def _wrapped(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    """The records under a key, alone or beside others that hold no captions."""
    inner = {
        name: cell
        for name, cell in value.items()
        if isinstance(cell, dict | list) and cell and plain(name) not in aliases.BESIDE
    }
    named = [n for n in inner if aliases.is_part(n)]
    if any(_holds_records(inner[n]) for n in named):
        inner = {n: cell for n, cell in inner.items() if n in named or not _is_setting(cell)}
    if not inner:  # no captions beside `videos` or `images`, but perhaps in them
        inner = {
            n: cell for n, cell in value.items() if isinstance(cell, dict | list) and _holds_records(cell)
        }
        named = list(inner)
    if not named or any(n not in named for n in inner):
        return _of_parts(value, inner, role, at, depth)
    if any(isinstance(value[n], str) and plain(n) not in aliases.BESIDE for n in value if n not in inner):
        texts = [n for n in value if isinstance(value[n], str) and is_text_name(n)]
        if texts:
            return None
    return _choose({n: inner[n] for n in named}, value, role, at, depth)


def _is_setting(cell: Any) -> bool:
    """Options or numbers of a run: no text of a caption stands in it."""
    members = list(cell.values()) if isinstance(cell, dict) else cell
    if isinstance(cell, dict) and any(isinstance(c, str) and is_text_name(n) for n, c in cell.items()):
        return False
    return all(
        _is_setting(m) if isinstance(m, dict | list) else not (isinstance(m, str) and len(m.split()) > 2)
        for m in members
    )


def _holds_records(cell: Any) -> bool:
    members = cell[:20] if isinstance(cell, list) else list(cell.values())[:20]
    return any(
        isinstance(m, dict)
        and any((isinstance(c, str) and is_text_name(n)) or holds_captions(n, c) for n, c in m.items())
        for m in members
    )


def _of_parts(
    value: dict[str, Any], inner: dict[str, Any], role: Role | None, at: Path, depth: int
) -> Found | None:
    """Names that nobody knows over containers: `{"my-model": {"a": "…"}}`, `{"train": […], "val": […]}`."""
    beside = [cell for name, cell in value.items() if name not in inner and not isinstance(cell, dict | list)]
    if len(inner) == 1 and all(not isinstance(cell, str) or len(cell.split()) < 3 for cell in beside):
        found = _choose(inner, value, role, at, depth)  # {"status": "ok", "payload": {"items": […]}}
        if found and not found.keyed and not found.question and _has_ids([row.fields for row in found.rows]):
            return found
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
    if role == "candidates" and all(map(_owned, best)):
        return Found([], question=tuple(best))
    if len(best) > 1:
        wanted = [n for n in best if _owned(n) == (role == "references")]
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


def _owned(name: str) -> bool:
    """A name of references; `a` over records is an id."""
    return len(plain(name)) > 1 and aliases.is_reference_name(name)


def _has_text(found: Found) -> bool:
    return bool(found.question) or any(
        name == VALUE or is_text_name(name) or holds_captions(name, cell)
        for row in found.rows[:20]
        for name, cell in row.fields.items()
    )


def _by_id(value: dict[str, Any], role: Role | None, at: Path, depth: int) -> Found | None:
    if _is_fields(value):
        message = "the fields of one record, or columns, that do not fit together"
        found = "; ".join(f"{name!r} holds {named(cell)}" for name, cell in list(value.items())[:6])
        return Found([], wrong=[(at, Unfit(message, found))])
    rows: list[Row] = []
    wrong: list[tuple[Path, Any]] = []
    for number, (key, cell) in enumerate(value.items()):
        place = (*at, key)
        numbered = isinstance(cell, dict) and len(cell) > 1 and is_counter(list(cell))
        if numbered and is_texts([*cell.values()]) and not any(map(aliases.known, value)):
            cell = list(cell.values())  # {"a": {"0": "…", "1": "…"}}
        if isinstance(cell, str) and _is_setting_of_run(key, cell, alone=len(value) == 1):
            detail = f"found {named(cell)}; take it out, or read it as a caption by its id: --from plain"
            wrong.append((place, Unfit("a setting of a run, not a caption by its id", detail)))
        elif isinstance(cell, str):
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
    settings = [(place, cell) for place, cell in wrong if isinstance(cell, Unfit)]
    if not any(row.fields != {VALUE: []} for row in rows):
        return Found([], wrong=wrong) if settings else None
    if not rows or 2 * (len(wrong) - len(settings)) > len(rows) + len(wrong):
        return Found([], wrong=wrong) if settings else None
    if not any(_has_text(Found([row])) for row in rows[:20]) and not any(row.fields for row in rows):
        return None
    return Found(rows, True, wrong=wrong)


def _is_setting_of_run(key: str, text: str, *, alone: bool) -> bool:
    """`"status": "ok"`, `"model": "gpt-4o"`; `alone`: `{"error": "rate limit reached"}`"""
    name = plain(key)
    if len(name) < 3 or name not in aliases.SETTINGS:
        return False
    return len(text.split()) == 1 or (alone and name in ("error", "detail", "msg", "reason"))


def _is_fields(value: dict[str, Any]) -> bool:
    """Only names of fields, an id and a text among them: no ids."""
    return (
        all(map(aliases.known, value))
        and any(is_text_name(n) for n in value)
        and any(tier(n, aliases.IDS) is not None for n in value)
    )


def _timed_keys(place: Path, cell: dict[str, Any], key: str, number: int) -> Row | None:
    """`{"a": {"0:00 - 0:12": "…"}}`"""
    if cell and all(isinstance(t, str) and times(k) for k, t in cell.items()):
        items = [{"segment": list(times(k) or ()), VALUE: text} for k, text in cell.items()]
        return Row(place, {VALUE: items}, key, group=number)
    return None

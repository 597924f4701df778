"""Tables of columns in JSON: those of pandas and W&B, and lists or objects by column."""

from typing import Any

from . import aliases
from .aliases import plain, tier
from .field_values import is_counter
from .problems import Path, named
from .record_rows import Found, Row, Unfit, is_texts


def columns_and_data(value: dict[str, Any], at: Path) -> Found | None:
    """`{"columns": […], "data": [[…]]}` of W&B and pandas, `{"schema": …, "data": [{…}]}` of pandas."""
    tables = [
        n for n, c in value.items() if isinstance(c, list) and c and all(isinstance(r, list) for r in c)
    ]
    under = "data" if "data" in value or len(tables) != 1 else tables[0]
    data = value.get(under)
    if not isinstance(data, list):
        return None
    named = value.get("columns")
    if named is None and (heads := _heads(value, data)):
        if len(heads) > 1:
            return Found([], wrong=[((*at, under), data)])
        named = value[heads[0]]
    if isinstance(named, list) and not data:
        return Found([], wrong=[((*at, under), data)])
    if isinstance(named, list) and all(isinstance(row, list) for row in data):
        names = [str(c.get("name", i)) if isinstance(c, dict) else str(c) for i, c in enumerate(named)]
        rows, wrong = [], []
        for i, row in enumerate(data):
            place = (*at, under, i)
            if len(row) == len(names):
                rows.append(Row(place, dict(zip(names, row, strict=True)), group=i))
            else:
                wrong.append((place, row))
        return Found(rows, wrong=wrong)
    return None


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
            return _odd_columns(value, at)
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
    return _odd_columns(value, at)


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

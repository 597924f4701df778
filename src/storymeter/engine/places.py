"""Items known by their place alone (a list) beside items with ids of their own (a table, a file).

A list says nothing but an order, so it belongs to the rows of a table in memory in their order, even where
the ids of the table are numbers. The order of a file is its writer's: only lines and items numbered from 1
in order are compared with a list.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..captions import Corpus
from ..errors import StorymeterWarning, UsageError
from ..formats.aliases import IDS, Role, text_tier, tier


def rows_of_columns(value: Any, role: Role) -> Any:
    """A dict of columns, `{"id": […], "caption": […]}`, as rows; any other value as it is."""
    if not isinstance(value, Mapping) or len(value) < 2 or not all(isinstance(name, str) for name in value):
        return value
    columns = [column for column in value.values() if isinstance(column, list)]
    if len(columns) < len(value) or len({len(column) for column in columns}) > 1:
        return value
    if not any(tier(name, IDS) for name in value) or not any(text_tier(name, role) for name in value):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def by_place(listed: Sequence[Corpus], table: Sequence[Corpus], rows: int, role: Role) -> list[Corpus]:
    """`listed`, the `role`, with the ids of the `rows` of a table, in order; a warning says so."""
    ids = [*dict.fromkeys(document.id for corpus in table for document in corpus)]
    numbers = [*dict.fromkeys(document.id for corpus in listed for document in corpus)]
    other = _other(role)
    if not len(ids) == len(numbers) == rows:
        raise UsageError(
            f"The {role} are a list of {len(numbers):,} items, and the {other} are {rows:,} rows with"
            f" {len(ids):,} ids ({_few(ids)}): which belongs to which is not known.",
            hint=f"Give the {role} by id as well: {role}={{id: text or [texts]}}.",
        )
    if ids == numbers:
        return [*listed]
    warnings.warn(
        f"The {role} are a list without ids: they are compared with the {other} in order"
        f" (1 = {ids[0]!r}{f', {rows:,} = {ids[-1]!r}' if rows > 1 else ''}).",
        StorymeterWarning,
        stacklevel=4,
    )
    renamed = dict(zip(numbers, ids, strict=True))
    return [
        msgspec.structs.replace(
            corpus,
            documents=tuple(msgspec.structs.replace(each, id=renamed[each.id]) for each in corpus),
        )
        for corpus in listed
    ]


def check_numbered(files: Sequence[Corpus], count: int, role: Role) -> None:
    """Raise where files with ids of their own would be compared with the `role`, a list of `count` items."""
    numbers = [str(k + 1) for k in range(count)]
    for corpus in files:
        ids = [*dict.fromkeys(document.id for document in corpus)]
        if ids != numbers:
            raise UsageError(
                f"The {role} are a list of {count:,} items, and {corpus.name!r} has {len(ids):,} ids of its"
                f" own ({_few(ids)}): which belongs to which is not known.",
                hint=f"Give the {role} by id as well, {role}={{id: text or [texts]}}, or as a file.",
            )


def _other(role: Role) -> Role:
    return "references" if role == "candidates" else "candidates"


def _few(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")

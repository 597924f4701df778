"""Roles of columns whose names say nothing, by what stands in them.

A column can be the rater, the item or the system where rater, item, system and criterion together tell the
rows apart, and where it is no property of the others: a caption follows from its item and system, a country
from its rater."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from ...errors import DataError, some
from .roles import NOT_SCORES, plain, question
from .sheets import Sheet

_LONGEST = 80
_PROPERTIES = """
caption text sentence description comment note remark feedback gender sex country nationality
language reference prompt question genre category topic source timestamp time date reason
explanation
"""
_IDLE = NOT_SCORES | frozenset(_PROPERTIES.split())


def by_content(
    sheet: Sheet, roles: Mapping[str, str], lacking: Sequence[str], used: Sequence[str]
) -> dict[str, str]:
    """Columns for the lacking roles; none where no column fits, and a question where several readings do."""
    names = [head for head in sheet.heads if head not in used and _groups(sheet, head)]
    for size in range(min(len(lacking), len(names)), 0, -1):
        found: list[dict[str, str]] = []
        for chosen in itertools.combinations(lacking, size):
            for heads in itertools.permutations(names, size):
                reading = dict(zip(chosen, heads, strict=True))
                if _fits(sheet, {**roles, **reading}, reading):
                    found.append(reading)
        if len(found) == 1:
            return found[0]
        if found:
            shown = [", ".join(f"{role} = {head}" for role, head in one.items()) for one in found]
            raise question(sheet, f"{' or '.join(shown[:2])} fit equally well", found[:2])
    return {}


def _groups(sheet: Sheet, head: str) -> bool:
    """Whether the column puts rows together: several values, some of them more than once, none of them
    long."""
    values = [value for value in sheet.column(head) if value is not None]
    distinct = {str(value) for value in values}
    return (
        plain(head).rsplit(".", 1)[-1] not in _IDLE
        and len(values) == len(sheet.rows)
        and 1 < len(distinct) < len(values)
        and max(map(len, distinct)) <= _LONGEST
    )


def _fits(sheet: Sheet, roles: Mapping[str, str], new: Mapping[str, str]) -> bool:
    keys = {role: list(map(str, sheet.column(head))) for role, head in roles.items()}
    rows = set(zip(*keys.values(), strict=True))
    if len(rows) < 0.9 * len(sheet.rows):
        return False
    for role in new:
        others = [column for other, column in keys.items() if other != role and other != "criterion"]
        if others and len(set(zip(*others, strict=True))) == len(rows):
            return False  # it follows from the others
        if role in ("item", "system") and any(_follows(keys[role], column) for column in others):
            return False
    return True


def _follows(column: Sequence[str], other: Sequence[str]) -> bool:
    return len(set(zip(column, other, strict=True))) == len(set(other))


def no_role(sheet: Sheet, role: str) -> DataError:
    return DataError(
        f"{sheet.name}: no column is known as the {role}; its columns are {some(sheet.heads, limit=12)}.",
        hint=f"Name it: storymeter human analyse {sheet.path or sheet.name} --columns {role}=COLUMN",
    )

"""Names that hold two things: `Video 3 - System B`, `v3__bmt`, `Coherence [Video 3 - System B]`.

>>> roles, parts = split_names(["Video 1 - System A", "Video 1 - System B", "Video 2 - System A"])
>>> roles, parts["Video 1 - System B"]
(('item', 'system'), ('Video 1', 'System B'))

Columns whose names say nothing have the roles that their contents fit. A column can be the rater, the item or
the system where rater, item, system and criterion together tell the rows apart, and where it is no property
of the others: a caption follows from its item and system, a country from its rater.
"""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ...errors import DataError, first_few
from .roles import CRITERIA, ITEM_LIKE, NOT_SCORES, SYSTEM_LIKE, plain, question
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
        f"{sheet.name}: no column is known as the {role}; its columns are"
        f" {first_few(sheet.heads, limit=12)}.",
        hint=f"Name it: storymeter human analyse {sheet.path or sheet.name} --columns {role}=COLUMN",
    )


Parts = dict[str, tuple[str, ...]]
Roles = tuple[str, ...]
_GRID = re.compile(r"(.*?)\s*\[([^\[\]]*)\]\s*", re.DOTALL)
#: a question that stands before a name, as far as a colon or a question mark
_MARKS = ("__", " - ", " – ", " — ", "||", "|", " / ", "/", ": ", ":", "#", "@", ", ", " by ", "_", "-", " ")


def split_names(
    names: Sequence[str], pattern: str = "", wanted: Sequence[str] = ("item", "system")
) -> tuple[Roles, Parts] | None:
    """What the parts of the names are, and the parts of each; None where the names have no such parts. The
    roles are `?` where nothing tells which part is which."""
    if len(set(names)) < 2:
        return None
    if pattern:
        return _by_pattern(names, pattern)
    found: list[tuple[Roles, Parts]] = []
    for cut in _cuts(names):
        parts = {name: cut(name) for name in names}
        if len({len(one) for one in parts.values()}) != 1 or not all(all(one) for one in parts.values()):
            continue
        parts = _without_constants(parts)
        size = len(next(iter(parts.values())))
        if size not in (2, 3) or len(set(parts.values())) < len(set(names)):
            continue
        columns = list(zip(*parts.values(), strict=True))
        roles = _roles(columns, wanted)
        if roles is not None and _crossed(columns):
            found.append((roles, parts))
    whole = [one for one in found if set(wanted) <= set(one[0])]
    asked = [one for one in found if "?" in one[0]]
    return next(iter([*whole, *asked, *found]), None)


def _by_pattern(names: Sequence[str], pattern: str) -> tuple[Roles, Parts] | None:
    """`{item} - {system}`"""
    roles = tuple(re.findall(r"\{(\w+)\}", pattern))
    source = "".join(
        f"(?P<{piece[1:-1]}>.+?)" if piece.startswith("{") else re.escape(piece)
        for piece in re.split(r"(\{\w+\})", pattern)
    )
    parts: Parts = {}
    for name in names:
        found = re.fullmatch(source, name.strip())
        if found:
            parts[name] = tuple(found[role].strip() for role in roles)
    return (roles, parts) if parts else None


def _cuts(names: Sequence[str]) -> list[Callable[[str], tuple[str, ...]]]:
    """Ways of cutting a name, the surest first."""
    if all(_GRID.fullmatch(name) for name in names):
        grid = {name: found.groups() for name in names if (found := _GRID.fullmatch(name))}

        def in_grid(mark: str, name: str) -> tuple[str, ...]:
            return grid[name][0].strip(), *_at(mark, grid[name][1])

        return [*(partial(in_grid, mark) for mark in _MARKS), lambda name: grid[name]]
    return [partial(_at, mark) for mark in _MARKS]


def _at(mark: str, name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in name.split(mark))


def _without_constants(parts: Parts) -> Parts:
    """Without parts that are the same in every name, such as the question itself."""
    columns = list(zip(*parts.values(), strict=True))
    keep = [k for k, column in enumerate(columns) if len(set(column)) > 1]
    return {name: tuple(one[k] for k in keep) for name, one in parts.items()}


def _roles(columns: Sequence[Sequence[str]], wanted: Sequence[str]) -> Roles | None:
    """By words: videos and clips are items, systems and models are systems, known criteria are criteria."""
    tests = {
        "criterion": lambda value: plain(value) in CRITERIA,
        "system": lambda value: SYSTEM_LIKE.fullmatch(value) or re.search(r"\bvs\b|\bversus\b", value),
        "item": lambda value: ITEM_LIKE.fullmatch(value),
    }
    found = ["?"] * len(columns)
    for role in ("criterion", "system", "item"):
        fits = [k for k, column in enumerate(columns) if found[k] == "?" and all(map(tests[role], column))]
        if len(fits) == 1:
            found[fits[0]] = role
    open_roles = [role for role in wanted if role not in found]
    unknown = [k for k, role in enumerate(found) if role == "?"]
    if len(unknown) == 1 and open_roles:
        found[unknown[0]] = open_roles[0]
    elif len(unknown) > 2:
        return None
    return tuple(found)


def _crossed(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the parts are used over and over: half of all combinations are there, and more than one of
    each."""
    sizes = [len(set(column)) for column in columns]
    there = len(set(zip(*columns, strict=True)))
    return min(sizes) > 1 and there * 2 >= math.prod(sizes)


def readings(roles: Roles, example: Parts) -> list[str]:
    """The patterns that fit names of which nothing tells which part is the item and which the system."""
    name, parts = next(iter(example.items()))
    out = []
    for first, second in (("item", "system"), ("system", "item")):
        unknown = iter((first, second))
        pattern, at = "", 0
        for part, role in zip(parts, roles, strict=True):
            where = name.index(part, at)
            pattern += f"{name[at:where]}{{{next(unknown) if role == '?' else role}}}"
            at = where + len(part)
        out.append(pattern + name[at:])
    return out

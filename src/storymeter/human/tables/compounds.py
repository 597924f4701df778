"""Names that hold two things: `Video 3 - System B`, `v3__bmt`, `Coherence [Video 3 - System B]`.

>>> roles, parts = split_names(["Video 1 - System A", "Video 1 - System B", "Video 2 - System A"])
>>> roles, parts["Video 1 - System B"]
(('item', 'system'), ('Video 1', 'System B'))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from .roles import CRITERIA, ITEM_LIKE, SYSTEM_LIKE, plain

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
    all_combinations = 1
    for size in sizes:
        all_combinations *= size
    there = len(set(zip(*columns, strict=True)))
    return min(sizes) > 1 and there * 2 >= all_combinations


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

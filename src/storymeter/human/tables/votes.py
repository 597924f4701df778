"""Pairwise votes: which of two captions of an item is better, or neither.

>>> meanings({"left", "tie", "right"}, {"a", "b"})
{'left': -1.0, 'right': 1.0, 'tie': 0.0}
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...captions import Rating
from ...errors import DataError, UsageError, first_few
from .roles import Given, by_name, numeric, question
from .sheets import Sheet

LEFT, TIE, RIGHT = -1.0, 0.0, 1.0
_TIE_WORDS = """
tie tied equal same both neither draw none nopreference nodifference undecided cannottell
equallygood equallybad tiebothbad bothbad bothgood bothequal unsure similar c x
"""
_TIES = frozenset(_TIE_WORDS.split())
_SIDES = {
    "left": LEFT, "l": LEFT, "first": LEFT, "a": LEFT, "1": LEFT,
    "right": RIGHT, "r": RIGHT, "second": RIGHT, "b": RIGHT, "2": RIGHT,
}  # fmt: skip
_AROUND = re.compile(r"(?:system|model|option|caption|answer|video|story|method|sys|candidate|text)")
#: what numbers mean, by which of them occur; 0 and 1 alone may mean two things
_NUMBERS: dict[frozenset[str], dict[str, float]] = {
    frozenset("12"): {"1": LEFT, "2": RIGHT},
    frozenset("012"): {"0": TIE, "1": LEFT, "2": RIGHT},
    frozenset("123"): {"1": LEFT, "2": RIGHT, "3": TIE},
    frozenset(("-1", "1")): {"-1": LEFT, "1": RIGHT},
    frozenset(("-1", "0", "1")): {"-1": LEFT, "0": TIE, "1": RIGHT},
}


def plain_choice(cell: Any) -> str:
    if isinstance(cell, bool):
        cell = int(cell)
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    bare = re.sub(r"[\s_()'\".,:]+", "", str(cell).casefold())
    return bare.removesuffix("isbetter").removesuffix("better").removesuffix("wins") or bare


def meanings(choices: Iterable[str], systems: Iterable[str]) -> dict[str, float] | None:
    """What each choice means, where all are sides or ties; None where some are not. Names of systems are
    looked up elsewhere."""
    there = {plain_choice(choice) for choice in choices} - {plain_choice(name) for name in systems}
    if there and all(re.fullmatch(r"-?\d+", choice) for choice in there):
        known = () if there <= {"0", "1"} else _NUMBERS.items()
        return next((means for numbers, means in known if there <= numbers), None)
    means: dict[str, float] = {}
    for choice in sorted(there):
        side = _SIDES.get(choice) or _SIDES.get(_AROUND.sub("", choice))
        if side is not None and not choice.isdecimal():
            means[choice] = side
        elif choice in _TIES or choice == "0":
            means[choice] = TIE
        elif choice in ("1", "2"):
            means[choice] = _SIDES[choice]
        else:
            return None
    return means


def find(sheet: Sheet, given: Given) -> tuple[dict[str, str], str] | None:
    """The columns of votes (left, right, choice, or winner and loser) and what kind it is; None where the
    table holds no votes."""
    loser = by_name("loser", sheet, (), given)
    left, right = by_name("left", sheet, (), given), by_name("right", sheet, (), given)
    if left and right and not (numeric(sheet.column(left)) and numeric(sheet.column(right))):
        choice = (
            by_name("choice", sheet, (left, right), given)
            or _by_content(sheet, left, right)
            or by_name("score", sheet, (left, right), given)
        )
        if choice:
            return {"left": left, "right": right, "choice": choice}, "sides"
    if loser:
        winner = by_name("choice", sheet, (loser,), given)
        if winner and not numeric(sheet.column(winner)):
            return {"left": winner, "right": loser}, "winner"
    return None


def _by_content(sheet: Sheet, left: str, right: str) -> str | None:
    """The only other column that holds sides, ties or names of systems."""
    systems = {str(value) for head in (left, right) for value in sheet.column(head) if value is not None}
    found = []
    for head in sheet.heads:
        there = {str(value) for value in sheet.column(head) if value is not None}
        if head not in (left, right) and len(there) > 1 and meanings(there, systems) is not None:
            found.append(head)
    if len(found) > 1:
        raise question(sheet, f"{first_few(found)} may be the choice", [{"choice": head} for head in found])
    return found[0] if found else None


def records(
    sheet: Sheet,
    columns: dict[str, str],
    kind: str,
    rows: Sequence[dict[str, Any]],
    answers: Mapping[str, str],
    notes: list[str],
) -> list[Rating]:
    """The votes as preferences: below 0 for `system`, above 0 for `meta.against`, 0 for neither. Each of
    `rows` holds rater, item, time and the like."""
    left, right = sheet.column(columns["left"]), sheet.column(columns["right"])
    if kind == "winner":
        values: list[float | None] = [LEFT] * len(left)
    else:
        values = _values(sheet, columns, left, right, answers)
    out, lacking = [], 0
    for more, one, other, value in zip(rows, left, right, values, strict=True):
        if one is None or other is None or value is None:
            lacking += 1
            continue
        meta = {**more.pop("meta", {}), "against": str(other)}
        out.append(Rating(system=str(one), value=value, criterion="preference", meta=meta, **more))
    if lacking:
        notes.append(f"{sheet.name}: {lacking:,} rows without a vote were left out.")
    if not out:
        raise DataError(
            f"{sheet.name} holds no vote.", hint="Give a row per vote: rater, item, left, right, choice."
        )
    same = sum(one.system == one.meta["against"] for one in out)
    if same:
        raise DataError(
            f"{sheet.name}: {same:,} votes compare a system with itself.",
            hint=f"{columns['left']} and {columns['right']} must name two systems.",
        )
    return out


def _stated(answers: Mapping[str, str]) -> dict[str, float] | None:
    """What the user said of the answers."""
    sides = {"left": LEFT, "right": RIGHT, "tie": TIE}
    wrong = [side for answer, side in answers.items() if answer != "names" and side not in sides]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is no side.", hint="Write --answers 0=left,1=right,2=tie")
    return {plain_choice(one): sides[side] for one, side in answers.items() if one != "names"} or None


def _values(
    sheet: Sheet,
    columns: dict[str, str],
    left: Sequence[Any],
    right: Sequence[Any],
    answers: Mapping[str, str],
) -> list[float | None]:
    choice = sheet.column(columns["choice"])
    named: list[float | None] = []
    for one, other, chosen in zip(left, right, choice, strict=True):
        sides = {plain_choice(one): LEFT, plain_choice(other): RIGHT}
        named.append(None if chosen is None else sides.get(plain_choice(chosen)))
    systems = {str(name) for name in (*left, *right) if name is not None}
    there = {plain_choice(chosen) for chosen in choice if chosen is not None}
    means = _stated(answers) or meanings(there, ())
    if "names" in answers:
        means = None
    if means is not None and there <= means.keys():
        sided = [None if chosen is None else means[plain_choice(chosen)] for chosen in choice]
        clash = any(a is not None and b is not None and a != b for a, b in zip(named, sided, strict=True))
        if not clash or answers:
            return sided
        raise question(
            sheet,
            f"{columns['choice']} holds {first_few(sorted(there))}, which are names of systems"
            f" ({first_few(sorted(systems))}) and sides as well",
            [{"a": "left", "b": "right"} if "a" in there else {"1": "left", "2": "right"}, {"names": ""}],
            "--answers",
        )
    by_side = meanings(there, systems)
    unknown = [
        str(chosen)
        for chosen, value in zip(choice, named, strict=True)
        if chosen is not None and value is None and (by_side is None or plain_choice(chosen) not in by_side)
    ]
    if not unknown:
        return [
            value if value is not None or chosen is None else (by_side or {})[plain_choice(chosen)]
            for chosen, value in zip(choice, named, strict=True)
        ]
    if there <= {"0", "1"}:
        raise question(
            sheet,
            f"{columns['choice']} holds only 0 and 1",
            [{"0": "left", "1": "right"}, {"0": "right", "1": "left"}, {"0": "tie", "1": "left"}],
            "--answers",
        )
    raise DataError(
        f"{sheet.name}: {len(unknown):,} answers in {columns['choice']!r} are neither a side nor a system of"
        f" their row: {first_few(dict.fromkeys(unknown))}.",
        hint="A choice is left, right or tie; A or B; 1, 2 or 0; or the name of a system of its row.",
    )

"""Tables of scores: a row per rating, a column per rater, per criterion, per system, or per question of a
form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...captions import Rating
from ...errors import DataError, first_few
from .compounds import by_content, no_role, readings, split_names
from .roles import (
    CRITERIA,
    GENERAL,
    ITEM_LIKE,
    NOT_SCORES,
    SYSTEM_LIKE,
    Given,
    by_name,
    found_scale,
    number,
    numeric,
    plain,
    question,
    rater_like,
    worded,
)
from .sheets import Sheet

#: what a file calls controls
_KINDS = {
    "system": "system", "tgt": "system", "normal": "system", "regular": "system",
    "repeat": "repeat", "chk": "repeat", "duplicate": "repeat",
    "degraded": "degraded", "bad": "degraded", "badref": "degraded", "cal": "degraded",
    "human": "human", "ref": "human", "reference": "human",
}  # fmt: skip
#: where the file names no raters and every row is a person's answers
EACH_ROW = "row"
_EXTRA = ("time", "seconds", "stratum", "hit", "position", "kind", "criterion")


@dataclass(slots=True)
class Layout:
    """Which column is what. `columns` hold the scores; each of them is about one `across` (a rater, a
    criterion, a system, an item) or, where `parts` is given, about several things at once."""

    roles: dict[str, str]
    columns: tuple[str, ...]
    across: str = ""
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    #: roles that no column has
    fixed: dict[str, str] = field(default_factory=dict)
    #: the column that holds item and system at once
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: the last rank, where the scores are ranks
    last_rank: float = 0

    def said(self) -> str:
        """What was assumed, for one line."""
        out = [
            f"{role} = {head}"
            for role, head in self.roles.items()
            if role not in ("time", "position", *(["item"] if self.joined else []))
        ]
        if self.parts:
            example, parts = next(iter(self.parts.items()))
            out.append(f"a column per {' and '.join(parts)} such as {example!r} ({len(self.parts)})")
        elif self.across:
            out.append(f"{self.across} = columns {first_few(self.columns, limit=6)}")
        else:
            out.append(f"score = {self.columns[0]}")
        if self.joined:
            out.append(f"item and system = the parts of {next(iter(self.joined))!r}")
        out += [
            "rater = one per row"
            if name == EACH_ROW
            else f"{role} = {name!r} (no column; --columns {role}=COLUMN names one)"
            for role, name in self.fixed.items()
        ]
        return ", ".join(out)


def is_scores(cells: Sequence[Any]) -> bool:
    return numeric(cells) or worded(cells) is not None


def lay_out(sheet: Sheet, given: Given, *, rater: str, system: str) -> Layout:
    """Finds the columns. `rater` and `system` stand where the file has none (its folder, its name)."""
    roles = named_columns(sheet, given)
    columns, across = _score_columns(sheet, roles, given)
    general = "item" not in roles or plain(roles["item"]) in GENERAL
    form = not across and len(columns) > 1 and "system" not in roles and general
    if form and (laid := _question_columns(sheet, roles, columns, given)):
        return _settle(sheet, laid, rater, system)
    if len(columns) > 1 and not across:
        across = _across(sheet, roles, columns)
    lacking = [role for role in ("rater", "item", "system") if role not in roles and role != across]
    joined: dict[str, tuple[str, ...]] = {}
    if "system" in lacking and "item" in roles:
        joined = _joined(sheet, roles["item"], given)
        lacking = [role for role in lacking if role != "system" or not joined]
    if lacking:
        roles |= by_content(sheet, roles, lacking, [*roles.values(), *columns])
    return _settle(sheet, Layout(roles, columns, across, joined=joined), rater, system)


def _settle(sheet: Sheet, laid: Layout, rater: str, system: str) -> Layout:
    known = {*laid.roles, laid.across, *(role for parts in laid.parts.values() for role in parts)}
    known |= {"system"} if laid.joined else set()
    if "item" not in known:
        raise no_role(sheet, "item")
    if "rater" not in known and (laid.parts or laid.across in ("item", "system")):
        rater = EACH_ROW
    laid.fixed = {role: name for role, name in (("rater", rater), ("system", system)) if role not in known}
    return laid


def named_columns(sheet: Sheet, given: Given) -> dict[str, str]:
    roles: dict[str, str] = {}
    for role in (*_EXTRA, "rater", "system", "item"):
        taken = (*roles.values(), *(head for heads in given.columns.values() for head in heads))
        head = given.one(role) or by_name(role, sheet, taken, given)
        if head is None or given.several(role):
            continue
        if role == "kind" and not all(_kind(value) for value in sheet.column(head)):
            continue
        if role == "stratum" and role not in given.columns and len(set(map(str, sheet.column(head)))) < 2:
            continue
        if role in ("rater", "system") and role not in given.columns and _looks_scored(sheet, head):
            continue
        roles[role] = head
    return roles


def _looks_scored(sheet: Sheet, head: str) -> bool:
    """`Model 1`, `Annotator 2` as a head of a column of scores among others of the kind is no name of a
    role."""
    stem = head.rstrip("0123456789ABCDEFabcdef _-")
    alike = [other for other in sheet.heads if other != head and stem and other.startswith(stem)]
    return numeric(sheet.column(head)) and any(numeric(sheet.column(other)) for other in alike)


def _kind(value: Any) -> str:
    return _KINDS.get(plain(str(value)).replace(".", ""), "") if value is not None else "system"


def _score_columns(sheet: Sheet, roles: dict[str, str], given: Given) -> tuple[tuple[str, ...], str]:
    """The columns that hold scores, and what they are about where the user or their names say so."""
    for role in ("rater", "criterion", "system", "item"):
        if given.several(role):
            return given.several(role), role
    if "score" in given.columns:
        named = given.columns["score"]
        return named, "criterion" if len(named) > 1 else ""
    free = [
        head
        for head in sheet.heads
        if head not in roles.values()
        and plain(head).rsplit(".", 1)[-1] not in NOT_SCORES
        and is_scores(sheet.column(head))
    ]
    if given.pattern:
        return tuple(free), ""
    criteria = [head for head in free if plain(head).rsplit(".", 1)[-1] in CRITERIA]
    if len(criteria) > 1:
        return tuple(criteria), "criterion"
    score = by_name("score", sheet, tuple(roles.values()), given) or _mostly(sheet, roles)
    if score is not None and (not criteria or criteria == [score]):
        return (score,), ""
    if score is not None:
        both = f"{score!r} and {criteria[0]!r}"
        ways = [{"score": score}, {"score": criteria[0]}, {"score": f"{score}+{criteria[0]}"}]
        raise question(sheet, f"{both} may both be the score, or two criteria", ways)
    if not free:
        raise DataError(
            f"{sheet.name}: no column holds scores; its columns are {first_few(sheet.heads, limit=12)}.",
            hint="Scores are numbers. Name their column: --columns score=COLUMN; for votes: --columns"
            " left=COLUMN,right=COLUMN,choice=COLUMN",
        )
    return tuple(free), ""


def _mostly(sheet: Sheet, roles: dict[str, str]) -> str | None:
    """A column called a score most of which are numbers: what is not is reported later, with its row."""
    for head in sheet.heads:
        filled = [value for value in sheet.column(head) if value is not None]
        good = sum(number(value) is not None for value in filled)
        if (
            head not in roles.values()
            and plain(head) in ("score", "rating", "human", "value")
            and 2 * good > len(filled)
        ):
            return head
    return None


def _across(sheet: Sheet, roles: dict[str, str], columns: tuple[str, ...]) -> str:
    """What several columns of scores differ in."""
    joined = "+".join(columns)
    lacking = [role for role in ("rater", "item", "system") if role not in roles]
    if "rater" in lacking and rater_like(columns):
        return "rater"
    if "system" in lacking and all(SYSTEM_LIKE.fullmatch(head.strip()) for head in columns):
        return "system"
    if "item" in lacking and all(ITEM_LIKE.fullmatch(head.strip()) for head in columns):
        return "item"
    if not lacking:
        scales = {found_scale(_numbers(sheet.column(head))) for head in columns}
        if len(scales) == 1:
            return "criterion"
        ways = [{"score": head} for head in columns[:2]]
        raise question(sheet, f"{first_few(columns)} may be the score", [*ways, {"criterion": joined}])
    fits = [*lacking, "criterion"] if len(lacking) < 3 else ["rater", "criterion"]
    raise question(
        sheet,
        f"the columns {first_few(columns)} may be one per {' or one per '.join(fits)}",
        [{role: joined} for role in fits],
    )


def _numbers(cells: Sequence[Any]) -> list[float]:
    words = worded(cells)
    if words is not None and not numeric(cells):
        return [words[" ".join(str(cell).lower().split())] for cell in cells if cell is not None]
    return [value for cell in cells if (value := number(cell)) is not None]


def _question_columns(
    sheet: Sheet, roles: dict[str, str], columns: tuple[str, ...], given: Given
) -> Layout | None:
    """A form: a column per question, about an item and a system (and perhaps a criterion)."""
    found = split_names(columns, given.pattern)
    if found is None:
        return None
    named, parts = found
    if "?" in named:
        ways = [{"pattern": pattern} for pattern in readings(named, parts)]
        raise question(sheet, f"of {columns[0]!r} either part may be the item", ways)
    asked = {head: dict(zip(named, parts[head], strict=True)) for head in parts}
    person = roles.pop("item", None)  # who answers a form is often called `Name`
    if person is not None and "rater" not in roles:
        roles["rater"] = person
    if "rater" not in roles and (answer := _answer_id(sheet)):
        roles["rater"] = answer
    return Layout(roles, tuple(asked), parts=asked)


def _answer_id(sheet: Sheet) -> str:
    """The column that names who filled in a form, or the form: `ResponseId` of Qualtrics."""
    for head in sheet.heads:
        column = sheet.column(head)
        if plain(head) in ("responseid", "submissionid", "sessionid", "recordid") and (
            None not in column and len(set(map(str, column))) == len(column)
        ):
            return head
    return ""


def _joined(sheet: Sheet, head: str, given: Given) -> dict[str, tuple[str, ...]]:
    """Item and system of each value of a column that holds both, such as `v3__bmt`."""
    names = sorted({str(value) for value in sheet.column(head) if value is not None})
    found = split_names(names, given.pattern)
    if found is None or "criterion" in found[0] or len(found[1]) < len(names):
        return {}
    roles, parts = found
    if "?" in roles:
        if not given.pattern and not _strong(names, parts):
            return {}
        raise question(
            sheet,
            f"{head} holds two names, such as {names[0]!r}, of which either may be the item",
            [{"pattern": pattern} for pattern in readings(roles, parts)],
        )
    where = roles.index("item"), roles.index("system")
    return {name: tuple(one[k] for k in where) for name, one in parts.items()}


def _strong(names: Sequence[str], parts: dict[str, tuple[str, ...]]) -> bool:
    """Whether every combination of the two parts is there: then the parts are no chance of spelling."""
    first, second = ({one[k] for one in parts.values()} for k in (0, 1))
    return len(names) == len(first) * len(second)


def ratings(sheet: Sheet, laid: Layout, notes: list[str]) -> list[Rating]:
    """The table as ratings."""
    words = {
        head: found
        for head in laid.columns
        if not numeric(sheet.column(head)) and (found := worded(sheet.column(head))) is not None
    }
    if words:
        marks = next(iter(words.values()))
        notes.append(
            f"{sheet.name}: answers in words are counted "
            + ", ".join(f"{word} {mark:g}" for word, mark in marks.items())
            + "."
        )
    worst = {head: _worst_rank(sheet, head) for head in laid.columns if head not in words}
    laid.last_rank = max(worst.values()) if worst and all(worst.values()) else 0
    notes += [
        f"{sheet.name}: {head} holds ranks, 1 the best: each counts as {last + 1:g} less the rank."
        for head, last in worst.items()
        if last
    ]
    out: list[Rating] = []
    problems: list[str] = []
    lacking = 0
    for row, common in enumerate(shared(sheet, laid.roles)):
        if laid.joined and common["item"] in laid.joined:
            common["item"], common["system"] = laid.joined[common["item"]]
        if laid.fixed.get("rater") == EACH_ROW:
            common["rater"] = f"row {row + 1}"
        for head in laid.columns:
            cell = sheet.rows[row].get(head)
            if cell is None:
                lacking += 1
                continue
            value = words[head].get(" ".join(str(cell).lower().split())) if head in words else number(cell)
            if value is None:
                problems.append(f"row {row + 2}, {head}: {str(cell)[:30]!r}")
                continue
            if last := worst.get(head):
                value = last + 1 - value
            about = laid.parts.get(head) or ({laid.across: head} if laid.across else {})
            out.append(Rating(**{"system": "", "rater": "", **laid.fixed, **common, **about, "value": value}))
    if problems:
        raise DataError(
            f"{sheet.name}: {len(problems):,} scores are not numbers: {first_few(problems, limit=3)}",
            hint="Correct these cells, or leave them empty.",
        )
    if lacking:
        notes.append(f"{sheet.name}: {lacking:,} cells without a score were left out.")
    if not out:
        raise DataError(f"{sheet.name} holds no score.", hint="Give a row per rating.")
    return out


def _worst_rank(sheet: Sheet, head: str) -> float:
    """The last rank of a column of ranks 1, 2 …, by its name; 0 for scores."""
    values = _numbers(sheet.column(head))
    ranks = not {"rank", "ranks", "ranking", "rang", "rank order"}.isdisjoint(
        re.split(r"[\s_\-.:()\[\]]+", head.lower())
    )
    return max(values) if ranks and values and min(values) >= 1 else 0


def shared(sheet: Sheet, roles: dict[str, str]) -> list[dict[str, Any]]:
    """What every rating of a row shares, as fields of `Rating`."""
    out = []
    for line in sheet.rows:
        fields: dict[str, Any] = {}
        for role in ("rater", "item", "system", "criterion", "hit", "time"):
            if role in roles:
                value = line.get(roles[role])
                fields[role] = "" if value is None else name(value)
        for role in ("seconds", "position"):
            if role in roles:
                value = number(line.get(roles[role]))
                fields[role] = value if role == "seconds" or value is None else int(value)
        if "kind" in roles:
            fields["kind"] = _kind(line.get(roles["kind"]))
            fields["pair"] = f"{fields.get('system', '')} {fields.get('item', '')}"
        if "stratum" in roles and line.get(roles["stratum"]) is not None:
            fields["meta"] = {"stratum": str(line[roles["stratum"]])}
        out.append(fields)
    return out


def name(value: Any) -> str:
    """A name as text; a whole number that a spreadsheet wrote as 3.0 is 3."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

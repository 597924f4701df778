"""Ratings from any table that people have: who gave what to which caption, found by the names of the
columns and by what stands in them.

`read_tables(paths)` gives `Rating` records of one kind of study: scores, scores by criterion, or pairwise
votes. What was assumed stands in `notes`, the scale of the scores in `bounds`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...captions import Rating
from ...errors import DataError, first_few, many
from . import votes
from .roles import (
    ALIASES,
    Bounds,
    Given,
    by_name,
    found_scale,
    given_columns,
    rater_like,
    scale_name,
    stated_scale,
)
from .scored import EACH_ROW, is_scores, lay_out, named_columns, ratings, shared
from .sheets import Sheet, from_object, read_sheet

#: the kinds of study that a table can be of: scores, marks by criterion, votes
SCORES, MARKS, VOTES = "da", "survey", "preference"
__all__ = ["TableRatings", "names_raters", "read_tables"]


@dataclass(frozen=True, slots=True)
class TableRatings:
    """Ratings of tables: the records, the kind of study, the scale of the scores, and what was assumed."""

    records: tuple[Rating, ...]
    kind: str
    bounds: Bounds
    notes: tuple[str, ...]


def read_tables(
    sources: Sequence[Any],
    columns: Mapping[str, str] | None = None,
    scale: str | None = None,
    answers: Mapping[str, str] | None = None,
) -> TableRatings:
    """Paths, lists of records or data frames, read as one table. `columns` says which column has a role,
    `scale` what the ends of the scale are (`1-5`), `answers` what the answers of a vote mean (`{"0":
    "left", "1": "right"}`)."""
    sheets = [
        read_sheet(Path(source)) if isinstance(source, str | Path) else from_object(source)
        for source in sources
    ]
    notes: list[str] = []
    platform = {}
    rated = []
    for sheet in sheets:
        status = _prolific_status(sheet.heads, sheet.rows)
        platform.update(status or {})
        rated += [sheet] if status is None else []
    if not rated:
        raise DataError(
            f"{sheets[0].name} lists participants and holds no rating.",
            hint="Give the table of ratings beside it.",
        )
    records: list[Rating] = []
    kinds: set[str] = set()
    said: list[str] = []
    ranks: list[float] = []
    for sheet in rated:
        given = given_columns(columns, sheet, answers)
        found, kind, assumed = _read(sheet, given, notes, ranks, several=len(rated) > 1)
        records += found
        kinds.add(kind)
        said.append(f"read {_shown(sheet, rated)}: {assumed} ({len(found):,} {_WORD[kind]})")
    if len(kinds) > 1:
        raise DataError(
            f"The files are of different kinds of study: {first_few(sorted(kinds))}.",
            hint="Analyse them one by one.",
        )
    kind = kinds.pop()
    records = _of_platform(records, platform, notes)
    bounds = (0.0, 100.0)
    if kind != VOTES:
        ranked = bool(ranks) and all(ranks)
        found_bounds = (1.0, max(ranks)) if ranked else found_scale(one.value for one in records)
        bounds = stated_scale(scale) if scale else found_bounds
        how = "as stated" if scale else "found from the values; --scale LOW-HIGH states another"
        said = [f"{line}; scale {scale_name(bounds)}, {how}" for line in said]
    return TableRatings(tuple(records), kind, bounds, (*said, *notes))


def _shown(sheet: Sheet, others: Sequence[Sheet]) -> str:
    """The name of a file, with its folder where others bear the same."""
    same = sum(other.name == sheet.name for other in others) > 1
    return f"{sheet.folder}/{sheet.name}" if same and sheet.folder else sheet.name


def names_raters(path: Path, columns: Mapping[str, str] | None = None) -> bool:
    """Whether a table names who gave each score or vote, or has a column for each rater."""
    try:
        sheet = read_sheet(path)
    except DataError:
        return False
    roles = {role: head for role, head in (columns or {}).items() if role in ALIASES}
    given = given_columns(roles, sheet)
    if by_name("rater", sheet, (), given) or given.several("rater") or votes.find(sheet, given):
        return True
    scores = [head for head in sheet.heads if is_scores(sheet.column(head))]
    return sum(rater_like([head]) for head in scores) > 1


_VERSUS = re.compile(
    r"(?:(?P<item>.*?)\s*[-–—:|\[,]\s*)?(?P<left>[^-–—:|\[\],]+?)\s+(?:vs\.?|versus)\s+(?P<right>[^\[\]]+?)\]?",
    re.DOTALL,
)
#: participants whose work Prolific does not count
_GONE = ("RETURNED", "TIMED-OUT", "TIMED OUT", "REJECTED", "SCREENED OUT")
_WORD = {SCORES: "ratings", MARKS: "marks", VOTES: "votes"}


def _read(
    sheet: Sheet, given: Given, notes: list[str], ranks: list[float], *, several: bool
) -> tuple[list[Rating], str, str]:
    """The ratings of a table, what they are, and what was assumed. `ranks` gets the last rank, or 0."""
    stem = sheet.name.split(".")[0]
    rater = sheet.folder if stem == "annotated_instances" else stem if several else "all"
    found = votes.find(sheet, given)
    if found is not None:
        return _votes(sheet, found, given, notes)
    if (forms := _form_votes(sheet, given, notes)) is not None:
        return forms
    laid = lay_out(sheet, given, rater=rater, system=stem)
    records = ratings(sheet, laid, notes)
    ranks.append(laid.last_rank)
    if laid.fixed.get("rater", EACH_ROW) != EACH_ROW:
        notes.append(
            f"{sheet.name} names no raters: all rows count as those of {laid.fixed['rater']!r}, so that"
            " agreement cannot be computed."
            if not several
            else f"{sheet.name} names no raters: its rows count as those of one, {laid.fixed['rater']!r}."
        )
    named = any(record.criterion for record in records)
    return records, MARKS if named else SCORES, laid.said()


def _votes(
    sheet: Sheet, found: tuple[dict[str, str], str], given: Given, notes: list[str]
) -> tuple[list[Rating], str, str]:
    columns, kind = found
    rest = Sheet(sheet.name, tuple(h for h in sheet.heads if h not in columns.values()), sheet.rows)
    roles = named_columns(rest, given)
    rows = shared(
        sheet,
        {
            role: head
            for role, head in roles.items()
            if role in ("rater", "item", "time", "seconds", "stratum")
        },
    )
    for number, row in enumerate(rows, 1):
        row.setdefault("rater", f"row {number}")
        row.setdefault("item", f"row {number}")
    if "rater" not in roles:
        notes.append(f"{sheet.name} names no raters: every vote counts as one of another rater.")
    if "item" not in roles:
        notes.append(f"{sheet.name} names no items: every vote counts as one about another item.")
    records = votes.records(sheet, columns, kind, rows, given.answers, notes)
    voted = {"winner": columns["left"], "loser": columns["right"]} if kind == "winner" else columns
    shown = {**{role: head for role, head in roles.items() if role in ("rater", "item")}, **voted}
    return records, VOTES, ", ".join(f"{role} = {head}" for role, head in shown.items())


def _form_votes(sheet: Sheet, given: Given, notes: list[str]) -> tuple[list[Rating], str, str] | None:
    """A form of comparisons: a column per question `Video 3 - System A vs System B`."""
    asked = {head: found for head in sheet.heads if (found := _VERSUS.fullmatch(head.strip()))}
    if not asked:
        return None
    rest = Sheet(sheet.name, tuple(h for h in sheet.heads if h not in asked), sheet.rows)
    roles = named_columns(rest, given)
    person = roles.get("rater", roles.get("item"))
    rows: list[dict[str, Any]] = [
        {
            "rater": line.get(person) if person else f"row {number}",
            "item": found["item"] or head,
            "left": found["left"],
            "right": found["right"],
            "choice": line.get(head),
        }
        for number, line in enumerate(sheet.rows, 1)
        for head, found in asked.items()
    ]
    long = Sheet(sheet.name, tuple(rows[0]), tuple(rows), path=sheet.path)
    columns = {"left": "left", "right": "right", "choice": "choice"}
    records, kind, _ = _votes(long, (columns, "sides"), Given({}, answers=given.answers), notes)
    who = f"rater = {person}" if person else "rater = one per row"
    first = next(iter(asked))
    return records, kind, f"{who}, a column per item and pair of systems such as {first!r} ({len(asked)})"


def _prolific_status(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    """The state of each participant of a Prolific export; None where the table is something else."""
    named = {re.sub(r"[\s_\-]+", "", head.lower()): head for head in heads}
    if (
        not {"participantid", "status"} <= named.keys()
        or not {"submissionid", "timetaken", "sessionid"} & named.keys()
    ):
        return None
    return {str(row[named["participantid"]]): str(row[named["status"]] or "").upper() for row in rows}


def _of_platform(records: list[Rating], platform: Mapping[str, str], notes: list[str]) -> list[Rating]:
    """Without participants whose work the platform does not count."""
    if not platform:
        return records
    raters = {record.rater for record in records}
    left = {rater for rater in raters if platform.get(rater, "").replace("_", " ") in _GONE}
    unlisted = raters - platform.keys()
    if len(unlisted) == len(raters):
        raise DataError(
            "No rater of the ratings is in the list of participants.",
            hint="Both must name raters by the same ids (the participant id of Prolific).",
        )
    states = sorted({platform[rater] for rater in left})
    notes.append(
        f"Participants: {many(len(raters), 'rater')}, {len(raters & platform.keys()):,} of them in the list"
        + (f"; {len(left):,} were left out ({', '.join(states).lower()})" if left else "")
        + (f"; not in the list and kept: {first_few(sorted(unlisted))}" if unlisted else "")
        + "."
    )
    return [record for record in records if record.rater not in left]

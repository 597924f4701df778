"""Ratings from files: our own export (JSON Lines, CSV), WMT tables, MTurk batch results, Appraise exports,
and the published means of captions (`SYS,SID,RAW.SCR,Z.SCR,N`).
Other tables are read by `storymeter.human.tables`.

`read(path)` looks at the file and picks the reader; `read(path, "wmt")` insists. Formats that carry no pair
links (all but ours) link a control to the same worker's rating of the same system's caption of the same item
in the same HIT. A human caption (REF) is filed there under the system whose place it takes; it competes as a
system of its own only where its author is nobody's system. Systems that share a caption are joined by `+`.
"""

import contextlib
import csv
import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError
from ..files import content
from .platform_files import (
    APPRAISE_KIND_COLUMN,
    APPRAISE_KINDS,
    CAPTION_SCORES,
    appraise,
    caption_scores,
    mturk,
    wmt,
)
from .rating_files import records, storymeter, text
from .ratings import SOURCE, Labels, Ratings, from_columns

#: what a line of our exports has, and what tells them from other tables with such columns
_OWN = frozenset({"item", "system", "rater", "value"})
_OWN_MORE = frozenset({"kind", "criterion", "hit", "pair", "position"})
_EMPTY = "Give a file of ratings: a Storymeter export, a WMT table, MTurk batch results or an Appraise CSV."
_OTHERWISE = {"kind": "system", "hit": "", "pair": "", "stratum": "", "held": "", "campaign": ""}


def read(paths: Sequence[Path] | Path, format: str | None = None) -> Ratings:
    """One or more files of ratings of known formats; several are read as one table."""
    notes: list[str] = []
    files = [paths] if isinstance(paths, Path) else paths
    formats, tables = zip(*(columns_of_file(path, format, notes) for path in files), strict=True)
    return pooled(tables, [path.name for path in files], notes, ours=set(formats) == {"storymeter"})


def pooled(
    tables: Sequence[dict[str, Any]], names: Sequence[str], notes: list[str], *, ours: bool
) -> Ratings:
    """Tables of several sources as one. A rating that stands in two of them counts once, and is named with
    its sources. HITs of different campaigns are different HITs; where a source does not name its campaign,
    it is one of its own."""
    if len(tables) == 1:
        return replace(from_columns(tables[0], notes), ours=ours)
    whole = _joined(tables)
    source = [k for k, table in enumerate(tables) for _ in range(len(table["value"]))]
    campaign = whole.get("campaign") or [""] * len(source)
    where, what = (
        list(zip(*([_known(cell) for cell in whole[key]] for key in keys if key in whole), strict=True))
        for keys in (("campaign", "rater", "hit", "position", "item", "system", "kind"), ("value", "seconds"))
    )
    again, of = repeated_rows(source, where, what, names, notes)
    whole["campaign"] = [name or SOURCE.format(of[k] + 1) for name, k in zip(campaign, source, strict=True)]
    if again:
        whole = {
            key: [c for row, c in enumerate(column) if row not in again] for key, column in whole.items()
        }
    return replace(from_columns(whole, notes), ours=ours)


def _known(cell: Any) -> Any:
    """NaN is no number, and equal to another NaN."""
    return None if cell != cell else cell


#: so large a share of the answers that two sources have to the same questions are equal: it is one campaign
SAME_CAMPAIGN = 0.9


def repeated_rows(
    source: Sequence[int],
    where: Sequence[Any],
    what: Sequence[Any],
    names: Sequence[str],
    notes: list[str],
) -> tuple[set[int], dict[int, int]]:
    """Rows that stand in an earlier source, too, and the source whose campaign each source belongs to.

    `where` names the place of each answer (rater, HIT, position, item), `what` the answer. Two sources are
    exports of one campaign where nearly all places that both have hold the same answer; by chance only some
    do. What stands in both counts once, and is said with the names of the sources."""
    rows: dict[int, dict[Any, int]] = {}
    for row, (k, place) in enumerate(zip(source, where, strict=True)):
        rows.setdefault(k, {}).setdefault(place, row)
    again: set[int] = set()
    of = {k: k for k in range(len(names))}
    for k, other in itertools.combinations(sorted(rows), 2):
        shared = rows[k].keys() & rows[other].keys()
        same = {rows[other][place] for place in shared if what[rows[k][place]] == what[rows[other][place]]}
        if shared and len(same) >= SAME_CAMPAIGN * len(shared):
            of[other] = min(of[other], of[k])
            if fresh := same - again:
                notes.append(
                    f"{len(fresh):,} answers stand both in {names[k]} and in {names[other]}; each counts"
                    " once."
                )
            again |= fresh
    return again, of


def _joined(tables: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """One below the other; a column that only some have is filled up."""
    out: dict[str, list[Any]] = {key: [] for table in tables for key in table}
    for table in tables:
        for key, column in out.items():
            found = table.get(key)
            column += (
                [_OTHERWISE.get(key)] * len(table["value"])
                if found is None
                else found.to_list()
                if isinstance(found, Labels)
                else list(found)
            )
    return out


def columns_of_file(path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The format of a file, and its ratings by columns."""
    return columns_in(content(path, _EMPTY), path, format, notes)


def columns_in(raw: bytes, path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The same, of a file that was read already."""
    chosen = format or sniff(raw)
    if chosen not in READERS:
        raise UsageError(
            f"There is no format of ratings called {chosen!r}.", hint=f"Known: {', '.join(READERS)}."
        )
    with _readable(path):
        return chosen, READERS[chosen](raw, path.name, notes)


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise DataError(
            f"{path.name} cannot be read as a table: {error}.",
            hint="Look for a quotation mark that is never closed.",
        ) from None


def sniff(raw: bytes) -> str:
    """The format of a file of ratings, by its first line; an error where it is none of those known here."""
    head = raw[:65536].decode(errors="replace")
    first = next(iter(head.splitlines()), "")
    if first.lstrip().startswith("{") and set(re.findall(r'"(\w+)"\s*:', first)) >= _OWN:
        return "storymeter"
    if "Answer.Q1" in first:
        return "mturk"
    words = words_of(first)
    if {"WorkerId", "sys_id", "type", "score"} <= words:
        return "wmt"
    if words >= _OWN:
        return "storymeter"
    if words >= CAPTION_SCORES:  # and the HIT, of captions that all raters of a HIT saw
        return "captions"
    cells = next(csv.reader([first]))
    if len(cells) > APPRAISE_KIND_COLUMN and cells[APPRAISE_KIND_COLUMN] in APPRAISE_KINDS:
        return "appraise"
    raise DataError(
        "The format of this file of ratings is not known.",
        hint="Name the format with --from storymeter|wmt|mturk|appraise|captions|table.",
    )


def is_known(raw: bytes) -> bool:
    """Whether a file is of one of these formats; other tables are read by the names of their columns."""
    try:
        sniff(raw)
    except (DataError, csv.Error):
        return False
    return True


def is_plain_table(raw: bytes) -> bool:
    """Whether a file has the columns of our exports by chance: rater, item, system, value and nothing of
    the rest."""
    first = raw[:65536].decode(errors="replace").lstrip().split("\n", 1)[0]
    return first[:1] != "{" and words_of(first) >= _OWN and not words_of(first) & _OWN_MORE


def words_of(line: str) -> set[str]:
    return {word.strip('"').removeprefix("Input.") for word in line.replace(",", " ").split()}


def records_in(raw: bytes, path: Path) -> list[Rating]:
    """The records of one of our exports, for studies whose answers are not single scores (preference,
    survey)."""
    with _readable(path):
        return records(raw, path.name)


def first_criterion(raw: bytes, name: str) -> str | None:
    """The first criterion of one of our exports that is no test question's; None where the file is
    something else or cannot be read as such (reading it says what is wrong)."""
    try:
        if sniff(raw) != "storymeter":
            return None
        found: Iterator[str]
        if raw.lstrip()[:1] == b"{":
            lines = (line for line in io.BytesIO(raw) if line.strip())
            found = (msgspec.json.decode(line, type=_Criterion).criterion for line in lines)
        else:
            rows = csv.DictReader(io.StringIO(text(raw, name), newline=""))
            found = (row.get("criterion") or "" for row in rows)
        seen = ""
        for criterion in found:
            if criterion != "test":
                return criterion
            seen = "preference"
        return seen
    except (DataError, csv.Error, msgspec.MsgspecError):
        return None


class _Criterion(msgspec.Struct):
    criterion: str = ""


READERS: dict[str, Callable[[bytes, str, list[str]], dict[str, Any]]] = {
    "storymeter": storymeter,
    "wmt": wmt,
    "mturk": mturk,
    "appraise": appraise,
    "captions": caption_scores,
}

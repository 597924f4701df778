"""Ratings from files of known formats: our own export (JSON Lines, CSV), WMT tables, MTurk batch results,
Appraise exports, and the published means of captions (`SYS,SID,RAW.SCR,Z.SCR,N`).
Other tables are read by `storymeter.human.tables`.

`sniff` names the format of a file. Formats that carry no pair links (all but ours) link a control to the same
worker's rating of the same system's caption of the same item in the same HIT. A human caption (REF) is filed
there under the system whose place it takes; it competes as a system of its own only where its author is
nobody's system. Systems that share a caption are joined by `+`.
"""

import contextlib
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError, first_few
from ..files import unguarded
from .rating_files import credit_all, records, require_columns, storymeter, text

#: what a line of our exports has, and what tells them from other tables with such columns
_OWN = frozenset({"item", "system", "rater", "value"})
_OWN_MORE = frozenset({"kind", "criterion", "hit", "pair", "position"})


_WMT_KINDS = {"SYSTEM": "system", "REPEAT": "repeat", "REF": "human", "BAD_REF": "degraded"}
_MTURK_KINDS = {
    "system": "system",
    "repeat": "repeat",
    "ref": "human",
    "cal": "degraded",
    "bad": "degraded",
    "bad_ref": "degraded",
}
APPRAISE_KINDS = {"TGT": "system", "CHK": "repeat", "REF": "human", "BAD": "degraded"}
APPRAISE_KIND_COLUMN = 3
#: the columns of scores of captions, as TRECVID and WMT publish them (and `human analyse --captions` writes)
CAPTION_SCORES = frozenset({"SYS", "SID", "RAW.SCR", "Z.SCR", "N"})
_FIELDS = ("rater", "hit", "item", "system", "kind", "value", "seconds", "stratum", "position")


class _Table:
    """The ratings of a file of another tool, row by row, and what cannot be read of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[str] = []
        self._rows: list[tuple[Any, ...]] = []
        self._total: Counter[tuple[str, str]] = Counter()

    def add(self, rater: str, hit: str, *cells: str | float | None, position: int | None = None) -> None:
        """The cells in the order of `_FIELDS`; the position is counted where it is not known."""
        self._total[rater, hit] += 1
        self._rows.append((rater, hit, *cells, self._total[rater, hit] if position is None else position))

    def columns(self, hint: str, *, whole_hit: bool = False) -> dict[str, list[Any]]:
        """All of it by columns, or an error with this hint. `whole_hit`: every row gives the time of the
        whole HIT, which is shared out.
        """
        if self.problems:
            raise DataError(
                f"{self.name}: {len(self.problems):,} ratings cannot be read:"
                f" {first_few(self.problems, limit=3)}",
                hint=hint,
            )
        if not self._rows:
            raise DataError(f"{self.name} holds no rating.", hint=hint)
        out = dict(zip(_FIELDS, map(list, zip(*self._rows, strict=True)), strict=True))
        out["pair"] = [f"{system} {item}" for system, item in zip(out["system"], out["item"], strict=True)]
        _settle(out)
        if whole_hit:
            out["seconds"] = [
                None if s is None else s / self._total[rater, hit]
                for s, rater, hit in zip(out["seconds"], out["rater"], out["hit"], strict=True)
            ]
        return out


def wmt(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`HITId WorkerId src trg item hit sys_id rid type sid score time`: header blank-separated, rows
    tab-separated; other mixtures of tabs, blanks and commas occur, and names in quotation marks. Ratings of
    different language pairs (src, trg) are strata.
    """
    lines = text(raw, name).splitlines()
    place = {
        key.removeprefix("Input."): k for k, key in enumerate(re.split(r"[\s,\"]+", lines[0].strip(' \t"')))
    }
    require_columns(
        name,
        place,
        ("WorkerId", "sys_id", "type", "sid", "score"),
        "A WMT table begins: HITId WorkerId src trg item hit sys_id rid type sid score time",
    )
    table = _Table(name)
    for number, line in enumerate(_distinct(lines[1:], notes), 2):
        if not line.strip():
            continue
        cells = split_row(line, len(place))
        if len(cells) != len(place):
            table.problems.append(f"line {number} has {len(cells)} cells, the header {len(place)}")
            continue
        try:
            kind, value = _WMT_KINDS[cells[place["type"]]], float(cells[place["score"]])
            system, sid, rater = (cells[place[key]] for key in ("sys_id", "sid", "WorkerId"))
            hit = " ".join(cells[place[key]] for key in ("HITId", "hit") if key in place)
            seconds = (
                float(cells[place["time"]])
                if "time" in place and cells[place["time"]] not in ("", "NA")
                else None
            )
        except (KeyError, IndexError, ValueError):
            table.problems.append(f"line {number}: {line[:60]!r}")
            continue
        stratum = "-".join(cells[place[key]] for key in ("src", "trg") if key in place)
        table.add(rater, hit, sid, system, kind, value, seconds, stratum)
    return table.columns(
        "A row has the columns of the header, separated by tabs (names with spaces may be put in quotation"
        " marks); type is SYSTEM, REPEAT, REF or BAD_REF.",
        whole_hit=True,
    )


def mturk(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """Batch results: one line per assignment, `Answer.Q1` = `idx_rid_score|…`, the items in `Input.*_idx`."""
    table = _Table(name)
    empty: list[str] = []
    reader = csv.DictReader(io.StringIO(text(raw, name), newline=""))
    require_columns(
        name,
        reader.fieldnames or (),
        ("WorkerId", "HITId", "Answer.Q1"),
        "Download the batch results from the platform again.",
    )
    for number, row in enumerate(reader, 2):
        answers = [part for part in (row["Answer.Q1"] or "").split("|") if part]
        if not answers:
            empty.append(row.get("AssignmentId") or f"line {number}")
        for answer in answers:
            try:
                index, rid, score = answer.split("_")
                if row[f"Input.rid_{index}"] != rid:
                    raise ValueError
                kind, system, sid = (
                    _MTURK_KINDS[row[f"Input.tst_{index}"]],
                    row[f"Input.sys_id_{index}"],
                    row[f"Input.sid_{index}"],
                )
                place, value, rater, hit = int(index), float(score), row["WorkerId"], row["HITId"]
                if None in (system, sid, rater, hit):  # a row that breaks off
                    raise ValueError
            except (KeyError, ValueError):
                table.problems.append(f"line {number}, answer {answer[:30]!r}")
                continue
            time = row.get("WorkTimeInSeconds") or ""
            seconds = float(time) if time.isdecimal() else None
            stratum = "-".join(row.get(f"Input.{key}") or "" for key in ("src", "trg")).strip("-")
            table.add(rater, hit, sid, system, kind, value, seconds, stratum, position=place)
    if empty:
        notes.append(f"{len(empty):,} assignments hold no answer and were left out: {first_few(empty)}")
    return table.columns(
        "Answer.Q1 holds index_rid_score joined by |; Input.tst_index is system, repeat, ref or cal.",
        whole_hit=True,
    )


def appraise(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`user,system,segment,type,source,target,score[,document,is_document_score],start,end`, no header."""
    table = _Table(name)
    documents = 0
    for number, quoted in enumerate(csv.reader(_distinct(text(raw, name).splitlines(), notes)), 1):
        cells = [unguarded(cell) for cell in quoted]
        if not cells:
            continue
        if len(cells) > 8 and cells[8] == "True":
            documents += 1
            continue
        try:
            user, system, segment = cells[:3]
            kind, value = APPRAISE_KINDS[cells[APPRAISE_KIND_COLUMN]], float(cells[6])
            document = cells[7] if len(cells) > 9 else ""
            seconds = float(cells[-1]) - float(cells[-2]) if len(cells) > 8 else None
        except (KeyError, IndexError, ValueError):
            table.problems.append(f"line {number}")
            continue
        item, stratum = f"{document} {segment}".strip(), "-".join(cells[4:6]).strip("-")
        table.add(user, "", item, system, kind, value, seconds, stratum)
    if documents:
        notes.append(f"{documents:,} scores of whole documents were left out; only segments are analysed.")
    return table.columns(
        "A row is user,system,segment,type,source,target,score,…; type is TGT, CHK, REF or BAD."
    )


_CELLS = re.compile(r'"((?:[^"]|"")*)"|([^\s"]+)')


def split_row(line: str, wanted: int) -> list[str]:
    """The cells of a row: at tabs, at commas or at blanks, whichever gives as many as are wanted.

    >>> split_row('h1\\tw 1\\t"my system"', 3), split_row('h1 w1  "my system"', 3), split_row("h1,w 1,s", 3)
    (['h1', 'w 1', 'my system'], ['h1', 'w1', 'my system'], ['h1', 'w 1', 's'])
    >>> split_row('h1\\tw1 "my system"', 3)
    ['h1', 'w1', 'my system']
    """
    blanks = [quoted.replace('""', '"') if bare == "" else bare for quoted, bare in _CELLS.findall(line)]
    tried = [next(csv.reader([line], delimiter=mark)) for mark in "\t," if mark in line]
    ways = [*tried, blanks]
    return next((cells for cells in ways if len(cells) == wanted), ways[0])


def _distinct(lines: Sequence[str], notes: list[str]) -> list[str]:
    """These formats number every rating or give its time, so that a line that comes twice is one rating
    written twice.
    """
    once = list(dict.fromkeys(lines))
    if len(once) < len(lines):
        notes.append(f"{len(lines) - len(once):,} duplicate lines were left out.")
    return once


def _settle(out: dict[str, list[Any]]) -> None:
    """Human captions that only stand in for a system's lose its name; names joined by + credit every one of
    them.
    """
    own = {
        name
        for joined, kind in zip(out["system"], out["kind"], strict=True)
        if kind == "system"
        for name in (joined, *joined.split("+"))
    }
    for row, (system, kind) in enumerate(zip(out["system"], out["kind"], strict=True)):
        if kind == "human" and system in own:
            out["system"][row] = out["pair"][row] = ""
    credit_all(out)


def caption_scores(raw: bytes, name: str, notes: list[str]) -> dict[str, list[Any]]:
    """`SYS,SID,RAW.SCR,Z.SCR,N` with commas (TRECVID) or blanks (WMT): the mean of each caption, whose
    raters are not in the file. Its z is what the tests between systems are about.
    """
    table, raws, counts = _Table(name), list[float](), list[float]()
    lines = text(raw, name).splitlines()
    head, *cells = csv.reader(lines) if "," in lines[0] else map(str.split, lines)
    for number, row in enumerate((dict(zip(head, each, strict=False)) for each in cells), 2):
        if not row:
            continue
        try:
            z, count = float(row["Z.SCR"]), float(row["N"])
        except (KeyError, ValueError):
            z = count = math.nan
        if not (count.is_integer() and count > 0):
            table.problems.append(f"line {number}")
            continue
        system, item = unguarded(row["SYS"]), unguarded(row["SID"])
        table.add("(not published)", "", item, system, "system", z, None, "")
        counts.append(count)
        try:
            raws.append(float(row["RAW.SCR"]))
        except ValueError:  # z-scores alone
            raws.append(math.nan)
    columns = table.columns(
        "A row is a system, a caption, its raw and its z mean, and its number of ratings."
    )
    rows = len(columns["value"])
    notes.append(
        f"{name} has the means of {rows:,} captions ({sum(counts):,.0f} ratings), not their raters: the z"
        " means are compared by the rank-sum test over captions, which says nothing of other raters."
    )
    return {**columns, "standardised": [True] * rows, "raw": raws, "count": counts}


READERS: dict[str, Callable[[bytes, str, list[str]], dict[str, Any]]] = {
    "storymeter": storymeter,
    "wmt": wmt,
    "mturk": mturk,
    "appraise": appraise,
    "captions": caption_scores,
}


def columns_in(raw: bytes, path: Path, format: str | None, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The format of the content of a file, and its ratings by columns."""
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

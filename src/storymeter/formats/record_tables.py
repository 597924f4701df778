"""Rows out of files that are no JSON object: JSON Lines, delimited tables, workbooks, lines led by an id."""

import ast
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from . import aliases
from .aliases import Role
from .base import Source, decode
from .checks import Check
from .containers import unfold
from .problems import Mark, named
from .record_rows import VALUE, Found, Row, Unfit
from .zipped import WorkbookError, count_sheets, sheet_rows

_DELIMITERS = "\t;|,"
_COLON = re.compile(r"(\S+?) ?(?:[:：]|=>?|->|[-–—])\s+(\S.*)")
_BLANK = re.compile(r"(\S+)\s+(\S.*)")
_NAME = re.compile(
    r"(?=.*(?:\d|_))(?=.*[A-Za-z])[\w.\-#/\\]+|\S+\.(?:jpe?g|png|mp4|avi|mkv|webm|gif)(?:#\d+)?"
)
HEAD_AGAIN = "the header stands here again, and was left out"
_PLAIN_NAME = re.compile(r"(?=.*[^\W\d])[\w.\-#/\\]+")
#: `a1 0.0 4.5##a dog runs`, `a1, 0, 4.5, a dog runs`
_TIMED = re.compile(
    r"(?P<id>[^\s,;|#]+)[ \t,;|]+(?P<start>\d[\d.:]*)[ \t,;|]+(?P<end>\d[\d.:]*)"
    r"(?:##|[ \t,;|:]+)(?P<text>[^\W\d].*)"
)
_TIME = re.compile(r"\W*\d{1,3}:\d\d")


def is_lines_of_json(source: Source) -> bool:
    """Two lines or more, each with an object or a list of its own."""
    return source.is_json_lines or is_lists_by_line(source)


def is_lists_by_line(source: Source) -> bool:
    """Two lines, each with a whole value, one of them a list."""
    lines = [line.strip() for line in source.data[:65536].split(b"\n") if line.strip()][:2]
    return len(lines) == 2 and any(line[:1] == b"[" for line in lines) and all(map(_is_value, lines))


def _is_value(line: bytes) -> bool:
    check = Check()
    ends = line[:1] + line[-1:]
    return ends in (b"[]", b"{}") and isinstance(decode(line, check), list | dict) and not check.failed


def json_lines(source: Source, role: Role | None, check: Check) -> Found | None:
    values, marks = [], []
    for number, line in enumerate(source.data.split(b"\n"), 1):
        if line.strip():
            mark = Mark("line", number)
            value = decode(line, check, (mark,))
            if isinstance(value, dict | list):
                values.append(value)
                marks.append(mark)
            else:
                check.error("wrong-type", "a line must be a JSON object", (mark,))
    found = unfold(values, role)
    if found:
        for row in found.rows:
            if row.at and isinstance(row.at[0], int):
                row.at = (marks[row.at[0]], *row.at[1:])
        found.wrong = [
            ((marks[at[0]], *at[1:]) if at and isinstance(at[0], int) else at, v) for at, v in found.wrong
        ]
    return found


def workbook(source: Source, check: Check) -> Found | None:
    """The first sheet that holds a table; another one that does is named in a warning."""
    tables: list[tuple[int, list[tuple[Mark, list[Any]]]]] = []
    only: list[tuple[Mark, list[Any]]] = []
    for number in range(max(1, min(count_sheets(source.data), 20))):
        try:
            cells = sheet_rows(source.data, number)
        except WorkbookError as error:
            check.error("bad-table", "the workbook cannot be read", (), detail=str(error)[:200])
            return None
        width = max(map(len, cells), default=0)
        lines = [(Mark("row", n), [*row, *[None] * (width - len(row))]) for n, row in enumerate(cells, 1)]
        lines = [(mark, row) for mark, row in lines if any(c is not None for c in row)]
        lines = lines[_titles(lines) :]
        if len(lines) > 1 and sum(cell is not None for cell in lines[0][1]) > 1:
            tables.append((number, lines))
        elif not tables and number == 0:
            only = lines
    if not tables:
        return _table(only, check)
    for number, lines in tables[1:]:
        message = "the workbook has another sheet with a table, which was not read"
        check.warn("other-sheet", message, (Mark("sheet", number + 1),), detail=f"{len(lines):,} rows")
    return _table(tables[0][1], check)


def _titles(lines: Sequence[tuple[Mark, Sequence[Any]]]) -> int:
    """How many rows of one cell stand above a head."""
    first = next((n for n, (_, row) in enumerate(lines) if sum(c is not None for c in row) > 1), 0)
    heads = sum(aliases.known(str(cell).strip()) for cell in lines[first][1] if cell) if lines else 0
    return first if heads > 1 else 0


def delimited(source: Source, check: Check) -> Found | None:
    """A table of cells between tabs, semicolons, bars or commas; None where the file is none."""
    text = source.plain_text
    best: tuple[int, int, list[tuple[Mark, list[str]]]] | None = None
    for delimiter in _DELIMITERS:
        if delimiter not in text[:65536]:
            continue
        rows = _parsed(text, delimiter, source, limit=60)
        if not rows:
            continue
        width, times = Counter(len(row) for _, row in rows).most_common(1)[0]
        rows = rows[_comments(rows, width) :]
        if not rows:
            continue
        heads = sum(aliases.known(cell.strip()) for cell in rows[0][1])
        headed = heads >= 2 and len(rows[0][1]) == width
        named = source.suffix in (".csv", ".tsv") or delimiter == "\t"
        most = 2 * times > len(rows) if named or delimiter == "|" else times >= 0.9 * len(rows)
        if width < 2 or (not headed and (not most or (not named and delimiter == ","))):
            continue
        if heads == 0 and not headed and not named and delimiter != "|":
            continue
        if best is None or heads > best[0]:
            best = heads, width, _parsed(text, delimiter, source)
    if best is None:
        return None
    _, width, rows = best
    for mark, _ in rows[: (comments := _comments(rows, width))]:
        check.warn("skipped-line", "a line of comment was left out", (mark,))
    rows = rows[comments:]
    sound = []
    for mark, row in rows:
        if len(row) != width:
            check.error(
                "ragged-row",
                "the row has more or fewer cells than the header",
                (mark,),
                detail=f"{width} columns",
            )
        else:
            sound.append((mark, row))
    return _table(sound, check)


def _comments(rows: Sequence[tuple[Mark, Sequence[str]]], width: int) -> int:
    """How many lines before the header begin with # and have other cells than it."""
    return next((n for n, (_, r) in enumerate(rows) if len(r) == width or not r[0].startswith("#")), 0)


def _parsed(text: str, delimiter: str, source: Source, limit: int = 0) -> list[tuple[Mark, list[str]]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if delimiter == "|" and lines.lstrip().startswith("|"):  # Markdown: | a | b |
        bars = [line.strip() for line in lines.split("\n")]
        lines = "\n".join("" if re.fullmatch(r"[|:\s-]+", bar) else bar.strip("|") for bar in bars)
    odd = delimiter in "\t|" and any(line.count('"') % 2 for line in lines.split("\n"))
    loose = odd and not _well_quoted(lines, delimiter)
    reader = csv.reader(
        io.StringIO(lines, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if loose else csv.QUOTE_MINIMAL,
        skipinitialspace=delimiter == "|",
    )
    rows = []
    try:
        for row in reader:
            if row:
                cells = [cell.strip() for cell in row] if delimiter == "|" else row
                rows.append((Mark("line", reader.line_num), cells))
            if limit and len(rows) >= limit:
                break
    except csv.Error as error:
        if not limit:
            source.check.error(
                "bad-table",
                "the rest of the table cannot be read",
                (Mark("line", reader.line_num + 1),),
                detail=str(error),
            )
    return rows


def _well_quoted(lines: str, delimiter: str) -> bool:
    """Quotes are around whole cells, some of which hold line ends, and none swallows the rows after it."""
    try:
        rows = [*csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error:
        return False
    cells = [cell for row in rows for cell in row]
    return len({len(row) for row in rows if row}) == 1 and not any(
        "\n" in cell and delimiter in cell for cell in cells
    )


def _table(rows: Sequence[tuple[Mark, Sequence[Any]]], check: Check) -> Found | None:
    if not rows:
        return None
    head = ["" if cell is None else str(cell).strip() for cell in rows[0][1]]
    headed = _is_head(head, [row for _, row in rows[1:]])
    names = _heads(head) if headed else [str(n) for n in range(len(head))]
    for name in sorted({name for name in names if names.count(name) > 1}):
        check.error(
            "duplicate-column",
            "a column occurs more than once in the header",
            (rows[0][0],),
            detail=repr(name),
        )
    body = []
    for mark, row in rows[1:] if headed else rows:
        if headed and list(row) == list(rows[0][1]):
            check.warn("skipped-line", HEAD_AGAIN, (mark,))
        else:
            body.append((mark, row))
    rows_ = _unpacked([list(row) for _, row in body])
    return Found(
        [
            Row((mark,), dict(zip(names, row, strict=True)), group=n)
            for n, ((mark, _), row) in enumerate(zip(body, rows_, strict=True))
        ]
    )


def _unpacked(rows: list[list[Any]]) -> list[list[Any]]:
    """Columns of lists, which pandas writes as Python or JSON shows them, as lists."""
    for n in range(len(rows[0]) if rows else 0):
        cells = [row[n] for row in rows]
        lists = [_list_of(cell) if cell else None for cell in cells]
        if any(lists) and all(
            found is not None or not cell for found, cell in zip(lists, cells, strict=True)
        ):
            for row, found in zip(rows, lists, strict=True):
                row[n] = found
    return rows


def _list_of(cell: Any) -> list[Any] | None:
    if not isinstance(cell, str) or cell.strip()[:1] != "[" or cell.strip()[-1:] != "]":
        return None
    try:
        found = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = decode(cell.encode(), Check())
    return found if isinstance(found, list) else None


def _heads(head: list[str]) -> list[str]:
    """A column without a name, or `Unnamed: 0`, is the index that pandas writes."""
    return [
        "index" if (not name and n == 0) or re.fullmatch(r"Unnamed: \d+", name) else name or f"column {n + 1}"
        for n, name in enumerate(head)
    ]


def _is_head(head: list[str], rows: list[Sequence[Any]]) -> bool:
    if any(aliases.known(name) for name in head):
        return True
    if not rows or len(set(head)) < len(head) or not all(head):
        return False
    rows = rows[:20]
    named = any(
        not any(c.isdigit() or c in "_./" for c in head[n])
        and all(any(c.isdigit() or c in "_./" for c in str(row[n])) for row in rows)
        for n in range(len(head))
    )
    few = max(1, len(rows) // 5) if named and len(rows) > 1 else 0  # short captions below a head
    short = [sum(len(str(row[n]).split()) < 3 for row in rows) for n in range(len(head))]
    wordy = [n for n, count in enumerate(short) if count <= few and count < len(rows)]
    return bool(wordy) and all(len(head[n].split()) < 3 for n in wordy)


def led_lines(source: Source) -> tuple[Found | None, int]:
    """Lines that begin with an id, if most do (others are wrong), and how many do."""
    lines = [(n, line.strip()) for n, line in enumerate(source.text.split("\n"), 1) if line.strip()]
    if not lines or _TIME.match(lines[0][1]):
        return None, 0
    timed = [(n, found.groupdict()) for n, line in lines if (found := _TIMED.fullmatch(line))]
    if 2 * len(timed) > len(lines):
        rows = [Row((Mark("line", n),), fields, group=k) for k, (n, fields) in enumerate(timed)]
        return _with_others(Found(rows), lines, "an id, a start, an end and a caption"), len(timed)
    for pattern, loose in ((_COLON, True), (_BLANK, False)):
        led = [(n, pattern.fullmatch(line)) for n, line in lines]
        fits = [
            (n, found[1], found[2])
            for n, found in led
            if found and (_PLAIN_NAME if loose else _NAME).fullmatch(found[1])
        ]
        names = [id for _, id, _ in fits]
        telling = sum(bool(_NAME.fullmatch(name)) for name in names)
        unique = len(set(names)) == len(names)
        several = 2 * telling > len(names)
        if (len(fits) == len(lines) and ((unique and len(lines) > 1) or several)) or (
            2 * len(fits) > len(lines) > 2 and several
        ):
            rows = [
                Row((Mark("line", n),), {VALUE: text}, id, group=k) for k, (n, id, text) in enumerate(fits)
            ]
            return _with_others(Found(rows, True), lines, "an id and a caption"), len(fits)
    return None, 0


def _with_others(found: Found, lines: list[tuple[int, str]], what: str) -> Found:
    """The rows of most lines; the lines that are not like them are wrong."""
    fits = {row.at for row in found.rows}
    for number, line in lines:
        at = (Mark("line", number),)
        if at not in fits:
            detail = f"found {named(line)}; to read each line as a caption: --from lines"
            found.wrong.append((at, Unfit(f"the line does not hold {what}, as most lines do", detail)))
    return found

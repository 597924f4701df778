"""A table for people and for machines, in every style of `STYLES`. Rendering never prints.

People get rounded numbers, percentages and intervals in brackets; machines get every number in full, on one
scale, an interval as two columns and parts as a column each.

>>> table = Table(["system", Column("SODA c", ".2f", 100)], [["mine", 0.051249], ["yours", None]])
>>> print(table.render("csv").strip())
system,SODA c
mine,0.051249
yours,
>>> print(table.render("markdown"))
| system | SODA c |
|:--|--:|
| mine | 5.12 |
| yours | – |
<BLANKLINE>
"""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..errors import UsageError
from ..files import guarded
from .fitting import CONTROLS, blocks, escape_controls, least_width, naming, natural_width

MISSING = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """A value for machines beside the text for people, where the column alone cannot say how it is shown."""

    value: object
    text: str
    strong: bool = False
    #: stands behind the text, such as †
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how its numbers are shown to people (`.2f`, `,d`); files for machines get them in
    full. An interval is a pair of numbers, parts are a mapping.
    """

    name: str
    format: str = ""
    #: numbers are multiplied by this for people: 100 where the field prints percentages
    scale: float = 1.0
    #: names its row: stands in every block of a narrow terminal, and is never altered, so that files can be
    #: joined by it
    key: bool = False
    #: what the two ends of an interval are called in files
    ends: tuple[str, str] = ("low", "high")
    #: what stands before the names of parts in files
    prefix: str = "part_"

    def show(self, value: object) -> str:
        if isinstance(value, Cell):
            return escape_controls(value.text + value.mark)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return MISSING
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            return format(
                value * self.scale if self.scale != 1 else value,
                self.format or ("," if isinstance(value, int) else ".4f"),
            )
        if isinstance(value, tuple):
            return f"[{', '.join(self.show(end) for end in value)}]"
        if isinstance(value, Mapping):
            return "  ".join(f"{escape_controls(str(key))} {self.show(part)}" for key, part in value.items())
        return escape_controls(str(value))


def keys(*names: str) -> list[Column]:
    """Columns that name their row."""
    return [Column(name, key=True) for name in names]


def numbers(form: str, *names: str, scale: float = 1.0) -> list[Column]:
    """Columns whose numbers are shown alike."""
    return [Column(name, form, scale) for name in names]


def interval_cell(interval: Sequence[float] | None, otherwise: str) -> object:
    """An interval, or what people read where there is none."""
    return tuple(interval) if interval else Cell(None, otherwise)


def raw(value: object) -> object:
    """What machines get of a cell."""
    return value.value if isinstance(value, Cell) else value


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    note: str = ""
    #: what the numbers depend on, a line each; every style but the terminal's and CSV writes it below
    signatures: Sequence[str] = ()
    #: what CSV holds instead, where people see another shape
    machine: Table | None = None
    heads: tuple[Column, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "heads", tuple(c if isinstance(c, Column) else Column(c) for c in self.columns)
        )
        for row in self.rows:
            if len(row) != len(self.heads):
                raise ValueError(f"a row of {len(row)} cells under {len(self.heads)} headings")

    def render(self, style: str = "table", *, width: int | None = None, colour: bool = False) -> str:

        if style == "table":
            return self._terminal(width, colour)
        if style not in STYLES:
            raise UsageError(
                f"There is no table format {style!r}.", hint=f"Known: table, {', '.join(STYLES)}."
            )
        return STYLES[style](self.machine if style == "csv" and self.machine else self)

    def shown(self) -> list[list[str]]:
        return [[head.show(value) for head, value in zip(self.heads, row, strict=True)] for row in self.rows]

    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and so are set flush right."""
        return [
            any(_number(row[k]) for row in self.rows)
            and all(raw(row[k]) is None or _number(row[k]) for row in self.rows)
            for k in range(len(self.heads))
        ]

    def strong(self) -> list[list[bool]]:
        return [[isinstance(value, Cell) and value.strong for value in row] for row in self.rows]

    def _marked(self) -> list[list[str]]:
        """The cells as a terminal shows them: `*` behind what is strong, for colour may be missing, and the
        digits of a column below each other whatever stands behind them.
        """
        marked = [
            any(isinstance(row[k], Cell) and (row[k].strong or row[k].mark) for row in self.rows)
            for k in range(len(self.heads))
        ]
        return [
            [
                text
                if not marks
                else f"{text}*"
                if isinstance(value, Cell) and value.strong
                else text
                if isinstance(value, Cell) and value.mark
                else f"{text}\N{NO-BREAK SPACE}"
                for text, value, marks in zip(cells, row, marked, strict=True)
            ]
            for cells, row in zip(self.shown(), self.rows, strict=True)
        ]

    def fits(self, width: int | None) -> bool:
        """Whether a terminal of this width shows all columns beside each other."""
        return len(self._blocks(self._marked(), width)) == 1

    def _blocks(self, shown: list[list[str]], width: int | None) -> list[list[tuple[int, int]]]:
        """The columns and their widths, for every block."""
        numbers, names = self.numeric(), [escape_controls(head.name) for head in self.heads]
        cells = [[row[k] for row in shown] for k in range(len(names))]
        natural = [natural_width([name, *column]) for name, column in zip(names, cells, strict=True)]
        if not width:  # a table that goes into a file or a pipe is never cut
            return [list(enumerate(natural))]
        least = [
            least_width(name, column, number)
            for name, column, number in zip(names, cells, numbers, strict=True)
        ]
        keys = [k for k, head in enumerate(self.heads) if head.key] or list(range(naming(numbers)))
        return blocks(natural, least, keys, width)

    def _terminal(self, width: int | None, colour: bool) -> str:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        numbers, names, shown = (
            self.numeric(),
            [escape_controls(head.name) for head in self.heads],
            self._marked(),
        )
        strong = self.strong()
        fitted = self._blocks(shown, width)
        console = Console(
            file=io.StringIO(),
            width=width or 100_000,
            force_terminal=colour,
            no_color=not colour,
            highlight=False,
        )
        with console.capture() as captured:
            if self.title:
                console.print(Text(escape_controls(self.title), "bold"))
            for block in fitted:
                table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
                for k, wide in block:
                    table.add_column(
                        Text(names[k]), justify="right" if numbers[k] else "left", overflow="fold", width=wide
                    )
                for row, marks in zip(shown, strong, strict=True):
                    table.add_row(*(Text(row[k], "bold" if marks[k] and colour else "") for k, _ in block))
                console.print(table)
            if self.note:
                console.print(Text(escape_controls(self.note), "dim"))
        return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _number(value: object) -> bool:
    return isinstance(raw(value), int | float) and not isinstance(raw(value), bool)


def to_json(value: Any) -> str:
    """Indented JSON with a final newline; NaN and infinities, which JSON has not, become null."""
    # numpy's scalars and arrays, and whatever has a text
    text = msgspec.json.encode(value, enc_hook=lambda v: v.tolist() if hasattr(v, "tolist") else str(v))
    text = msgspec.json.format(text, indent=1) + b"\n"
    # control characters stand in strings alone, where JSON takes them so
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text.decode())


# The styles of a table beside the terminal's: CSV and JSON for machines, LaTeX, Markdown and HTML for
# people.


def _csv(table: Table) -> str:
    heads: list[str] = []
    columns: list[list[object]] = []
    for k, head in enumerate(table.heads):
        for name, values in _flat(head, [raw(row[k]) for row in table.rows]):
            heads.append(str(_plain(name)))
            columns.append([_plain(value) for value in values])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue()


def _flat(head: Column, values: Sequence[object]) -> list[tuple[str, list[object]]]:
    """The columns that a machine reads instead of one: the ends of an interval, a column per part."""
    if any(isinstance(value, tuple) for value in values):
        return [
            (name, [value[end] if isinstance(value, tuple) else None for value in values])
            for end, name in enumerate(head.ends)
        ]
    keys = dict.fromkeys(key for value in values if isinstance(value, Mapping) for key in value)
    if keys:
        return [
            (
                f"{head.prefix}{key}",
                [value.get(key) if isinstance(value, Mapping) else None for value in values],
            )
            for key in keys
        ]
    return [(head.name, [None if isinstance(value, Mapping) else value for value in values])]


def _plain(value: object) -> object:
    """A cell for a machine: missing is empty, and free text that a spreadsheet would run as a formula is
    defused.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return guarded(value) if isinstance(value, str) else value


_LATEX = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    MISSING: "--",
    "\n": " ",
    "\t": " ",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"$^\dagger$",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}


def _latex(table: Table) -> str:
    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in text)

    def line(cells: Sequence[str], strong: Sequence[bool]) -> str:
        row = (
            " & ".join(
                rf"\textbf{{{escape(cell)}}}" if bold else escape(cell)
                for cell, bold in zip(cells, strong, strict=True)
            )
            + r" \\"
        )
        return (
            "{}" + row if row.startswith(("[", "*")) else row
        )  # after \\ or a rule these would be its option

    align = "".join("r" if number else "l" for number in table.numeric())
    body = [
        line([head.name for head in table.heads], [False] * len(table.heads)),
        r"\midrule",
        *map(line, table.shown(), table.strong()),
    ]
    tabular = "\n".join(
        [rf"\begin{{tabular}}{{{align}}}", r"\toprule", *body, r"\bottomrule", r"\end{tabular}"]
    )
    said = [table.title, table.note, *table.signatures]
    comments = [f"% {line}" for text in said for line in text.splitlines()]
    return "\n".join(["% needs \\usepackage{booktabs}", *comments, tabular]) + "\n"


_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str], strong: Sequence[bool]) -> str:
        safe = [_TAG.sub("&lt;", cell.replace("|", "\\|").replace("\n", " ")) for cell in cells]
        bold = [f"**{cell}**" if mark else cell for cell, mark in zip(safe, strong, strict=True)]
        return "| " + " | ".join(bold) + " |"

    rule = "|" + "|".join("--:" if number else ":--" for number in table.numeric()) + "|"
    heads = line([head.name for head in table.heads], [False] * len(table.heads))
    lines = [heads, rule, *map(line, table.shown(), table.strong())]
    if table.signatures:
        note = [_TAG.sub("&lt;", table.note), ""] if table.note else []
        lines += ["", *note, *(f"- `{text.replace('`', chr(39))}`" for text in table.signatures)]
    return "\n".join(lines) + "\n"


def _html(table: Table) -> str:
    numbers = table.numeric()  # once: it looks at every row

    def cells(tag: str, row: Sequence[str], strong: Sequence[bool]) -> str:
        return "".join(
            f"<{tag}{' class=number' if number else ''}>"
            + (f"<strong>{html.escape(cell)}</strong>" if bold else html.escape(cell))
            + f"</{tag}>"
            for cell, number, bold in zip(row, numbers, strong, strict=True)
        )

    heads = cells("th", [head.name for head in table.heads], [False] * len(table.heads))
    rows = zip(table.shown(), table.strong(), strict=True)
    parts = [
        "<table>",
        *([f"<caption>{html.escape(table.title)}</caption>"] if table.title else []),
        f"<thead><tr>{heads}</tr></thead><tbody>",
        *(f"<tr>{cells('td', row, bold)}</tr>" for row, bold in rows),
        "</tbody></table>",
        *([f"<p class=note>{html.escape(table.note)}</p>"] if table.note else []),
        *(f"<p class=note><code>{html.escape(text)}</code></p>" for text in table.signatures),
    ]
    return "\n".join(parts) + "\n"


def _json(table: Table) -> str:
    names = [head.name for head in table.heads]
    records = [dict(zip(names, map(raw, row), strict=True)) for row in table.rows]
    return to_json({"schema": 1, "title": table.title, "rows": records})


STYLES: dict[str, Callable[[Table], str]] = {
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
}

"""One table, many costumes: terminal, CSV, LaTeX, Markdown, HTML, JSON. Rendering never prints.

>>> table = Table(["system", Column("SODA c", ".2f")], [["mine", 5.1249], ["yours", None]])
>>> print(table.render("csv").strip())
system,SODA c
mine,5.1249
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..errors import UsageError
from .fitting import blocks, least_width, naming, natural_width

MISSING = "–"
#: what a terminal obeys instead of showing it: control characters (but line breaks and tabs), and marks that
#: turn the direction of writing
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The text with all that a terminal would obey written out: an id or a caption never moves the cursor or
    hides a line.

    >>> harmless("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return _COMMANDS.sub(lambda found: repr(found[0])[1:-1], text)


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how its numbers are shown to people (`.2f`, `,d`); files for machines get them in
    full.
    """

    name: str
    format: str = ""
    #: numbers are multiplied by this for people: 100 where the field prints percentages
    scale: float = 1.0

    def show(self, value: object) -> str:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return MISSING
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            return format(
                value * self.scale if self.scale != 1 else value,
                self.format or ("," if isinstance(value, int) else ".4f"),
            )
        return harmless(str(value))


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    note: str = ""
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
        return STYLES[style](self)

    def shown(self) -> list[list[str]]:
        return [[head.show(value) for head, value in zip(self.heads, row, strict=True)] for row in self.rows]

    def numeric(self) -> list[bool]:
        """Which columns hold numbers, and so are set flush right."""
        return [
            any(isinstance(row[k], int | float) for row in self.rows)
            and all(row[k] is None or isinstance(row[k], int | float) for row in self.rows)
            for k in range(len(self.heads))
        ]

    def _terminal(self, width: int | None, colour: bool) -> str:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        numbers, names, shown = self.numeric(), [harmless(head.name) for head in self.heads], self.shown()
        cells = [[row[k] for row in shown] for k in range(len(names))]
        natural = [natural_width([name, *column]) for name, column in zip(names, cells, strict=True)]
        least = [
            least_width(name, column, number)
            for name, column, number in zip(names, cells, numbers, strict=True)
        ]
        # a table that goes into a file or a pipe is never cut
        fitted = blocks(natural, least, naming(numbers), width) if width else [list(enumerate(natural))]
        console = Console(
            file=io.StringIO(),
            width=width or 100_000,
            force_terminal=colour,
            no_color=not colour,
            highlight=False,
        )
        with console.capture() as captured:
            if self.title:
                console.print(Text(harmless(self.title), "bold"))
            for block in fitted:
                table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
                for k, wide in block:
                    table.add_column(
                        Text(names[k]), justify="right" if numbers[k] else "left", overflow="fold", width=wide
                    )
                for row in shown:
                    table.add_row(*(Text(row[k]) for k, _ in block))
                console.print(table)
            if self.note:
                console.print(Text(harmless(self.note), "dim"))
        return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_plain(head.name) for head in table.heads])
    writer.writerows([_plain(value) for value in row] for row in table.rows)
    return out.getvalue()


def _plain(value: object) -> object:
    """A cell for a machine: missing is empty, and text that a spreadsheet would run as a formula is
    defused.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value


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
}


def _latex(table: Table) -> str:
    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in text)

    def line(cells: Sequence[str]) -> str:
        row = " & ".join(escape(cell) for cell in cells) + r" \\"
        return (
            "{}" + row if row.startswith(("[", "*")) else row
        )  # after \\ or a rule these would be its option

    align = "".join("r" if number else "l" for number in table.numeric())
    body = [line([head.name for head in table.heads]), r"\midrule", *(line(row) for row in table.shown())]
    tabular = "\n".join(
        [rf"\begin{{tabular}}{{{align}}}", r"\toprule", *body, r"\bottomrule", r"\end{tabular}"]
    )
    comments = [f"% {line}" for text in (table.title, table.note) for line in text.splitlines()]
    return "\n".join(["% needs \\usepackage{booktabs}", *comments, tabular]) + "\n"


_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return (
            "| "
            + " | ".join(_TAG.sub("&lt;", cell.replace("|", "\\|").replace("\n", " ")) for cell in cells)
            + " |"
        )

    rule = "|" + "|".join("--:" if number else ":--" for number in table.numeric()) + "|"
    return (
        "\n".join([line([head.name for head in table.heads]), rule, *(line(row) for row in table.shown())])
        + "\n"
    )


def _html(table: Table) -> str:
    numbers = table.numeric()  # once: it looks at every row

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=number' if number else ''}>{html.escape(cell)}</{tag}>"
            for cell, number in zip(row, numbers, strict=True)
        )

    parts = ["<table>"]
    if table.title:
        parts.append(f"<caption>{html.escape(table.title)}</caption>")
    parts.append(f"<thead><tr>{cells('th', [head.name for head in table.heads])}</tr></thead><tbody>")
    parts.extend(f"<tr>{cells('td', row)}</tr>" for row in table.shown())
    parts.append("</tbody></table>")
    if table.note:
        parts.append(f"<p class=note>{html.escape(table.note)}</p>")
    return "\n".join(parts) + "\n"


def _json(table: Table) -> str:
    names = [head.name for head in table.heads]
    records = [
        dict(zip(names, (None if isinstance(v, float) and math.isnan(v) else v for v in row), strict=True))
        for row in table.rows
    ]
    return to_json({"schema": 1, "title": table.title, "rows": records})


def to_json(value: Any) -> str:
    """Indented JSON with a final newline; NaN and infinities, which JSON has not, become null."""
    text = msgspec.json.format(msgspec.json.encode(value, enc_hook=_builtin), indent=1).decode() + "\n"
    return _COMMANDS.sub(
        lambda found: f"\\u{ord(found[0]):04x}", text
    )  # they stand in strings alone, where JSON takes them so


def _builtin(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return value.tolist()
    return str(value)


STYLES: dict[str, Callable[[Table], str]] = {
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
}

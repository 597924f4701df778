"""A table for people and for machines. Rendering never prints; the other styles are in `styles`.

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

import io
import math
import re
from collections.abc import Mapping, Sequence
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
    """The text with all that a terminal or a page would obey written out: an id or a caption never moves the
    cursor, hides a line or turns the direction of writing.

    >>> harmless("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return _COMMANDS.sub(lambda found: repr(found[0])[1:-1], text)


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
            return harmless(value.text + value.mark)
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
            return "  ".join(f"{harmless(str(key))} {self.show(part)}" for key, part in value.items())
        return harmless(str(value))


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
        from .styles import STYLES

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
        numbers, names = self.numeric(), [harmless(head.name) for head in self.heads]
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

        numbers, names, shown = self.numeric(), [harmless(head.name) for head in self.heads], self._marked()
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
                console.print(Text(harmless(self.title), "bold"))
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
                console.print(Text(harmless(self.note), "dim"))
        return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _number(value: object) -> bool:
    return isinstance(raw(value), int | float) and not isinstance(raw(value), bool)


def to_json(value: Any) -> str:
    """Indented JSON with a final newline; NaN and infinities, which JSON has not, become null."""
    text = msgspec.json.format(msgspec.json.encode(value, enc_hook=_builtin), indent=1).decode() + "\n"
    return _COMMANDS.sub(
        lambda found: f"\\u{ord(found[0]):04x}", text
    )  # they stand in strings alone, where JSON takes them so


def _builtin(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)  # numpy scalars and arrays

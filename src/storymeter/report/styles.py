"""The styles of a table beside the terminal's: CSV and JSON for machines, LaTeX, Markdown and HTML for
people."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence

from ..files import guarded
from .table import MISSING, Column, Table, raw, to_json


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

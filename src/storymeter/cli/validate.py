"""`storymeter validate`: every problem of every file in one run, with its place."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from ..captions import Corpus, Origin
from ..errors import DataError, MissingPartError
from ..formats import Reading, examine
from ..formats.problems import Problem, group
from ..report.table import harmless
from ._options import busy, coloured, format_option, output
from ._reading import reading_options


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@reading_options
@format_option("table", "json")
def command(
    files: tuple[str, ...],
    format: str | None,
    repair: bool,
    id_map: tuple[str, ...],
    columns: dict[str, str] | None,
    style: str,
) -> None:
    """Check files of captions and list every problem.

    Equal problems are grouped. `-` is stdin.

    Exit 0 if there are none or only warnings, 1 if there are errors.
    """
    readings = []
    for number, path in enumerate(files, 1):
        with busy(f"checking {path} ({number} of {len(files)})"):
            readings.append(_examined(path, format=format, repair=repair, id_map=id_map, columns=columns))
    output(
        json.dumps({"schema": 1, "files": [_record(r) for r in readings]}, indent=2)
        if style == "json"
        else "\n".join(_page(r) for r in readings)
    )
    if any(reading.errors for reading in readings):
        raise SystemExit(1)


def _examined(path: str, **options: Any) -> Reading:
    """A file that cannot be opened is a problem like any other: it does not hide those of the files after
    it.
    """
    try:
        return examine(path, **options)
    except (DataError, MissingPartError) as error:
        problem = Problem("error", "unreadable", os.fspath(path), str(error).replace("\n", " "), file=path)
        return Reading(path, Corpus((), origin=Origin(path=path)), [problem])


def _record(reading: Reading) -> dict[str, Any]:
    corpus = reading.corpus
    return {
        "path": reading.path,
        "format": corpus.origin.format or None,
        "documents": len(corpus.by_id()),
        "captions": corpus.captions,
        "problems": [
            {"severity": p.severity, "code": p.code, "where": p.where, "message": p.text, "count": p.count}
            for p in group(reading.problems)
        ],
    }


def _page(reading: Reading) -> str:
    corpus = reading.corpus
    lines = [
        _styled(reading.path, bold=True)
        + f": {corpus.origin.format or 'unknown format'}, {_many(len(corpus.by_id()), 'document')},"
        f" {_many(corpus.captions, 'caption')}"
    ]
    for problem in group(reading.problems):
        colour = "red" if problem.severity == "error" else "yellow"
        times = f", {problem.count:,} times" if problem.count > 1 else ""
        lines += [
            f"  {_styled(problem.severity, fg=colour)} [{problem.code}{times}] {harmless(problem.text)}",
            f"    at {harmless(problem.where)}",
        ]
    errors = len(reading.errors)
    lines.append(
        f"  {_many(errors, 'error')}, {_many(len(reading.problems) - errors, 'warning')}"
        if reading.problems
        else _styled("  fine", fg="green")
    )
    return "\n".join(lines)


def _styled(text: str, **style: Any) -> str:
    return click.style(harmless(text), **style) if coloured() else harmless(text)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

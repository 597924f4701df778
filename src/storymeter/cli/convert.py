"""`storymeter convert`: from one file format to another, whole or not at all."""

from __future__ import annotations

import textwrap

import click

from ..captions import Corpus
from ..errors import many
from ..formats import examine, registry, write
from ._declare import option
from ._options import busy, say
from ._reading import reading_options


@click.command(
    epilog="\b\n" + textwrap.fill("Formats: " + ", ".join(registry.FORMATS), 78, break_on_hyphens=False)
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@reading_options
@option(
    "--to target_format",
    "The format of the output; otherwise by its suffix (.json: the format it came from).",
    metavar="FORMAT",
)
def command(
    source: str,
    target: str,
    format: str | None,
    repair: bool,
    id_map: tuple[str, ...],
    columns: dict[str, str] | None,
    lists: str | None,
    target_format: str | None,
) -> None:
    """Convert a file of captions to another format.

    Reads IN, writes OUT; `-` is stdin or stdout.

    JSON Lines (.jsonl) keeps everything. What another format cannot carry is left out and named on stderr;
    where the meaning would be lost, nothing is written."""
    from ..engine.systems import read_line

    if target_format:
        registry.get(target_format)  # a wrong name is told before a big file is read
    with busy(f"converting {source}"):
        reading = examine(source, format=format, repair=repair, id_map=id_map, columns=columns, lists=lists)
        corpus: Corpus = reading.require()
        lost = write(corpus, target, format=target_format)
    if line := read_line(source, corpus):
        say(line)
    if lost:
        say(f"note: left out, because the format cannot carry it: {', '.join(lost)}")
    done = ", ".join(f"{number:,} {what}" for what, number in corpus.meta.get("repairs", {}).items())
    if done:
        say(f"note: repaired: {done}")
    warnings = len(reading.problems)
    if warnings:
        say(f"note: {many(warnings, 'warning')}; see them with: storymeter validate {source}")

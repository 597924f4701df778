"""`storymeter human export DIR`: the answers, joined with the private key."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .._options import say
from ._campaign import campaign


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "style",
    type=click.Choice(("jsonl", "csv", "wmt", "appraise", "mturk", "prolific")),
    default="jsonl",
    show_default=True,
    help="jsonl: one Rating per line. mturk, prolific: lists of workers to accept and reject.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
@click.option("--real-ids", is_flag=True, help="The platform's worker ids instead of pseudonyms.")
def command(folder: Path, style: str, out: Path | None, real_ids: bool) -> None:
    """Export the ratings of a campaign.

    DIR is the campaign's folder.

    \b
    storymeter human export study --out ratings.jsonl
    """
    from ...files import write_text
    from ...human.export import render

    with campaign(folder) as (home, store):
        text = render(home, store, style, real_names=real_ids)
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        say(f"{text.count(chr(10)):,} lines in {out}")

"""`storymeter human export DIR`: the answers, joined with the private key."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ...errors import many
from .._declare import PATH, option
from .._options import say
from ._campaign import campaign


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--format style",
    "jsonl: one Rating per line. mturk, prolific: lists of workers to accept and reject.",
    ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific"),
    "jsonl",
)
@option("--out", "Write to this file instead of stdout.", PATH)
@option("--real-ids", "The platform's worker ids instead of pseudonyms.", bool)
def command(folder: Path, style: str, out: Path | None, real_ids: bool) -> None:
    """Export the ratings of a campaign.

    DIR is the campaign's folder.

    \b
    storymeter human export study --out ratings.jsonl
    """
    from ...files import write_text
    from ...human.campaign.export import render

    with campaign(folder) as (home, store):
        text = render(home, store, style, real_names=real_ids)
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        say(f"{many(text.count(chr(10)), 'line')} in {out}")

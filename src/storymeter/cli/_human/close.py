"""`storymeter human close DIR`: no more answers (or a pause, or open again)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._declare import option
from .._options import say
from ._campaign import campaign


@click.command("close")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--pause state", "Give out no new HITs; HITs under way can be finished.", flag_value="paused")
@option("--reopen state", "Accept answers again.", flag_value="open")
def command(folder: Path, state: str | None) -> None:
    """Close the campaign in DIR.

    No more answers are accepted, also by a running server."""
    chosen: Any = state or "closed"
    with campaign(folder) as (_, store):
        store.set_state(chosen).result()
    say(f"The campaign is {chosen}.")

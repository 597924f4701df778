"""`storymeter human backup DIR OUT`: a copy of everything, while raters are at work."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import many
from .._options import busy, say


@click.command("backup")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
def command(folder: Path, out: Path) -> None:
    """Back up the campaign in DIR.

    OUT is a new folder.

    Raters may continue: the backup contains every answer that was acknowledged before it started. Copying
    campaign.db by hand is not enough.

    \b
    storymeter human backup study /mnt/safe/study-monday
    storymeter human restore /mnt/safe/study-monday study-again
    """
    from ...human.campaign.backup import backup
    from ...human.campaign.record import Folder

    with busy("copying the campaign"):
        manifest = backup(Folder(folder), out)
    say(
        f"{many(manifest.rows['rating'], 'answer')} of {many(manifest.rows['rater'], 'rater')} in {out},"
        " checked. It holds the private key: keep it as safe as the campaign."
    )

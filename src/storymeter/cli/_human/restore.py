"""`storymeter human restore OUT DIR`: a campaign from its backup."""

from __future__ import annotations

from pathlib import Path

import click

from .._declare import option
from .._options import busy, say


@click.command("restore")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--db",
    "An empty PostgreSQL database for the answers.  [default: SQLite in DIR, whatever database was"
    " used before]",
    metavar="URL",
)
@option("--clips", "Folder of the clips.  [default: where they were]", metavar="FOLDER")
def command(out: Path, folder: Path, db: str | None, clips: str | None) -> None:
    """Restore a campaign from its backup.

    OUT is the backup, DIR a new folder.

    The backup is checked first, and the clips are compared with their recorded hashes. Links and codes remain
    valid.
    """
    from ...errors import some
    from ...human.campaign.backup import restore

    with busy("restoring the campaign"):
        manifest, changed = restore(out, folder, database=db, clips=clips)
    say(
        f"{manifest.rows['rating']:,} answers of {manifest.rows['rater']:,} raters were restored to {folder}."
    )
    if changed:
        say(
            f"note: {len(changed):,} clips have changed or are missing: {some(changed, limit=3)}. Their"
            " folder is named in campaign.json (clips)."
        )
    say(f"Serve it: storymeter human serve {folder}")

"""Commands of `storymeter human` that an organiser needs beside a study: look at the pages, deploy, back up,
restore, erase a rater, verify completion codes, close.
"""

import contextlib
import datetime
import signal
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from ... import human, report
from ...errors import first_few, many
from .._options import (
    PORT,
    busy,
    format_option,
    option,
    print_note,
    print_tables,
)


@click.command("preview")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--port", "Port to listen on.  [default: any free one]", PORT, 0, show_default=False)
@option("--no-open", "Print the address without opening the browser.", bool)
def preview_command(folder: Path, port: int, no_open: bool) -> None:
    """Look at the pages of the campaign in DIR as a rater sees them.

    A copy is served, and nothing is stored. A button leaves an item without watching and
    answering it, so that every page can be seen. Ctrl-C or SIGTERM stops it."""
    # kill and timeout end the server and delete the copy as Ctrl-C does
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with human.preview(folder, port=port) as address:
        print_note(f"  a rater's page   {address}", "", "Ctrl-C stops the preview; nothing is stored.")
        if not no_open:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


@click.command("deploy")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@option("--host", "The server's name: study.example.org.", required=True, metavar="NAME")
@option("--admin", "Also allow access to the dashboard from other machines, with its token.", bool)
def deploy_command(folder: Path, out: Path, host: str, admin: bool) -> None:
    """Write deployment files for a server.

    Writes the files that run the campaign in DIR on a server: a container file, a compose file (server,
    PostgreSQL, Caddy with automatic HTTPS) and an nginx site.

    \b
    storymeter human deploy study study-server --host study.example.org
    cd study-server && docker compose up --detach
    """
    from ...human.campaign.record import Folder
    from ...human.deploy import deploy

    with busy("writing the files"):
        written = deploy(Folder(folder), out, host, admin=admin)
    print_note(
        f"{', '.join(path.name for path in written)} and a backup of the campaign are in {out}.",
        f"Start it there: docker compose up --detach. Raters then reach https://{host}.",
    )


@click.command("backup")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
def backup_command(folder: Path, out: Path) -> None:
    """Back up the campaign in DIR.

    OUT is a new folder.

    Raters may continue: the backup contains every answer that was acknowledged before it started. Copying
    campaign.db by hand is not enough.

    \b
    storymeter human backup study /mnt/safe/study-monday
    storymeter human restore /mnt/safe/study-monday study-again
    """
    with busy("copying the campaign"):
        manifest = human.backup(folder, out)
    print_note(
        f"{many(manifest.rows['rating'], 'answer')} of {many(manifest.rows['rater'], 'rater')} in {out},"
        " checked. It holds the private key: keep it as safe as the campaign."
    )


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
def restore_command(out: Path, folder: Path, db: str | None, clips: str | None) -> None:
    """Restore a campaign from its backup.

    OUT is the backup, DIR a new folder.

    The backup is checked first, and the clips are compared with their recorded hashes. Links and codes remain
    valid.
    """
    with busy("restoring the campaign"):
        manifest, changed = human.restore(out, folder, database=db, clips=clips)
    print_note(
        f"{manifest.rows['rating']:,} answers of {manifest.rows['rater']:,} raters were restored to {folder}."
    )
    if changed:
        print_note(
            f"note: {len(changed):,} clips have changed or are missing: {first_few(changed, limit=3)}. Their"
            " folder is named in campaign.json (clips)."
        )
    print_note(f"Serve it: storymeter human serve {folder}")


@click.command("erase")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("rater")
@option("--yes", "Erase without asking.", bool)
def erase_command(folder: Path, rater: str, yes: bool) -> None:
    """Erase a rater of the campaign in DIR.

    Deletes the answers of RATER (the name in `status`, or the platform's id), the times of the work and the
    link. The HITs can be done by somebody else; the analysis says how many raters were erased."""
    if not yes:
        click.confirm(f"Delete all answers of {rater}? They cannot be restored.", abort=True, err=True)
    print_note(f"{many(human.erase(folder, rater, note=print_note), 'answer')} of {rater} erased.")


@click.command("close")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--pause state", "Give out no new HITs; HITs under way can be finished.", flag_value="paused")
@option("--reopen state", "Accept answers again.", flag_value="open")
def close_command(folder: Path, state: str | None) -> None:
    """Close the campaign in DIR.

    No more answers are accepted, also by a running server."""
    chosen: Any = state or "closed"
    human.close(folder, chosen, note=print_note)
    print_note(f"The campaign is {chosen}.")


@click.command("verify")
@click.argument("words", metavar="[DIR] CODE…", nargs=-1, required=True)
@option("--real-ids", "Print the platform's worker ids too.", bool)
@format_option("table", "json", "csv")
def verify_command(words: tuple[str, ...], real_ids: bool, style: str) -> None:
    """Verify completion codes.

    Checks CODEs of the campaign in DIR (default: the current folder). A code is valid once.

    The exit code is 1 if any of them is unknown or was used before.
    """
    folder, codes = (
        (Path(words[0]), words[1:])
        if len(words) > 1 and (Path(words[0]) / "campaign.json").exists()
        else (Path(), words)
    )
    found = human.verify(folder, codes, note=print_note)
    rows = [
        [
            *(one.code, one.verdict, one.external if real_ids else one.rater, one.hit),
            *(_when(one.finished), _when(one.first_verified)),
        ]
        for one in found
    ]
    print_tables(
        report.Table(["code", "verdict", "rater", "HIT", "finished", "first verified"], rows), style, "Codes"
    )
    raise SystemExit(0 if all(one.verdict == "good" for one in found) else 1)


def _when(seconds: float | None) -> str | None:
    return (
        None
        if seconds is None
        else datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="seconds")
    )

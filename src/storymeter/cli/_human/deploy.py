"""`storymeter human deploy DIR OUT`: files for a server of its own."""

from __future__ import annotations

from pathlib import Path

import click

from .._declare import option
from .._options import busy, say


@click.command("deploy")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@option("--host", "The server's name: study.example.org.", required=True, metavar="NAME")
@option("--admin", "Also allow access to the dashboard from other machines, with its token.", bool)
def command(folder: Path, out: Path, host: str, admin: bool) -> None:
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
    say(
        f"{', '.join(path.name for path in written)} and a backup of the campaign are in {out}.",
        f"Start it there: docker compose up --detach. Raters then reach https://{host}.",
    )

"""`storymeter human serve DIR`: raters at work."""

from __future__ import annotations

from pathlib import Path

import click

from .._options import say
from ._manners import warn


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 lets other machines in.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one."
)
@click.option(
    "--admin-anywhere",
    is_flag=True,
    help="Let other machines see the dashboard too (with the token). Only behind HTTPS.",
)
@click.option(
    "--watch",
    type=click.FloatRange(0, 1),
    help="Instead of the campaign's: share of a clip's length that must pass before an answer counts.",
)
@click.option("--quiet", is_flag=True, help="Say nothing.")
def command(
    folder: Path, host: str, port: int, admin_anywhere: bool, watch: float | None, quiet: bool
) -> None:
    """Serve the campaign in DIR. Ctrl-C stops it; nothing that was acknowledged is lost, whatever happens."""
    from ...human.campaign import Folder
    from ...human.serve.run import listen, serve

    home = Folder(folder)
    campaign = home.campaign
    warn(home)
    sock = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{sock.getsockname()[1]}"
    if not quiet:
        say(f"{campaign.title}\n")
        if campaign.platform.name == "local":
            links = folder / "links.csv"
            listed = links.read_text().splitlines()[1:] if links.exists() else []
            first = listed[0].partition(",")[2] if listed else ""
            say(f"  a rater's link   {url}{first}\n  all links        {links}  (put {url} in front)")
        else:
            say(f"  for {campaign.platform.name:9}    {url}/{campaign.platform.name}")
        say(
            f"  dashboard        {url}/admin\n  its token        {home.secrets.admin_token}\n\nCtrl-C stops"
            " the server."
        )
    serve(home, sock, admin_anywhere=admin_anywhere, watch=watch)
    if not quiet:
        say("Stopped. Every rating that was acknowledged is in the store.")

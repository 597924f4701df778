"""`storymeter human serve DIR`: the server of a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._declare import PORT, SHARE, option
from .._options import say
from ._campaign import warn

if TYPE_CHECKING:
    from ...human.campaign.record import Folder


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--host", "Address to listen on; 0.0.0.0 accepts connections from other machines.", default="127.0.0.1"
)
@option("--port", "Port to listen on; 0: any free one.", PORT, 8000)
@option(
    "--admin-anywhere",
    "Also allow access to the dashboard from other machines (with the token). Use only with HTTPS.",
    bool,
)
@option(
    "--public-url",
    "The address under which raters reach the server (https://…); links.csv is written with it.",
    metavar="URL",
)
@option(
    "--proxy proxies",
    "A reverse proxy whose forwarding headers are trusted (127.0.0.1). May be given several times.",
    multiple=True,
    metavar="ADDRESS",
)
@option(
    "--admin-port",
    "Separate port for the dashboard, reachable from this machine only.  [default: with --public-url or"
    " --proxy, any free one]",
    PORT,
)
@option(
    "--watch",
    "Minimum time before an answer is accepted, as a share of the time that clip and text take; replaces the"
    " campaign's value.",
    SHARE,
)
@option("--skip-bad", "Serve although clips are missing; raters can skip them.", bool)
@option("--quiet", "Print nothing.", bool)
def command(
    folder: Path,
    host: str,
    port: int,
    admin_anywhere: bool,
    public_url: str | None,
    proxies: tuple[str, ...],
    admin_port: int | None,
    watch: float | None,
    skip_bad: bool,
    quiet: bool,
) -> None:
    """Serve the campaign in DIR. Ctrl-C stops it; answers that were acknowledged are never lost."""
    from ...human.campaign.record import Folder
    from ...human.server.run import listen, need_server, serve

    need_server()
    home = Folder(folder)
    campaign = home.campaign
    if not quiet:
        warn(home)
    _look_at_clips(home, skip_bad)
    sock = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{sock.getsockname()[1]}"
    if public_url is not None and public_url.rstrip("/") != campaign.public_url:
        home.publish(public_url)
    public = home.campaign.public_url or url
    proxied = bool(proxies or home.campaign.public_url) and not admin_anywhere
    admin = listen("127.0.0.1", admin_port or 0) if proxied or admin_port is not None else None
    dashboard = url if admin is None else f"http://127.0.0.1:{admin.getsockname()[1]}"
    if not quiet:
        say(f"{campaign.title}\n")
        if campaign.platform.name == "local":
            links = home.links()
            note = "" if home.campaign.public_url else f"  (put {url} in front)"
            say(
                f"  a rater's link   {public}{links[0] if links else ''}",
                f"  all links        {folder / 'links.csv'}{note}",
            )
        else:
            say(f"  for {campaign.platform.name:9}    {public}/{campaign.platform.name}")
        say(
            f"  dashboard        {dashboard}/admin\n  its token        {home.secrets.admin_token}\n\nCtrl-C"
            " stops the server."
        )
    serve(home, sock, admin_anywhere=admin_anywhere, admin=admin, proxies=proxies, watch=watch)
    if not quiet:
        say("Stopped. Every rating that was acknowledged is in the store.")


def _look_at_clips(home: Folder, skip_bad: bool) -> None:
    """Clips that have gone since the campaign was made are said now, not discovered by raters."""
    from ...errors import DataError, some
    from ...human.campaign.overview import health
    from ...human.store import Store

    store = Store(home.database)
    try:
        found = health(home, store)
    finally:
        store.close()
    if not found.broken:
        return
    listed = some([f"{name} {what}" for name, what in found.broken.items()], limit=3)
    if not skip_bad:
        raise DataError(
            f"{len(found.broken):,} of {found.clips:,} files in {home.clips} cannot be shown: {listed}.",
            hint=(
                "Restore them, write their new folder into campaign.json (clips), or serve with --skip-bad."
            ),
        )
    say(f"note: {len(found.broken):,} of {found.clips:,} files cannot be shown: {listed}")

"""`storymeter human demo`: the example campaign, at once."""

from __future__ import annotations

from pathlib import Path

import click

from .._declare import PATH, PORT, option
from .._options import say, seed_option


@click.command("demo")
@option("--dir folder", "Folder of the campaign.", PATH, Path("storymeter-study"))
@option("--no-open", "Build it without serving it.", bool)
@option("--port", "Port to serve on.  [default: any free one]", PORT, 0, show_default=False)
@seed_option
def demo_command(folder: Path, no_open: bool, port: int, seed: int) -> None:
    """Build and serve a small example study.

    Builds the example campaign (a dozen tiny clips), serves it, and opens a rater's page in the browser."""
    from ...human.campaign.record import Folder
    from ...human.example import build
    from ...human.server.run import listen, serve, where_token

    home = Folder(folder)
    if (folder / "campaign.json").exists():
        say(f"{folder} already holds a campaign; it is used as it is.")
    else:
        home = build(folder, seed=seed)
        say(f"The example campaign is in {folder}: {home.campaign.hits} HITs of {home.campaign.hit_size}.")
    if no_open:
        say(
            f"Serve it:     storymeter human serve {folder}\nRehearse it:  storymeter human simulate {folder}"
            " --raters 30"
        )
        return
    import threading
    import webbrowser

    sock = listen("127.0.0.1", port)
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    links = home.links()
    say(
        f"\n  a rater's page   {url}{links[0]}\n  another rater's  {url}{links[1]}\n  dashboard       "
        f" {url}/admin\n  its token        {where_token(home)}\n\nCtrl-C stops the server."
    )
    threading.Timer(1.0, webbrowser.open, [url + links[0]]).start()
    serve(home, sock)

"""`storymeter human simulate DIR`: a rehearsal with bots, through the real server."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from pathlib import Path

import click

from .._declare import COUNT, option
from .._options import format_option, progress_bar, put, say, seed_option


@click.command("simulate")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--raters", "Number of simulated raters.", COUNT, 10)
@option(
    "--mix shares",
    "Shares of kinds of raters: honest, lazy, random, constant, rushing, extremes, fluent, twins.",
    default="honest=.7,lazy=.1,random=.1,constant=.05,rushing=.05",
)
@option(
    "--url",
    "Address of a running server.  [default: a server is started that does not enforce the watching time]",
)
@option("--real-time", "Watch each clip for its full duration.", bool)
@option(
    "--think", "Seconds between answers.", (float, float), (0.0, 0.0), metavar="MIN MAX", show_default=False
)
@option(
    "--trouble",
    "Share of requests with double clicks, stale tabs and dropped connections.",
    click.FloatRange(0, 0.5),
    0.0,
    show_default=False,
)
@seed_option
@format_option("table", "json", "csv")
def simulate_command(
    folder: Path,
    raters: int,
    shares: str,
    url: str | None,
    real_time: bool,
    think: tuple[float, float],
    trouble: float,
    seed: int,
    style: str,
) -> None:
    """Run a campaign with simulated raters.

    They answer the campaign in DIR through the real server, and their answers are stored like real ones:
    use a copy of the campaign, not the one of the real study."""
    from ...human.campaign.export import rehearsal_links
    from ...human.campaign.record import Folder
    from ...human.rehearsal import Bot, Truth, mix, rehearse
    from ...human.server.run import in_background
    from ...report.table import Table

    home = Folder(folder)
    characters = mix(shares, raters)
    links = rehearsal_links(home, raters, seed)
    truth = Truth(home.campaign, home.key)
    bots = [Bot(character, truth, f"{seed} {number}") for number, character in enumerate(characters)]
    with contextlib.ExitStack() as stack:
        address = url or stack.enter_context(in_background(folder, watch=None if real_time else 0.0))
        report = stack.enter_context(progress_bar())
        tallies = asyncio.run(
            rehearse(
                address.rstrip("/"),
                links,
                bots,
                report=lambda done, total: report("raters", done, total),
                watch=real_time,
                think=think,
                trouble=trouble,
            )
        )
    rows = [
        [
            number,
            tally.character,
            len([at for at, _ in tally.saved if at >= 0]),
            tally.ended or "no seat",
            tally.code or None,
        ]
        for number, tally in enumerate(tallies, 1)
    ]
    put(Table(["bot", "character", "ratings", "ended", "code"], rows), style, "Simulated raters")
    ends = Counter(tally.ended or "no seat" for tally in tallies)
    say(", ".join(f"{count} {end}" for end, count in sorted(ends.items())) + ".")

"""`storymeter human simulate DIR`: a rehearsal with bots, through the real server."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

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
def simulate_command(folder: Path, raters: int, shares: str, style: str, **options: Any) -> None:
    """Run a campaign with simulated raters.

    They answer the campaign in DIR through the real server, and their answers are stored like real ones:
    use a copy of the campaign, not the one of the real study."""
    from ...human import simulate
    from ...report.table import Table

    with progress_bar() as progress:
        tallies = simulate(folder, raters, mix=shares, progress=progress, **options)
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

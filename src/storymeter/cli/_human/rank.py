"""`storymeter human rank VOTES`: systems ranked by pairwise votes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import many
from .._declare import SHARE, WITHIN, option
from .._options import format_option, output, rendered, say
from .._reading import pairs_of


@click.command("rank")
@click.argument(
    "sources", nargs=-1, required=True, metavar="CAMPAIGN | VOTES...", type=click.Path(path_type=Path)
)
@option(
    "--columns",
    "Columns of a table by their roles: left=first,right=second,choice=answer",
    callback=pairs_of,
    metavar="PAIRS",
)
@option(
    "--answers",
    "What the answers mean: 0=left,1=right,2=tie; names where they are systems.",
    callback=pairs_of,
    metavar="PAIRS",
)
@option("--alpha", "Significance level of the tests between systems.", WITHIN, 0.05)
@option("--faithful", "Share of test questions a rater must get right.", SHARE, 1.0)
@option(
    "--held", "include: count raters whom the organiser put on hold.", ("leave-out", "include"), "leave-out"
)
@format_option("table", "json", "csv", "latex", "markdown")
def command(sources: tuple[Path, ...], style: str, **options: Any) -> None:
    """Rank systems by pairwise votes.

    Reads a table of votes (rater, item, left, right, choice) or a preference
    campaign, and fits the Bradley-Terry model with ties.

    \b
    storymeter human rank votes.csv
    """
    from ...human.analysis.pairwise import rank
    from ...report.pairwise import difference_table, ranking_data, ranking_table
    from ...report.table import to_json

    found = rank(list(sources), **options)
    say(
        f"{many(found.votes, 'vote')} of {many(found.raters, 'rater')} on"
        f" {many(found.items, 'item')}; two equal systems would"
        f" tie in {100 * found.tie_share:.0f} % of the votes.",
        *found.notes,
    )
    if style == "json":
        output(to_json(ranking_data(found)))
    else:
        tables = [ranking_table(found)]
        output(rendered(tables if style == "csv" else [*tables, difference_table(found)], style))

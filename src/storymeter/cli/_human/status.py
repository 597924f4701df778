"""`storymeter human status DIR`: the progress of a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from .._options import format_option, put
from ._campaign import campaign


@click.command("status")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@format_option("table", "json", "csv", "markdown")
def command(folder: Path, style: str) -> None:
    """Show the progress of the campaign in DIR.

    Assignments and raters, with the control statistics so far."""
    from ...human.campaign.overview import overview
    from ...report.table import Column, Table, numbers, to_json

    with campaign(folder) as (home, store):
        seen = overview(home, store)
    seats = seen["seats"]
    columns: list[Column | str] = [
        *("rater", "done", "active", "abandoned", "ratings"),
        Column("s/item", ".1f"),
        "pairs",
        *numbers(".1f", "high", "low"),
        Column("p", ".4f"),
        *("flags", "last answer"),
    ]
    rows = [
        [
            r["id"],
            r["done"],
            r["active"],
            r["abandoned"],
            r["ratings"],
            r["seconds_per_item"],
            r["pairs"],
            r["mean_high"],
            r["mean_low"],
            r["p"],
            ", ".join(r["flags"]),
            r["last"],
        ]
        for r in seen["raters"]
    ]
    title = (
        f"{seen['title']} ({seen['state']}): {seats['done']:,} of {seats['total']:,} assignments done,"
        f" {seats['active']:,} under way, {seats['free']:,} free, {seats['abandoned']:,} abandoned;"
        f" {seen['ratings']:,} of {seen['wanted']:,} ratings"
    )
    put(Table(columns, rows, title=title if style == "table" else ""), style, title, json=to_json(seen))

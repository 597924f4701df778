"""`storymeter human verify DIR CODE`: is a completion code genuine, and was it used before?"""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import click

from .._declare import option
from .._options import format_option, put
from ._campaign import campaign


@click.command("verify")
@click.argument("words", metavar="[DIR] CODE…", nargs=-1, required=True)
@option("--real-ids", "Print the platform's worker ids too.", bool)
@format_option("table", "json", "csv")
def command(words: tuple[str, ...], real_ids: bool, style: str) -> None:
    """Verify completion codes.

    Checks CODEs of the campaign in DIR (default: the current folder). A code is valid once.

    The exit code is 1 if any of them is unknown or was used before.
    """
    from ...report.table import Table

    folder, codes = (
        (Path(words[0]), words[1:])
        if len(words) > 1 and (Path(words[0]) / "campaign.json").exists()
        else (Path(), words)
    )
    rows = []
    with campaign(folder) as (_, store):
        for code in codes:
            tidy = code.strip().upper()
            found = store.use_code(tidy, time.time()).result()
            if found is None:
                rows.append([code, "unknown", None, None, None, None])
            else:
                used = found["code_used_at"]
                rows.append(
                    [
                        code,
                        "good" if used is None else "used before",
                        found["external"] if real_ids else found["pseudonym"],
                        found["hit"],
                        _when(found["finished_at"]),
                        _when(used),
                    ]
                )
    put(Table(["code", "verdict", "rater", "HIT", "finished", "first verified"], rows), style, "Codes")
    raise SystemExit(0 if all(row[1] == "good" for row in rows) else 1)


def _when(seconds: float | None) -> str | None:
    return (
        None
        if seconds is None
        else datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="seconds")
    )

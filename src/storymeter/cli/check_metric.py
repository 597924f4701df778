"""`storymeter check-metric`: is a metric of one's own fit to be used?"""

from __future__ import annotations

import sys

import click

from ._options import format_option, output, put


@click.command("check-metric")
@click.argument("name")
@format_option("table", "json")
def command(name: str, style: str) -> None:
    """Check a metric or scorer of a plug-in.

    It scores a few small documents: shapes, finite numbers, the declared range, a vectorised combine,
    symmetry, order, threads, shards, pickling and texts without words. Exit code 1 if a check fails.

    \b
    storymeter check-metric mymetric
    storymeter check-metric "soda_c(scorer=mymetric)"
    """
    from ..engine import check_metric
    from ..report.table import Table, keys, to_json

    found = check_metric(name)
    if style == "json":
        output(
            to_json(
                {
                    "schema": 1,
                    "metric": name,
                    "checks": [
                        {"check": one.check, "holds": one.holds, "because": one.because} for one in found
                    ],
                }
            )
        )
    else:
        rows = [[one.check, "yes" if one.holds else "NO", one.because] for one in found]
        put(Table([*keys("check"), "holds", "because"], rows, title=name), style, name)
    if not all(one.holds for one in found):
        sys.exit(1)

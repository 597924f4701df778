"""`storymeter meta …`: which metric agrees with people? Without a sub-verb, files are given: `storymeter meta
CANDIDATES… --human FILE`.
"""

from __future__ import annotations

import click

from . import _meta
from ._verbs import Verbs

_DEFAULT = "agree"


class MetaVerbs(Verbs):
    """Anything that is no sub-verb goes to `agree`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), "--help", "-h", "--help-all"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.command("meta", cls=MetaVerbs, package=_meta)
def command() -> None:
    """Measure how well metrics agree with human scores.

    \b
    storymeter meta a.json b.json -r references.json --human ratings.csv
    storymeter meta agree --human human.csv --scores scores.csv    from tables

    Without a subcommand, `agree` runs.
    """

"""`storymeter meta …`: which metric agrees with people? Without a sub-verb, files are given: `storymeter meta
CANDIDATES… --human FILE`.
"""

from __future__ import annotations

import importlib
import pkgutil

import click

from . import _meta

_DEFAULT = "agree"


class MetaVerbs(click.Group):
    """Loads a sub-verb only when it is asked for; anything that is no sub-verb goes to `agree`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(
            m.name.replace("_", "-")
            for m in pkgutil.iter_modules(_meta.__path__)
            if not m.name.startswith("_")
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(
            f"{_meta.__name__}.{cmd_name.replace('-', '_')}"
        ).command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), "--help", "-h"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.command("meta", cls=MetaVerbs)
def command() -> None:
    """Measure how well metrics agree with human scores.

    \b
    storymeter meta a.json b.json c.json -r references.json --human ratings.csv -m meteor,cider
    storymeter meta agree --human human.csv --scores scores.csv      the same, from tables

    Without a subcommand, `agree` runs.
    """

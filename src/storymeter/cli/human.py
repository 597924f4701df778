"""`storymeter human …`: studies with people. One module per sub-verb in `storymeter.cli._human`, found by its
file name.
"""

from __future__ import annotations

import importlib
import pkgutil

import click

from . import _human


class SubVerbs(click.Group):
    """Loads a sub-verb's module (attribute `command`) only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(m.name for m in pkgutil.iter_modules(_human.__path__) if not m.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{_human.__name__}.{cmd_name}").command
        return command


@click.command("human", cls=SubVerbs)
def command() -> None:
    """Build, serve and analyse human studies.

    \b
    storymeter human demo                                    a small example study
    storymeter human new study --systems a.json b.json --human people.json --clips clips/
    storymeter human serve study
    storymeter human analyse study
    """

"""Groups of commands, each loaded only when it is asked for: a module of a package (attribute `command`),
found by its file name; or, where the package has a table `VERBS`, `VERB_command` of the module that stands
there."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import click

from ._help import add_help, write_commands
from ._overwrite import guard


class Verbs(click.Group):
    def __init__(self, *arguments: Any, package: ModuleType, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._package = package
        add_help(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        found = getattr(self._package, "VERBS", None) or [
            module.name for module in pkgutil.iter_modules(self._package.__path__)
        ]
        return sorted(name.replace("_", "-") for name in found if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        name = cmd_name.replace("-", "_")
        verbs: dict[str, str] = getattr(self._package, "VERBS", {})
        module = importlib.import_module(f"{self._package.__name__}.{verbs.get(name, name)}")
        command: click.Command = getattr(module, f"{name}_command" if verbs else "command")
        return guard(add_help(command))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_commands(ctx, formatter)

"""Nothing is overwritten: a command refuses to write over a file that exists, unless `--force` is given.

Every command whose options or arguments name files to be written gets `--force` here; the paths are checked
before anything is read or scored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError

#: options of any command that name a file, or a folder of files, to be written
WRITTEN = frozenset(["out", "save", "html", "per-document", "figures", "junit", "markdown"])
#: command -> further options that do
ALSO = {"analyse": ("captions", "words"), "details": ("pairs",)}
_KEY = "storymeter.force"


def guard(command: click.Command) -> click.Command:
    """Check the files that a command, or the commands of a group, would write."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            guard(below)
        return command
    outputs = [each for each in command.params if _is_written(each, command.name or "")]
    if not outputs or any(each.name == "force" for each in command.params):
        return command
    for each in outputs:
        each.callback = _checked(each.callback)
    command.params.append(
        click.Option(
            ["--force"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_remember,
            help="Overwrite files that exist.",
        )
    )
    return command


def _is_written(parameter: click.Parameter, command: str) -> bool:
    if isinstance(parameter, click.Argument):
        return parameter.name in ("target", "out")
    names = {name.removeprefix("--") for name in parameter.opts}
    return bool(names & WRITTEN or names & set(ALSO.get(command, ())))


def forced() -> bool:
    """Whether the command was given `--force`, for one whose outputs have names of their own."""
    return bool(click.get_current_context().meta.get(_KEY))


def _remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[_KEY] = bool(value)


def _checked(callback: Any) -> Any:
    def check(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if value and not context.meta.get(_KEY) and not context.resilient_parsing:
            _refuse(Path(value), parameter, context.info_name or "")
        return callback(context, parameter, value) if callback else value

    return check


def _refuse(path: Path, parameter: click.Parameter, command: str) -> None:
    """Raise where something would be overwritten: a file, or files in a folder."""
    try:
        there = [path] if path.is_file() and path.stat().st_size else []  # an empty file has nothing to lose
        if path.is_dir():
            pattern = "*.png" if "--figures" in parameter.opts else f"{command}.*"
            there = sorted(path.glob(pattern))[:1]
    except (OSError, ValueError):  # no path at all: whoever opens it says so
        return
    if there:
        add = f" --into {path} adds systems to it." if "--save" in parameter.opts else ""
        raise UsageError(
            f"{there[0]} exists, and nothing is overwritten.",
            hint=f"Choose another name, or replace it with --force.{add}",
        )

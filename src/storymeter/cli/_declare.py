"""Options of commands, declared in a line each: `@option("--alpha", "Significance level.", SHARE, 0.05)`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

#: whole numbers
COUNT = click.IntRange(1)
FROM_ZERO = click.IntRange(0)
FROM_TWO = click.IntRange(2)
RESAMPLES = click.IntRange(0, 1_000_000)


class Resamples(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """`auto`, or a number of resamples."""

    name = "resamples"

    def __init__(self, least: int) -> None:
        self.range = click.IntRange(least, 1_000_000)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "auto|NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "auto" else self.range.convert(value, param, ctx)


PORT = click.IntRange(0, 65535)
#: real numbers
AMOUNT = click.FloatRange(0)
POSITIVE = click.FloatRange(0, min_open=True)
SHARE = click.FloatRange(0, 1)
ABOVE_ZERO = click.FloatRange(0, 1, min_open=True)
WITHIN = click.FloatRange(0, 1, min_open=True, max_open=True)
#: places, which need not exist or must
PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)


def option(names: str, help: str, kind: Any = None, default: Any = None, **more: Any) -> Callable[[F], F]:
    """An option whose default is shown; `names` stand between blanks, words as `kind` are its choices."""
    if kind is bool:
        return click.option(*names.split(), is_flag=True, help=help, **more)
    if isinstance(kind, tuple) and isinstance(kind[0], str):
        kind = click.Choice(kind)
    if default is not None:
        more = {"default": default, "show_default": default != "", **more}
    return click.option(*names.split(), type=kind, help=help, **more)


class ManyFiles(click.Command):
    """`--systems A B C` is short for `--systems A --systems B --systems C`, for the options `many`."""

    def __init__(self, *args: Any, many: tuple[str, ...], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.many = many

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        out: list[str] = []
        last = ""
        for word in args:
            if not word.startswith("-") or word == "-":
                out += [last, word] if last else [word]
            else:
                last = word if word in self.many else ""
                out += [] if last else [word]
        bare = [name for name in self.many if name in args and name not in out]  # click says what it lacks
        return super().parse_args(ctx, [*out, *bare])


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in the order in which the help lists them."""

    def decorate(function: F) -> F:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate

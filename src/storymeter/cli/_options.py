"""Options and manners that all verbs share."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from ..metric import Progress, silent
from ..text.tokenizers import TOKENIZERS

F = TypeVar("F", bound=Callable[..., Any])
STYLES = ("table", "json", "csv", "latex", "markdown", "html")


def format_option(*styles: str) -> Callable[[F], F]:
    """`--format`; the first style is the default."""
    choices = styles or STYLES
    return click.option(
        "--format",
        "style",
        type=click.Choice(choices),
        default=choices[0],
        show_default=True,
        help="How results are printed.",
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tokenizer_option(help: str) -> Callable[[F], F]:
    return click.option(
        "--tokenizer", type=click.Choice(list(TOKENIZERS)), default="ptb", show_default=True, help=help
    )


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=_cores,
    show_default="all cores",
    help="Threads; never changes a number.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything random."
)
device_option = click.option(
    "--device", default="cpu", show_default=True, help="Where neural models run (cpu, cuda, mps)."
)


def output(text: str) -> None:
    """A result, to stdout, with exactly one line break at its end."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Anything that is not the result, to stderr."""
    from ..report.table import harmless

    click.echo(harmless(text), err=True)


def terminal_width() -> int | None:
    """The width to fit tables into, or None when stdout is a file or a pipe: then nothing is cut."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


@contextlib.contextmanager
def busy(what: str, patience: float = 2.0) -> Iterator[None]:
    """A turning wheel on stderr while something runs that cannot say how far it is; from `patience` seconds
    on, and only in a terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    from ..report.table import harmless

    over = threading.Event()

    def turn() -> None:
        if over.wait(patience):
            return
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status(Text(harmless(what))):
            over.wait()

    wheel = threading.Thread(target=turn, daemon=True)
    wheel.start()
    try:
        yield
    finally:
        over.set()
        wheel.join()


@contextlib.contextmanager
def progress_bar(patience: float = 2.0) -> Iterator[Progress]:
    """A progress callable for `Setting`: a bar on stderr once the work has taken `patience` seconds; silent,
    and without importing anything, when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, Any] = {}
    begin = time.monotonic()

    def report(what: str, done: int, total: int) -> None:
        if time.monotonic() - begin < patience:
            return
        if not tasks:
            bars.start()
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total)
        bars.update(tasks[what], completed=done, total=total)

    try:
        yield report
    finally:
        if tasks:
            bars.stop()

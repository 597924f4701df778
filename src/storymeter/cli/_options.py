"""Options: how one is declared in a line, those that all verbs share, and how results are printed.

@option("--alpha", "Significance level.", SHARE, 0.05)
"""

import contextlib
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from .. import report
from ..files import safe_names, write_bytes, write_text
from ..report.fitting import clip, escape_controls, wrapped
from ..text.tokenizers import TOKENIZERS

F = TypeVar("F", bound=Callable[..., Any])

#: whole numbers
COUNT = click.IntRange(1)
FROM_ZERO = click.IntRange(0)
FROM_TWO = click.IntRange(2)
RESAMPLES = click.IntRange(0, 1_000_000)
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


class Resamples(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """`auto`, or a number of resamples."""

    name = "resamples"

    def __init__(self, least: int) -> None:
        self.range = click.IntRange(least, 1_000_000)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "auto|NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "auto" else self.range.convert(value, param, ctx)


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


#: where the context keeps options that none of the functions in between has to pass on
KEY = "storymeter."


def remember(context: click.Context, option: click.Parameter, value: Any) -> None:
    """The callback of such an option; see `remembered`."""
    if value or f"{KEY}{option.name}" not in context.meta:
        context.meta[f"{KEY}{option.name}"] = value


def remembered(name: str) -> Any:
    """What was given for such an option; None outside of a command."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(f"{KEY}{name}")


STYLES = ("table", "json", "csv", "latex", "markdown", "html")


def format_option(*styles: str) -> Callable[[F], F]:
    """`--format`; the first style is the default. `--fragment` where HTML is among them."""
    choices = styles or STYLES
    style = option("--format style", "Output format.", click.Choice(choices), choices[0])
    fragment = option(
        "--fragment",
        "With --format html: the tables alone, to embed in another page.",
        bool,
        expose_value=False,
        callback=remember,
    )
    return lambda function: style(fragment(function) if "html" in choices else function)


def print_tables(
    tables: report.Table | Sequence[report.Table], style: str, title: str = "", *, json: str = ""
) -> None:
    """Tables as a result in the style asked for: JSON is the text given, if any; HTML is a whole page, or
    with --fragment the tables alone.
    """
    listed = [tables] if isinstance(tables, report.Table) else list(tables)
    if style == "json" and json:
        output(json)
    elif style == "html" and not remembered("fragment"):
        from ..report.presentation import table_page

        output(table_page(title or "Storymeter", listed))
    else:
        output(rendered(listed, style))


def print_result(shown: report.Presentation, style: str) -> None:
    """A result to stdout in the style asked for."""
    fragment = bool(remembered("fragment"))
    output(report.render(shown, style, width=terminal_width(), colour=coloured(), fragment=fragment))


def keep(shown: report.Presentation, page: str | Path | None, figures: Path | None) -> None:
    """What --figures and --html ask for."""
    if figures is not None and shown.figures is not None:
        drawn = shown.figures()
        for name, safe in safe_names(drawn).items():
            write_bytes(figures / f"{safe}.png", report.png(drawn[name]))
        print_note(f"{len(drawn)} figures in {figures}")
    if page is not None and shown.page is not None:
        write_text(page, shown.page())
        print_note(f"Page with figures and explanations: {page}")


def rendered(tables: Iterable[report.Table], style: str) -> str:
    """Tables below each other, fitted into the terminal."""
    return "\n".join(table.render(style, width=terminal_width(), colour=coloured()) for table in tables)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tokenizer_option(help: str) -> Callable[[F], F]:
    return option("--tokenizer", help, click.Choice(list(TOKENIZERS)), "ptb")


def metrics_option(help: str, *, required: bool = False) -> Callable[[F], F]:
    return option("--metric -m metrics", help, multiple=True, required=required, metavar="NAME")


references_option = option(
    "--references -r",
    "File of references; repeat the option for each annotator.",
    multiple=True,
    metavar="FILE",
)
protocol_option = option(
    "--protocol", "Evaluation protocol; see storymeter info --protocols.", default="paper"
)
images_option = option(
    "--images", "Folder of the images of the stories.", click.Path(exists=True, file_okay=False)
)
videos_option = option(
    "--videos",
    "Folder of the videos, named by the ids of the documents; a report plays them from there.",
    click.Path(exists=True, file_okay=False),
)
jobs_option = option(
    "--jobs",
    "Number of threads; does not change results.",
    click.IntRange(1, 1024),
    _cores,
    show_default="all cores",
)
seed_option = option("--seed", "Random seed.", FROM_ZERO, 0)
device_option = option("--device", "Device of neural models (cpu, cuda, mps).", default="cpu")


def run_options(*styles: str) -> Callable[[F], F]:
    """Of a verb that runs models and prints a result."""
    return together(device_option, format_option(*styles), jobs_option, seed_option)


def output(text: str) -> None:
    """A result, to stdout, with exactly one line break at its end."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def fitted(text: str) -> list[str]:
    """The lines of a text for stderr; a terminal gets them wrapped between words."""
    lines = escape_controls(text).split("\n")
    if not sys.stderr.isatty():
        return lines
    width = shutil.get_terminal_size().columns
    return [part for line in lines for part in wrapped(line, width)]


def print_note(*texts: str) -> None:
    """Anything that is not the result, to stderr, each text in lines of its own."""
    for text in texts:
        click.echo("\n".join(fitted(text)), err=True)


@contextlib.contextmanager
def notes_after() -> Iterator[Callable[[str], None]]:
    """Notes that are said at the end, also of work that fails: none of them disturbs a turning wheel."""
    notes: list[str] = []
    try:
        yield notes.append
    finally:
        print_note(*notes)


def terminal_width() -> int | None:
    """The width to fit tables into, or None when stdout is a file or a pipe: then nothing is cut."""
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
    over = threading.Event()

    def turn() -> None:
        if over.wait(patience):
            return
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status(Text(escape_controls(what))):
            over.wait()

    wheel = threading.Thread(target=turn, daemon=True)
    wheel.start()
    try:
        yield
    finally:
        over.set()
        wheel.join()


class Bars:
    """Progress on stderr once the work has taken `patience` seconds: a bar per kind of work with the time
    left, and above it a line for everything that is done."""

    def __init__(self, patience: float) -> None:
        self._begin, self._patience = time.monotonic(), patience
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._waiting: list[str] = []
        #: a first step that takes longer than `patience`, such as a big file, is shown before it is done
        self._latest = ("", 0, 0)
        self._timer = threading.Timer(patience, lambda: self(*self._latest)) if patience < math.inf else None
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __call__(self, what: str, done: int, total: int) -> None:
        self._latest = (what, done, total)
        if time.monotonic() - self._begin < self._patience or not what:
            return
        bars = self._started()
        kind, _, remark = what.partition("\t")
        # a long name leaves room for the bar, the count and the time
        shown = clip(f"{kind} ({remark})" if remark else kind, max(16, bars.console.width - 46))
        if kind not in self._tasks:
            self._tasks[kind] = bars.add_task(shown, total=total)
        bar = bars.tasks[bars.task_ids.index(self._tasks[kind])]
        if bar.finished or done < bar.completed:  # the same kind of work for the next system
            bars.reset(bar.id, total=total)
        bars.update(bar.id, completed=done, total=total, description=shown, visible=done < total)
        for other in bars.tasks:  # what waits for this work shows no bar of its own
            if other.id != bar.id and not other.completed:
                bars.update(other.id, visible=False)

    def line(self, text: str) -> None:
        """Something is done; what is done sooner than the bar is shown with it."""
        self._waiting.append(escape_controls(text))
        if time.monotonic() - self._begin >= self._patience:
            self._started()

    def _started(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.text import Text

        if self._bars is None:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bars.start()
        for text in self._waiting:
            self._bars.console.print(Text(text))
        self._waiting.clear()
        return self._bars

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is drawn while somebody is asked something."""
        if self._bars is not None:
            self._bars.stop()
        yield
        if self._bars is not None:
            self._bars.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._bars is not None:
            self._bars.stop()


@contextlib.contextmanager
def progress_bar(patience: float = 2.0) -> Iterator[Bars]:
    """A progress callable for a run; it never begins to draw when stderr is not a terminal."""
    bars = Bars(patience if sys.stderr.isatty() else math.inf)
    try:
        yield bars
    finally:
        bars.stop()

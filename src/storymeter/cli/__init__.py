"""The command line, the only package that prints: `VERBS` names the module of each verb.

Results go to stdout, all else to stderr. Exit 0: fine; 1: bad data; 2: wrong usage. A user never sees a
traceback.

Where a console does not know UTF-8, a table's rules become hyphens, an ellipsis three dots, a dash a hyphen;
any other character that it lacks is written as its escape:

>>> "a ─ b … 日".encode("ascii", "storymeter-console").decode()
'a - b ... \\\\u65e5'
"""

import codecs
import errno
import io
import os
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

import click

from .. import __version__
from ..errors import StorymeterError, StorymeterWarning, suggest
from ._options import fitted, print_note
from ._verbs import Verbs

#: the error handler that writes what a console lacks in its own characters
CONSOLE = "storymeter-console"
PLAIN = {
    **dict.fromkeys("─━—–‒―‐‑−╌╴╶", "-"),
    **dict.fromkeys("│┃▏▕", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪", "+"),
    **dict.fromkeys("═", "="),
    **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("█▇▆▅▓■▌▐", "#"),
    **dict.fromkeys("▄▃▂▁▒░", "."),
    **dict.fromkeys("•●◆▪·∙", "*"),
    **dict.fromkeys("✓✔", "v"),
    **dict.fromkeys("✗✘×", "x"),
    **dict.fromkeys("\u00a0\u202f\u2009\u2002\u2003", " "),
    "…": "...",
    "→": "->",
    "←": "<-",
    "↔": "<->",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "±": "+-",
    "▲": "^",
    "▼": "v",
}


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode()
        for char in error.object[error.start : error.end]
    ), error.end


codecs.register_error(CONSOLE, _plainly)


#: verbs, and the modules that declare them
VERBS = {
    "check-metric": "installed",
    "compare": "scoring",
    "convert": "files",
    "demo": "demo",
    "gate": "scoring",
    "harness": "files",
    "human": "_human",
    "info": "installed",
    "meta": "_meta",
    "models": "installed",
    "report": "pages",
    "score": "scoring",
    "show": "pages",
    "stress": "stress",
    "tokenize": "files",
    "validate": "files",
}
#: set, a fault of our own is shown with all its places, as a developer wants it
TRACEBACK = "STORYMETER_TRACEBACK"


class TopVerbs(Verbs):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = suggest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"{error.message} {near}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # `storymeter … | head`; caught here, because click would make an error of it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


@click.command(cls=TopVerbs, modules=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="storymeter")
def cli() -> None:
    """Evaluation of video captions, dense captions and visual stories.

    \b
    storymeter demo                                             run the example
    storymeter validate mine.json                               check a file
    storymeter score mine.json -r references.json               score a system
    storymeter compare mine.json yours.json -r references.json  test a difference
    storymeter info --metrics                                   list the metrics
    """


@cli.command("train", cls=Verbs, modules={"coherence": "train", "grounding": "train"})
def train_command() -> None:
    """Train the models behind rovist_c and rovist_vg. Nothing is downloaded."""


def main(arguments: list[str] | None = None) -> Any:
    # None where the caller has closed it (`>&-`)
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):  # which never fail on a character
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=CONSOLE)
    warnings.showwarning = _note
    _noted.clear()
    try:
        code = cli.main(args=arguments, prog_name="storymeter", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except StorymeterError as error:
        _fail(error.message, error.hint, error.exit_code)
    except (KeyboardInterrupt, click.Abort):  # click turns Ctrl-C into Abort
        _fail("Interrupted; no incomplete file was left.", "", 130)
    except RecursionError:
        _fail("The input is nested too deeply to be read.", "Check it with: storymeter validate FILE")
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        _fail(
            f"{place}{error.strerror or error}.",
            (
                "Free some space on the disk."
                if error.errno == errno.ENOSPC
                else "Check that the file is there, and that you may read and write it."
            ),
        )
    except MemoryError:
        _fail("There is not enough memory for this.", "Try fewer documents at a time, or fewer --resamples.")
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        from ..plugins import line_of, plugin_roots, raised_in

        if raised_in(error, plugin_roots()):
            _fail(
                f"A plug-in failed: {type(error).__name__}: {error}{line_of(error, plugin_roots())}.",
                "It is no part of Storymeter; try storymeter check-metric NAME",
            )
        _fail(
            f"This is a bug in Storymeter: {type(error).__name__}: {error}",
            f"Please report it with what `storymeter info` prints; {TRACEBACK}=1 shows where it happened.",
        )


_show = warnings.showwarning


_noted: set[str] = set()


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """What we warn of ourselves, as a sentence, once; no file and line of ours."""
    if issubclass(category, StorymeterWarning):
        if str(message) in _noted:
            return
        _noted.add(str(message))
        _labelled("note: ", "yellow", str(message))
    else:
        _show(message, category, filename, lineno, file, line)


def _fail(message: str, hint: str, code: int | None = None) -> NoReturn:
    _labelled("error: ", "red", message)
    if hint:
        print_note(hint)
    sys.exit(getattr(sys.exc_info()[1], "exit_code", 1) if code is None else code)  # `gate` has its own


def _labelled(label: str, colour: str, text: str) -> None:
    """A word in colour, then the text."""
    click.secho(label, fg=colour, bold=True, err=True, nl=False)
    click.echo("\n".join(fitted(label + text)).removeprefix(label), err=True)

"""Files that commands read and write: the options that say how files are read, and `--force`.

Nothing is overwritten: a command refuses to write over a file that exists, unless `--force` is given. Every
command whose options or arguments name files to be written gets `--force` here; the paths are checked before
anything is read or scored.
"""

import functools
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from .. import engine
from ..errors import UsageError
from ._options import KEY, format_option, jobs_option, option, remember, remembered, seed_option, together

#: options of any command that name a file, or a folder of files, to be written
WRITTEN = frozenset(["out", "save", "html", "per-document", "figures", "junit", "markdown"])
#: command -> further options that do
ALSO = {"analyse": ("captions", "words"), "details": ("pairs",)}


def guard(command: click.Command) -> click.Command:
    """Check the files that a command would write."""
    outputs = [each for each in command.params if _is_written(each, command.name or "")]
    if not outputs or any(each.name == "force" for each in command.params):
        return command
    for each in outputs:
        each.callback = functools.partial(_check, each.callback)
    command.params.append(
        click.Option(
            ["--force"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=remember,
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
    return bool(remembered("force"))


def _check(callback: Any, context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Before the callback of an option, if it has one."""
    if value and not context.meta.get(f"{KEY}force") and not context.resilient_parsing:
        _refuse(Path(value), parameter, context.info_name or "")
    return callback(context, parameter, value) if callback else value


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


def pairs_of(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`rater=worker,score=mark` to a dict; a word alone (`names`) stands for itself. A comma that no `=`
    follows is part of a name."""
    if not text:
        return None
    found: dict[str, str] = {}
    last = ""
    for part in text.split(","):
        key, mark, name = part.partition("=")
        if mark or not last:
            last = key.strip()
            if last in found:
                raise UsageError(
                    f"{parameter.opts[0]} names {last} more than once: {found[last]}, {name.strip()}.",
                    hint="Name one column.",
                )
            found[last] = name.strip()
        else:
            found[last] += f",{part}"
    return found


def _columns(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`video=clip,text=caption` to {"video": "clip", "text": "caption"}"""
    named = context.meta.get(f"{KEY}id_from") if parameter.name == "columns" else None
    found = {"video": named} if named else {}
    if not text:
        return found or None
    pairs = [part.partition("=") for part in text.split(",")]
    if any(not key.strip() or not name.strip() for key, _, name in pairs):
        raise UsageError(
            f"{parameter.opts[0]} cannot be {text!r}.", hint="Write it like --columns video=clip,text=caption"
        )
    keys = [key.strip() for key, _, _ in pairs]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        named_twice = ", ".join(name.strip() for key, _, name in pairs if key.strip() == twice[0])
        raise UsageError(
            f"{parameter.opts[0]} names {twice[0]} more than once: {named_twice}.",
            hint="Name one column. Sentences in columns of their own are found by their numbers (sentence1,"
            " sentence2 …; s1, s2 …).",
        )
    return {key.strip(): name.strip() for key, _, name in pairs} | found


reading_options = together(
    option("--from format", "Format of the files; default: detected from their content.", metavar="FORMAT"),
    option(
        "--id-map",
        "Ids of candidates: strip-v, add-v, strip-ext, sequence, or a file of pairs; several in order.",
        multiple=True,
        metavar="MAP",
    ),
    option(
        "--columns",
        "Fields of candidates: video=clip,text=caption,start=begin; of models' answers: answer=response",
        callback=_columns,
        metavar="PAIRS",
    ),
    option(
        "--id-from",
        "Field of candidates with the id: doc.video_id; short for --columns video=FIELD.",
        callback=remember,
        expose_value=False,
        is_eager=True,  # `--columns` knows of it
        metavar="FIELD",
    ),
    option(
        "--repair", "Swap reversed segments, clip to the video, trim spaces; recorded in the signature.", bool
    ),
    option(
        "--lists",
        "What a list of sentences is: the sentences of a story, or alternatives of one caption.",
        ("story", "alternatives"),
    ),
)
#: of a verb that reads references too
reference_reading_options = together(
    option("--reference-id-map", "Like --id-map, for references.", multiple=True, metavar="MAP"),
    option("--reference-columns", "Like --columns, for references.", callback=_columns, metavar="PAIRS"),
)
#: of a verb that scores files and prints a result
result_options = together(
    format_option(), jobs_option, seed_option, reading_options, reference_reading_options
)
unequal_lines_option = option(
    "--unequal-lines",
    "Accept files with numbered lines that differ in length: the last lines of the shorter ones are missing.",
    bool,
)


def layout_of(options: Mapping[str, Any]) -> engine.Layout:
    """How the options of a verb say that files are read; other options are left alone."""
    known = [each.name for each in fields(engine.Layout)]
    return engine.Layout(**{name: options[name] for name in known if name in options})

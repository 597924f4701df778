"""Options that say how files are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ._declare import option, together
from ._options import format_option, jobs_option, seed_option

if TYPE_CHECKING:
    from ..engine.systems import Layout


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
            found[last] = name.strip()
        else:
            found[last] += f",{part}"
    return found


_ID_FROM = "storymeter.id_from"


def _columns(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`video=clip,text=caption` to {"video": "clip", "text": "caption"}"""
    named = context.meta.get(_ID_FROM) if parameter.name == "columns" else None
    found = {"video": named} if named else {}
    if not text:
        return found or None
    pairs = [part.partition("=") for part in text.split(",")]
    if any(not key.strip() or not name.strip() for key, _, name in pairs):
        raise UsageError(
            f"--columns cannot be {text!r}.", hint="Write it like --columns video=clip,text=caption"
        )
    return {key.strip(): name.strip() for key, _, name in pairs} | found


def _id_from(context: click.Context, parameter: click.Parameter, field: str | None) -> None:
    """Eager, so that `--columns` knows of it."""
    if field:
        context.meta[_ID_FROM] = field


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
        callback=_id_from,
        expose_value=False,
        is_eager=True,
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


def layout_of(options: Mapping[str, Any]) -> Layout:
    """How the options of a verb say that files are read; other options are left alone."""
    from ..engine.systems import Layout

    return Layout(**{each.name: options[each.name] for each in fields(Layout) if each.name in options})

"""Options of all verbs that read files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def columns_of(text: str | None) -> dict[str, str]:
    """`text=caption,video=clip` as a mapping from our names to the file's."""
    pairs = [pair.partition("=") for pair in (text or "").split(",") if pair.strip()]
    if any(not equals or not theirs.strip() for _, equals, theirs in pairs):
        raise UsageError(f"--columns {text!r} cannot be understood.", hint="Write OURS=THEIRS, such as: --columns text=caption,video=clip")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def reading_options(function: F) -> F:
    """`--from`, `--repair`, `--id-map`, `--columns`; they arrive as `source_format`, `repair`, `id_map`, `columns`."""
    for option in reversed((
        click.option("--from", "source_format", metavar="FORMAT", help="The format of the input; otherwise seen from its content."),
        click.option("--repair", is_flag=True, help="Swap reversed segments, clip times to the video, trim blanks; noted in the signature."),
        click.option("--id-map", metavar="RULE|FILE", help="Rename ids: strip-v, add-v, strip-ext, sequence, or a file of pairs."),
        click.option("--columns", metavar="OURS=THEIRS,…", callback=lambda _c, _p, text: columns_of(text), help="Names of a table's columns: text=caption,video=clip."),
    )):
        function = option(function)
    return function

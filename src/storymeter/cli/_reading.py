"""How verbs read the files they are given: the options, and distinct names for the systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from ..captions import Corpus
from ..errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def _columns(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`video=clip,text=caption` to {"video": "clip", "text": "caption"}"""
    if not text:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if any(not key.strip() or not name.strip() for key, _, name in pairs):
        raise UsageError(f"--columns cannot be {text!r}.", hint="Write it like --columns video=clip,text=caption")
    return {key.strip(): name.strip() for key, _, name in pairs}


def reading_options(function: F) -> F:
    for option in reversed([
        click.option("--from", "format", metavar="FORMAT", help="Format of the files; default: seen from their content."),
        click.option("--id-map", metavar="MAP", help="strip-v, add-v, strip-ext, sequence, or a file of pairs."),
        click.option("--columns", callback=_columns, metavar="PAIRS", help="Columns of a table: video=clip,text=caption"),
        click.option("--repair", is_flag=True, help="Swap reversed segments, clip to the video, trim blanks; the signature says so."),
    ]):
        function = option(function)
    return function


def read_references(paths: Sequence[str], **reading: Any) -> list[Corpus]:
    from ..formats import read

    return [read(path, **reading) for path in paths]


def read_candidates(paths: Sequence[str], **reading: Any) -> list[Corpus]:
    """One corpus per system; files of one name are told apart by their ending, in several folders by their folder, else by a number."""
    corpora = read_references(paths, **reading)
    names = [corpus.name for corpus in corpora]
    files = [Path(path).name for path in paths]
    names = [name if names.count(name) == 1 or files.count(file) > 1 else file for file, name in zip(files, names, strict=True)]
    names = [name if names.count(name) == 1 else f"{Path(path).resolve().parent.name}/{name}" for path, name in zip(paths, names, strict=True)]
    names = [name if name not in names[:k] else f"{name} ({names[:k].count(name) + 1})" for k, name in enumerate(names)]
    return [msgspec.structs.replace(corpus, name=name) for corpus, name in zip(corpora, names, strict=True)]

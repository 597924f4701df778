"""How verbs read the files they are given: the options, and distinct names for the systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from ..captions import Corpus

F = TypeVar("F", bound=Callable[..., Any])


def reading_options(function: F) -> F:
    return click.option("--from", "format", metavar="FORMAT", help="Format of the files; default: seen from their content.")(function)


def read_corpus(path: str, **reading: Any) -> Corpus:
    from ..formats import read

    return read(path, **reading)


def read_references(paths: Sequence[str], **reading: Any) -> list[Corpus]:
    return [read_corpus(path, **reading) for path in paths]


def read_candidates(paths: Sequence[str], **reading: Any) -> list[Corpus]:
    """One corpus per system; files of one name in several folders are told apart by their folder."""
    corpora = [read_corpus(path, **reading) for path in paths]
    names = [corpus.name for corpus in corpora]
    return [corpus if names.count(corpus.name) == 1 else msgspec.structs.replace(corpus, name=f"{Path(path).resolve().parent.name}/{corpus.name}")
            for path, corpus in zip(paths, corpora, strict=True)]

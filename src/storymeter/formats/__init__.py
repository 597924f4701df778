"""Files to records and back; see `registry` for the list of formats."""

from __future__ import annotations

from pathlib import Path

from ..captions import Corpus


def read(path: str | Path, *, format: str | None = None) -> Corpus:
    raise NotImplementedError


def write(corpus: Corpus, path: str | Path, *, format: str | None = None) -> None:
    raise NotImplementedError

"""METEOR's word lists, compiled once into one file that every later start maps into memory.

The compiled file (55 MB) lies in `STORYMETER_CACHE`, by default the user's cache directory. Every start
checks version, size and a checksum of all bytes, which takes some milliseconds; a file that fails is made
anew by `meteor_compile`. This module imports little: programs that score by METEOR start with it."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

from .. import _native
from ..cache import METEOR_DATA as DATA, cache_folder
from ..progress import silent

if TYPE_CHECKING:
    from ..progress import Progress

_loaded: dict[tuple[str, str], _native.MeteorTables] = {}


def load(progress: Progress = silent) -> _native.MeteorTables:
    """The tables, mapped; compiled first where there is no sound file yet. Once per process."""
    key = os.environ.get(DATA, ""), cache_folder()
    if key not in _loaded:
        path = os.path.join(key[1], _file_name())
        tables = mapped(path)
        if tables is None:
            from .meteor_compile import compile_into

            tables = compile_into(path, mapped, progress)
        _loaded[key] = tables
    return _loaded[key]


def _file_name() -> str:
    """Data from a folder of the user's gets a file of its own, and another one when it changes."""
    if not os.environ.get(DATA):
        return f"meteor-{_native.METEOR_TABLE_VERSION}.table"
    from .meteor_compile import fingerprint

    return f"meteor-{_native.METEOR_TABLE_VERSION}-{fingerprint()}.table"


def mapped(path: str | os.PathLike[str]) -> _native.MeteorTables | None:
    """The tables in this file, or None where it is absent or not sound."""
    try:
        with open(path, "rb") as file:
            return _native.MeteorTables(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # TableError and an empty file are ValueErrors
        return None

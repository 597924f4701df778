"""Writing files so that nobody ever sees half of one: to a neighbour first, then renamed over the target."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .errors import DataError


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that appears under `path` only if the block ends well; after an error or Ctrl-C nothing is left."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise DataError(f"{target} cannot be written: {error.strerror}.", hint="Choose another place for the file.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise DataError(f"{target} cannot be written: {error.strerror}.", hint="Choose another place for the file.") from None
        raise


def write_text(path: str | Path, text: str) -> None:
    with atomic(path) as file:
        file.write(text.encode())

"""Reading a small file whole; writing files so that nobody ever sees half of one: to a neighbour first, then
renamed over the target.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .errors import DataError


def content(path: Path, hint: str) -> bytes:
    """The file without its byte order mark; an error, with `hint`, if there is nothing in it."""
    try:
        raw = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.", hint="Check the name of the file."
        ) from None
    if not raw.strip():
        raise DataError(f"{path} is empty.", hint=hint)
    return raw


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that appears under `path` only if the block ends well; after an error or Ctrl-C nothing
    is left.
    """
    target = Path(path)
    if _passes_on(target):
        try:
            with target.open("ab") as file:
                yield file
        except OSError as error:
            raise _unwritable(path, error) from None
        return
    try:
        target = target.resolve()  # a link stays a link: its file is replaced
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    except (OSError, ValueError) as error:  # a zero byte in the name is a ValueError
        raise _unwritable(path, error) from None
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
            raise _unwritable(path, error) from None
        raise


def _passes_on(target: Path) -> bool:
    """Devices and pipes (/dev/stdout, /dev/null, a fifo) take what is written; a file renamed over them would
    destroy them.
    """
    if os.fspath(target).startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/")):
        return True
    try:
        kind = target.stat().st_mode
    except (OSError, ValueError):  # not there, or no name at all: the caller finds out
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def _unwritable(path: str | Path, error: OSError | ValueError) -> DataError:
    reason = error.strerror if isinstance(error, OSError) else error
    return DataError(f"{path} cannot be written: {reason}.", hint="Choose another place for the file.")


def write_text(path: str | Path, text: str) -> None:
    with atomic(path) as file:
        file.write(text.encode())

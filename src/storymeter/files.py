"""Reading a small file whole; writing files so that nobody ever sees half of one: to a neighbour first, then
renamed over the target.
"""

import codecs
import contextlib
import itertools
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

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


def atomic(path: str | Path) -> contextlib.AbstractContextManager[BinaryIO]:
    """A binary file that appears under `path` only if the block ends well; after an error or Ctrl-C nothing
    is left.
    """
    return _appended(path) if _passes_on(Path(path)) else _Part(path)


@contextlib.contextmanager
def _appended(path: str | Path) -> Iterator[BinaryIO]:
    try:
        with Path(path).open("ab") as file:
            yield file
    except OSError as error:
        raise _unwritable(path, error) from None


class _Part:
    """The neighbour of a file to be written. Not a generator: Ctrl-C between its `yield` and the block would
    leave the neighbour to the garbage collector.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path

    def __enter__(self) -> BinaryIO:
        try:
            self.target = Path(self.path).resolve()  # a link stays a link: its file is replaced
            self.target.parent.mkdir(parents=True, exist_ok=True)
            # named before it is made, so that Ctrl-C at any moment finds it
            self.part = self.target.with_name(f".{self.target.name[:100]}.{secrets.token_hex(8)}")
        except (OSError, ValueError) as error:  # a zero byte in the name is a ValueError
            raise _unwritable(self.path, error) from None
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            self.file = os.fdopen(os.open(self.part, flags, 0o600), "wb")
            return self.file
        except BaseException as error:
            self._fail(error)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            with self.file:
                if error is None:
                    self.file.flush()
                    os.fsync(self.file.fileno())
            if error is None:
                umask = os.umask(0)
                os.umask(umask)
                self.part.chmod(0o666 & ~umask)
                self.part.replace(self.target)
        except BaseException as late:
            self._fail(late)
        if error is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> NoReturn:
        with contextlib.suppress(OSError):
            self.part.unlink()
        if isinstance(error, OSError):
            raise _unwritable(self.path, error) from None
        raise error


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


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """A cell that no spreadsheet runs as a formula: a quote stands before = + - @ tab CR, and before quotes
    that stand before one of them. `unguarded` gives the text back.

    >>> guarded("=cmd()"), guarded("it's"), guarded("'=x"), unguarded(guarded("'=x"))
    ("'=cmd()", "it's", "''=x", "'=x")
    """
    return "'" + text if text.lstrip("'").startswith(_FORMULA) else text


def unguarded(cell: str) -> str:
    """The text of a cell that `guarded` wrote."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell


#: the longest name that `safe_names` gives, in bytes; file systems take 255
LONGEST = 100


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """A file name without a suffix for each of these texts. All are different, also where the file system
    makes no difference between upper and lower case.

    >>> safe_names(["cs/en", "cs_en", "CS en", ""])
    {'cs/en': 'cs_en', 'cs_en': 'cs_en-2', 'CS en': 'CS_en-3', '': 'none'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name or "none")
        for number in itertools.count(1):
            end = f"-{number}" if number > 1 else ""
            safe = plain.encode()[: LONGEST - len(end)].decode(errors="ignore") + end
            if safe.casefold() not in taken:
                break
        taken.add(safe.casefold())
        found[name] = safe
    return found


def write_bytes(path: str | Path, data: bytes) -> None:
    with atomic(path) as file:
        file.write(data)


def write_text(path: str | Path, text: str) -> None:
    write_bytes(path, text.encode())

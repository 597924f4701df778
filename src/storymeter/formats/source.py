"""The bytes of one input: read once, hashed, freed of a byte order mark, decoded as text or as JSON when
asked.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from .. import _native
from ..errors import DataError
from .aliases import Role
from .checks import Check
from .json_text import DEPTH, Lenient
from .problems import Mark, Path as Place
from .zipped import is_workbook, log_lines

BOM = b"\xef\xbb\xbf"
LARGEST = 1 << 32  #: bytes of an unpacked file
_PACKED: dict[bytes, Any] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"\xfd7zXZ": lzma.LZMAFile,
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_MAGIC = {
    b"\x1f\x8b": "a gzip file that is broken: unpack it first (gunzip -k FILE)",
    b"PK\x03\x04": "a zip file: unpack it first",
    b"\xfd7zXZ": "an xz file that is broken: unpack it first (unxz -k FILE)",
    b"BZh": "a bzip2 file: unpack it first (bunzip2 -k FILE)",
    b"<?xml": "an XML file",
    b"<!DOCTYPE": "a web page",
    b"<html": "a web page",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"%PDF": "a PDF file",
}
#: a JSON array or object, as opposed to a sentence that begins with "[male] went"
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*(?:[\[{"\]\d-]|null\b|true\b|false\b|NaN\b)|[{\[]\s*$)')

_BLANK = re.compile(rb"\s*")
_NEXT = re.compile(rb"\s*\{")


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    """The file, or stdin for `-`; whatever the system has against it becomes a DataError."""
    path = os.fspath(path)
    try:
        if path != "-" and Path(path).is_char_device():
            raise DataError(f"{path} is a device, not a file.", hint="Use - for stdin.")
        if path == "-":
            yield cast(io.BufferedReader, sys.stdin.buffer)
        else:
            with Path(path).open("rb") as file:
                yield file
    except IsADirectoryError:
        raise DataError(f"{path} is a folder, not a file.", hint="Name the files in it.") from None
    except FileNotFoundError:
        raise DataError(f"There is no file {path}.", hint="Check the path.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


class Source:
    def __init__(self, path: str, data: bytes, check: Check) -> None:
        self.path, self.check = path, check
        #: names of a table's columns: {"text": "caption"} where the file says `caption`
        self.columns: dict[str, str] = {}
        #: what the file is read as, where it is known: candidates or references, stories
        self.role: Role | None = None
        self.kind: str | None = None
        #: what a list of sentences is, where the user said so: story or alternatives
        self.lists = ""
        self.sha256 = hashlib.sha256(data).hexdigest()
        data, name = unpacked(data, Path(path))
        data = log_lines(data) or data
        self.stem = name.stem if path != "-" else "stdin"
        self.suffix = name.suffix.lower() if path != "-" else ""
        if data.startswith(BOM):
            check.warn("bom", "the file begins with a byte order mark", (Mark("byte", 0),))
            data = data[len(BOM) :]
        elif data.startswith(_UTF_16):
            data = _from_utf_16(data, check)
        self.data = data

    @classmethod
    def open(cls, path: str | os.PathLike[str], check: Check) -> Source:
        with opened(path) as file:
            return cls(os.fspath(path), file.read(), check)

    @property
    def foreign(self) -> str:
        """What the file is, where it is certainly no format of ours."""
        if self.is_workbook:
            return ""
        known = next((what for magic, what in _MAGIC.items() if self.data.startswith(magic)), "")
        return known or (
            "a binary file" if b"\0" in self.data[:4096] and not self.data.startswith(b"PAR1") else ""
        )

    @functools.cached_property
    def is_workbook(self) -> bool:
        """An Excel workbook (.xlsx)."""
        return is_workbook(self.data)

    @functools.cached_property
    def text(self) -> str:
        """The file as text; bytes that are not UTF-8 are reported. CR ends a line where nothing else does."""
        self.note_line_ends()
        return self.plain_text if "\n" in self.plain_text else self.plain_text.replace("\r", "\n")

    @functools.cached_property
    def plain_text(self) -> str:
        """The same, for formats in which CR LF is as good as LF."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            self.check.error(
                "not-utf-8",
                "the file is not UTF-8",
                (Mark("line", line),),
                detail=f"byte {error.start:,}: {self.data[error.start]:#04x}",
            )
            return self.data.decode(errors="replace")

    @functools.cached_property
    def head(self) -> str:
        """The first few thousand characters, to recognise a format by."""
        return self.data[:65536].decode(errors="replace")

    @functools.cached_property
    def is_json(self) -> bool:
        return bool(_JSON.match(self.data))

    @functools.cached_property
    def first_line(self) -> bytes:
        """The first line that is not blank, where another one follows it; otherwise nothing."""
        begin = _BLANK.match(self.data).end()  # type: ignore[union-attr]
        return self.data[begin : max(begin, self.data.find(b"\n", begin))]

    @functools.cached_property
    def is_json_lines(self) -> bool:
        """Two lines, each of which begins an object, the first one whole."""
        if not self.first_line.startswith(b"{") or not self.first_line.rstrip().endswith(b"}"):
            return False
        return bool(_NEXT.match(self.data, self.data.index(self.first_line) + len(self.first_line)))

    @functools.cached_property
    def first_value(self) -> Any:
        """The object in the first line of a JSON Lines file; of other files the whole value."""
        return decode(self.first_line, Check()) if self.is_json_lines else self.value

    @functools.cached_property
    def value(self) -> Any:
        """The file as JSON, decoded fast where it is sound and leniently where it is not."""
        self.note_line_ends()
        return decode(self.data, self.check, text=lambda: self.plain_text, sound=self.sound)

    @functools.cached_property
    def sound(self) -> bool:
        """JSON that a strict decoder reads as it was meant: no key twice, no depth beyond reason."""
        return _sound(self.data)

    def note_line_ends(self) -> None:
        at = self.data.find(b"\r\n") if b"\r" in self.data else -1  # one byte is found much quicker
        if at >= 0:
            self.check.warn("crlf", "lines end in CR LF", (Mark("line", self.data.count(b"\n", 0, at) + 1),))
        elif b"\r" in self.data and b"\n" not in self.data:
            self.check.warn("cr", "lines end in CR alone", (Mark("line", 1),))


def unpacked(data: bytes, path: Path) -> tuple[bytes, Path]:
    """The content of a compressed file (gzip, xz), and its name without that ending; other files as they are.
    What is larger than `LARGEST` when unpacked, or broken, stays as it is and is named as what it is."""
    kind = next((kind for magic, kind in _PACKED.items() if data.startswith(magic)), None)
    if kind is None:
        return data, path
    try:
        with kind(io.BytesIO(data)) as file:
            inside = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        return data, path
    if len(inside) > LARGEST:
        raise DataError(
            f"{path} is larger than {LARGEST >> 30} GB when it is unpacked.",
            hint="Unpack it and cut it in parts.",
        )
    return inside, path.with_suffix("") if path.suffix.lower() in (".gz", ".xz") else path


def _from_utf_16(data: bytes, check: Check) -> bytes:
    """The same text as UTF-8; what is broken in it becomes U+FFFD and is reported."""
    check.warn("utf-16", "the file is UTF-16, not UTF-8, but was read", (Mark("byte", 0),))
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError as error:
        check.error("not-utf-8", "the UTF-16 text is broken", (Mark("byte", error.start),))
        return data.decode("utf-16", errors="replace").encode()


def _sound(data: bytes) -> bool:
    depth, doubtful = _native.json_facts(data)
    return depth <= DEPTH and not doubtful


def decode(data: bytes, check: Check, at: Place = (), *, text: Any = None, sound: bool | None = None) -> Any:
    """One JSON value. `at` is where it stands; `text` gives the decoded string if the careful way has to be
    taken.
    """
    if _sound(data) if sound is None else sound:
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # Lenient finds out what and where
    return Lenient(text() if text else data.decode(errors="replace"), check, at).decode()

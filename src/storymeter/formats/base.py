"""What every format is made of: the bytes of one input, and the base class of formats.

A `Source` is read once, hashed, freed of a byte order mark, and decoded as text or as JSON when asked. A
`Format` has a name, a way to recognise a source as its own, to read it and, mostly, to write it.
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
import warnings
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec

from .. import _native
from ..captions import Corpus, Document
from ..errors import DataError, StorymeterWarning
from .aliases import Role
from .checks import Check
from .json_text import DEPTH, Lenient
from .problems import MISSING, Mark, Path as Place, named, others
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


#: what a format may be able to hold, in the words of messages and of the documentation
FIELDS = {
    "documents": "several documents",
    "several": "several captions per document",
    "alternatives": "several documents with one id",
    "times": "start and end",
    "untimed": "captions without times",
    "open": "captions without an end",
    "empty": "documents without captions",
    "captions": "captions",
    "bounds": "where one caption ends and the next begins",
    "ends": "ends that are not the next start",
    "duration": "durations",
    "images": "images",
    "sequence": "photo sequences",
    "meta": "other keys of captions",
    "about": "other keys of documents",
}


def carrying(*fields: str) -> frozenset[str]:
    """What a format carries: captions and bounds, as all do, ends where there are times, and these fields."""
    return frozenset(("captions", "bounds", *fields, *(("ends",) if "times" in fields else ())))


class Format(ABC):
    """A file format: how it is recognised, decoded and, where it can be, written."""

    name: ClassVar[str]
    title: ClassVar[str]
    #: one line that shows the format, for the documentation
    shape: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    carries: ClassVar[frozenset[str]]
    #: True where a document is a story even if it is kept in one text
    story: ClassVar[bool] = False
    #: True where what is kept of the file is how it was written (lists or strings), no content
    manner: ClassVar[bool] = False
    #: True where captions stand in a text between signs of the format, so that what was written is read again
    #: to find out what it did not keep
    textual: ClassVar[bool] = False
    #: True where `--columns` names the fields of the file; elsewhere they have fixed names
    named_fields: ClassVar[bool] = False
    #: seconds: the smallest step of time that the format can write; 0 where any number can be written
    tick: ClassVar[float] = 0.0

    @abstractmethod
    def sniff(self, source: Source) -> bool:
        """Does the content look like this format? Suffixes are asked later, and only if no content speaks."""

    @abstractmethod
    def read(self, source: Source, check: Check) -> Iterable[Document]: ...

    @abstractmethod
    def write(self, corpus: Corpus) -> Iterator[bytes]: ...

    def regular(self, source: Source, check: Check) -> tuple[Document, ...] | None:
        """The documents of a big file whose shape is regular, in a fraction of the time; None where it
        is not, and where the format has no such way.
        """
        return None

    def note_columns(self, source: Source) -> None:
        if source.columns and not self.named_fields:
            warnings.warn(
                f"The names of columns were not used for {source.path}: {self.title} has fields of its own.",
                StorymeterWarning,
                stacklevel=2,
            )

    # -- the file's own keys at the top, kept for the way back

    def keep(self, check: Check, keys: dict[str, Any]) -> None:
        check.meta["file"] = {self.name: keys}

    def kept(self, corpus: Corpus, default: dict[str, Any] | None = None) -> dict[str, Any]:
        file = corpus.meta.get("file")
        found = file.get(self.name) if isinstance(file, dict) else None
        return dict(found) if isinstance(found, dict) else dict(default or {})


class JsonFormat(Format):
    """A format whose file is one JSON value, recognised by its shape."""

    @abstractmethod
    def looks(self, value: Any) -> bool: ...

    @abstractmethod
    def documents(self, value: Any, check: Check) -> Iterable[Document]: ...

    @abstractmethod
    def value(self, corpus: Corpus) -> Any:
        """The corpus as the value to encode."""

    def within(self, value: Any, key: str, what: str, check: Check, empty: Any) -> Any:
        """What stands under this key of the object at the top, whose other keys are kept."""
        top = check.mapping(value, (), what)
        self.keep(check, others(top, frozenset((key,))))
        return top.get(key, MISSING) if top else empty

    def sniff(self, source: Source) -> bool:
        return source.is_json and not source.is_json_lines and self.looks(source.value)

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        return self.documents(source.value, check)

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        yield msgspec.json.encode(self.value(corpus)) + b"\n"


class LineFormat(Format):
    """A format of JSON Lines: each line by itself, so that a file of any size can be read."""

    @abstractmethod
    def documents(self, lines: Iterable[tuple[int, bytes]], check: Check) -> Iterator[Document]:
        """Documents out of numbered lines."""

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        source.note_line_ends()
        return self.documents(enumerate(source.data.split(b"\n"), 1), check)


def objects(lines: Iterable[tuple[int, bytes]], check: Check) -> Iterator[tuple[tuple[Mark], dict[str, Any]]]:
    """The JSON objects of numbered lines, each with its place; blank lines are skipped, anything else is an
    error of its line.
    """
    for number, line in lines:
        if not line or line.isspace():
            continue
        at = (Mark("line", number),)
        item = decode(line, check, at)
        if type(item) is dict:
            yield at, item
        else:
            check.error("wrong-type", "a line must be a JSON object", at, detail=f"found {named(item)}")


def some_of(value: Any, number: int = 50) -> list[Any]:
    """The first few members of a list, or values of an object, to judge its shape by."""
    if isinstance(value, dict):
        return list(islice(value.values(), number))
    return value[:number] if isinstance(value, list) else []


def has(value: Any, *keys: str) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)

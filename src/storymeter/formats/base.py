"""The base class of formats: a name, a way to recognise it, to read it and, mostly, to write it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, ClassVar

import msgspec

from ..captions import Corpus, Document
from .checks import Check
from .problems import MISSING, Mark, named, others
from .source import Source, decode

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

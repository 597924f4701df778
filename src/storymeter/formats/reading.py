"""From a path to a corpus: open, recognise, decode, check, collect every problem."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..captions import Corpus, Document, Origin
from ..errors import DataError
from . import registry
from .base import Format, LineFormat
from .checks import Check, named
from .ids import IdMap
from .problems import Problem, lines
from .source import BOM, Source, opened

_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one file. The corpus holds whatever could be read, also beside errors."""

    path: str
    corpus: Corpus
    problems: list[Problem] = field(default_factory=list)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    def require(self) -> Corpus:
        """The corpus, or one DataError that lists every kind of error with its first places."""
        if not self.errors:
            return self.corpus
        shown = lines(self.errors)
        more = "" if len(shown) <= 10 else f"\n  … and {len(shown) - 10:,} more kinds of error"
        raise DataError(
            f"{self.path} has {len(self.errors):,} error{'s' if len(self.errors) > 1 else ''}:\n  "
            + "\n  ".join(shown[:10])
            + more,
            hint=_hint(self.errors, self.path),
        )


def _hint(errors: list[Problem], path: str) -> str:
    if all(problem.code == "reversed" for problem in errors):
        return "Reversed segments can be swapped with --repair (repair=True in Python)."
    if len(errors) == 1:
        return ""
    return f"See all of them: storymeter validate {path}"


def examine(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    repair: bool = False,
    id_map: str | None = None,
    columns: dict[str, str] | None = None,
) -> Reading:
    """Read a file and list its problems. Raises only where there is nothing to read (no such file, a wrong
    name).
    """
    mapped = IdMap.parse(id_map)
    chosen = registry.get(format) if format else None
    check = Check(os.fspath(path), repair=repair)
    with _no_collection():
        source = Source.open(path, check)
        source.columns = columns or {}
        found, documents = _documents(source, chosen, check)
        documents = mapped.apply(documents, check)
    meta = dict(check.meta)
    if found and registry.FORMATS[found].story:
        meta["kind"] = "story"
    if repair:
        meta["repairs"] = dict(sorted(check.repairs.items()))
    if id_map:
        meta["id_map"] = id_map
    origin = Origin(source.path, found, source.sha256)
    return Reading(source.path, Corpus(documents, source.stem, origin, meta), check.problems)


def _documents(source: Source, chosen: Format | None, check: Check) -> tuple[str, tuple[Document, ...]]:
    if source.foreign:
        check.error("foreign", f"this is {source.foreign}")
    elif not source.data.strip():
        check.error("empty-file", "the file is empty")
    else:
        found = chosen or registry.sniff(source)
        if found:
            documents = tuple(found.read(source, check))
            if not documents and not check.failed:
                check.warn("no-documents", "the file holds no documents")
            elif (
                "captions" in found.carries
                and not check.failed
                and not any(document.captions for document in documents)
            ):
                check.warn("no-captions", "the file holds no captions")
            return found.name, documents
        _unknown(source, check)
    return chosen.name if chosen else "", ()


def _unknown(source: Source, check: Check) -> None:
    value = source.value
    if check.failed:
        return
    if isinstance(value, dict | list) and value:
        check.error("unknown-format", "no known format has this shape", detail=named(value))
    else:
        check.error(
            "wrong-top-level",
            "the file must hold an object or a list with documents at its top",
            detail=f"found {named(value)}",
        )


def iter_documents(
    path: str | os.PathLike[str], *, format: str | None = None, repair: bool = False
) -> Iterator[Document]:
    """Documents one by one. JSON Lines (ours and ViTT) are read line by line and never held as a whole; an
    error is raised at the first document that has one, after those before it were handed out."""
    check = Check(os.fspath(path), repair=repair)
    with opened(path) as file:
        head = Source(os.fspath(path), file.peek(_HEAD)[:_HEAD].rpartition(b"\n")[0], Check())
        found = registry.get(format) if format else registry.sniff(head) if head.is_json_lines else None
        if found is None or not isinstance(found, LineFormat):
            yield from examine(path, format=format, repair=repair).require()
            return
        lines = (
            (number, line.removeprefix(BOM) if number == 1 else line) for number, line in enumerate(file, 1)
        )
        for document in found.documents(lines, check):
            Reading(check.file, Corpus(()), check.problems).require()
            yield document
    Reading(check.file, Corpus(()), check.problems).require()


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of new records make the garbage collector look at all of them again and again, and find
    nothing.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

"""Reads a corpus from a path, or from records in memory: open, recognise, decode, check, with all
problems."""

import gc
import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..captions import Corpus, Document, Origin
from ..errors import DataError, StorymeterWarning, first_few, many
from . import registry
from .aliases import Role
from .base import BOM, Format, LineFormat, Source, opened
from .checks import Check
from .containers import unfold
from .ids import IdMap
from .line_formats import UNREAD_TIMES, no_captions
from .problems import Problem, lines, named
from .record_builder import Builder
from .record_tables import is_lists_by_line
from .records import check_columns, may_be_records, plan_rows, prefers_records

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

    @property
    def left_out(self) -> list[Problem]:
        """Lines and items that could not be read as captions."""
        return [problem for problem in self.problems if problem.code.startswith("skipped")]

    def require(self, file: str | None = None) -> Corpus:
        """The corpus, or one DataError that lists every kind of error with its first places.

        file: where `storymeter validate` finds them; default: the path; '': nowhere.
        """
        if not self.errors:
            return self.corpus
        shown = lines(self.errors)
        more = "" if len(shown) <= 10 else f"\n  … and {len(shown) - 10:,} more kinds of error"
        raise DataError(
            f"{self.path} has {many(len(self.errors), 'error')}:\n  " + "\n  ".join(shown[:10]) + more,
            hint=_hint(self.errors, self.path if file is None else file),
        )


def _hint(errors: list[Problem], path: str) -> str:
    if all(problem.code == "reversed" for problem in errors):
        return "Reversed segments can be swapped with --repair (repair=True in Python)."
    if len(errors) == 1 or not path:
        return ""
    return f"See all of them: storymeter validate {path}"


def examine(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    repair: bool = False,
    id_map: str | Sequence[str] | None = None,
    columns: dict[str, str] | None = None,
    role: Role | None = None,
    kind: str | None = None,
    lists: str | None = None,
    data: bytes | None = None,
) -> Reading:
    """Read a file, or a folder of files with one video each, and list its problems. Raises only where there
    is nothing to read (no such file, a wrong name); see `read` for the options.

    path, format, repair, id_map, columns, role, kind, lists: as in `read`.
    data: the content, where there is no such file.
    """
    mapped = IdMap.parse(id_map)
    chosen = registry.get(format) if format else None
    if data is None and Path(path).is_dir():
        return _folder(
            Path(path),
            format=format,
            repair=repair,
            id_map=id_map,
            columns=columns,
            role=role,
            kind=kind,
            lists=lists,
        )
    check = Check(os.fspath(path), repair=repair)
    with _no_collection():
        source = Source.open(path, check) if data is None else Source(os.fspath(path), data, check)
        source.columns, source.role, source.kind, source.lists = columns or {}, role, kind, lists or ""
        found, documents = _documents(source, chosen, check)
        documents = mapped.apply(documents, check)
    if found:
        registry.get(found).note_columns(source)
    meta = dict(check.meta)
    if found and registry.get(found).story:
        meta["kind"] = "story"
    if repair:
        meta["repairs"] = dict(sorted(check.repairs.items()))
    if id_map:
        meta["id_map"] = id_map if isinstance(id_map, str) else ",".join(id_map)
    origin = Origin(source.path, found, source.sha256)
    return Reading(source.path, Corpus(documents, source.stem, origin, meta), check.problems)


def _folder(folder: Path, **options: Any) -> Reading:
    """Files of one video each (subtitles, chapters, answers) as one corpus; problems name their file."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    readings = [examine(path, **options) for path in paths]
    formats = [reading.corpus.origin.format for reading in readings]
    many = [
        path.name
        for path, found, reading in zip(paths, formats, readings, strict=True)
        if not found or ("documents" in registry.get(found).carries and not _one_video(path, reading))
    ]
    if many or not paths:
        raise DataError(
            f"{folder} is a folder, and "
            + (
                f"{len(many):,} of its {len(paths):,} files do not hold one video each: {first_few(many)}."
                if paths
                else "it is empty."
            ),
            hint="Name the files in it. A folder is read as one system only if each file holds one video.",
        )
    problems = [
        replace(problem, where=f"{path.name}: {problem.where}" if problem.where != "$" else path.name)
        for path, reading in zip(paths, readings, strict=True)
        for problem in reading.problems
    ]
    sums = "".join(f"{path.name} {r.corpus.origin.sha256}\n" for path, r in zip(paths, readings, strict=True))
    origin = Origin(str(folder), formats[0], hashlib.sha256(sums.encode()).hexdigest())
    documents = tuple(document for reading in readings for document in reading.corpus)
    meta = {key: value for key, value in readings[0].corpus.meta.items() if key != "repairs"}
    if options["repair"]:
        done = sum((Counter(reading.corpus.meta["repairs"]) for reading in readings), Counter[str]())
        meta["repairs"] = dict(sorted(done.items()))
    return Reading(str(folder), Corpus(documents, folder.name, origin, meta), problems)


def _one_video(path: Path, reading: Reading) -> bool:
    """Records of one video without an id, in a file that is called like the video."""
    documents = reading.corpus.documents
    return reading.corpus.origin.format == "records" and [d.id for d in documents] == [path.stem]


def _documents(source: Source, chosen: Format | None, check: Check) -> tuple[str, tuple[Document, ...]]:
    if source.foreign:
        check.error("foreign", f"this is {source.foreign}")
    elif not source.data.strip():
        check.error("empty-file", "the file is empty")
    else:
        regular = registry.regular(source, chosen, check)
        if regular:
            return regular[0].name, _noted(regular[0], regular[1], check)
        if chosen:
            return chosen.name, _noted(chosen, tuple(chosen.read(source, check)), check)
        known = None if is_lists_by_line(source) else registry.sniff(source)
        if known is None or prefers_records(known, source):
            documents = _tried(registry.RECORDS, source, check)
            if documents is not None:
                return documents
            if known is None:
                _unknown(source, check)
                return "", ()
        if known.name == "lines" and (seen := no_captions(source)):
            verb = "score" if source.role == "candidates" else "validate"
            way = f"`storymeter {verb} {source.path} --from lines`"
            detail = (
                "the nearest known shapes are `id<TAB>caption` lines and CSV with the columns"
                f" video_id,caption; to read each line as a caption all the same: {way}"
            )
            check.error(
                "unknown-format",
                f"the file looks like {seen}, not like one caption in each line",
                detail=detail,
            )
            return "", ()
        trial = _fresh(check)
        found = tuple(known.read(source, trial))
        if (
            trial.failed
            and not any(document.captions for document in found)
            and may_be_records(known, source)
        ):
            other = _fresh(check)
            again = _tried(registry.RECORDS, source, other)
            #: its errors say only that no times were found, or that cells are between other signs
            blind = (known.name == "prose" and source.is_json) or all(
                p.code == "ragged-row" for p in trial.problems if p.severity == "error"
            )
            if again is not None and (not other.failed or other.asks or blind):
                check.take(other)
                return again
        check.take(trial)
        return known.name, _noted(known, found, check)
    return chosen.name if chosen else "", ()


def _fresh(check: Check) -> Check:
    """A check for a first try at a file, whose outcome may be dropped."""
    other = Check(check.file, repair=check.repair)
    other.broken = check.broken
    return other


def _tried(format: Format, source: Source, check: Check) -> tuple[str, tuple[Document, ...]] | None:
    """The documents of a format, where it has anything to say of the file."""
    documents = tuple(format.read(source, check))
    if not documents and not check.failed:
        return None
    return format.name, _noted(format, documents, check)


def _noted(found: Format, documents: tuple[Document, ...], check: Check) -> tuple[Document, ...]:
    if not documents and not check.failed:
        check.warn("no-documents", "the file holds no documents")
    elif "captions" in found.carries and not check.failed and not any(d.captions for d in documents):
        check.warn("no-captions", "the file holds no captions")
    return documents


def _unknown(source: Source, check: Check) -> None:
    value = source.value
    if check.failed:
        return
    if isinstance(value, dict | list) and value:
        check.error("unknown-format", "no known format has this shape", detail=_seen(value))
    else:
        check.error(
            "wrong-top-level",
            "the file must hold an object or a list with documents at its top",
            detail=f"found {named(value)}",
        )


def _seen(value: Any) -> str:
    """The shape of a value, its first keys, and what the nearest known shape is."""
    member = value[0] if isinstance(value, list) else value
    keys = (
        f" with the keys {first_few(map(repr, member), limit=8)}"
        if isinstance(member, dict) and member
        else ""
    )
    return (
        f"{named(value)}{keys}; the nearest known shape is"
        ' [{"video_id": "a", "caption": "…"}]; name the fields: --columns video=FIELD,text=FIELD'
    )


def iter_documents(
    path: str | os.PathLike[str], *, format: str | None = None, repair: bool = False
) -> Iterator[Document]:
    """Documents one by one. JSON Lines (ours and ViTT) are read line by line and never held as a whole; an
    error is raised at the first document that has one, after those before it were handed out.

    path, format, repair: as in `read`.
    """
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


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    repair: bool = False,
    id_map: str | Sequence[str] | None = None,
    columns: dict[str, str] | None = None,
    role: Role | None = None,
    kind: str | None = None,
    lists: str | None = None,
) -> Corpus:
    """One file as a corpus.

    Raises one DataError that lists every error with its place; warnings do not stop it (see `examine`), but
    lines that were left out, or whose times cannot be read, are counted in a StorymeterWarning. What was
    assumed of a file that has no known format is in `corpus.meta["read_as"]`.

    path: a file, a folder with one video per file, or `-` for stdin.
    format: the name of the format; default: recognised by the content.
    repair: swaps reversed segments, clips times to the video and trims blanks.
    id_map: `strip-v`, `add-v`, `strip-ext`, `sequence`, a file of pairs, or several of them in order.
    columns: names of the package and those of the table: {"text": "caption"}.
    role: candidates or references: which texts count where a file holds both.
    kind: `story`: lists of sentences are stories.
    lists: story or alternatives: what lists of sentences are in any case.
    """
    reading = examine(
        path,
        format=format,
        repair=repair,
        id_map=id_map,
        columns=columns,
        role=role,
        kind=kind,
        lists=lists,
    )
    corpus = reading.require()
    left_out = reading.left_out
    if left_out:
        timed = sum(problem.code != "skipped-line" for problem in left_out)
        warnings.warn(
            f"{reading.path}: {len(left_out):,} lines or items were left out"
            + (f", {timed:,} of them with times" if timed else "")
            + f"; see them with: storymeter validate {reading.path}",
            StorymeterWarning,
            stacklevel=2,
        )
    if silent := sum(problem.code == "no-answer" for problem in reading.problems):
        warnings.warn(
            f"{reading.path}: {silent:,} of {len(corpus):,} answers hold no caption that can be read; they"
            " count as answers without captions.",
            StorymeterWarning,
            stacklevel=2,
        )
    if unread := sum(problem.code == UNREAD_TIMES for problem in reading.problems):
        warnings.warn(
            f"{reading.path}: {unread:,} lines begin like segments whose times cannot be read; each was taken"
            " for a caption without times. Write times like 0:12 - 0:20 or 12.5 - 20 s.",
            StorymeterWarning,
            stacklevel=2,
        )
    return corpus


def corpus_from_records(
    rows: Any,
    *,
    name: str = "",
    role: Role | None = None,
    kind: str | None = None,
    lists: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Corpus:
    """Records in memory (lists and dicts as JSON has them) as a corpus, read as a file of them would be.

    rows: lists and dicts as JSON has them.
    name: the name of the corpus.
    role, kind, lists, columns: as in `read`.

    >>> corpus = corpus_from_records([{"video_id": "a", "caption": "a dog runs"}])
    >>> corpus.documents[0].id, corpus.documents[0].text, corpus.meta["read_as"]
    ('a', 'a dog runs', 'id = video_id, caption = caption')
    """
    check = Check(name or "the records")
    source = Source(name or "the records", b"", check)
    source.columns, source.role, source.kind, source.lists = dict(columns or {}), role, kind, lists or ""
    check_columns(source.columns)
    found = unfold(rows, role)
    plan = plan_rows(found, source.columns, role) if found else None
    documents: list[Document] = []
    if plan is None:
        check.error("unknown-format", "no records of an id and a caption", detail=named(rows))
    else:
        documents = Builder(source, plan, check).documents()
    corpus = Corpus(tuple(documents), name, Origin(name, "records"), dict(check.meta))
    return Reading(name or "the records", corpus, check.problems).require()

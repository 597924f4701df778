"""Which files a corpus lies in: a glob or a folder of Parquet or JSON Lines, here or on any filesystem that
pyarrow opens; and slices of these files that one task can read."""

from __future__ import annotations

import fnmatch
import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ...errors import DataError, UsageError, some
from .folder import filesystem

Kind = Literal["parquet", "jsonl"]
_KINDS: dict[str, Kind] = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_PATTERN = re.compile(r"[*?]|\[[^]]+\]")
#: bytes of a file that one task reads
SLICE = 64 << 20
#: what a line of JSON Lines takes about, to guess their number
_LINE = 100


class File(msgspec.Struct, frozen=True):
    """`where` opens it; size and time say whether it is still the same."""

    where: str
    size: int
    changed: int


class Source(msgspec.Struct, frozen=True):
    """One corpus: a system, or an annotator."""

    name: str
    kind: Kind
    files: tuple[File, ...]


class Slice(msgspec.Struct, frozen=True):
    """A part of a file: row groups begin to end of Parquet, bytes begin to end of JSON Lines. `source` counts
    systems first, then annotators; `first` is the number of rows of the file before it (Parquet)."""

    source: int
    file: int
    begin: int
    end: int
    first: int = 0


def is_sharded(text: str) -> bool:
    """A pattern, an address, or a folder of tables: anything but a file that is read as a whole."""
    pattern = _PATTERN.search(text) and (Path(text).suffix.lower() in _KINDS or text.endswith("*"))
    if "://" in text or (pattern and not Path(text).exists()):
        return True
    folder = Path(text)
    if not folder.is_dir():
        return False
    kinds = {path.suffix for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")}
    return bool(kinds) and kinds <= _KINDS.keys()


def find(text: str) -> Source:
    """The corpus that a pattern or a folder names, called after the folder; files in the order of their
    names.
    """
    system, path = filesystem(text)
    remote = "://" in text
    if _PATTERN.search(path):
        base = path[: _PATTERN.search(path).start()].rpartition("/")[0]  # type: ignore[union-attr]
        found = _remote(system, base, path) if remote else sorted(glob.glob(path, recursive=True))  # noqa: PTH207
    else:
        base = path.rstrip("/")
        found = _listed(system, base, text)
    found = [name for name in found if not name.rpartition("/")[2].startswith((".", "_"))]
    kinds = {_KINDS.get(Path(name).suffix.lower()) for name in found}
    if not found or len(kinds) != 1 or None in kinds:
        wrong = some(name for name in found if Path(name).suffix.lower() not in _KINDS)
        said = (
            "names no file"
            if not found
            else f"names files that are neither Parquet nor JSON Lines: {wrong}"
            if None in kinds
            else "names both Parquet and JSON Lines"
        )
        raise DataError(
            f"{text} {said}.",
            hint="A corpus in shards lies in files of one kind: .parquet, or .jsonl (.ndjson).",
        )
    head = f"{text.partition('://')[0]}://" if remote else ""
    infos = system.get_file_info(found)
    files = tuple(File(head + i.path, i.size, int(i.mtime_ns or 0)) for i in infos)
    return Source(Path(base).name or "corpus", kinds.pop(), files)  # type: ignore[arg-type]


def _listed(system: object, folder: str, text: str) -> list[str]:
    from pyarrow import fs

    info = system.get_file_info(folder)  # type: ignore[attr-defined]
    if info.type == fs.FileType.File:
        return [folder]
    if info.type != fs.FileType.Directory:
        raise DataError(f"There is no folder {text}.", hint="Check the path; put a pattern in quotes.")
    entries = system.get_file_info(fs.FileSelector(folder, recursive=False))  # type: ignore[attr-defined]
    return sorted(entry.path for entry in entries if entry.type == fs.FileType.File)


def _remote(system: object, base: str, pattern: str) -> list[str]:
    from pyarrow import fs

    selector = fs.FileSelector(base, allow_not_found=True, recursive=True)
    entries = system.get_file_info(selector)  # type: ignore[attr-defined]
    paths = [entry.path for entry in entries if entry.type == fs.FileType.File]
    return sorted(path for path in paths if fnmatch.fnmatchcase(path, pattern))


def distinct(sources: Sequence[Source], texts: Sequence[str]) -> list[Source]:
    """Systems of one folder are told apart by their pattern; the same twice is an error."""
    names = [source.name for source in sources]
    out = [
        source if names.count(source.name) == 1 else msgspec.structs.replace(source, name=text)
        for source, text in zip(sources, texts, strict=True)
    ]
    doubled = [source.name for k, source in enumerate(out) if source.name in [o.name for o in out[:k]]]
    if doubled:
        raise UsageError(f"{doubled[0]} was given twice.", hint="Give each system once.")
    return out


def slices(sources: Sequence[Source]) -> tuple[list[Slice], int]:
    """All sources in slices, in the order of their files, and about how many captions there are. Of Parquet
    only the footers are read.
    """
    found: list[Slice] = []
    captions = 0
    for number, source in enumerate(sources):
        for at, file in enumerate(source.files):
            if source.kind == "jsonl":
                found += [
                    Slice(number, at, begin, min(begin + SLICE, file.size))
                    for begin in range(0, file.size, SLICE)
                ]
                captions += file.size // _LINE
            else:
                cut, rows = _row_groups(number, at, file)
                found, captions = found + cut, captions + rows
    return found, captions


def _row_groups(source: int, at: int, file: File) -> tuple[list[Slice], int]:
    import pyarrow
    from pyarrow import parquet

    system, path = filesystem(file.where)
    try:
        meta = parquet.read_metadata(path, filesystem=system)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{file.where} cannot be read as Parquet: {str(error).splitlines()[0]}",
            hint="Check that it was written to its end.",
        ) from None
    found, begin, size, first, rows = [], 0, 0, 0, 0
    for group in range(meta.num_row_groups):
        size += meta.row_group(group).total_byte_size
        rows += meta.row_group(group).num_rows
        if size >= SLICE or group == meta.num_row_groups - 1:
            found.append(Slice(source, at, begin, group + 1, first))
            begin, size, first = group + 1, 0, rows
    return found, rows

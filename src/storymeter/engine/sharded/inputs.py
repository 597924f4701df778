"""Which files a corpus lies in: a glob or a folder of Parquet or JSON Lines, here or on any filesystem that
pyarrow opens; and slices of these files that one task can read.

`preview` reads the first captions of a corpus: enough to say what kind of documents it holds and in which
script. A `Job` holds all that the numbers of a run in shards depend on, as it is sent to every worker."""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from ... import __version__
from ...captions import Corpus
from ...errors import DataError, UsageError, first_few
from ...formats.base import objects
from ...formats.checks import Check
from ...formats.line_formats import JsonLines
from ...formats.problems import Mark
from ...formats.tables import grouped, named_columns
from ...metrics import Metric
from ..results import Conditions
from ..storage import Folder, arrow, filesystem

ROWS = 1000


def preview(source: Source, columns: Mapping[str, str]) -> Corpus:
    """What is wrong with it is reported when all of it is read."""
    check, where = Check(), source.files[0].where
    system, path = filesystem(where)
    try:
        if source.kind == "jsonl":
            if columns:
                raise _columns_of_lines(where, columns)
            with system.open_input_stream(path) as file:
                lines = bytes(file.read(1 << 20)).split(b"\n")[:ROWS]
            items = list(objects(enumerate(lines, 1), check))
            if items and not any("doc" in item or "storymeter" in item for _, item in items):
                raise _foreign_lines(where)
            return Corpus(tuple(JsonLines().of_objects(items, check)))
        return Corpus(tuple(_of_parquet(system, path, columns, check)))
    except (arrow().ArrowException, OSError, ValueError) as error:
        raise DataError(f"{where} cannot be read: {str(error).splitlines()[0]}") from None


def _foreign_lines(where: str) -> DataError:
    """JSON Lines of other programs are read whole: their fields are found by looking at all of them."""
    path = "FILE" if "://" in where else shlex.quote(where)
    return DataError(
        f"The lines of {where} have no key 'doc': a corpus in shards is read from Storymeter's JSON Lines (or"
        " Parquet) alone.",
        hint=f"Convert each file first: storymeter convert {path} NEW.jsonl",
    )


def _columns_of_lines(where: str, columns: Mapping[str, str]) -> DataError:
    """Storymeter's own JSON Lines have fixed keys, and those of others are converted with the same option."""
    path = "FILE" if "://" in where else shlex.quote(where)
    pairs = shlex.quote(",".join(f"{ours}={theirs}" for ours, theirs in columns.items()))
    return DataError(
        f"Columns are named for Parquet alone; {where} is JSON Lines.",
        hint=f"Convert each file first: storymeter convert {path} NEW.jsonl --columns {pairs}",
    )


def _of_parquet(system: Any, path: str, columns: Mapping[str, str], check: Check) -> Any:
    with arrow().parquet.ParquetFile(path, filesystem=system) as file:
        names = named_columns(file.schema_arrow.names, columns, check)
        first = next(file.iter_batches(ROWS), None) if names else None
        rows = [] if first is None else first.to_pylist()
        return list(grouped(((Mark("row", k), row) for k, row in enumerate(rows)), names, check))


#: of the files in `work`: what another one wrote is not continued
FORMAT = 3
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
        wrong = first_few(name for name in found if Path(name).suffix.lower() not in _KINDS)
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
    fs = arrow().fs
    info = system.get_file_info(folder)  # type: ignore[attr-defined]
    if info.type == fs.FileType.File:
        return [folder]
    if info.type != fs.FileType.Directory:
        raise DataError(f"There is no folder {text}.", hint="Check the path; put a pattern in quotes.")
    entries = system.get_file_info(fs.FileSelector(folder, recursive=False))  # type: ignore[attr-defined]
    return sorted(entry.path for entry in entries if entry.type == fs.FileType.File)


def _remote(system: object, base: str, pattern: str) -> list[str]:
    fs = arrow().fs
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
    system, path = filesystem(file.where)
    try:
        meta = arrow().parquet.read_metadata(path, filesystem=system)
    except (arrow().ArrowException, OSError, ValueError) as error:
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


@dataclass(frozen=True)
class Job:
    folder: Folder
    systems: tuple[Source, ...]
    references: tuple[Source, ...]
    slices: tuple[Slice, ...]
    #: by the name that each was asked by
    metrics: dict[str, Metric]
    conditions: Conditions
    shards: int
    #: the share of documents that is kept, by a hash of their ids
    sample: float = 1.0
    #: of a Context, beside what `conditions` says
    settings: dict[str, Any] = field(default_factory=dict)
    #: repair; columns and id_map of the systems, reference_columns and reference_id_map
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[Source, ...]:
        return (*self.systems, *self.references)

    def reading_of(self, source: int, option: str) -> Any:
        """`columns` or `id_map` of a source; those of references are apart."""
        return self.reading.get(option if source < len(self.systems) else f"reference_{option}")

    @property
    def ranges(self) -> int:
        """In how many parts the counts of the whole corpus are kept."""
        return min(max(self.shards, 16), 256)

    def columns(self) -> list[tuple[str, ...]]:
        """Those of each metric: what every shard must give."""
        return [tuple(metric.columns) for metric in self.metrics.values()]

    def counted(self) -> list[str]:
        """The metrics that must know counts of the whole corpus: those of its references, the same for all
        systems.
        """
        return [name for name, metric in self.metrics.items() if metric.needs_corpus_counts]

    def fingerprint(self) -> str:
        """Two jobs with the same one write the same files."""
        conditions = self.conditions
        content = (
            __version__,
            FORMAT,
            self.systems,
            self.references,
            self.slices,
            [(label, metric.name, metric.columns) for label, metric in self.metrics.items()],
            [str(conditions.protocol), conditions.tokenizer, conditions.seed, conditions.resamples],
            [self.shards, self.sample, self.settings.get("images"), self.settings.get("videos")],
            sorted((key, str(value)) for key, value in self.reading.items()),
        )
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()

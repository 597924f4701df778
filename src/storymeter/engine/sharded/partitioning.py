"""Slices of files to chunks by the hash of the document's id, and the chunks of one shard to corpora.

All captions of a document, of all systems and annotators, end up in the same shard.

Ray Data spreads the slices and runs each again where its worker died. Its own shuffle is not used: it holds
the whole corpus in the object store at once, loses all of it with the driver, and forgets at which row of
which file a caption stood, which an error message must say. Here each slice becomes one file of chunks, one
or more per shard, and a slice whose file is there is not read again. `ShardReader` reads the chunks of a
shard by the readers that read whole files; its errors name file and row."""

import functools
import io
import logging
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...captions import Corpus, Document, Origin
from ...errors import DataError, StorymeterError
from ...formats.base import objects
from ...formats.checks import Check
from ...formats.ids import IdMap
from ...formats.line_formats import JsonLines
from ...formats.problems import Mark
from ...formats.reading import Reading
from ...formats.tables import grouped, named_columns
from ...progress import Progress
from ...stats.poisson import document_keys, spread
from ..storage import WORK, Index, arrow, filesystem
from .inputs import Job, Slice, Source

#: rows at a time, and bytes that are gathered before chunks are written
ROWS, GATHERED = 1 << 16, 64 << 20
#: columns of ours in a chunk: the row's number in its slice, and a line of JSON as it is
ROW, LINE = "storymeter row", "storymeter line"


def piece(number: int) -> str:
    return f"{WORK}/pieces/{number:06d}"


def cut_all(job: Job, progress: Progress) -> int:
    """Every slice that is not cut yet; how many were."""
    import ray.data

    there = job.folder.names(f"{WORK}/pieces")
    todo = [k for k in range(len(job.slices)) if f"{k:06d}.index" not in there]
    if not todo:
        return 0
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    items = ray.data.from_items([{"slice": k} for k in todo], override_num_blocks=len(todo))
    errors: list[str] = []
    try:
        for done, row in enumerate(items.map(partial(_cut, job)).iter_rows(), 1):
            progress("cutting the corpus into shards", done, len(todo))
            errors += [row["error"]] if row["error"] else []
    except ray.exceptions.RayError as error:
        raise DataError(
            f"The corpus could not be cut into shards: {str(error).strip().splitlines()[-1]}",
            hint="Check that every node sees the files and the folder of the run, and has memory left.",
        ) from None
    if errors:
        more = f"\n… and {len(errors) - 5:,} more" if len(errors) > 5 else ""
        raise DataError("\n".join(sorted(set(errors))[:5]) + more)
    return len(todo)


def _cut(job: Job, row: dict[str, Any]) -> dict[str, Any]:
    """An error that a user should read comes back as a value."""
    try:
        cut(job, int(row["slice"]))
    except StorymeterError as error:
        return {"slice": row["slice"], "error": str(error)}
    return {"slice": row["slice"], "error": ""}


def cut(job: Job, number: int) -> None:
    """One slice to one file; its index says how many rows the slice has."""
    this = job.slices[number]
    rows = 0

    def tables() -> Iterator[tuple[Any, list[str]]]:
        nonlocal rows
        for table, ids in _TABLES[job.sources[this.source].kind](job, this):
            numbered = table.append_column(ROW, [np.arange(rows, rows + len(table))])
            rows += len(table)
            yield numbered, ids

    job.folder.put_chunks(
        piece(number), _chunks(job, job.slices[number].source, tables()), about=lambda: rows
    )


def _chunks(job: Job, source: int, tables: Iterator[tuple[Any, list[str]]]) -> Iterator[tuple[int, bytes]]:
    gathered: dict[int, list[Any]] = {}
    size = 0

    def written() -> Iterator[tuple[int, bytes]]:
        for shard in sorted(gathered):
            yield shard, _packed(arrow().concat_tables(gathered[shard]))

    for table, ids in tables:
        shards = _shards(job, source, ids)
        order = np.argsort(shards, kind="stable")
        order = order[np.searchsorted(shards[order], 0) :]  # -1: not in the sample
        table, shards = table.take(order), shards[order]
        begins = np.flatnonzero(np.diff(shards, prepend=-1))
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(shards)], strict=True):
            gathered.setdefault(int(shards[begin]), []).append(table.slice(begin, end - begin))
        size += table.nbytes
        if size >= GATHERED:
            yield from written()
            gathered.clear()
            size = 0
    yield from written()


def _shards(job: Job, source: int, ids: list[str]) -> NDArray[np.int64]:
    """The shard of each row, by the id that its document will have; -1 where it is not in the sample."""
    places: dict[str, int] = {}
    which = np.fromiter((places.setdefault(id, len(places)) for id in ids), dtype=np.int64, count=len(ids))
    renamed = list(places)
    for rename in IdMap.parse(job.reading_of(source, "id_map")).renamings:
        renamed = [rename(Document(id)) for id in renamed]
    keys = document_keys(renamed)
    shards = (keys % np.uint64(job.shards)).astype(np.int64)
    if job.sample < 1.0:
        shards[spread(keys) >= job.sample] = -1
    return shards[which] if len(which) else np.zeros(0, dtype=np.int64)


def _packed(table: Any) -> bytes:
    out, ipc = io.BytesIO(), arrow().ipc
    with ipc.new_stream(out, table.schema, options=ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(table)
    return out.getvalue()


def _parquet(job: Job, this: Slice) -> Iterator[tuple[Any, list[str]]]:
    pyarrow = arrow()
    file = job.sources[this.source].files[this.file]
    system, path = filesystem(file.where)
    try:
        with pyarrow.parquet.ParquetFile(path, filesystem=system, pre_buffer=False) as opened:
            check = Check(file.where)
            names = named_columns(
                opened.schema_arrow.names, job.reading_of(this.source, "columns") or {}, check
            )
            Reading(file.where, Corpus(()), check.problems).require()
            groups = list(range(this.begin, this.end))
            for batch in opened.iter_batches(ROWS, row_groups=groups, use_threads=False):
                table = pyarrow.Table.from_batches([batch])
                yield table, [str(id) for id in table[names["video"]].to_pylist()]
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{file.where} cannot be read: {str(error).splitlines()[0]}") from None


class _Head(msgspec.Struct):
    doc: str | int | None = None


def _jsonl(job: Job, this: Slice) -> Iterator[tuple[Any, list[str]]]:
    """Lines that begin within the slice; the last of them may end behind it."""
    pyarrow = arrow()
    file = job.sources[this.source].files[this.file]
    system, path = filesystem(file.where)
    decode = msgspec.json.Decoder(_Head).decode
    lines: list[bytes] = []
    ids: list[str] = []

    def table() -> Any:
        return pyarrow.table({LINE: pyarrow.array(lines, type=pyarrow.large_binary())})

    try:
        with system.open_input_file(path) as raw:
            for line in _lines(raw, this.begin, this.end):
                lines.append(line)
                try:
                    ids.append(str(decode(line).doc))
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    ids.append("None")  # reported where the line is read
                if len(lines) == ROWS:
                    yield table(), ids
                    lines, ids = [], []
            yield table(), ids
    except OSError as error:
        raise DataError(f"{file.where} cannot be read: {error}") from None


def _lines(file: Any, begin: int, end: int) -> Iterator[bytes]:
    """The line that a slice begins in the middle of belongs to the slice before."""
    file.seek(max(begin - 1, 0))
    buffered = io.BufferedReader(file, 1 << 20)
    at = begin
    if begin > 0:
        at = begin - 1 + len(buffered.readline())
    while at < end:
        line = buffered.readline()
        if not line:
            return
        at += len(line)
        yield line.rstrip(b"\r\n")


_TABLES = {"parquet": _parquet, "jsonl": _jsonl}


class ShardReader:
    """Knows where the chunks of each shard lie; one per worker."""

    def __init__(self, job: Job) -> None:
        self.job = job

    @functools.cached_property
    def _indexes(self) -> list[tuple[Index, int]]:
        """Of each slice: where its chunks lie, and how many rows of its file come before it."""
        found: list[tuple[Index, int]] = []
        before: dict[tuple[int, int], int] = {}
        for k, this in enumerate(self.job.slices):
            index, rows = self.job.folder.index(piece(k))
            place = (this.source, this.file)
            found.append((index, before.get(place, 0)))
            before[place] = before.get(place, 0) + int(rows)
        return found

    def corpus(self, source: int, shard: int) -> Corpus:
        """The documents of a source that are in a shard."""
        job, this = self.job, self.job.sources[source]
        check = Check(f"{this.name} (shard {shard})", repair=bool(job.reading.get("repair")))
        tables = [
            (self._mark(source, job.slices[k].file), before, table)
            for k, (index, before) in enumerate(self._indexes)
            if job.slices[k].source == source
            for table in self._tables(k, index, shard)
        ]
        reader = _from_rows if this.kind == "parquet" else _from_lines
        documents = tuple(reader(tables, job.reading_of(source, "columns") or {}, check))
        documents = IdMap.parse(job.reading_of(source, "id_map")).apply(documents, check)
        meta = dict(check.meta)
        if job.reading.get("repair"):
            meta["repairs"] = dict(sorted(check.repairs.items()))
        corpus = Corpus(documents, this.name, Origin(format=this.kind), meta)
        return Reading(check.file, corpus, check.problems).require(_file_to_validate(this, check))

    def _tables(self, number: int, index: Index, shard: int) -> Iterator[Any]:
        for data in self.job.folder.chunks(piece(number), index, shard):
            yield arrow().ipc.open_stream(data).read_all()

    def _mark(self, source: int, file: int) -> str:
        """What a place begins with: the file, where there are several."""
        this = self.job.sources[source]
        unit = "row" if this.kind == "parquet" else "line"
        return f"{PurePosixPath(this.files[file].where).name}: {unit}" if len(this.files) > 1 else unit


def _file_to_validate(source: Source, check: Check) -> str:
    """The file in which the first error stands, as an argument of a command; '' where it lies elsewhere."""
    first = next((problem.where for problem in check.problems if problem.severity == "error"), "")
    for file in source.files:
        named = first.startswith(f"{PurePosixPath(file.where).name}: ")
        if (named or len(source.files) == 1) and "://" not in file.where:
            return shlex.quote(file.where)
    return ""


def _from_rows(
    tables: list[tuple[str, int, Any]], columns: dict[str, str], check: Check
) -> Iterator[Document]:
    if not tables:
        return
    heads = list(dict.fromkeys(name for _, _, table in tables for name in table.column_names if name != ROW))
    names = named_columns(heads, columns, check)
    rows = (
        (Mark(unit, before + row + 1), item)
        for unit, before, table in tables
        for row, item in zip(table[ROW].to_pylist(), table.drop_columns(ROW).to_pylist(), strict=True)
    )
    if names:
        yield from grouped(rows, names, check)


def _from_lines(
    tables: list[tuple[str, int, Any]], columns: dict[str, str], check: Check
) -> Iterator[Document]:
    """Lines of one document may stand in several files: they are brought together first, in order."""
    items = [
        ((Mark(unit, before + row + 1),), item)
        for unit, before, table in tables
        for row, line in zip(table[ROW].to_pylist(), table[LINE].to_pylist(), strict=True)
        for _, item in objects([(before + row + 1, line)], check)
    ]
    items.sort(key=lambda entry: str(entry[1].get("doc")))
    yield from JsonLines().of_objects(items, check)

"""The chunks of one shard to corpora, by the readers that read whole files; errors name file and row."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from ...captions import Corpus, Document, Origin
from ...formats.base import objects
from ...formats.checks import Check
from ...formats.ids import IdMap
from ...formats.jsonl import JsonLines
from ...formats.problems import Mark
from ...formats.reading import Reading
from ...formats.tables import grouped, named_columns
from .cutting import LINE, ROW, piece
from .folder import Index
from .inputs import Job


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
        return Reading(check.file, corpus, check.problems).require()

    def _tables(self, number: int, index: Index, shard: int) -> Iterator[Any]:
        import pyarrow

        for data in self.job.folder.chunks(piece(number), index, shard):
            yield pyarrow.ipc.open_stream(data).read_all()

    def _mark(self, source: int, file: int) -> str:
        """What a place begins with: the file, where there are several."""
        this = self.job.sources[source]
        unit = "row" if this.kind == "parquet" else "line"
        return f"{PurePosixPath(this.files[file].where).name}: {unit}" if len(this.files) > 1 else unit


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

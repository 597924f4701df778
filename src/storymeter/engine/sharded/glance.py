"""The first captions of a corpus: enough to say what kind of documents it holds and in which script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...captions import Corpus
from ...errors import DataError
from ...formats.base import objects
from ...formats.checks import Check
from ...formats.jsonl import JsonLines
from ...formats.problems import Mark
from ...formats.tables import grouped, named_columns
from .folder import filesystem
from .inputs import Source

ROWS = 1000


def glance(source: Source, columns: Mapping[str, str]) -> Corpus:
    """What is wrong with it is reported when all of it is read."""
    import pyarrow

    check, where = Check(), source.files[0].where
    system, path = filesystem(where)
    try:
        if source.kind == "jsonl":
            with system.open_input_stream(path) as file:
                lines = bytes(file.read(1 << 20)).split(b"\n")[:ROWS]
            return Corpus(tuple(JsonLines().of_objects(objects(enumerate(lines, 1), check), check)))
        return Corpus(tuple(_of_parquet(system, path, columns, check)))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{where} cannot be read: {str(error).splitlines()[0]}") from None


def _of_parquet(system: Any, path: str, columns: Mapping[str, str], check: Check) -> Any:
    from pyarrow import parquet

    with parquet.ParquetFile(path, filesystem=system) as file:
        names = named_columns(file.schema_arrow.names, columns, check)
        first = next(file.iter_batches(ROWS), None) if names else None
        rows = [] if first is None else first.to_pylist()
        return list(grouped(((Mark("row", k), row) for k, row in enumerate(rows)), names, check))

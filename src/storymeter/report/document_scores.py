"""Scores of every document as a table, and as a file: CSV, TSV, JSON Lines or Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..engine.results import Results
from ..errors import MissingPartError, UsageError
from ..files import guarded, write_bytes
from ..metrics import Metric
from ..scores import Score
from .table import Column, Table, keys


def document_table(results: Results) -> Table:
    """One row per system and document: every metric's value and parts, worked out from that document
    alone.
    """
    heads: list[Column | str] = []
    rows: list[list[Any]] = []
    results = results.with_formulas()
    for system in results.systems:
        blocks = []
        heads = [*keys("system", "document")]
        for metric, score in zip(results.metrics, system.scores, strict=True):
            values = _by_document(metric, score)
            heads += [score.metric if key == "value" else f"{score.metric}.{key}" for key in values]
            blocks += list(values.values())
        ids = system.scores[0].ids if system.scores else ()
        rows += [
            [system.name, document, *(float(block[k]) for block in blocks)] for k, document in enumerate(ids)
        ]
    return Table(heads, rows)


def _by_document(metric: Metric, score: Score) -> dict[str, Any]:
    rows = np.zeros((0, len(score.columns))) if score.rows is None else score.rows
    values = metric.combine(rows)
    return {"value": values["value"], **{key: value for key, value in values.items() if key != "value"}}


def document_writer(path: str) -> Callable[[Results], None]:
    """A function that writes one row per document as `.csv`, `.tsv`, `.jsonl` or `.parquet`, by the ending of
    the name; whole or not at all."""
    write = _WRITERS.get(Path(path).suffix.lower())
    if write is None:
        raise UsageError(
            f"--per-document cannot tell the format of {path!r}.",
            hint=f"End the name in {', '.join(_WRITERS)}.",
        )
    if write is _parquet:
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingPartError.extra("Writing Parquet", "parquet") from None

    def save(results: Results) -> None:
        write_bytes(path, write(document_table(results)))

    return save


def _tsv(table: Table) -> bytes:
    lines = [
        [head.name for head in table.heads],
        *(["" if value is None else _safe(value) for value in row] for row in table.rows),
    ]
    return "".join(
        "\t".join(" ".join(cell.splitlines()).replace("\t", " ") for cell in line) + "\n" for line in lines
    ).encode()


def _safe(value: object) -> str:
    """A cell of a table of tabs; a text is no formula to a spreadsheet."""
    return guarded(value) if isinstance(value, str) else str(value)


def _jsonl(table: Table) -> bytes:
    names = [head.name for head in table.heads]
    return b"".join(msgspec.json.encode(dict(zip(names, row, strict=True))) + b"\n" for row in table.rows)


def _parquet(table: Table) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    columns = {head.name: [row[k] for row in table.rows] for k, head in enumerate(table.heads)}
    sink = arrow.BufferOutputStream()
    parquet.write_table(arrow.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


_WRITERS: dict[str, Callable[[Table], bytes]] = {
    ".csv": lambda table: table.render("csv").encode(),
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}

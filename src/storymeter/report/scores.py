"""Scores as tables and files: the summary of all systems, and one row per document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..engine.evaluate import Report
from ..errors import MissingPartError, UsageError
from ..files import atomic
from ..metric import Metric, Score
from .table import Column, Table, to_json


def score_json(report: Report) -> str:
    systems = [
        {
            "name": system.name,
            "coverage": {
                "matched": system.coverage.matched,
                "missing": len(system.coverage.missing),
                "extra": len(system.coverage.extra),
                "empty": len(system.coverage.empty),
            },
            "scores": [_record(score) for score in system.scores],
        }
        for system in report.systems
    ]
    return to_json({"schema": 1, "systems": systems})


def _record(score: Score) -> dict[str, Any]:
    return {
        "metric": score.metric,
        "value": score.value,
        "parts": dict(score.parts),
        "interval": None if score.interval is None else list(score.interval),
        "n": score.n,
        "signature": str(score.signature),
    }


def score_table(report: Report) -> Table:
    """One row per system and metric; fractions are printed as percentages where the field does."""
    rows = []
    for system in report.systems:
        for metric, score in zip(report.metrics, system.scores, strict=True):
            scale = 100.0 if metric.percent else 1.0
            interval = (
                ""
                if score.interval is None
                else f"[{score.interval[0] * scale:.2f}, {score.interval[1] * scale:.2f}]"
            )
            parts = "  ".join(f"{key} {value * scale:.2f}" for key, value in list(score.parts.items())[:4])
            rows.append([system.name, score.metric, score.value * scale, interval, parts, score.n])
    columns: Sequence[Column | str] = [
        "system",
        "metric",
        Column("score", ".2f"),
        "95 %",
        "parts",
        Column("n", ",d"),
    ]
    return Table(columns, rows)


def coverage_lines(report: Report) -> list[str]:
    """How many documents were missing, extra and empty: always said, because a silent gap is a wrong
    number.
    """
    return [
        f"{system.name}: {c.matched:,} documents met a reference, {len(c.missing):,} missing,"
        f" {len(c.extra):,} extra, {len(c.empty):,} empty."
        for system in report.systems
        for c in [system.coverage]
    ]


def document_table(report: Report) -> Table:
    """One row per system and document: every metric's value and parts, worked out from that document
    alone.
    """
    heads: list[str] = []
    rows: list[list[Any]] = []
    for system in report.systems:
        blocks = []
        heads = ["system", "document"]
        for metric, score in zip(report.metrics, system.scores, strict=True):
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


def document_writer(path: str) -> Callable[[Report], None]:
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

    def save(report: Report) -> None:
        data = write(document_table(report))
        with atomic(path) as file:
            file.write(data)

    return save


def _csv(table: Table) -> bytes:
    return table.render("csv").encode()


def _tsv(table: Table) -> bytes:
    lines = [
        [head.name for head in table.heads],
        *(["" if value is None else str(value) for value in row] for row in table.rows),
    ]
    return "".join(
        "\t".join(" ".join(cell.splitlines()).replace("\t", " ") for cell in line) + "\n" for line in lines
    ).encode()


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
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}

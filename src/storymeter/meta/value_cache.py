"""Metric values of benchmarks on the disk, so that a report card that was stopped goes on, and one that is
drawn anew is not computed anew. A file per benchmark and metric; values of another version are not taken."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from .. import __version__
from ..engine.run import Run
from ..files import write_text
from ..registry import metric as get_metric
from .compute import MetricValues, value_of, values_of
from .records import Benchmark


class _File(msgspec.Struct):
    version: str
    benchmark: str
    #: the metric as it was asked for, and as it calls itself
    asked: str
    metric: str
    signature: str
    higher_is_better: bool | None
    #: system, item, value
    values: list[tuple[str, str, float]]
    #: what each of these captions adds, where a system's value is not their mean
    rows: list[list[float]] = []


def kept_values(
    benchmark: Benchmark,
    metrics: Sequence[str],
    run: Run,
    folder: Path | None,
    *,
    skip_missing: bool = False,
) -> tuple[dict[str, MetricValues], dict[str, str]]:
    """As `values_of`, metric by metric; what is in the folder is taken from there, the rest is put there."""
    if folder is None:
        return values_of(benchmark.task, metrics, run, skip_missing=skip_missing)
    found: dict[str, MetricValues] = {}
    skipped: dict[str, str] = {}
    for asked in metrics:
        path = folder / _name(benchmark.name, asked)
        known = _read(path)
        if known is None:
            new, missing = values_of(benchmark.task, [asked], run, skip_missing=skip_missing)
            skipped |= missing
            found |= new
            for name, entry in new.items():
                _write(path, benchmark.name, asked, name, entry)
        else:
            values = {(system, item): value for system, item, value in known.values}
            rows = {key: np.array(row) for key, row in zip(values, known.rows, strict=False)}
            combine = value_of(get_metric(asked)) if rows else None
            found[known.metric] = MetricValues(
                values, known.signature, known.higher_is_better, rows or None, combine
            )
    return found, skipped


def _name(benchmark: str, metric: str) -> str:
    safe = "".join(c if c.isalnum() else "_" for c in metric)[:40]
    return f"{benchmark}-{safe}-{hashlib.sha256(metric.encode()).hexdigest()[:8]}.json"


def _read(path: Path) -> _File | None:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if found.version == __version__ else None


def _write(path: Path, benchmark: str, asked: str, name: str, entry: MetricValues) -> None:
    rows = [(system, item, value) for (system, item), value in entry.values.items() if value == value]
    added = [entry.rows[system, item].tolist() for system, item, _ in rows] if entry.rows else []
    made = _File(__version__, benchmark, asked, name, entry.signature, entry.higher_is_better, rows, added)
    write_text(path, msgspec.json.encode(made).decode())

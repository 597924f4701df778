"""Metric values of benchmarks on the disk, so that a report card that was stopped goes on, and one that is
drawn anew is not computed anew. A file per benchmark and metric; its key is of all that the values depend on:
the captions, references and human scores of the benchmark, the signature of the metric (with the hashes of
its prompt, its model and its plug-in), and the code of Storymeter that scores. Values of another key are not
taken; another test or another table of the same values needs no new scores."""

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from .. import _native
from ..engine.provenance import signed_before
from ..engine.run import Run
from ..errors import StorymeterError
from ..files import write_text
from ..registry import metric as get_metric
from .records import Benchmark
from .scores import MetricValues, described, values_of

#: rooms that no metric value depends on; `meta.scores` collects the values
_NOT_SCORING = frozenset(
    ["cli", "compat", "formats", "harness", "human", "meta", "report", "rewards", "stats", "stress"]
)
_COLLECTS = "meta/scores.py"


class _File(msgspec.Struct):
    #: of all that the values depend on
    key: str
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
    content = _content(benchmark)
    for asked in metrics:
        path = folder / _name(benchmark.name, asked)
        key = _key(content, asked, run)
        known = _read(path, key)
        if known is None:
            new, missing = values_of(benchmark.task, [asked], run, skip_missing=skip_missing)
            skipped |= missing
            found |= new
            for name, entry in new.items():
                _write(path, key or _key(content, asked, run), benchmark.name, asked, name, entry)
        else:
            values = {(system, item): value for system, item, value in known.values}
            rows = {key: np.array(row) for key, row in zip(values, known.rows, strict=False)}
            found[known.metric] = described(
                get_metric(asked), values, known.signature, known.higher_is_better, rows
            )
    return found, skipped


def unkept(benchmark: Benchmark, metrics: Sequence[str], run: Run, folder: Path | None) -> list[str]:
    """The metrics whose values are not in the folder."""
    if folder is None or not metrics:
        return list(metrics)
    content = _content(benchmark)
    return [
        asked
        for asked in metrics
        if _read(folder / _name(benchmark.name, asked), _key(content, asked, run)) is None
    ]


def _name(benchmark: str, metric: str) -> str:
    safe = "".join(c if c.isalnum() else "_" for c in metric)[:40]
    return f"{benchmark}-{safe}-{hashlib.sha256(metric.encode()).hexdigest()[:8]}.json"


def _content(benchmark: Benchmark) -> str:
    """A hash of what is scored and of what people said."""
    content = hashlib.sha256()
    task = benchmark.task
    for each in (task.ids, task.candidates, task.references, benchmark.judgements, benchmark.choices):
        content.update(msgspec.json.encode(each))
    return content.hexdigest()


def _key(content: str, asked: str, run: Run) -> str:
    """'' where a metric cannot say what it depends on before it scores."""
    try:
        fields = signed_before(get_metric(asked).under(run.context.protocol), run.context)
    except StorymeterError:
        return ""
    if fields is None:
        return ""
    return hashlib.sha256(repr((content, fields, _code())).encode()).hexdigest()[:16]


@functools.cache
def _code() -> str:
    """A hash of the code that scores, with its compiled part."""
    content = hashlib.sha256()
    for name, path in _scoring_files():
        content.update(name.encode() + path.read_bytes())
    return content.hexdigest()


def _scoring_files() -> list[tuple[str, Path]]:
    """Name below its package and path of every file that a metric value can depend on, sorted."""
    found = {}
    for folder in {Path(__file__).parent.parent, Path(_native.__file__).parent}:
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            scores = name.parts[0] not in _NOT_SCORING or name.as_posix() == _COLLECTS
            if scores and path.is_file() and path.suffix in (".py", ".so", ".pyd", ".txt", ".safetensors"):
                found[name.as_posix()] = path
    return sorted(found.items())


def _read(path: Path, key: str) -> _File | None:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if key and found.key == key else None


def _write(path: Path, key: str, benchmark: str, asked: str, name: str, entry: MetricValues) -> None:
    rows = [(system, item, value) for (system, item), value in entry.values.items() if value == value]
    added = [entry.rows[system, item].tolist() for system, item, _ in rows] if entry.rows else []
    made = _File(key, benchmark, asked, name, entry.signature, entry.higher_is_better, rows, added)
    write_text(path, msgspec.json.encode(made).decode())

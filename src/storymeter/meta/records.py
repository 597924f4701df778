"""What a benchmark is: texts that people judged, and how the published figures look at them; and what metrics
say of it.

Values of metrics are kept on the disk, so that a report card that was stopped goes on, and one that is drawn
anew is not computed anew. A file per benchmark and metric; its key is of all that the values depend on: the
captions, references and human scores of the benchmark, the signature of the metric (with the hashes of its
prompt, its model and its plug-in), and the code of Storymeter that scores. Values of another key are not
taken; another test or another table of the same values needs no new scores."""

import functools
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from .. import _native
from ..engine.provenance import signed_before
from ..engine.run import MetricLike, Run
from ..errors import DataError, StorymeterError, UsageError
from ..files import write_text
from ..join import Coverage, Task
from ..registry import metric as get_metric
from .scores import Judgement, MetricValues, Scores, described, join_scores, tabulate, values_of
from .words import LabelledSentence

T = TypeVar("T")


class Choice(NamedTuple):
    """Two texts of the task by their ids, the one that people preferred first, and the category of the
    pair.
    """

    better: str
    worse: str
    category: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    title: str
    task: Task
    judgements: tuple[Judgement, ...]
    scale: str
    levels: tuple[str, ...]
    notes: tuple[str, ...]
    #: what the published figures use
    headline: str
    needs_references: bool = True
    #: pairs of which one is better; where there are any, accuracy is all that is asked
    choices: tuple[Choice, ...] = ()
    #: other human scores of the same texts
    criteria: Mapping[str, tuple[Judgement, ...]] = field(default_factory=dict)
    #: sentences whose words people called right or wrong
    words: tuple[LabelledSentence, ...] = ()

    @property
    def chance(self) -> float:
        """What a metric that knows nothing reaches in the headline: one of two, or no correlation."""
        return 0.5 if self.headline in ("accuracy", "auc") else 0.0


def sampled(benchmark: Benchmark, most: int, seed: int) -> Benchmark:
    """At most so many items, each with all its systems, or so many pairs, drawn by the seed: for metrics that
    are slow or cost money."""
    dice, task = random.Random(seed), benchmark.task
    items = sorted({judgement.item for judgement in benchmark.judgements})
    whole = len(benchmark.choices) or len(items)
    if most >= whole:
        return benchmark
    choices = dice.sample(benchmark.choices, most) if benchmark.choices else []
    kept = set() if choices else set(dice.sample(items, most))
    ids = {key for choice in choices for key in (choice.better, choice.worse)}
    places = [k for k, key in enumerate(task.ids) if key in ids or key.partition("\t")[2] in kept]

    def those(judgements: tuple[Judgement, ...]) -> tuple[Judgement, ...]:
        return tuple(judgement for judgement in judgements if judgement.item in kept)

    unit = "pairs" if choices else "items"
    return replace(
        benchmark,
        task=Task(
            task.name,
            tuple(task.ids[k] for k in places),
            tuple(task.candidates[k] for k in places),
            tuple(task.references[k] for k in places),
            Coverage(len(places)),
        ),
        choices=tuple(choices),
        judgements=those(benchmark.judgements),
        criteria={name: those(judgements) for name, judgements in benchmark.criteria.items()},
        words=tuple(one for one in benchmark.words if one.unit in kept),
        notes=(*benchmark.notes, f"A sample: {most:,} of {whole:,} {unit}, drawn by seed {seed}."),
    )


def decoded(path: Path, kind: type[T]) -> T:
    """A JSON file as a value of this kind; the first fault is said."""
    return _decoded("\n".join(lines_of(path)), kind, str(path))


def decoded_lines(path: Path, kind: type[T]) -> list[tuple[int, T]]:
    """JSON Lines as records of one kind, with the numbers of their lines."""
    return [
        (number, _decoded(line, kind, f"{path}, line {number}"))
        for number, line in enumerate(lines_of(path), 1)
        if line.strip()
    ]


def _decoded(text: str, kind: type[T], where: str) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        raise DataError(f"{where}: {error}.", hint="Check the download.") from None


def lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.",
            hint="The folder given with --data must have the layout in docs/meta-evaluation.md.",
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start:,}).", hint="Check the download.") from None


def check_references(benchmark: Benchmark, metrics: Sequence[MetricLike]) -> None:
    """Metrics that need references, on a benchmark that has none."""
    if benchmark.needs_references:
        return
    asked = [
        name for name in metrics if (get_metric(name) if isinstance(name, str) else name).needs_references
    ]
    if asked:
        raise UsageError(
            f"{benchmark.name} has no references, and {', '.join(map(str, asked))} needs them.",
            hint="Use metrics without references: rovist_c, rovist_nr, self_bleu, distinct_2, words.",
        )


def benchmark_scores(
    benchmark: Benchmark,
    metrics: Sequence[MetricLike],
    run: Run,
    *,
    skip_missing: bool = False,
    apart: bool = False,
) -> tuple[Scores, dict[str, str]]:
    """Scores of these metrics on a benchmark, each system by itself (`apart`) or all together, and those that
    could not run.
    """
    check_references(benchmark, metrics)
    values, skipped = values_of(benchmark.task, metrics, run, skip_missing=skip_missing, apart=apart)
    human = tabulate(benchmark.judgements, scale=benchmark.scale, notes=benchmark.notes)
    return join_scores(human, values), skipped


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

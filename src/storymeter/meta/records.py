"""What a benchmark is: texts that people judged, and how the published figures look at them."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from ..errors import DataError
from ..join import Coverage, Task
from .scores import Judgement
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

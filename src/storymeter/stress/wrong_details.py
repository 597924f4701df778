"""Does a metric notice one wrong detail? Minimal pairs, scored by any metric.

Every pair becomes two documents of one caption each (with its times, where it has any) against the references
of its document; a metric is right where the true caption scores higher, and a tie counts half."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ..captions import Corpus, Document
from ..engine.run import Run
from ..errors import DataError
from ..join import Coverage, Task
from ..meta.benchmark import Choice
from ..meta.choices import ChoiceResult, choice_results
from ..meta.compute import values_of
from ..metric import Metric
from .minimal_pairs import KINDS, MinimalPair, minimal_pairs
from .scene import Scene

#: from this share of pairs on, a metric is said to notice
NOTICES = 0.85


@dataclass(frozen=True, slots=True)
class Details:
    pairs: tuple[MinimalPair, ...]
    results: tuple[ChoiceResult, ...]
    signatures: dict[str, str]

    def accuracy(self, metric: str) -> dict[str, float]:
        """By kind, and under `mean` over the kinds that there are."""
        return {one.category: one.accuracy for one in self.results if one.metric == metric}


def drawn(found: Sequence[MinimalPair], most: int, seed: int) -> list[MinimalPair]:
    """At most `most` pairs of each kind, drawn by the seed."""
    out = []
    for kind in KINDS:
        own = sorted(pair for pair in found if pair.kind == kind)
        out += own if len(own) <= most else sorted(random.Random(f"{seed}|{kind}").sample(own, most))
    return out


def details(
    corpus: Corpus,
    run: Run,
    *,
    metrics: Sequence[str | Metric],
    most: int = 200,
    resamples: int = 0,
    skip_missing: bool = False,
) -> Details:
    """Replaces one detail of a caption at a time and counts how often each metric prefers the right one.

    `most` pairs are drawn by the run's seed; `skip_missing` leaves out pairs that a metric gives no value.
    """
    seed, references = run.context.seed, Scene.of(run).references
    pairs = drawn(minimal_pairs(corpus.documents, references, seed=seed), most, seed)
    if not pairs:
        raise DataError(
            "No caption holds a detail that a reference of the same document mentions.",
            hint="Give captions by people as candidates, and another annotator's as references.",
        )
    documents = {document.id: document for document in corpus}
    task, choices = as_choices(pairs, documents, references)
    values, _ = values_of(task, metrics, run, skip_missing=skip_missing)
    results = choice_results(choices, values, resamples=resamples, seed=seed)
    return Details(tuple(pairs), tuple(results), {name: known.signature for name, known in values.items()})


def as_choices(
    pairs: Sequence[MinimalPair],
    documents: Mapping[str, Document],
    references: Mapping[str, Sequence[Document]],
) -> tuple[Task, tuple[Choice, ...]]:
    """Two documents a pair, and which of them is the true one."""
    rows = []
    for number, pair in enumerate(pairs):
        for side, text in (("right", pair.original), ("wrong", pair.altered)):
            caption = msgspec.structs.replace(documents[pair.document].captions[pair.place], text=text)
            rows.append((f"{side}\t{number:06d}", caption, references[pair.document]))
    task = Task(
        "pairs",
        tuple(key for key, _, _ in rows),
        tuple(Document(key, (caption,)) for key, caption, _ in rows),
        tuple(tuple(msgspec.structs.replace(d, id=key) for d in group) for key, _, group in rows),
        Coverage(len(rows)),
    )
    choices = [
        Choice(f"right\t{number:06d}", f"wrong\t{number:06d}", pair.kind) for number, pair in enumerate(pairs)
    ]
    return task, tuple(choices)

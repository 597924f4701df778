"""Tests whether a metric notices one wrong detail. Minimal pairs, scored by any metric.

Every pair becomes two documents of one caption each (with its times, where it has any) against the references
of its document; a metric is right where the true caption scores higher, and a tie counts half."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..captions import Corpus
from ..engine.run import MetricLike, Run
from ..errors import DataError
from ..meta.choices import ChoiceResult, choice_results
from ..meta.minimal_pairs import MinimalPair, as_choices, drawn, minimal_pairs
from ..meta.scores import values_of
from .changes import Scene

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


def details(
    corpus: Corpus,
    run: Run,
    *,
    metrics: Sequence[MetricLike],
    most: int = 200,
    resamples: int = 0,
    skip_missing: bool = False,
) -> Details:
    """Replaces one detail of a caption at a time and counts how often each metric prefers the right one.

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    metrics: names or metrics.
    most: so many pairs are drawn by the seed of the run.
    resamples: bootstrap resamples of the intervals; 0: none.
    skip_missing: leaves out pairs that a metric gives no value.
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

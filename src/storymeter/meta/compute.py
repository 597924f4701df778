"""Metric values per caption, from any metric of the registry: `Metric.rows`, combined document by document.

All captions that people judged are scored as one corpus, each a document of its own with its references: so
does every tool that made the published figures, and CIDEr's idf then comes from the references of all of
them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby, pairwise

import numpy as np

from ..arrays import FloatArray
from ..captions import Caption, Corpus, Document
from ..engine.results import Results, document_values
from ..engine.run import MetricLike, Run
from ..errors import StorymeterError
from ..join import Coverage, Task
from ..measure import trait
from ..metrics import Metric
from ..pairs.documents import TextMetric
from ..registry import metric as get_metric
from ..scores import Score, Signature, diff, short_hash

Key = tuple[str, str]


def pooled(candidates: Mapping[Key, str], references: Mapping[Key, Sequence[str]]) -> Task:
    """One document per caption."""
    return captions_task(("\t".join(key), text, references.get(key, ())) for key, text in candidates.items())


def captions_task(rows: Iterable[tuple[str, str, Sequence[str]]]) -> Task:
    """(id, caption, references) as documents."""
    return documents_task(
        (key, Document(key, (Caption(text),)), [Document(key, (Caption(one),)) for one in against])
        for key, text, against in rows
    )


def documents_task(rows: Iterable[tuple[str, Document, Sequence[Document]]]) -> Task:
    """(id, document, references) in order of ids, so that nothing depends on the order of a file."""
    listed = sorted(rows, key=lambda row: row[0])
    return Task(
        "pooled",
        tuple(key for key, _, _ in listed),
        tuple(document for _, document, _ in listed),
        tuple(tuple(against) for _, _, against in listed),
        Coverage(len(listed)),
    )


def pooled_documents(systems: Sequence[Corpus], references: Sequence[Corpus], wanted: set[Key]) -> Task:
    """The same for whole documents (dense captions, stories): those that people judged and that have a
    reference.
    """
    known = Corpus(tuple(chain.from_iterable(references))).by_id()
    return documents_task(
        (f"{corpus.name}\t{document.id}", document, known.get(document.id, ()))
        for corpus in systems
        for document in corpus
        if (corpus.name, document.id) in wanted and (not references or document.id in known)
    )


@dataclass(frozen=True, slots=True)
class MetricValues:
    """What a metric says of captions, and what is known of it; scores from a file have no signature."""

    values: Mapping[Key, float]
    signature: str = ""
    higher_is_better: bool | None = True
    #: what each caption adds, where a system's own value is not the mean over captions (BLEU, METEOR)
    rows: Mapping[Key, FloatArray] | None = None
    #: summed rows, shape (..., columns), to values
    combine: Callable[[FloatArray], FloatArray] | None = None
    #: whether published tables average it over captions all the same (METEOR)
    averaged: bool = False


def values_of(
    task: Task, metrics: Sequence[MetricLike], run: Run, *, skip_missing: bool = False, apart: bool = False
) -> tuple[dict[str, MetricValues], dict[str, str]]:
    """Values by metric, and the metrics that could not run with the reason (`skip_missing`). `apart`: every
    system is scored by itself, as `storymeter score` does it, so that idf is that of its own documents.
    """
    keys = [(system, item) for system, _, item in (i.partition("\t") for i in task.ids)]
    found: dict[str, MetricValues] = {}
    skipped: dict[str, str] = {}
    with run.announced(
        _known(metrics), lambda dry, judges: values_of(task, judges, dry, skip_missing=True, apart=apart)
    ):
        for done, asked in enumerate(metrics):
            run.context.progress("metrics", done, len(metrics))
            try:
                ((name, metric),) = run.resolve_metrics(asked, task=task).items()
                parts = _by_system(task) if apart or metric.compares_documents else [task]
                score = _joined([run.score_task(part, asked)[0] for part in parts])
            except StorymeterError as error:
                if not skip_missing:
                    raise
                skipped[str(asked)] = error.message
                continue
            found[name] = _of_score(metric, score, keys)
    run.context.progress("metrics", len(metrics), len(metrics))
    return found, skipped


def _by_system(task: Task) -> list[Task]:
    """The documents of each system by themselves, in the order of the task."""
    sizes = [len([*same]) for _, same in groupby(task.ids, key=lambda id: id.partition("\t")[0])]
    bounds = [0, *accumulate(sizes)]
    return [task.part(slice(*pair)) for pair in pairwise(bounds)]


def _joined(scores: Sequence[Score]) -> Score:
    """The rows of several scores of one metric below each other; what was counted in the documents of each
    (`stories:8#…`) has one hash in the signature.
    """
    if len(scores) == 1:
        return scores[0]
    rows = [one.rows for one in scores if one.rows is not None]
    kept = [dict(one.signature.fields) for one in scores]
    counted = {key for each in kept[1:] for key in diff(scores[0].signature, Signature.of(each))}
    hashes = {key: f"#{short_hash([each.get(key) for each in kept])}" for key in counted}
    return replace(scores[0], rows=np.concatenate(rows), signature=scores[0].signature.add(**hashes))


def _known(metrics: Sequence[MetricLike]) -> list[MetricLike]:
    """Those that can be built; the others are reported where they are scored."""

    def builds(asked: MetricLike) -> bool:
        try:
            return not isinstance(asked, str) or bool(get_metric(asked))
        except StorymeterError:
            return False

    return [asked for asked in metrics if builds(asked)]


def values_of_results(results: Results, *, systems: bool = False) -> dict[str, MetricValues]:
    """Those of a run that is there already: by document, or (`systems`) by system alone."""
    results = results if systems else results.with_formulas()
    found = {}
    for k, score in enumerate(results.systems[0].scores):
        values: dict[Key, float] = {}
        rows: dict[Key, FloatArray] = {}
        for system in results.systems:
            if systems:
                values[system.name, ""] = system.scores[k].value
            else:
                keys = [(system.name, item) for item in system.scores[k].ids]
                one = _of_score(results.metrics[k], system.scores[k], keys)
                values |= one.values
                rows |= one.rows or {}
        metric = results.metrics[k]
        # fitted to the references of each system's own documents, not to those of all systems
        learns = trait(getattr(metric, "scorer", metric), "learns", False)
        fitted = {"fitted": "system"} if learns and not systems else {}
        found[score.metric] = MetricValues(
            values,
            str(score.signature.add(**fitted)),
            score.higher_is_better,
            rows or None,
            value_of(metric) if rows else None,
            is_averaged(metric),
        )
    return found


def _of_score(metric: Metric, score: Score, keys: Sequence[Key]) -> MetricValues:
    """By caption; with the rows, where the captions of a system together have another value than their
    mean."""
    each = document_values(metric, score)
    values = dict(zip(keys, each.tolist(), strict=True))
    averaged = is_averaged(metric)
    known = MetricValues(values, str(score.signature), score.higher_is_better, averaged=averaged)
    if score.rows is None or not len(score.rows):
        return known
    combine = value_of(metric)
    code = np.unique(np.array([system for system, _ in keys]), return_inverse=True)[1].reshape(-1)
    there = ~np.isnan(each)
    for k in range(int(code.max()) + 1):
        mine = there & (code == k)
        own = float(combine(score.rows[mine].sum(axis=0))) if mine.any() else 0.0
        if mine.any() and not math.isclose(own, float(each[mine].mean()), rel_tol=1e-9, abs_tol=1e-12):
            rows = dict(zip(keys, np.asarray(score.rows, dtype=float), strict=True))
            return replace(known, rows=rows, combine=combine)
    return known


def is_averaged(metric: Metric) -> bool:
    """Sentence scorers, unless their level is the corpus: published tables average them over captions."""
    return isinstance(metric, TextMetric) and getattr(metric.scorer, "level", "") != "corpus"


def value_of(metric: Metric) -> Callable[[FloatArray], FloatArray]:
    def value(sums: FloatArray) -> FloatArray:
        # a table of sums, as intervals ask for: that much is checked of plug-ins
        table = sums.reshape(-1, sums.shape[-1]) if sums.ndim > 2 else sums
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(metric.combine(table)["value"], dtype=float).reshape(sums.shape[:-1])

    return value


def values_of_file(known: Mapping[str, Mapping[Key, float]]) -> dict[str, MetricValues]:
    """Scores that were read: a name of ours brings its direction, any other counts as it is."""

    def higher(name: str) -> bool | None:
        try:
            return get_metric(name).higher_is_better
        except StorymeterError:
            return True

    return {name: MetricValues(values, "", higher(name)) for name, values in known.items()}

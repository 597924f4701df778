"""Metric values per caption, from any metric of the registry: `Metric.rows`, combined document by document.

All captions that people judged are scored as one corpus, each a document of its own with its references: so
does every tool that made the published figures, and CIDEr's idf then comes from the references of all of
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..captions import Caption, Corpus, Document
from ..errors import MissingPartError, StorymeterError
from ..join import Coverage, Task
from ..metric import FloatArray, Progress, Setting, Tokenizer, silent
from ..registry import metric as get_metric

Key = tuple[str, str]


def pooled(candidates: Mapping[Key, str], references: Mapping[Key, Sequence[str]]) -> Task:
    """One document per caption, ids in order, so that nothing depends on the order of a file."""
    keys = sorted(candidates)
    ids = tuple(f"{system}\t{item}" for system, item in keys)
    documents = tuple(Document(i, (Caption(candidates[key]),)) for i, key in zip(ids, keys, strict=True))
    against = tuple(
        tuple(Document(i, (Caption(text),)) for text in references.get(key, ()))
        for i, key in zip(ids, keys, strict=True)
    )
    return Task("pooled", ids, documents, against, Coverage(len(ids)))


def pooled_documents(systems: Sequence[Corpus], references: Sequence[Corpus], wanted: set[Key]) -> Task:
    """The same for whole documents (dense captions, stories): those that people judged and that have a
    reference.
    """
    by_reference: dict[str, list[Document]] = {}
    for corpus in references:
        for document in corpus:
            by_reference.setdefault(document.id, []).append(document)
    rows = sorted(
        ((corpus.name, document.id), document)
        for corpus in systems
        for document in corpus
        if (corpus.name, document.id) in wanted and (not references or document.id in by_reference)
    )
    ids = tuple(f"{system}\t{item}" for (system, item), _ in rows)
    return Task(
        "pooled",
        ids,
        tuple(document for _, document in rows),
        tuple(tuple(by_reference.get(item, ())) for (_, item), _ in rows),
        Coverage(len(ids)),
    )


def values_of(
    task: Task,
    metrics: Sequence[str],
    *,
    tokenizer: Tokenizer = "ptb",
    jobs: int = 1,
    seed: int = 0,
    device: str = "cpu",
    images: str | None = None,
    progress: Progress = silent,
    skip_missing: bool = False,
) -> tuple[dict[str, dict[Key, float]], dict[str, str], dict[str, str]]:
    """Values by metric and caption, signatures, and the metrics that could not run with the reason
    (`skip_missing`).
    """
    setting = Setting(
        tokenizer=tokenizer, jobs=jobs, seed=seed, device=device, images=images, progress=progress
    )
    keys = [tuple(i.split("\t", 1)) for i in task.ids]
    found: dict[str, dict[Key, float]] = {}
    signatures: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for done, name in enumerate(metrics):
        progress("metrics", done, len(metrics))
        try:
            metric = get_metric(name)
            values = per_document(metric.combine(metric.rows(task, setting)))
            signatures[metric.name] = str(metric.signature(setting))
        except MissingPartError as error:
            if not skip_missing:
                raise
            skipped[name] = error.message
            continue
        except StorymeterError as error:
            if not skip_missing:
                raise
            skipped[name] = error.message
            continue
        found[metric.name] = {
            (system, item): float(v) for (system, item), v in zip(keys, values, strict=True)
        }
    progress("metrics", len(metrics), len(metrics))
    return found, signatures, skipped


def per_document(parts: Mapping[str, FloatArray]) -> FloatArray:
    return np.asarray(parts["value"], dtype=float)


def directions(metrics: Sequence[str]) -> dict[str, int]:
    """-1 for metrics of which less is better; names that are no metrics of ours (scores from a file) count as
    they are.
    """
    out = {}
    for name in metrics:
        try:
            out[name] = -1 if get_metric(name).higher_is_better is False else 1
        except StorymeterError:
            out[name] = 1
    return out

"""Units of resampling: documents that come from one source (clips of one film, say) are drawn and swapped
together, because they are no independent evidence.

A unit is named by `FIELD`, which documents or their captions carry in the file (`source`), by
`id:SEPARATOR`, the part of an id before the separator, or by `id`, each document by itself. Rows are
additive, so that the row of a unit is the sum of the rows of its documents; all intervals and tests are made
of those.

>>> prefix("film_3#clip_7", "#"), prefix("alone", "#")
('film_3', 'alone')
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from ..arrays import FloatArray, IntArray
from ..captions import Corpus, Document
from ..errors import DataError, UsageError, first_few
from ..stats.paired import skewness
from ..stats.resampling import bootstrap_interval
from .results import Results, value_of

#: the field that is used without being asked for, and the unit of each document by itself
SOURCE, DOCUMENT = "source", "id"
#: with fewer units no difference can be significant: then `source` must be asked for
LEAST = 6


def prefix(id: str, separator: str) -> str:
    return id.partition(separator)[0]


def found_unit(references: Sequence[Corpus], candidates: Sequence[Corpus]) -> str:
    """`source` where every document of the references (or, without any, of the systems) has one, some share
    it and there are at least six; else each document is a unit.
    """
    documents = list(chain.from_iterable(references or candidates))
    sources = {document.id: _field(document, SOURCE) for document in documents}
    known = set(sources.values())
    return SOURCE if None not in known and LEAST <= len(known) < len(sources) else ""


def unit_labels(
    unit: str, ids: Sequence[str], references: Sequence[Corpus], candidates: Sequence[Corpus]
) -> list[str]:
    """The unit of each document."""
    if unit in ("", DOCUMENT):
        return list(ids)
    if unit.startswith("id:"):
        separator = unit[3:]
        if not separator:
            raise UsageError("--unit id: lacks a separator.", hint="Write it like --unit id:_")
        labels = [prefix(id, separator) for id in ids]
        if labels == list(ids):
            raise DataError(f"No id contains {separator!r}.", hint="Name another separator: --unit id:_")
        return labels
    known: dict[str, str] = {}
    for document in chain.from_iterable((*references, *candidates)):
        value = _field(document, unit)
        if value is not None and known.setdefault(document.id, value) != value:
            raise DataError(
                f"Document {document.id!r} has two values of {unit!r}: {known[document.id]} and {value}.",
                hint="A document belongs to one unit.",
            )
    lacking = [id for id in ids if id not in known]
    if lacking:
        raise DataError(
            f"{len(lacking):,} of {len(ids):,} documents have no field {unit!r}: {first_few(lacking)}",
            hint="Name a field of the file, or a part of the ids: --unit id:SEPARATOR",
        )
    return [known[id] for id in ids]


def _field(document: Document, field: str) -> str | None:
    values = [document.meta.get(field), *(caption.meta.get(field) for caption in document.captions)]
    return next((str(value) for value in values if value is not None), None)


def groups(labels: Sequence[str]) -> IntArray:
    """The number of each label's unit, in the order of their first document."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def summed(rows: FloatArray, unit: IntArray) -> FloatArray:
    """(units, columns)"""
    if not len(unit) or int(unit[-1]) + 1 == len(unit):
        return rows
    out = np.zeros((int(unit.max()) + 1, rows.shape[1]))
    np.add.at(out, unit, rows)
    return out


def units_of(results: Results, ids: Sequence[str]) -> IntArray:
    """Of these documents of a run, under its conditions."""
    candidates = [system.candidates for system in results.systems]
    labels = unit_labels(results.conditions.unit, ids, results.references, candidates)
    found = groups(labels)
    if len(ids) > 1 and int(found.max(initial=0)) < 1:
        raise DataError(
            f"All documents belong to one unit ({labels[0]!r}).",
            hint="Name a field that differs: --unit FIELD",
        )
    return found


def unit_count(results: Results) -> int:
    """How many units the documents of the first score belong to; the number of documents without units."""
    first = results.systems[0].scores[0]
    if not results.conditions.unit or results.in_shards:
        return first.n
    return int(units_of(results, first.ids).max(initial=-1)) + 1


def score_skewness(results: Results) -> dict[str, float]:
    """How skewed the units are that each metric's scores rest on (of the jackknife's pseudo-values; that of
    the system where it is largest). Metrics without rows or intervals are left out.
    """
    found: dict[str, float] = {}
    cache: dict[tuple[str, ...], IntArray] = {}
    for system in results.systems:
        for metric, score in zip(results.metrics, system.scores, strict=True):
            if score.interval is None or score.rows is None or getattr(metric, "lacks_formula", False):
                continue
            if score.ids not in cache:
                cache[score.ids] = units_of(results, score.ids)
            rows = summed(score.rows, cache[score.ids])
            without = np.nan_to_num(value_of(metric, rows.sum(axis=0) - rows))
            own = -float(skewness(without[:, None])[0])
            if abs(own) >= abs(found.get(score.metric, 0.0)):
                found[score.metric] = own
    return found


def with_unit(results: Results, unit: str, resamples: int) -> Results:
    """The same results with intervals over units."""
    if results.in_shards:
        raise UsageError(
            "A run in shards keeps no rows, so that --unit cannot group them.", hint="Leave it out."
        )
    results = replace(results, conditions=replace(results.conditions, unit=unit, resamples=resamples))
    cache: dict[tuple[str, ...], IntArray] = {}
    systems = []
    for system in results.systems:
        scores = []
        for metric, score in zip(results.metrics, system.scores, strict=True):
            if score.ids not in cache:
                cache[score.ids] = units_of(results, score.ids)
            interval = None
            if resamples and score.rows is not None:
                rows = summed(score.rows, cache[score.ids])
                value = partial(value_of, metric)
                interval = bootstrap_interval(rows, value, resamples=resamples, seed=results.conditions.seed)
            scores.append(replace(score, interval=interval))
        systems.append(replace(system, scores=tuple(scores)))
    return replace(results, systems=tuple(systems))


def unit_note(unit: str, count: int) -> str:
    """What a table says of its units."""
    return "" if unit in ("", DOCUMENT) else f"Resampled and swapped by {unit}: {count:,} units."

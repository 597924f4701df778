"""What is drawn, swapped or averaged together: units of documents, and training runs (seeds) of one system.

Documents that come from one source (clips of one film, say) are drawn and swapped together, because they are
no independent evidence. A unit is named by `FIELD`, which documents or their captions carry in the file
(`source`), by `id:SEPARATOR`, the part of an id before the separator, or by `id`, each document by itself.
Rows are additive, so that the row of a unit is the sum of the rows of its documents; all intervals and tests
are made of those.

A run holds every seed as a system of its own and, in `Results.seeds`, which of them are one system.
`collapsed` makes one system of them: its values are the means over seeds, its rows the means of their rows,
and its intervals contain the noise of documents and of training. Two systems with seeds are tested over the
values of their seeds (Welch's t-test): would other training runs differ on these documents?

>>> prefix("film_3#clip_7", "#"), prefix("alone", "#")
('film_3', 'alone')
>>> round(welch([1.0, 1.1, 0.9], [1.4, 1.6, 1.5])[0], 4)
0.0036
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain

import numpy as np

from ..arrays import FloatArray, IntArray
from ..captions import Corpus, Document
from ..errors import DataError, UsageError, first_few
from ..scores import Score
from ..stats.paired import Part, skewness, standard_errors
from ..stats.resampling import TAIL, bootstrap_interval
from .results import Results, SystemResult, value_of

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
    unit_of = cache(partial(units_of, results))
    for system in results.systems:
        for metric, score in zip(results.metrics, system.scores, strict=True):
            if score.interval is None or score.rows is None or getattr(metric, "lacks_formula", False):
                continue
            rows = summed(score.rows, unit_of(score.ids))
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
    unit_of, systems = cache(partial(units_of, results)), []
    for system in results.systems:
        scores = []
        for metric, score in zip(results.metrics, system.scores, strict=True):
            numbers, interval = unit_of(score.ids), None
            if resamples and score.rows is not None:
                rows, value = summed(score.rows, numbers), partial(value_of, metric)
                interval = bootstrap_interval(rows, value, resamples=resamples, seed=results.conditions.seed)
            scores.append(replace(score, interval=interval))
        systems.append(replace(system, scores=tuple(scores)))
    return replace(results, systems=tuple(systems))


def unit_note(unit: str, count: int) -> str:
    """What a table says of its units."""
    return "" if unit in ("", DOCUMENT) else f"Resampled and swapped by {unit}: {count:,} units."


def collapsed(results: Results) -> Results:
    """The same results with one system in place of its seeds, at the place of the first of them."""
    if not results.seeds:
        return results
    owner = {member: name for name, members in results.seeds.items() for member in members}
    systems: dict[str, SystemResult] = {}
    for system in results.systems:
        name = owner.get(system.name)
        if name is None:
            systems[system.name] = system
        elif name not in systems:
            systems[name] = _together(results, name)
    return replace(results, systems=tuple(systems.values()), seeds={})


def _together(results: Results, name: str) -> SystemResult:
    members = [results.system(member) for member in results.seeds[name]]
    first = members[0]
    if any(s.sums is not None for member in members for s in member.scores):
        raise UsageError("Seeds of a run in shards cannot be one system.", hint="Score the files alone.")
    if any(member.scores[0].ids != first.scores[0].ids for member in members):
        raise DataError(
            f"The seeds of {name!r} were not scored on the same documents.",
            hint="Score them under a protocol whose field `missing` is zero.",
        )
    scores = [
        _mean(results, k, [member.scores[k] for member in members]) for k in range(len(results.metrics))
    ]
    return replace(first, name=name, scores=tuple(scores))


def _mean(results: Results, k: int, each: Sequence[Score]) -> Score:
    values = [score.value for score in each]
    rows = np.mean([score.rows for score in each if score.rows is not None], axis=0)
    parts = {key: float(np.mean([score.parts[key] for score in each])) for key in each[0].parts}
    mean, seeds = float(np.mean(values)), tuple(values)
    interval = None
    if each[0].interval is not None:
        part = Part(slice(None), partial(value_of, results.metrics[k]))
        units = summed(rows, units_of(results, each[0].ids))
        error = standard_errors([units], part)[0]
        spread = np.var(values, ddof=1) / len(values)
        interval = t_interval(mean, [(error**2, len(units) - 1), (float(spread), len(values) - 1)], TAIL)
    return replace(each[0], value=mean, parts=parts, rows=rows, interval=interval, seeds=seeds)


def t_interval(value: float, variances: Sequence[tuple[float, int]], tail: float) -> tuple[float, float]:
    """With several sources of variance, each with its degrees of freedom (Satterthwaite 1946)."""
    from scipy.special import stdtrit

    error, freedom = satterthwaite(variances)
    half = -float(stdtrit(freedom, tail)) * error if error > 0 else 0.0
    return value - half, value + half


def satterthwaite(variances: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """The standard error of a sum of these variances, and its degrees of freedom."""
    total = sum(variance for variance, _ in variances)
    if not total > 0:
        return 0.0, float(sum(df for _, df in variances))
    return math.sqrt(total), total**2 / sum(variance**2 / df for variance, df in variances if variance > 0)


def welch(a: Sequence[float], b: Sequence[float]) -> tuple[float, list[tuple[float, int]]]:
    """Two-sided p of equal means over seeds, and the variances behind it. Where one system has a single run,
    its seeds are taken to vary as those of the other.
    """
    from scipy.special import stdtr

    if len(a) < 2 or len(b) < 2:
        several = a if len(a) > 1 else b
        spread = float(np.var(several, ddof=1))
        variances = [(spread * (1 + 1 / len(several)), len(several) - 1)]
    else:
        variances = [(float(np.var(x, ddof=1)) / len(x), len(x) - 1) for x in (a, b)]
    difference, (error, freedom) = float(np.mean(a) - np.mean(b)), satterthwaite(variances)
    if not error > 0:
        return (1.0 if not difference else 0.0), variances
    return float(2 * stdtr(freedom, -abs(difference) / error)), variances

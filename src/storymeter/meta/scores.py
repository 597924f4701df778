"""Metric scores beside human scores: one row per human judgement, missing stays missing.

At segment level a row is a judgement of one caption (system, item); several rows may speak of the same
caption. At system level both sides are averaged over a system's rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import LARGEST, FloatArray, IntArray
from ..errors import DataError, first_few
from ..stats.ties import settled
from .compute import MetricValues


class Judgement(NamedTuple):
    system: str
    item: str
    value: float


class Additive(NamedTuple):
    #: one per judgement
    rows: FloatArray
    combine: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Scores:
    systems: tuple[str, ...]
    items: tuple[str, ...]
    system: IntArray
    item: IntArray
    human: FloatArray
    #: metric -> one value per row, NaN where there is none
    metrics: Mapping[str, FloatArray]
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    #: "raw" (0-100), "z", or "" where the human scale is something else
    scale: str = ""
    #: metrics of which less is better
    lower_is_better: frozenset[str] = frozenset()
    #: metrics whose value of a system is not the mean over its rows: what each row adds, and the formula
    additive: Mapping[str, Additive] = field(default_factory=dict)
    #: the same of metrics that published tables average over captions (METEOR): used where it is asked for
    averaged: Mapping[str, Additive] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.human)

    def rows_of(self, *metrics: str) -> NDArray[np.bool_]:
        """The rows on which all these metrics have a value."""
        return np.asarray(~np.isnan(np.stack([self.metrics[m] for m in metrics])).any(axis=0))

    def caption(self) -> IntArray:
        """A number per (system, item): rows of one caption share it."""
        return self.system * len(self.items) + self.item

    def matrix(self, values: FloatArray) -> FloatArray:
        """(systems, items): means over the rows of a caption, NaN where there is none."""
        shape = (len(self.systems), len(self.items))
        known = ~np.isnan(values)
        cell = self.caption()[known]
        size = np.bincount(cell, minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            means, sizes = (
                np.bincount(cell, weights=each, minlength=len(size)) / size
                for each in (values[known], np.abs(values[known]))
            )
        return settled(means, sizes).reshape(shape)

    def by_system(self, values: FloatArray) -> FloatArray:
        """The mean over each system's rows; NaN where it has none. What differs by rounding is equal."""
        known = ~np.isnan(values)
        count = np.bincount(self.system[known], minlength=len(self.systems))
        with np.errstate(invalid="ignore"):
            means, sizes = (
                np.bincount(self.system[known], weights=each, minlength=len(self.systems)) / count
                for each in (values[known], np.abs(values[known]))
            )
        return settled(means, sizes)

    def own(self, metric: str, use: NDArray[np.bool_]) -> FloatArray:
        """A metric's own value of each system over these rows: corpus BLEU, not the mean of caption BLEU."""
        known = self.additive.get(metric)
        if known is None:
            return self.by_system(np.where(use, self.metrics[metric], np.nan))
        sums = np.zeros((len(self.systems), known.rows.shape[1]))
        np.add.at(sums, self.system[use], known.rows[use])
        there = np.bincount(self.system[use], minlength=len(self.systems)) > 0
        return settled(np.where(there, known.combine(sums), np.nan))

    def sign(self, metric: str) -> int:
        return -1 if metric in self.lower_is_better else 1


def tabulate(judgements: Sequence[Judgement], *, scale: str = "", notes: Sequence[str] = ()) -> Scores:
    """Human judgements as rows, sorted by system and item so that the order of a file never changes a
    number.
    """
    if not judgements:
        raise DataError("There is no human judgement.", hint="Check the file given with --human.")
    listed = sorted(judgements)
    systems, items = sorted({j.system for j in listed}), sorted({j.item for j in listed})
    place, spot = {s: k for k, s in enumerate(systems)}, {i: k for k, i in enumerate(items)}
    human = np.array([j.value for j in listed], dtype=float)
    known = np.abs(human) < LARGEST
    said = (
        [*notes, f"{int((~known).sum()):,} human scores are not usable numbers and were left out."]
        if not known.all()
        else list(notes)
    )
    system = np.array([place[j.system] for j in listed], dtype=np.int64)[known]
    item = np.array([spot[j.item] for j in listed], dtype=np.int64)[known]
    return Scores(tuple(systems), tuple(items), system, item, human[known], {}, {}, tuple(said), scale)


def join_scores(scores: Scores, values: Mapping[str, MetricValues]) -> Scores:
    """Metric values by (system, item) beside the human rows. What has no partner is counted and said."""
    notes = list(scores.notes)
    found = {}
    additive, averaged = dict(scores.additive), dict(scores.averaged)
    wanted = [(scores.systems[s], scores.items[i]) for s, i in zip(scores.system, scores.item, strict=True)]
    for metric, entry in values.items():
        known = entry.values
        column = np.array([known.get(key, np.nan) for key in wanted], dtype=float)
        column[~(np.abs(column) < LARGEST)] = np.nan
        lacking = int(np.isnan(column).sum())
        if lacking == len(column):
            mine, theirs = sorted(set(wanted)), sorted(known)
            raise DataError(
                f"No score of {metric!r} can be joined with a human score: the metric scores are for"
                f" {first_few(theirs, limit=2)}, the human scores for"
                f" {first_few(mine, limit=2)} (system, item).",
                hint=(
                    "The name of a system is its file name without suffix; the item is the document id. Use"
                    " the same names in both files."
                ),
            )
        if lacking:
            notes.append(
                f"{metric}: {lacking:,} of {len(column):,} human judgements have no score and are left out."
            )
        judged = set(wanted)
        extra = sum(key not in judged for key in known)
        if extra:
            notes.append(f"{metric}: {extra:,} scored captions have no human judgement and are left out.")
        found[metric] = column
        if entry.rows is not None and entry.combine is not None:
            empty = np.zeros_like(next(iter(entry.rows.values())))
            rows = np.stack([entry.rows.get(key, empty) for key in wanted])
            (averaged if entry.averaged else additive)[metric] = Additive(rows, entry.combine)
    return replace(
        scores,
        metrics={**scores.metrics, **found},
        signatures={**scores.signatures, **{m: e.signature for m, e in values.items() if e.signature}},
        lower_is_better=scores.lower_is_better
        | {m for m, e in values.items() if e.higher_is_better is False},
        notes=tuple(dict.fromkeys(notes)),
        additive=additive,
        averaged=averaged,
    )

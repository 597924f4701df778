"""Which of two systems is better, and is it more than luck? Every pair of systems, every metric, on the same
documents.

The rows that a run leaves behind are all that is needed: nothing is scored again. p-values come from a
paired permutation test and from a paired bootstrap (stats.paired); both are corrected after Holm over all
tests of the run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..errors import DataError
from ..metric import Metric, Score
from ..stats.multiple import holm
from ..stats.paired import paired_bootstrap, paired_permutation, win_tie_loss
from .results import Results


@dataclass(frozen=True, slots=True)
class Difference:
    """One document on which the two systems were scored."""

    document: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` = value of A - value of B; `interval` is the bootstrap's; p-values are two-sided and never
    0.
    """

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    interval: tuple[float, float]
    p_bootstrap: float
    p_permutation: float
    p_holm: float
    wins: int
    ties: int
    losses: int
    n: int
    most_different: tuple[Difference, ...]
    #: whether tables print the values as percentages
    percent: bool = True

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0


def compare(
    results: Results, *, resamples: int = 1000, seed: int | None = None, most: int = 5
) -> list[Comparison]:
    """All pairs of systems under all metrics. `p_holm` corrects the permutation p-values over the whole
    list.
    """
    seed = results.conditions.seed if seed is None else seed
    found = []
    for first, second in combinations(results.systems, 2):
        for metric, score_a, score_b in zip(results.metrics, first.scores, second.scores, strict=True):
            found.append(_pair(metric, first.name, second.name, score_a, score_b, resamples, seed, most))
    corrected = holm([comparison.p_permutation for comparison in found])
    return [replace(comparison, p_holm=float(p)) for comparison, p in zip(found, corrected, strict=True)]


def _pair(
    metric: Metric, a: str, b: str, score_a: Score, score_b: Score, resamples: int, seed: int, most: int
) -> Comparison:
    ids, rows_a, rows_b = _common(a, b, score_a, score_b)
    sign = -1.0 if metric.higher_is_better is False else 1.0

    def value(sums: FloatArray) -> FloatArray:
        return metric.combine(sums)["value"]

    permutation = paired_permutation(rows_a, rows_b, value, resamples=resamples, seed=seed)
    bootstrap = paired_bootstrap(rows_a, rows_b, value, resamples=resamples, seed=seed)
    by_document_a, by_document_b = (np.nan_to_num(metric.by_document(rows)) for rows in (rows_a, rows_b))
    wins, ties, losses = win_tie_loss(sign * by_document_a, sign * by_document_b)
    order = np.argsort(-np.abs(by_document_a - by_document_b), kind="stable")[:most]
    differences = tuple(
        Difference(ids[k], float(by_document_a[k]), float(by_document_b[k]))
        for k in order
        if by_document_a[k] != by_document_b[k]
    )
    interval = bootstrap.interval or (float("nan"), float("nan"))
    return Comparison(
        score_a.metric,
        a,
        b,
        float(value(rows_a.sum(axis=0))),
        float(value(rows_b.sum(axis=0))),
        permutation.difference,
        interval,
        bootstrap.p,
        permutation.p,
        permutation.p,
        wins,
        ties,
        losses,
        len(ids),
        differences,
        score_a.percent,
    )


def _common(a: str, b: str, score_a: Score, score_b: Score) -> tuple[list[str], FloatArray, FloatArray]:
    """Rows of the documents that both systems were scored on: under `missing=skip` they may differ."""
    where = {document: k for k, document in enumerate(score_b.ids)}
    both = [(document, k, where[document]) for k, document in enumerate(score_a.ids) if document in where]
    if len(both) < 2 or score_a.rows is None or score_b.rows is None:
        raise DataError(
            f"{a!r} and {b!r} were scored on {len(both)} common documents; a paired test needs at least two.",
            hint="Compare systems that answered the same documents.",
        )
    return [d for d, *_ in both], score_a.rows[[i for _, i, _ in both]], score_b.rows[[j for *_, j in both]]

"""Which of two systems is better, and is it more than luck? Every pair of systems, every metric, on the same
documents.

The rows that a run leaves behind are all that is needed: nothing is scored again. p-values come from a
paired permutation test and from a paired bootstrap (stats.paired); both are corrected after Holm over all
tests of the run. A run in shards keeps no rows: its resamples were drawn while they were there
(stats.poisson), and their number and seed are those of that run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..errors import DataError
from ..score import Score
from ..stats.multiple import holm
from ..stats.paired import Part, paired_bootstraps, paired_permutations, win_tie_loss
from ..stats.poisson import ResampledSums, paired_tests
from .results import Results, SystemResult, Tally
from .run import value_of


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
    #: None where no process saw both systems' documents: runs in shards that were made apart
    wins: int | None
    ties: int | None
    losses: int | None
    n: int
    most_different: tuple[Difference, ...]
    #: whether tables print the values as percentages
    percent: bool = True
    #: of the permutation test
    resamples: int = 0

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
        found += _pair(results, first, second, resamples, seed, most)
    corrected = holm([comparison.p_permutation for comparison in found])
    return [replace(comparison, p_holm=float(p)) for comparison, p in zip(found, corrected, strict=True)]


def _pair(
    results: Results, a: SystemResult, b: SystemResult, resamples: int, seed: int, most: int
) -> list[Comparison]:
    """Two systems under all metrics; they share the documents, and so the resamples."""
    if a.scores[0].sums is not None or b.scores[0].sums is not None:
        return _pair_of_sums(results, a, b, most)
    metrics = results.metrics
    ids, rows_a, rows_b = _common(a, b)
    widths = np.cumsum([0, *(len(metric.columns) for metric in metrics)]).tolist()
    parts = [
        Part(slice(begin, end), partial(value_of, metric))
        for metric, begin, end in zip(metrics, widths, widths[1:], strict=False)
    ]
    permutations = paired_permutations(rows_a, rows_b, parts, resamples=resamples, seed=seed)
    bootstraps = paired_bootstraps(rows_a, rows_b, parts, resamples=resamples, seed=seed)
    totals = rows_a.sum(axis=0), rows_b.sum(axis=0)
    found = []
    for k, (metric, part, permutation, bootstrap) in enumerate(
        zip(metrics, parts, permutations, bootstraps, strict=True)
    ):
        values = [metric.by_document(rows[:, part.columns]) for rows in (rows_a, rows_b)]
        there = np.flatnonzero(~np.isnan(values).any(axis=0))  # a judge may have no verdict on a document
        by_document = [np.nan_to_num(each[there]) for each in values]
        sign = -1.0 if a.scores[k].higher_is_better is False else 1.0
        wins, ties, losses = win_tie_loss(sign * by_document[0], sign * by_document[1])
        order = np.argsort(-np.abs(by_document[0] - by_document[1]), kind="stable")[:most]
        differences = [
            Difference(ids[there[i]], float(by_document[0][i]), float(by_document[1][i])) for i in order
        ]
        found.append(
            Comparison(
                a.scores[k].metric,
                a.name,
                b.name,
                float(part.value(totals[0])),
                float(part.value(totals[1])),
                permutation.difference,
                bootstrap.interval or (float("nan"), float("nan")),
                bootstrap.p,
                permutation.p,
                permutation.p,
                wins,
                ties,
                losses,
                len(ids),
                tuple(difference for difference in differences if difference.a != difference.b),
                a.scores[k].percent,
                permutation.resamples,
            )
        )
    return found


def _pair_of_sums(results: Results, a: SystemResult, b: SystemResult, most: int) -> list[Comparison]:
    """The same of runs in shards, whose resamples were drawn when they were made (`stats.poisson`)."""
    found = []
    for metric, x, y in zip(results.metrics, a.scores, b.scores, strict=True):
        ours, theirs = _comparable(x, y, a.name, b.name)
        permutation, bootstrap = paired_tests(ours, theirs, partial(value_of, metric), x.n)
        tally = results.tallies.get((a.name, b.name, x.metric)) or Tally(None, None, None, [])
        found.append(
            Comparison(
                x.metric,
                a.name,
                b.name,
                x.value,
                y.value,
                permutation.difference,
                bootstrap.interval or (float("nan"), float("nan")),
                bootstrap.p,
                permutation.p,
                permutation.p,
                tally.wins,
                tally.ties,
                tally.losses,
                x.n,
                tuple(Difference(*entry) for entry in tally.most[:most]),
                x.percent,
                permutation.resamples,
            )
        )
    return found


def _comparable(a: Score, b: Score, *names: str) -> tuple[ResampledSums, ResampledSums]:
    x, y = a.sums, b.sums
    if x is None or y is None:
        hint = "Score both in shards, or both as files."
        raise DataError(f"Of {names[0]!r} and {names[1]!r} only one was scored in shards.", hint=hint)
    if x.documents != y.documents or a.n < 2:
        raise DataError(
            f"{names[0]!r} and {names[1]!r} were not scored on the same documents ({a.n:,} and {b.n:,}). A"
            " run in shards stores no rows, so the common documents cannot be selected.",
            hint="Score them under a protocol whose field `missing` is zero.",
        )
    if len(x.drawn) != len(y.drawn) or not len(x.drawn):
        hint = "Score them with the same --resamples and --seed."
        raise DataError(
            f"{names[0]!r} and {names[1]!r} were resampled differently, or not at all.", hint=hint
        )
    return x, y


def _common(a: SystemResult, b: SystemResult) -> tuple[list[str], FloatArray, FloatArray]:
    """Rows of the documents that both systems were scored on, all metrics side by side: under `missing=skip`
    the documents may differ."""
    rows = [
        np.hstack([np.zeros((0, len(s.columns))) if s.rows is None else s.rows for s in system.scores])
        for system in (a, b)
    ]
    ids, others = a.scores[0].ids, b.scores[0].ids
    if ids != others:
        where = {document: k for k, document in enumerate(others)}
        both = [(k, where[document]) for k, document in enumerate(ids) if document in where]
        ids = tuple(ids[k] for k, _ in both)
        rows = [rows[0][[k for k, _ in both]], rows[1][[k for _, k in both]]]
    if len(ids) < 2:
        raise DataError(
            f"{a.name!r} and {b.name!r} were scored on {len(ids)} common documents; a paired test needs at"
            " least two.",
            hint="Compare systems that were scored on the same documents.",
        )
    return list(ids), rows[0], rows[1]

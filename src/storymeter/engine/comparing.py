"""Which of two systems is better, and is it more than luck? Every pair of systems, every metric, on the same
documents.

The rows that a run leaves behind are all that is needed: nothing is scored again. The comparisons of one
metric are one family of tests: their permutation p-values are corrected after Holm over the pairs of systems,
and the intervals of their differences hold together. The number of resamples is chosen (`stats.paired`)
unless it is given. A run in shards keeps no rows: its resamples were drawn while they were there
(stats.poisson), and their number and seed are those of that run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..errors import DataError, UsageError, many, suggest
from ..metrics import Metric
from ..protocol import FIELDS, Protocol
from ..scores import ResampledSums, Score
from ..stats.paired import (
    PairedTest,
    Part,
    bootstraps,
    detectable,
    documents_for,
    documents_needed,
    permutation_tests,
    smallest_p,
    win_tie_loss,
)
from ..stats.poisson import paired_tests, standard_error
from ..stats.resampling import SIGNIFICANT, TAIL, expanded_tail, holm, percentiles, simultaneous_tail
from .provenance import check_comparable
from .results import AUTO, Comparison, Difference, Resamples, Results, SystemResult, Tally, value_of
from .units import collapsed, satterthwaite, summed, t_interval, units_of, welch

#: resamples of the intervals where their number is chosen: for up to three pairs of systems, for each pair
#: beyond, and at most
DRAWN, MORE, MOST = 2048, 512, 10_240
#: the share of studies that find a difference that is called detectable
POWER = 0.8


def compare(
    results: Results,
    *,
    resamples: Resamples = AUTO,
    seed: int | None = None,
    most: int = 5,
    difference: float | None = None,
) -> list[Comparison]:
    """All pairs of systems under all metrics. `p_holm` corrects the permutation p-values over the pairs under
    one metric. `difference`, in the units of the tables: how many documents would find it (`documents_for`).

    results: of a run of two or more systems, or loaded.
    resamples: permutations and bootstrap resamples of each test; auto: as many as the marks need.
    seed: of the resamples; default: that of the run.
    most: documents that are named as the largest gains and losses.
    difference: in the units of the tables: how many documents would find it (`documents_for`).
    """
    if difference is not None and not 0 < difference < math.inf:
        raise UsageError(f"difference cannot be {difference!r}.", hint="It is a number above 0, in points.")
    if resamples != AUTO and (type(resamples) is not int or resamples < 1):
        raise UsageError(f"resamples cannot be {resamples!r}.", hint='It is "auto" or a whole number from 1.')
    check_comparable({system.name: system.scores for system in results.systems})
    seed = results.conditions.seed if seed is None else seed
    results = collapsed(results.with_formulas())
    if len(results.systems) < 2:
        raise UsageError(
            "There is one system, and nothing to compare it with.",
            hint="Score two or more in one run: evaluate({name: candidates, …}, references).",
        )
    drawn = None if resamples == AUTO else int(resamples)
    pairs = list(combinations(range(len(results.systems)), 2))
    if any(system.scores[0].sums is not None for system in results.systems):
        families = _families_of_sums(results, pairs)
    else:
        families = _families(results, pairs, drawn, seed)
    found = [_corrected(results, k, pairs, family, most, difference) for k, family in enumerate(families)]
    return [family[j] for j in range(len(pairs)) for family in found]


@dataclass(frozen=True, slots=True)
class _Test:
    """What is known of one pair of systems under one metric, before the correction."""

    permutation: PairedTest
    p_bootstrap: float
    #: differences of resampled documents
    drawn: FloatArray
    error: float
    skewness: float
    wins: int | None
    ties: int | None
    losses: int | None
    most: Sequence[tuple[str, float, float]]
    values: tuple[float, float]
    documents: int


def _corrected(
    results: Results,
    k: int,
    pairs: Sequence[tuple[int, int]],
    family: Sequence[_Test],
    most: int,
    wanted: float | None,
) -> list[Comparison]:
    """The pairs of systems under the k-th metric as one family of tests."""
    tests = len(pairs)
    trained = [_seeds(results.systems[a].scores[k], results.systems[b].scores[k]) for a, b in pairs]
    adjusted = holm(
        [test.permutation.p if over is None else over[0] for test, over in zip(family, trained, strict=True)]
    )
    tail = simultaneous_tail(np.stack([test.drawn for test in family], axis=1), TAIL) if tests > 1 else TAIL
    found = []
    for (a, b), test, p, over in zip(pairs, family, adjusted, trained, strict=True):
        first, second, n = results.systems[a], results.systems[b], test.permutation.n
        score = first.scores[k]
        values, difference = test.values, test.permutation.difference
        intervals = [percentiles(test.drawn, expanded_tail(n, each)) for each in (tail, TAIL)]
        error, least = test.error, smallest_p(n, tests, test.permutation.resamples)
        freedom, needed = float(n - 1), None
        if over is not None:
            values = score.value, second.scores[k].value
            difference, least = values[0] - values[1], 0.0
            variances = [(test.error**2, n - 1), *over[1]]
            intervals = [t_interval(difference, variances, each) for each in (tail, TAIL)]
            error, freedom = satterthwaite(over[1])  # the test of seeds knows no other noise
        elif wanted is not None and error > 0:
            needed = documents_for(wanted / score.scale, error, n, tests, SIGNIFICANT, POWER)
        reach = detectable(freedom, SIGNIFICANT / tests, POWER) * error if least < SIGNIFICANT else math.nan
        found.append(
            Comparison(
                score.metric,
                first.name,
                second.name,
                *values,
                difference,
                intervals[0],
                test.p_bootstrap,
                test.permutation.p,
                float(p),
                test.wins,
                test.ties,
                test.losses,
                test.documents,
                tuple(Difference(*entry) for entry in test.most[:most] if entry[1] != entry[2]),
                score.as_percent,
                test.permutation.resamples,
                intervals[1],
                tests,
                least,
                documents_needed(tests),
                reach,
                n,
                None if over is None else over[0],
                needed,
                test.skewness,
            )
        )
    return found


def _seeds(a: Score, b: Score) -> tuple[float, list[tuple[float, int]]] | None:
    """Welch's test where a system has seeds that differ; equal ones tell nothing of other runs."""
    if max(len({*a.seeds}), len({*b.seeds})) < 2:
        return None
    return welch(a.seeds or (a.value,), b.seeds or (b.value,))


def _families(
    results: Results, pairs: Sequence[tuple[int, int]], resamples: int | None, seed: int
) -> list[list[_Test]]:
    """[metric][pair]: systems that were scored on the same documents are resampled together."""
    systems, metrics = results.systems, results.metrics
    for_intervals = resamples or min(MOST, DRAWN + MORE * max(0, len(pairs) - 3))
    widths = np.cumsum([0, *(len(metric.columns) for metric in metrics)]).tolist()
    parts = [
        Part(slice(begin, end), partial(value_of, metric))
        for metric, begin, end in zip(metrics, widths, widths[1:], strict=False)
    ]
    alike = len({system.scores[0].ids for system in systems}) == 1
    groups = [list(range(len(systems)))] if alike else [list(pair) for pair in pairs]
    found: dict[tuple[int, int], list[_Test]] = {}
    for group in groups:
        ids, by_document = common_rows([systems[k] for k in group])
        unit = units_of(results, ids)
        rows = [summed(each, unit) for each in by_document]
        inside = list(combinations(range(len(group)), 2))
        permuted = permutation_tests(rows, parts, inside, resamples=resamples, seed=seed)
        booted = bootstraps(rows, parts, inside, for_intervals, seed)
        totals = [each.sum(axis=0) for each in rows]
        for j, (a, b) in enumerate(inside):
            found[group[a], group[b]] = [
                _Test(
                    permuted[k][j],
                    max(float(booted[k].p[j]), permuted[k][j].p),
                    booted[k].drawn[:, j],
                    float(booted[k].errors[j]),
                    float(booted[k].skewness[j]),
                    *_by_document(metric, part, by_document[a], by_document[b], ids),
                    (float(part.value(totals[a])), float(part.value(totals[b]))),
                    len(ids),
                )
                for k, (metric, part) in enumerate(zip(metrics, parts, strict=True))
            ]
    return [[found[pair][k] for pair in pairs] for k in range(len(metrics))]


def _by_document(
    metric: Metric, part: Part, rows_a: FloatArray, rows_b: FloatArray, ids: Sequence[str]
) -> tuple[int, int, int, list[tuple[str, float, float]]]:
    """Wins, ties and losses of A, and the documents by the size of the difference."""
    values = [metric.by_document(rows[:, part.columns]) for rows in (rows_a, rows_b)]
    there = np.flatnonzero(~np.isnan(values).any(axis=0))  # a judge may have no verdict on a document
    a, b = (np.nan_to_num(each[there]) for each in values)
    sign = -1.0 if metric.higher_is_better is False else 1.0
    order = np.argsort(-np.abs(a - b), kind="stable")[:1000].tolist()
    return *win_tie_loss(sign * a, sign * b), [(ids[there[i]], float(a[i]), float(b[i])) for i in order]


def _families_of_sums(results: Results, pairs: Sequence[tuple[int, int]]) -> list[list[_Test]]:
    """The same of runs in shards, whose resamples were drawn when they were made (`stats.poisson`)."""
    families = []
    for k, metric in enumerate(results.metrics):
        value = partial(value_of, metric)
        family = []
        for i, j in pairs:
            a, b = results.systems[i], results.systems[j]
            x, y = a.scores[k], b.scores[k]
            ours, theirs = common_sums(x, y, a.name, b.name)
            permutation, bootstrap = paired_tests(ours, theirs, value, x.n)
            drawn = np.asarray(value(ours.drawn) - value(theirs.drawn))
            tally = results.tallies.get((a.name, b.name, x.metric)) or Tally(None, None, None, [])
            counts = (tally.wins, tally.ties, tally.losses, tally.most)
            error = standard_error(drawn, x.n)
            family.append(
                _Test(permutation, bootstrap.p, drawn, error, math.nan, *counts, (x.value, y.value), x.n)
            )
        fewest = min(len(test.drawn) for test in family)
        families.append([replace(test, drawn=test.drawn[:fewest]) for test in family])
    return families


def common_sums(a: Score, b: Score, *names: str) -> tuple[ResampledSums, ResampledSums]:
    """The sums of two systems that were resampled alike."""
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
    drawn = min(len(x.drawn), len(y.drawn))
    if not drawn:
        hint = "Score both without --resamples 0."
        raise DataError(f"{names[0]!r} and {names[1]!r} were not both resampled.", hint=hint)
    return x.first(drawn), y.first(drawn)


def common_rows(systems: Sequence[SystemResult]) -> tuple[list[str], list[FloatArray]]:
    """Rows of the documents that all of these systems were scored on, all metrics side by side: under
    `missing=skip` the documents may differ.
    """
    rows = [
        np.hstack([np.zeros((0, len(s.columns))) if s.rows is None else s.rows for s in system.scores])
        for system in systems
    ]
    each = [system.scores[0].ids for system in systems]
    ids = each[0]
    if any(other != ids for other in each[1:]):
        places = [{document: k for k, document in enumerate(of)} for of in each]
        ids = tuple(document for document in ids if all(document in at for at in places))
        rows = [r[[at[document] for document in ids]] for r, at in zip(rows, places, strict=True)]
    if len(ids) < 2:
        raise DataError(
            f"{systems[0].name!r} and {systems[-1].name!r} were scored on"
            f" {many(len(ids), 'common document')}; a paired test needs at least two.",
            hint="Compare systems that were scored on the same documents.",
        )
    return list(ids), rows


def units_under(
    results: Results, systems: Sequence[SystemResult], k: int
) -> tuple[list[str], list[FloatArray], Part]:
    """Of the k-th metric: the documents that all of these systems were scored on, the rows of their units,
    and what gives a value of summed rows.
    """
    ids, rows = common_rows(systems)
    begin = sum(len(metric.columns) for metric in results.metrics[:k])
    own = slice(begin, begin + len(results.metrics[k].columns))
    unit = units_of(results, ids)
    part = Part(slice(None), partial(value_of, results.metrics[k]))
    return ids, [summed(each[:, own], unit) for each in rows], part


def merged(several: Sequence[Results]) -> Results:
    """The systems of several runs as one: same references and conditions, and the metrics that all of them
    have.

    several: the results, such as those that `load` reads.
    """
    first = several[0]
    for other in several[1:]:
        drawn = ("seed",) if first.in_shards and other.in_shards else ()  # their resamples are compared
        for what in ("protocol", "tokenizer", *drawn):
            ours, theirs = getattr(first.conditions, what), getattr(other.conditions, what)
            if ours != theirs:
                hint, said = "Score them under the same conditions.", f"{ours} and {theirs}"
                if what == "protocol":
                    hint = f"{hint} docs/why-different.md explains the choices."
                    said += f" ({_unequal_fields(ours, theirs) or 'two names of the same choices'})"
                older, newer = sorted((first.conditions, other.conditions), key=lambda c: c.revision)
                if what == "protocol" and newer.protocol == replace(older.protocol, anet_pairs="mean"):
                    hint = (
                        f"An earlier version scored the older run, when {older.protocol.name!r} meant"
                        f" {older.protocol}: score the newer run with --protocol '{older.protocol}', or the"
                        " older one again."
                    )
                raise UsageError(f"The runs differ in {what}: {said}.", hint=hint)
        if list(map(_content, first.references)) != list(map(_content, other.references)):
            raise UsageError("The runs have different references.", hint="Score them against the same files.")
    names = [[score.metric for score in each.systems[0].scores] for each in several]
    common = [name for name in names[0] if all(name in other for other in names)]
    if not common:
        hint = suggest(names[0][0], {name for other in names for name in other})
        raise UsageError("The runs have no metric in common.", hint=hint)
    kept = [each.only(*common) for each in several]
    systems = tuple(system for each in kept for system in each.systems)
    doubled = next((s.name for k, s in enumerate(systems) if s.name in [t.name for t in systems[:k]]), None)
    if doubled is not None:
        raise UsageError(f"Two runs have a system called {doubled!r}.", hint="Give one of them another name.")
    check_comparable({system.name: system.scores for system in systems})
    tallies = {pair: tally for each in kept for pair, tally in each.tallies.items()}
    seeds = {name: members for each in kept for name, members in each.seeds.items()}
    oldest = min(each.conditions.revision for each in several)
    conditions = replace(kept[0].conditions, revision=oldest)
    return replace(kept[0], systems=systems, tallies=tallies, seeds=seeds, conditions=conditions)


def _unequal_fields(ours: Protocol, theirs: Protocol) -> str:
    """What two protocols do differently: `refs=best and merge`."""
    both = {key: [field.print(getattr(one, key)) for one in (ours, theirs)] for key, field in FIELDS.items()}
    return ", ".join(f"{key}={a} and {b}" for key, (a, b) in both.items() if a != b and key != "name")


def _content(corpus: Corpus) -> tuple[object, ...]:
    """The documents, or, of a corpus that was never in one place, their hash."""
    return corpus.documents, "" if corpus.documents else corpus.origin.sha256

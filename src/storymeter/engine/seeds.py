"""Several training runs (seeds) of one system: their mean, the spread between them, and tests that count it.

A run holds every seed as a system of its own and, in `Results.seeds`, which of them are one system.
`collapsed` makes one system of them: its values are the means over seeds, its rows the means of their rows,
and its intervals contain the noise of documents and of training. Two systems with seeds are tested over the
values of their seeds (Welch's t-test): would other training runs differ on these documents?

>>> round(welch([1.0, 1.1, 0.9], [1.4, 1.6, 1.5])[0], 4)
0.0036
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..errors import DataError, UsageError
from ..scores import Score
from ..stats.resampling import TAIL
from .results import Results, SystemResult
from .units import summed, units_of

Groups = Mapping[str, tuple[str, ...]]


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
        from ..stats.paired import Part, standard_errors

        part = Part(slice(None), lambda sums: results.metrics[k].combine(sums)["value"])
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

"""A gate for continuous integration: tests whether a new version loses more than it may.

A condition such as `soda_c < -0.5` fails the gate if the new system's score minus the baseline's is below
-0.5 points by more than chance: a one-sided test of that limit at .05, with Holm's correction over the
conditions. The outputs of the two systems are swapped, document by document, as in `compare`, and the limit
with them (all swaps up to 12 documents); p is at least that of Johnson's t-test (1978), which allows for
skewed differences. With several training runs on either side it is Welch's test over their values. So a
version that loses exactly the limit fails in 5 of 100 test sets, one that loses nothing hardly ever.

>>> condition("soda_c(scorer=sts) < -0.5")
Condition(metric='soda_c(scorer=sts)', sign='<', limit=-0.5)
"""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..errors import UsageError
from ..progress import Note, Progress, silent, unsaid
from ..scores import Score
from ..stats.paired import (
    ALL_SWAPS,
    LEAST_SWAPS,
    Part,
    all_swaps,
    detectable,
    pseudo_values,
    random_swaps,
    reached,
    skewness,
)
from ..stats.resampling import CLEAR, SIGNIFICANT, TAIL, holm
from .comparing import POWER, merged, units_under
from .results import Results, chosen
from .run import Run, parse_metrics
from .saved import load
from .systems import FOUND, Layout, read_systems
from .units import DOCUMENT, collapsed, satterthwaite, t_interval, welch

#: random swaps of a test; fewer where it clearly finds nothing
SWAPS = 16_384
_FORM = re.compile(r"(?P<metric>.+?)\s*(?P<sign>[<>])\s*(?P<limit>[-+]?\d*\.?\d+)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """The gate fails if the change of the metric, in the units of the tables, is beyond the limit."""

    metric: str
    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.metric} {self.sign} {self.limit:g}"


def condition(text: str) -> Condition:
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--fail-if cannot be {text!r}.", hint="Write it like --fail-if 'soda_c < -0.5'")
    return Condition(found["metric"].strip(), found["sign"], float(found["limit"]))


@dataclass(frozen=True, slots=True)
class Checked:
    """A condition and what was found; numbers are in the units of the tables."""

    condition: str
    metric: str
    old: float
    new: float
    change: float
    interval: tuple[float, float]
    limit: float
    p: float
    p_holm: float
    n: int
    #: the change that fails the gate in 80 of 100 test sets; None: nothing varies that could show it
    detectable: float | None
    failed: bool
    #: of the changes of documents (or units), how many of them there are, and how many changed; 0 over seeds
    skewness: float = 0.0
    units: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class GateResult:
    """The conditions of a gate, and the names of the two systems."""

    new: str
    old: str
    checked: Sequence[Checked]
    #: the two systems, or their training runs: which documents they have
    results: Results | None = None

    @property
    def failed(self) -> list[Checked]:
        return [each for each in self.checked if each.failed]


def gate(
    candidates: Sequence[str],
    against: str | os.PathLike[str],
    fail_if: Sequence[str],
    *,
    baseline: str | None = None,
    layout: Layout = FOUND,
    progress: Progress = silent,
    note: Note = unsaid,
    **settings: Any,
) -> GateResult:
    """Scores a new version as a saved run was scored, and tests whether it loses more than it may.

    candidates: the file of the new version; several are training runs of one system.
    against: the saved run with the baseline.
    fail_if: conditions such as `soda_c < -0.5`, in the units of the tables.
    baseline: the system of the saved run to compare with; default: its only one.
    layout: how the files are read.
    note: called with each sentence about what was assumed of the files.
    settings: those of `Run` that a saved run does not hold: jobs, budget.
    progress: called with what is being done, how much is done, and of how much.
    """
    conditions = [condition(text) for text in fail_if]
    before = load(os.fspath(against))
    names = [system.name for system in collapsed(before).systems]
    if baseline is None and len(names) > 1:
        raise UsageError(
            f"The run has several systems: {', '.join(names)}.", hint="Name the baseline: --baseline NAME"
        )
    old = baseline or names[0]
    if old not in names:
        raise UsageError(f"The run has no system {old!r}.", hint=f"It has {', '.join(names)}.")
    asked = list(dict.fromkeys(each.metric for each in conditions))
    before = chosen(before, asked)
    metrics = parse_metrics(asked).values()
    read, _ = read_systems(candidates, layout=layout, metrics=metrics, progress=progress, note=note)
    new = "new" if old != "new" else "new (candidate)"
    members = [f"{new}/{k + 1}" for k in range(len(read))] if len(read) > 1 else [new]
    systems = [msgspec.structs.replace(corpus, name=name) for corpus, name in zip(read, members, strict=True)]
    run = Run(before.references, progress=progress, **{**settings, **before.conditions.settings})
    labels = [score.metric for score in before.systems[0].scores]
    fresh = run.score(systems, labels, 0, unit=before.conditions.unit or DOCUMENT)
    seeds = {new: tuple(members)} if len(members) > 1 else {}
    fresh = replace(fresh, references=before.references, conditions=before.conditions, seeds=seeds)
    results = merged([before, fresh])
    compared = {*members, *before.seeds.get(old, (old,))}
    both = replace(results, systems=tuple(each for each in results.systems if each.name in compared))
    return GateResult(new, old, check(results, new, old, conditions), both)


def check(results: Results, new: str, old: str, conditions: Sequence[Condition]) -> list[Checked]:
    """The system `new` against `old`, both among the results, under the metrics of the conditions."""
    results = collapsed(results)
    found = [_check(results, new, old, each, len(conditions)) for each in conditions]
    adjusted = holm([each.p for each in found])
    return [
        replace(each, p_holm=float(p), failed=bool(p < SIGNIFICANT))
        for each, p in zip(found, adjusted, strict=True)
    ]


def _check(results: Results, new: str, old: str, each: Condition, tests: int) -> Checked:
    """One of so many conditions, before the correction."""
    a, b = results[new, each.metric], results[old, each.metric]
    at = results._position(each.metric)
    ids, units, part = units_under(results, [results.system(new), results.system(old)], at)
    scale = a.scale
    pseudo = pseudo_values(units, part, [(0, 1)])[:, 0] * scale
    n, side = len(pseudo), 1.0 if each.sign == "<" else -1.0
    documents = float(np.var(pseudo, ddof=1)) / n
    values = b.value * scale, a.value * scale, difference(units, part) * scale
    shape = float(skewness(pseudo)), n, int((units[0] != units[1]).any(axis=1).sum())
    if max(len({*a.seeds}), len({*b.seeds})) > 1:  # equal runs tell nothing of other ones
        values = b.value * scale, a.value * scale, (a.value - b.value) * scale
        p, trained = _over_seeds(a, b, side * each.limit / scale, side, scale)
        variances = [(documents, n - 1), *trained]
        error, freedom = satterthwaite(trained)  # the test of seeds knows no other noise
        shape = 0.0, 0, 0
    else:
        p = below(units, part, each.limit / scale, results.conditions.seed, side=side)
        variances = [(documents, n - 1)]
        error, freedom = satterthwaite(variances)
    interval = t_interval(values[2], variances, TAIL)
    reach = detectable(freedom, 2 * SIGNIFICANT / tests, POWER) * error  # one-sided
    return Checked(
        str(each),
        each.metric,
        *values,
        interval,
        each.limit,
        p,
        p,
        len(ids),
        each.limit - side * reach if reach > 0 else None,
        False,
        *shape,
    )


def _over_seeds(
    a: Score, b: Score, limit: float, side: float, scale: float
) -> tuple[float, list[tuple[float, int]]]:
    """One-sided: Welch's test of the values of the runs, those of `a` moved by the limit."""
    ours = [side * value - limit for value in a.seeds or (a.value,)]
    theirs = [side * value for value in b.seeds or (b.value,)]
    p, variances = welch(ours, theirs)
    lower = float(np.mean(ours) - np.mean(theirs)) < 0
    return (p / 2 if lower else 1 - p / 2), [(variance * scale**2, df) for variance, df in variances]


def difference(rows: Sequence[FloatArray], part: Part) -> float:
    """The value of the first of two systems minus that of the second."""
    a, b = (float(part.value(each.sum(axis=0))) for each in rows)
    return a - b


def below(rows: Sequence[FloatArray], part: Part, limit: float, seed: int, *, side: float = 1.0) -> float:
    """One-sided p that the value of the first of two systems minus that of the second is below the limit
    (`side` -1: above it). Swaps reject too often where a few differences are far above the others; Johnson's
    test (1978) corrects t for their skewness.
    """
    from scipy.special import stdtr

    p = swap_p(rows, part, limit, seed, side)
    values = side * (pseudo_values(rows, part, [(0, 1)])[:, 0] - limit)
    n, deviation = len(values), float(np.std(values, ddof=1))
    if not deviation > 0:
        return p
    t, skew = float(values.mean()) / deviation * n**0.5, float(skewness(values))
    corrected = t + skew / n**0.5 * (1 / 6 + t**2 / 3)
    return max(p, float(stdtr(n - 1, corrected)))


def swap_p(rows: Sequence[FloatArray], part: Part, limit: float, seed: int, side: float) -> float:
    """How many swaps of the two systems' documents give a difference so far below. A document that is swapped
    takes its share of the limit with it.
    """
    a, b = rows
    n, first, second = len(a), a.sum(axis=0), b.sum(axis=0)
    observed = side * (difference(rows, part) - limit)
    if math.isnan(observed):
        return 1.0
    count = made = 0
    whole = n <= ALL_SWAPS
    for swapped in all_swaps(n) if whole else random_swaps(n, SWAPS, seed):
        change = swapped @ (b - a)
        shifted = limit * (1 - 2 * swapped.mean(axis=1))
        found = side * (part.value(first + change) - part.value(second - change) - shifted)
        # a swap without a value may be as far below
        count += reached(np.nan_to_num(-found, nan=math.inf), -observed)
        made += len(swapped)
        if whole:  # the other half are the mirror images
            count += reached(np.nan_to_num(found, nan=math.inf), -observed)
            made += len(swapped)
        elif made >= LEAST_SWAPS:  # p is clearly above the limit, and Holm's correction only raises it
            chance = CLEAR * math.sqrt(SIGNIFICANT * (1 - SIGNIFICANT) / made)
            if (count + 1) / (made + 1) > SIGNIFICANT + chance:
                break
    return count / made if whole else (count + 1) / (made + 1)

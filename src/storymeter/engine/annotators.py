"""Scores, and differences between systems, against each annotator alone.

Every system is scored against each annotator alone. The spread between these values is shown, and the
interval of their mean contains it beside the noise of documents: mean ± t √(V / K + E²), where V is the
variance between the K annotators and E the jackknife's standard error over documents (the root mean square of
the annotators'); degrees of freedom after Satterthwaite (1946). V contains what annotators and documents have
in common as noise, too, so that the interval is rather too wide. Two annotators say little about others.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..captions import Corpus
from ..errors import StorymeterWarning, UsageError
from ..metrics import Metric
from ..stats.paired import pseudo_values, standard_errors
from ..stats.poisson import standard_error
from ..stats.resampling import TAIL
from .comparing import common_sums, units_under
from .results import Results, value_of
from .run import Run
from .units import DOCUMENT, collapsed, t_interval


@dataclass(frozen=True, slots=True)
class Spread:
    """A score by each annotator, in the order of the references; `other`: the lead over that system. The
    interval contains the noise of documents, annotators and, where there are several, training runs.
    """

    system: str
    other: str
    metric: str
    by_annotator: tuple[float, ...]
    mean: float
    deviation: float
    interval: tuple[float, float]
    n: int
    percent: bool

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0


def by_annotator(
    results: Results, run: Callable[[Sequence[Corpus]], Run], *, pairs: bool = False
) -> list[Spread]:
    """All systems (or all pairs of systems) under all metrics that need references; `run` makes a run with
    the settings of the results and other references.
    """
    if results.in_shards:
        hint = "Give its files to storymeter score or compare: --annotators scores them again."
        raise UsageError("A run in shards keeps no captions to score by annotator.", hint=hint)
    metrics = _with_references(results)
    systems = [system.candidates for system in results.systems]
    each = []
    for corpus in results.references:
        with _warned():
            scored = run([corpus]).score(systems, list(metrics.values()), 0, unit=DOCUMENT)
        conditions = replace(scored.conditions, unit=results.conditions.unit)
        # the units are those of all files: not every annotator's file need have the field
        scored = replace(scored, references=results.references, conditions=conditions, seeds=results.seeds)
        each.append(collapsed(scored))
    return _spreads(each, list(metrics), pairs)


def by_annotator_in_shards(
    results: Results,
    score: Callable[[str, Sequence[str]], Results],
    references: Sequence[str],
    *,
    pairs: bool = False,
) -> list[Spread]:
    """The same of a corpus in shards: `score` scores its systems against the files of one of `references`,
    which are patterns, under the metrics that it is given.
    """
    metrics = list(_with_references(results))
    if not results.conditions.resamples:
        raise UsageError("--annotators needs resamples.", hint="Leave --resamples 0 out.")
    each = []
    for pattern in references:
        with _warned():
            each.append(score(pattern, metrics))
    return _spreads(each, metrics, pairs)


def _with_references(results: Results) -> dict[str, Metric]:
    """The metrics that need references, by their labels."""
    if len(results.references) < 2:
        count = "is one" if results.references else "are none"
        raise UsageError(
            f"--annotators needs several files of references; there {count}.",
            hint="Give one for each annotator: -r first.json -r second.json",
        )
    labels = [score.metric for score in results.systems[0].scores]
    pairs = zip(labels, results.metrics, strict=True)
    if not (found := {label: metric for label, metric in pairs if metric.needs_references}):
        raise UsageError("None of these metrics needs references.", hint="Leave --annotators out.")
    return found


@contextmanager
def _warned() -> Iterator[None]:
    """The scores against all references have warned already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StorymeterWarning)
        yield


def _spreads(each: Sequence[Results], labels: Sequence[str], pairs: bool) -> list[Spread]:
    names = [system.name for system in each[0].systems]
    wanted = list(combinations(names, 2)) if pairs else [(name, "") for name in names]
    return [_spread(each, k, label, a, b) for a, b in wanted for k, label in enumerate(labels)]


def _spread(each: Sequence[Results], k: int, label: str, a: str, b: str) -> Spread:
    found = [_one(results, k, a, b) for results in each]
    values = np.array([value for value, _, _, _ in found])
    documents = float(np.mean([error**2 for _, error, _, _ in found]))
    fewest = min(units for _, _, units, _ in found)
    variances = [(documents, fewest - 1), (float(np.var(values, ddof=1)) / len(values), len(values) - 1)]
    runs = [score.seeds for name in (a, b) if name for score in [each[0].system(name).scores[k]]]
    variances += [(float(np.var(seeds, ddof=1)) / len(seeds), len(seeds) - 1) for seeds in runs if seeds]
    score = each[0].system(a).scores[k]
    mean = float(values.mean())
    return Spread(
        a,
        b,
        label,
        tuple(values.tolist()),
        mean,
        float(np.std(values, ddof=1)),
        t_interval(mean, variances, TAIL),
        min(n for _, _, _, n in found),
        score.as_percent,
    )


def _one(results: Results, k: int, a: str, b: str) -> tuple[float, float, int, int]:
    """By one annotator: the value or the difference, its standard error, units and documents."""
    systems = [results.system(name) for name in (a, b) if name]
    scores = [system.scores[k] for system in systems]
    found = scores[0].value - (scores[1].value if b else 0.0)
    if results.in_shards:
        sums = common_sums(scores[0], scores[1], a, b) if b else [score.sums for score in scores]
        drawn = [np.asarray(value_of(results.metrics[k], each.drawn)) for each in sums if each]
        n = scores[0].n
        return found, standard_error(drawn[0] - drawn[1] if b else drawn[0], n), n, n
    ids, units, part = units_under(results, systems, k)
    if not b:
        return found, standard_errors(units, part)[0], len(units[0]), len(ids)
    pseudo = pseudo_values(units, part, [(0, 1)])[:, 0]
    return found, float(np.sqrt(np.var(pseudo, ddof=1) / len(pseudo))), len(pseudo), len(ids)

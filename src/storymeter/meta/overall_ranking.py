"""How metrics stand over several benchmarks, and which of them to trust: a rule, no opinion.

A metric is judged where it has not learnt. On each benchmark the metrics are ranked by the statistic of its
published figures, ties sharing a rank; one that was trained or tuned on it (`Measure.trained_on`), or does
not state its training data (plug-ins and judges that say nothing), takes no rank away from the others, and
its own rank there does not count in its mean. Every two metrics are compared by a two-sided permutation test;
Benjamini and Hochberg's correction runs over all comparisons of all benchmarks together, so that about one
win in twenty is expected to be chance; how many are left under Holm's correction (any false win at .05) is
stated beside. What survives is a win of the one and a loss of the other, unless the winner has learnt from
the benchmark: then it counts for nobody, and is listed apart.

Variants of one metric (`sts` and `sts(engine=align)`, `bleu_1` to `bleu_4`) are one family. On each benchmark
a metric is ranked among and compared with the best variants of the other families, and with no variant of its
own: weaker variants bring nobody wins or ranks, and the comparisons of the best variants are corrected among
themselves, each p times the number of variants from which the winner was chosen. A pair that cannot be tested
is no win. A metric that does not vary on a benchmark has the last rank there, and one that varies on none is
last of all.

The metric to look at first has the most wins minus losses; if several have, the best mean rank. Beside it
stands the metric with the most wins against the first, if there is any; otherwise none."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import StorymeterError
from ..measure import NOT_STATED, TrainingData, asks_anyone
from ..registry import MEASURES, metric as get_metric
from ..stats.resampling import benjamini_hochberg, holm

SIGNIFICANT = 0.05
#: what a score takes, the cheapest first
COSTS = ("words", "model", "requests")
_NEEDS = ("no model", "a model that reads every sentence", "requests to a served model")
#: benchmarks that no person judged: a column of their own
NOT_PEOPLE = frozenset(["wrong-detail"])
#: benchmarks whose texts stand in another one, or that have one rater a text: shown, but not counted
DETAILS_ONLY = frozenset(
    [
        "flickr8k-expert-all",
        "factvc-activitynet-paper",
        "thumb-machines",
        *(f"trecvid-{year}" for year in range(2016, 2021)),
        *NOT_PEOPLE,
    ]
)


class Figure(NamedTuple):
    """What a metric reached on a benchmark."""

    value: float
    interval: tuple[float, float] | None = None


class Outcome(NamedTuple):
    better: str
    worse: str
    p: float


@dataclass(frozen=True, slots=True)
class Contest:
    """All metrics on one benchmark."""

    benchmark: str
    title: str
    statistic: str
    figures: Mapping[str, Figure]
    tests: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Standing:
    metric: str
    #: by benchmark; where it has learnt, the rank that it would have among the others
    ranks: Mapping[str, float]
    #: the benchmarks that it has learnt from, or may have
    learnt: frozenset[str]
    wins: int
    #: those that Holm's correction leaves
    certain_wins: int
    losses: int
    #: (metric, benchmark) of its losses, and of those that do not count because the winner has seen it
    beaten: tuple[tuple[str, str], ...]
    uncounted: tuple[tuple[str, str], ...]
    seen: TrainingData

    @property
    def mean_rank(self) -> float:
        """Over the benchmarks that it has not learnt from; NaN where there is none."""
        fair = [rank for benchmark, rank in self.ranks.items() if benchmark not in self.learnt]
        return float(np.mean(fair)) if fair else math.nan


def training_data_of(metric: str) -> TrainingData:
    try:
        return get_metric(metric).trained_on
    except StorymeterError:
        return TrainingData(NOT_STATED)


def cost_of(metric: str) -> str:
    """What a score takes: `words` (of the text alone), `model`, or `requests` to a served model."""
    try:
        made = get_metric(metric)
    except StorymeterError:
        return COSTS[0]
    return COSTS[2] if asks_anyone(made) else COSTS[made.slow]


def counts(metric: str, benchmark: str) -> bool:
    """Whether its wins on a benchmark say anything: it states its training data, and they are others."""
    seen = training_data_of(metric)
    return seen.what != NOT_STATED and benchmark not in seen.benchmarks


def family(metric: str) -> str:
    """What variants of one metric have in common: the class behind the name, or the name without options.

    >>> family("bleu_1") == family("bleu_4(level=sentence)"), family("sts") == family("meteor")
    (True, False)
    """
    word = metric.partition("(")[0]
    return MEASURES.get(word) or _plugged(word)


@functools.cache
def _plugged(word: str) -> str:
    """The class that a plug-in registered under a name, or several."""
    try:
        made = type(get_metric(word)._named_measure)
    except StorymeterError:
        return word
    return f"{made.__module__}:{made.__qualname__}"


def _leaders(contest: Contest) -> set[str]:
    """The best variant of every family."""
    best: dict[str, str] = {}
    for name, figure in contest.figures.items():
        own = best.get(family(name))
        if not math.isnan(figure.value) and (own is None or figure.value > contest.figures[own].value):
            best[family(name)] = name
    return set(best.values())


def _variants(contest: Contest, metric: str) -> int:
    """How many variants its family has on a benchmark: the best of them is chosen by its figure there, for
    which a win pays by Bonferroni's correction.
    """
    figures = contest.figures.items()
    return sum(family(name) == family(metric) and not math.isnan(figure.value) for name, figure in figures)


def _counted(contest: Contest) -> list[Outcome]:
    """The tests in which a metric meets the best variant of another family."""
    leaders = _leaders(contest)
    return [
        test
        for test in contest.tests
        if not math.isnan(test.p)
        and not math.isnan(contest.figures[test.better].value)  # no metric that does not vary wins
        and family(test.better) != family(test.worse)
        and not leaders.isdisjoint((test.better, test.worse))
    ]


def _survived(
    p: Sequence[float], between: Sequence[bool], correct: Callable[[Sequence[float]], FloatArray]
) -> list[bool]:
    """Which tests are significant after the correction: those between the best variants among themselves, so
    that nobody's further variants move them; those of other variants among all.
    """
    if not p:
        return []
    found = np.asarray(correct(p))
    own = np.asarray(between)
    if own.any():
        found[own] = correct([one for one, both in zip(p, between, strict=True) if both])
    return [bool(q < SIGNIFICANT) for q in found]


def standings(contests: Sequence[Contest]) -> list[Standing]:
    """Best first, by the rule at the top."""
    metrics = list(dict.fromkeys(name for contest in contests for name in contest.figures))
    listed = [(contest, test) for contest in contests for test in _counted(contest)]
    leading = {contest.benchmark: _leaders(contest) for contest in contests}
    between = [leading[contest.benchmark] >= {test.better, test.worse} for contest, test in listed]
    p = [min(1.0, test.p * _variants(contest, test.better)) for contest, test in listed]
    survived, certain = (_survived(p, between, correct) for correct in (benjamini_hochberg, holm))
    ranks: dict[str, dict[str, float]] = {name: {} for name in metrics}
    varies = set()
    for contest in contests:
        found = {
            name: -math.inf if math.isnan(figure.value) else figure.value
            for name, figure in contest.figures.items()
        }
        varies |= {name for name, value in found.items() if value > -math.inf}
        fair: dict[str, float] = {}  # the best variant of every family among those that have not learnt
        for name, value in found.items():
            if counts(name, contest.benchmark):
                fair[family(name)] = max(value, fair.get(family(name), -math.inf))
        for name, value in found.items():
            others = [v for kind, v in fair.items() if kind != family(name)]
            above, equal = sum(v > value for v in others), sum(v == value for v in others)
            ranks[name][contest.benchmark] = 1 + above + equal / 2
    wins, certain_wins = dict.fromkeys(metrics, 0), dict.fromkeys(metrics, 0)
    beaten: dict[str, list[tuple[str, str]]] = {name: [] for name in metrics}
    uncounted: dict[str, list[tuple[str, str]]] = {name: [] for name in metrics}
    for (contest, test), real, sure in zip(listed, survived, certain, strict=True):
        leaders = leading[contest.benchmark]
        if real and not counts(test.better, contest.benchmark):
            if test.better in leaders:
                uncounted[test.worse].append((test.better, contest.benchmark))
        elif real:
            wins[test.better] += test.worse in leaders
            certain_wins[test.better] += sure and test.worse in leaders
            if test.better in leaders:
                beaten[test.worse].append((test.better, contest.benchmark))
    standing = [
        Standing(
            name,
            ranks[name],
            frozenset(benchmark for benchmark in ranks[name] if not counts(name, benchmark)),
            wins[name],
            certain_wins[name],
            len(beaten[name]),
            tuple(beaten[name]),
            tuple(uncounted[name]),
            training_data_of(name),
        )
        for name in metrics
    ]
    last = {s.metric: math.inf if math.isnan(s.mean_rank) else s.mean_rank for s in standing}
    return sorted(
        standing, key=lambda s: (s.metric not in varies, s.losses - s.wins, last[s.metric], s.metric)
    )


def advice(found: Sequence[Standing], benchmarks: int) -> str:
    """The sentence that follows from the standings by the rule at the top."""
    if not found:
        return "No benchmark with references was found."
    first = found[0]
    rank = "" if math.isnan(first.mean_rank) else f"; its mean rank is {first.mean_rank:.1f}"
    text = (
        f"Recommended first: `{first.metric}`. Over {benchmarks} benchmark{'s' * (benchmarks != 1)} it wins"
        f" {first.wins:,} comparisons with other metrics and loses {first.losses:,} (false discovery rate"
        f" .05; {first.certain_wins:,} wins are left under Holm's correction){rank}."
    )
    cost = COSTS.index(cost_of(first.metric))
    cheaper = next((s.metric for s in found if COSTS.index(cost_of(s.metric)) < cost), None)
    if cheaper is not None:
        text += f" It needs {_NEEDS[cost]}; the best that needs {_NEEDS[COSTS.index(cost_of(cheaper))]} is"
        text += f" `{cheaper}`."
    against: dict[str, list[str]] = {}
    for winner, benchmark in first.beaten:
        against.setdefault(winner, []).append(benchmark)
    if against:
        second = max(against, key=lambda name: len(against[name]))
        text += (
            f" Also consider `{second}`, which is significantly better on {' and '.join(against[second])}."
        )
    known: dict[str, list[str]] = {}
    for winner, benchmark in first.uncounted:
        known.setdefault(winner, []).append(benchmark)
    for winner, names in known.items():
        if training_data_of(winner).what == NOT_STATED:
            text += (
                f" `{winner}` is ahead of it on {' and '.join(names)}, but does not state its training data."
            )
            continue
        these = "these benchmarks" if len(names) > 1 else "this benchmark"
        text += (
            f" `{winner}` is ahead of it on {' and '.join(names)}, but data of {these}, or closely related"
            " data, were used to train or tune it."
        )
    return text

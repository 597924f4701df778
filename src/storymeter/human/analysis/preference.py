"""Preferences between two captionings of a clip (Fujita et al. 2020, section 6.3).

A record of criterion `preference` says of one item (video) which of two was told better: from -2 (that of
`system`) to 2 (that of `meta.against`), whatever side of the screen they stood on. A record of criterion
`test` says whether a question that only a viewer can answer was answered rightly (1) or not (0); raters with
too few right (`study.base.least_right`, or less than a share `faithful`) are left out, and those who agree
with nobody (`story_raters`).

Per video the mean answer decides: above 0 B is preferred, below 0 A, 0 nobody. Undecided videos are counted
and are in no share. The paper's binomial test asks whether a fair coin could have given the wins; it takes
the videos as independent, which they are not where a rater leans to one of the systems. Therefore p is that
of the mean answer with raters as random (`rater_effects`), and the binomial p stands beside it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...captions import Rating
from ...errors import DataError
from ...stats.ties import preference_accuracy
from .left_out import Held
from .pairwise import PairwiseRanking, few_raters, fit
from .rater_effects import FEW_RATERS, NOTHING, Cells, Estimate
from .reliability import ordinal_alpha
from .story_raters import Gates, StoryQuality, believed


@dataclass(frozen=True, slots=True)
class Preference:
    a: str
    b: str
    items: tuple[str, ...]
    #: mean answer per item (B minus A) and how many raters gave it
    means: tuple[float, ...]
    raters: tuple[int, ...]
    wins_a: int
    wins_b: int
    undecided: int
    #: share of decided items that B wins, and its 95 % interval (Clopper & Pearson: for these raters)
    share_b: float
    interval: tuple[float, float] | None
    #: two-sided, of the mean answer with raters as random; binomial where there are too few raters
    p: float
    alpha: float
    notes: tuple[str, ...] = ()
    p_binomial: float = math.nan
    #: mean of the items' mean answers (B minus A), and its 95 % interval with raters as random
    mean: float = math.nan
    mean_interval: tuple[float, float] | None = None


class Preferences(list[Preference]):
    """The results of every two systems, and the ranking of all by the same answers (`pairwise`); None where
    there are two systems only, or systems that no chain of answers compares. `quality`: the verdicts on the
    raters."""

    def __init__(
        self,
        pairs: Iterable[Preference],
        ranking: PairwiseRanking | None = None,
        quality: StoryQuality | None = None,
    ) -> None:
        super().__init__(pairs)
        self.ranking = ranking
        self.quality = quality or StoryQuality()


@dataclass(frozen=True, slots=True)
class MetricAccuracy:
    metric: str
    accuracy: float
    n: int
    ties: int
    interval: tuple[float, float] | None
    rule: str


def votes_of(
    records: Sequence[Rating],
    share: float | None = None,
    held: Held = "leave-out",
    gates: Gates = "auto",
) -> tuple[list[Rating], list[str], StoryQuality]:
    """The comparisons that count: the first of each rater, item and pair of systems, by raters who passed;
    what is to be said of the others; and the verdicts."""
    kept, notes, quality = believed(records, share, held, gates)
    first: dict[tuple[str, ...], Rating] = {}
    compared = [one for one in kept if one.criterion == "preference"]
    for one in compared:
        pair = sorted((one.system, str(one.meta.get("against", ""))))
        first.setdefault((*pair, one.item, one.rater), one)
    if len(first) < len(compared):
        notes.append(
            f"{len(compared) - len(first):,} second answers of a rater on the same item were left out."
        )
    return list(first.values()), notes, quality


def analyse_preferences(
    records: Sequence[Rating],
    *,
    faithful: float | None = None,
    minimum: int = 1,
    held: Held = "leave-out",
    gates: Gates = "auto",
) -> Preferences:
    """One result per pair of systems; items with fewer than `minimum` raters are left out and counted."""
    votes, notes, quality = votes_of(records, faithful, held, gates)
    answers: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for r in votes:
        a, b = r.system, str(r.meta.get("against", ""))
        if not a or not b or not -2 <= r.value <= 2:
            raise DataError(
                f"The answer of {r.rater!r} on {r.item!r} is not a preference: it needs both systems (system,"
                " meta.against) and a value from -2 to 2.",
                hint="Export the campaign again with: storymeter human export DIR --format jsonl",
            )
        value = r.value if a <= b else -r.value
        answers.setdefault((min(a, b), max(a, b)), {}).setdefault(r.item, {})[r.rater] = value
    if not answers:
        raise DataError(
            "There is no answer of a rater who passed the test questions.",
            hint="Lower --faithful, or check the criterion names: preference, test.",
        )
    pairs = [_pair(a, b, items, minimum, notes) for (a, b), items in sorted(answers.items())]
    return Preferences(pairs, _ranked(answers, minimum), quality)


def _ranked(
    answers: Mapping[tuple[str, str], Mapping[str, Mapping[str, float]]], minimum: int
) -> PairwiseRanking | None:
    """All systems by the answers that the pairs count."""
    votes = [
        Rating(item, a, rater, value, criterion="preference", meta={"against": b})
        for (a, b), items in sorted(answers.items())
        for item, given in items.items()
        for rater, value in given.items()
        if len(given) >= minimum
    ]
    if len({name for pair in answers for name in pair}) < 3:
        return None
    try:
        return fit(votes)
    except DataError:
        return None


def _pair(
    a: str, b: str, items: Mapping[str, Mapping[str, float]], minimum: int, notes: Sequence[str]
) -> Preference:
    kept = {item: given for item, given in sorted(items.items()) if len(given) >= minimum}
    said = (
        [*notes, f"{len(items) - len(kept):,} items have fewer than {minimum} raters and were left out."]
        if len(kept) < len(items)
        else list(notes)
    )
    means = [sum(given.values()) / len(given) for given in kept.values()]
    wins_b, wins_a = sum(m > 0 for m in means), sum(m < 0 for m in means)
    share, interval, coin = binomial(wins_b, wins_a + wins_b)
    lean = _over_raters(kept)
    if math.isnan(lean.p):
        said.append(
            f"No test over raters can be made between {a} and {b} (two raters, two items and answers that"
            " differ are needed); their p is that of the binomial test and holds for these raters only."
        )
    raters = len({rater for given in kept.values() for rater in given})
    if raters < FEW_RATERS:
        said.append(few_raters(raters))
    if not wins_a + wins_b:
        said.append(f"No item is decided between {a} and {b}, so there is no share and no test.")
    return Preference(
        a,
        b,
        tuple(kept),
        tuple(means),
        tuple(len(given) for given in kept.values()),
        wins_a,
        wins_b,
        len(means) - wins_a - wins_b,
        share,
        interval,
        coin if math.isnan(lean.p) else lean.p,
        ordinal_alpha(given.values() for given in kept.values()),
        tuple(said),
        coin,
        sum(means) / len(means) if means else math.nan,
        None if math.isnan(lean.p) else lean.interval(),
    )


def _over_raters(items: Mapping[str, Mapping[str, float]]) -> Estimate:
    """The mean answer, items weighing alike, with raters as random."""
    rows = [(k, rater, value) for k, given in enumerate(items.values()) for rater, value in given.items()]
    code = {rater: k for k, rater in enumerate(sorted({rater for _, rater, _ in rows}))}
    if len(code) < 2:
        return NOTHING
    item, who = np.array([k for k, _, _ in rows]), np.array([code[rater] for _, rater, _ in rows])
    value, one = np.array([value for _, _, value in rows]), np.zeros(len(rows), dtype=np.int64)
    cells = Cells.of(value, one, who, item, 1)
    return cells.system_mean(0, 1 / (len(items) * np.bincount(item)[item]))


def binomial(wins: int, n: int) -> tuple[float, tuple[float, float] | None, float]:
    """Share, exact interval and two-sided p against one half."""
    if not n:
        return math.nan, None, math.nan
    from scipy.stats import binomtest

    test = binomtest(wins, n)
    interval = test.proportion_ci(0.95, method="exact")
    return wins / n, (float(interval.low), float(interval.high)), float(test.pvalue)


def metric_accuracy(
    preference: Preference,
    metric: str,
    scores_a: Mapping[str, float],
    scores_b: Mapping[str, float],
    *,
    ties: str = "half",
) -> MetricAccuracy:
    """How often the metric prefers what people prefer; see `storymeter.stats.ties.preference_accuracy` for
    the rules.
    """
    joined = [
        (mean, scores_b[item] - scores_a[item])
        for item, mean in zip(preference.items, preference.means, strict=True)
        if item in scores_a and item in scores_b
    ]
    if not joined:
        raise DataError(
            f"No item of the preferences has a score of {metric!r} for both systems.",
            hint="Check that both use the same ids.",
        )
    human, score = np.array(joined).T
    accuracy, n, tied = preference_accuracy(human, score, ties=ties)
    interval = binomial(round(accuracy * n), n)[1] if n else None
    return MetricAccuracy(metric, accuracy, n, tied, interval, ties)

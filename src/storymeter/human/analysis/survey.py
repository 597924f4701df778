"""The story survey of Wang et al. (RoViST, figure 7): three 5-point scales per story and one vote for the
best.

A record of criterion `grounded`, `coherent` or `no_repetition` (any name but `vote` will do) gives 1..5 to
the story that `system` told of `item`; a record of criterion `vote` has value 1 for the story that a rater
liked best.

- mean per criterion and system over its stories, and vote shares, each with a 95 % interval that takes raters
  as random (`rater_effects`): other raters of the same kind and other stories;
- rank per sequence: systems by their share of its votes, ties share a rank;
- table 2: within each sequence, correlate the mean score per criterion with that rank (the better rank counts
  higher), and average over the sequences where neither side is constant; `overall` is the sum of the
  criteria;
- agreement per criterion: Krippendorff's alpha, ordinal.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import stdtrit

from ...arrays import FloatArray
from ...captions import Rating
from ...errors import DataError, many
from ...stats.correlation import kendall_b, pearson, spearman
from ...stats.ranks import mean_ranks
from .left_out import Held
from .rater_effects import FEW_RATERS, NOTHING, Cells, Estimate
from .reliability import ordinal_alpha
from .story_raters import Gates, StoryQuality, believed, is_repeat

VOTE = "vote"
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    criterion: str
    spearman: float
    pearson: float
    kendall: float
    #: sequences used, and those dropped because a side was constant
    sequences: int
    dropped: int


@dataclass(frozen=True, slots=True)
class CriterionMean:
    system: str
    criterion: str
    mean: float
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class Survey:
    criteria: tuple[str, ...]
    systems: tuple[str, ...]
    means: tuple[CriterionMean, ...]
    votes: dict[str, int]
    #: 95 % of the share of the votes; None where no interval can be given
    vote_intervals: dict[str, tuple[float, float] | None]
    correlations: tuple[RankCorrelation, ...]
    alphas: dict[str, float]
    notes: tuple[str, ...]
    #: the verdicts on the raters
    quality: StoryQuality = field(default_factory=StoryQuality)


def _scales(records: Sequence[Rating]) -> list[Rating]:
    other = (VOTE, "test", "preference", "")
    scales = [r for r in records if r.criterion not in other and not is_repeat(r)]
    if not scales:
        raise DataError(
            "There is no Likert answer in the file.",
            hint="Records need a criterion (grounded, coherent, no_repetition) and a value from 1 to 5.",
        )
    return scales


def story_means(records: Sequence[Rating]) -> dict[str, dict[tuple[str, str], float]]:
    """The mean mark of each (system, item) per criterion, and under `overall` the sum over all criteria: what
    metrics are held against (table 1).
    """
    given: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    for r in _scales(records):
        given.setdefault(r.criterion, {}).setdefault((r.system, r.item), {})[r.rater] = r.value
    means = {
        criterion: {story: float(np.mean(list(marks.values()))) for story, marks in stories.items()}
        for criterion, stories in sorted(given.items())
    }
    whole = set.intersection(*(set(stories) for stories in means.values()))
    return {
        **means,
        OVERALL: {story: sum(stories[story] for stories in means.values()) for story in sorted(whole)},
    }


def analyse_survey(
    records: Sequence[Rating],
    *,
    faithful: float | None = None,
    held: Held = "leave-out",
    gates: Gates = "auto",
) -> Survey:
    """Raters who got too few of the stories that must lose right are left out (`study.base.least_right`, or
    the share `faithful`), and those who agree with nobody (`story_raters`).
    """
    records, notes, quality = believed(records, faithful, held, gates)
    if not records:
        raise DataError("No rater passed the control stories.", hint="Lower --faithful to use their answers.")
    scales = _scales(records)
    criteria, systems = sorted({r.criterion for r in scales}), sorted({r.system for r in records if r.system})
    once = {(r.item, r.system, r.rater, r.criterion): r.value for r in scales}
    if len(once) < len(scales):
        notes.append(
            f"{len(scales) - len(once):,} answers repeat an earlier one of the same rater; the last one"
            " counts."
        )
    votes = {(r.item, r.rater): r.system for r in records if r.criterion == VOTE and r.value > 0}
    tally = {system: sum(chosen == system for chosen in votes.values()) for system in systems}
    cell: dict[tuple[str, str, str], list[float]] = {}
    for (item, system, _, criterion), value in once.items():
        cell.setdefault((item, system, criterion), []).append(value)
    means = []
    for criterion in criteria:
        given = {key[:3]: value for key, value in once.items() if key[3] == criterion}
        estimates = _estimates(given, systems)
        for system in systems:
            stories = [np.mean(v) for (_, s, c), v in sorted(cell.items()) if s == system and c == criterion]
            if stories:
                marks = sum(s == system for _, s, _ in given)
                mean = float(np.mean(stories))
                means.append(CriterionMean(system, criterion, mean, estimates[system].interval(), marks))
            else:
                notes.append(f"{system} has no answer for {criterion}.")
    raters = len({one.rater for one in records})
    if raters < FEW_RATERS:
        notes.append(
            f"There {'is' if raters == 1 else 'are'} {many(raters, 'rater')}. Intervals from fewer than"
            f" {FEW_RATERS} raters do not generalise to other raters."
        )
    ballots = {
        (item, system, rater): float(chosen == system)
        for (item, rater), chosen in votes.items()
        for system in systems
    }
    return Survey(
        tuple(criteria),
        tuple(systems),
        tuple(means),
        tally,
        {
            name: _share_interval(tally[name] / max(1, len(votes)), found)
            for name, found in _estimates(ballots, systems).items()
        },
        _correlations(criteria, systems, cell, votes),
        {name: ordinal_alpha(v for (_, _, c), v in cell.items() if c == name) for name in criteria},
        tuple(notes),
        quality,
    )


def _estimates(given: Mapping[tuple[str, str, str], float], systems: Sequence[str]) -> dict[str, Estimate]:
    """Each system's mean over its items, of values by (item, system, rater), with raters as random."""
    found = dict.fromkeys(systems, NOTHING)
    if not given:
        return found
    items, authors, raters = (np.unique(names, return_inverse=True) for names in zip(*given, strict=True))
    item, system, rater = items[1], authors[1], raters[1]
    story = system * len(items[0]) + item
    stories = np.bincount(np.unique(story) // len(items[0]))
    weight = 1 / (np.bincount(story)[story] * stories[system])
    cells = Cells.of(np.array(list(given.values())), system, rater, item, len(authors[0]))
    for k, name in enumerate(authors[0].tolist()):
        found[name] = cells.system_mean(k, weight)
    return found


def _share_interval(share: float, found: Estimate) -> tuple[float, float] | None:
    """Wilson's interval of a share, for as many independent votes as would have its standard error (Korn &
    Graubard 1998), by the t distribution; of a share of 0 or 1, for one vote of each rater."""
    if not found.freedom > 0:
        return None
    n = share * (1 - share) / found.error**2 if found.error > 0 else float(found.raters)
    t = float(stdtrit(found.freedom, 0.975))
    centre = (share + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t / (1 + t**2 / n) * math.sqrt(share * (1 - share) / n + t**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def _correlations(
    criteria: Sequence[str],
    systems: Sequence[str],
    cell: dict[tuple[str, str, str], list[float]],
    votes: dict[tuple[str, str], str],
) -> tuple[RankCorrelation, ...]:
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for (item, _), chosen in votes.items():
        shares[item][chosen] += 1
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in (*criteria, OVERALL)}
    dropped = dict.fromkeys(found, 0)
    for item, counted in sorted(shares.items()):
        told = [s for s in systems if all((item, s, c) in cell for c in criteria)]
        if not told:
            continue
        rank: FloatArray = mean_ranks([counted[s] for s in told])
        score = {c: np.array([np.mean(cell[item, s, c]) for s in told]) for c in criteria}
        score[OVERALL] = np.sum([score[c] for c in criteria], axis=0)
        for name, values in score.items():
            three = spearman(values, rank), pearson(values, rank), kendall_b(values, rank)
            if any(math.isnan(r) for r in three):
                dropped[name] += 1
            else:
                found[name].append(three)
    means = {name: np.mean(rows or [(math.nan,) * 3], axis=0).tolist() for name, rows in found.items()}
    return tuple(
        RankCorrelation(name, mean[0], mean[1], mean[2], len(found[name]), dropped[name])
        for name, mean in means.items()
    )

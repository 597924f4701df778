"""Which raters of a survey or a preference study can be believed? Three kinds of evidence, and a rule.

- **Controls** (`study.base.by_tests`): test questions, and stories that must lose.
- **Agreement with the others** (`agreement`): the judgements of a rater (survey: marks, less the rater's mean
  of each criterion, averaged over criteria; preference: answers from -2 to 2) and the mean of those that
  raters who pass the controls gave to the same stories, each weighted by how it agrees itself (r, at least
  0; in `ROUNDS` rounds, the first with equal weights). From both sides the systems are taken out (least
  squares, by rater), so that a taste for a system, which is what such a study asks for, is no disagreement;
  r is the correlation of what is left, over n judgements with n - systems = f degrees of freedom. `usual` is
  the median r of the raters who pass the controls.
- **Repeats** (`consistency`): c is 1 where the two showings of an item got the same answers, and 0 where they
  are no more alike than chance. Survey: with d(i, j) the distance of what story i got first from what story j
  got the second time (marks and vote), c = 1 - sum of d(i, i) / its expectation over all orders of the
  stories of an item, which has a known variance, too (Hoeffding 1951). Preference: the mean of 1 (the same
  side wins), -1 (the other one) and 0 (a tie in one showing), with the variance of throws of a coin.

Tastes differ in such studies, and a HIT holds few judgements. Therefore only who agrees **not at all** is
left out, where the crowd agrees: r (or c) is not significantly above 0, and significantly below half of what
is usual (both one-sided, p < .05, by Fisher's transformation of r). A rater who agrees half as well as the
median rater is left out in one case of twenty at most, and one who agrees as well nearly never.

Agreement is silent where fewer than three raters share stories, where a rater's judgements leave fewer than
six degrees of freedom, and where the raters hardly agree (usual r below .2); repeats are silent below five.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import bdtrc, ndtr, ndtri

from ...arrays import FloatArray, IntArray
from ...captions import Rating
from ...errors import first_few, many
from ..ratings import BoolArray
from ..study.base import TEST, ControlResult, by_tests
from .attention import LEAST_PEERS, LEAST_REPEATS
from .left_out import Held, records_without
from .scores import means

Gates = Literal["auto", "control", "repeats", "attention"]
VOTE, PREFERENCE = "vote", "preference"
#: degrees of freedom of a rater's judgements below which, and usual agreement below which, nothing is said
FREE, USUAL = 6.0, 0.2
#: both tests of a rater; and the share of what is usual that is asked for
LEVEL, SHARE = 0.05, 0.5
#: how often raters are weighted anew by how they agree
ROUNDS = 4
#: from the lowest mark to the highest: what a vote for another story is apart
SPAN = 4.0


@dataclass(frozen=True, slots=True)
class StoryRater:
    """A rater of stories, and what there is to be said of the work."""

    id: str
    #: items answered, without repeats
    items: int
    #: None: nothing could be asked
    accepted: bool | None
    #: why, in words
    reason: str
    tests: int
    tests_right: float | None
    #: items seen twice, how alike the answers were (1: the same, 0: chance), and p that they are no more
    #: alike than chance
    repeats: int
    consistency: float | None
    consistency_p: float | None
    #: judgements that other raters gave, too; the correlation with these, and the probability that a rater
    #: who agrees half as well as is usual would agree as little
    shared: int
    agreement: float | None
    agreement_p: float | None
    #: median for an item
    seconds: float | None


@dataclass(frozen=True, slots=True)
class StoryQuality:
    gates: Literal["control", "repeats", "attention"] = "control"
    workers: tuple[StoryRater, ...] = ()
    #: the agreement, and the consistency, of a usual rater; None where they are not known
    usual: float | None = None
    usual_consistency: float | None = None
    notes: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """By rater: an estimate (NaN where nothing can be said) and 1 / its standard error on the scale of the
    test; over how many judgements; and what is usual."""

    value: FloatArray
    root: FloatArray
    over: IntArray
    usual: float

    def low(self, curve: Any = np.arctanh) -> tuple[BoolArray, FloatArray]:
        """Who shows nothing, and less than half of what is usual; and the p of the second. NaN: not asked."""
        if not self.usual >= USUAL:
            return np.zeros(len(self.value), dtype=bool), np.full(len(self.value), np.nan)
        with np.errstate(invalid="ignore"):
            there = curve(np.clip(self.value, -1 + 1e-9, 1 - 1e-9)) * self.root
            p = np.asarray(ndtr(there - curve(SHARE * self.usual) * self.root))
            return (p < LEVEL) & (there < -ndtri(LEVEL)), p


def is_repeat(one: Rating) -> bool:
    """Whether it is the second judgement of a rater on the same thing, which no mean or count takes in."""
    return one.kind == "repeat" and bool(one.pair)


def believed(
    records: Sequence[Rating], share: float | None = None, held: Held = "leave-out", gates: Gates = "auto"
) -> tuple[list[Rating], list[str], StoryQuality]:
    """The answers that count: of raters who pass, each once; what is to be said of the others; and the
    verdicts.
    """
    records, notes = records_without(records, held)
    found = assess(records, share, gates)
    failed = {name for name, said in by_tests(records, share).items() if said.accepted is False}
    doubted = {one.id: one.reason for one in found.workers if one.accepted is False and one.id not in failed}
    if not any(record.criterion == TEST for record in records):
        notes.append(
            "The raters cannot be checked: there is neither a test question nor a control item in these"
            " answers, so that careless raters are not detected."
        )
    elif failed:
        raters, were = ("rater", "was") if len(failed) == 1 else ("raters", "were")
        said = f"{len(failed):,} {raters} failed the test questions and {were} left out"
        notes.append(f"{said}: {first_few(sorted(failed))}.")
    if doubted:
        were = "was" if len(doubted) == 1 else "were"
        listed = first_few([f"{name} ({reason})" for name, reason in sorted(doubted.items())])
        notes.append(f"{many(len(doubted), 'rater')} {were} left out: {listed}.")
    out = failed | doubted.keys()
    kept = [record for record in records if record.rater not in out and not is_repeat(record)]
    return kept, [*notes, *found.notes], found


def assess(records: Sequence[Rating], share: float | None = None, gates: Gates = "auto") -> StoryQuality:
    """The verdict on every rater.

    share: of the test questions that must be right; None: enough that guessing does not reach it.
    gates: control: the test questions and controls alone; repeats: repeats, too; attention: also agreement
        with the others; auto: attention where items were repeated, which are the campaigns whose design
        counts on it, else control.
    """
    records = [one for one in records if not one.meta.get("assumed")]
    controls = by_tests(records, share)
    names = sorted(controls)
    repeated = any(map(is_repeat, records))
    chosen = ("attention" if repeated else "control") if gates == "auto" else gates
    trusted = np.array([controls[name].accepted is not False for name in names], dtype=bool)
    number = {name: k for k, name in enumerate(names)}
    company = agreement(records, number, trusted)
    steady, alike = consistency(records, number, trusted)
    apart, apart_p = company.low()
    erratic, _ = steady.low(lambda value: value)
    erratic &= steady.over >= LEAST_REPEATS
    notes: list[str] = []
    if chosen == "attention":
        notes += _silent(company, trusted)
    elif gates == "auto" and any(one.criterion == TEST for one in records):
        notes.append(
            "Agreement between the raters was not tested, because these answers hold no repeated items"
            " (--gates attention tests it)."
        )
    items: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    times: dict[str, dict[tuple[Any, ...], float]] = defaultdict(dict)
    for one in records:
        place = one.campaign, one.hit, one.item, str(one.position)
        if not is_repeat(one):
            items[one.rater].add(place)
        if one.seconds is not None:
            times[one.rater][place] = one.seconds
    workers = []
    for k, name in enumerate(names):
        said = controls[name]
        accepted, reason = said.accepted, said.reason
        if accepted is not False and chosen == "attention" and apart[k]:
            accepted, reason = (
                False,
                (
                    f"does not agree with the other raters (r = {company.value[k]:.2f} over"
                    f" {many(int(company.over[k]), 'judgement')}, usual is {company.usual:.2f})"
                ),
            )
        elif accepted is not False and chosen != "control" and erratic[k]:
            accepted, reason = (
                False,
                (
                    f"answers to repeated items are no more alike than chance ({steady.value[k]:.2f} over"
                    f" {many(int(steady.over[k]), 'repeat')}, usual is {steady.usual:.2f})"
                ),
            )
        spent = list(times[name].values())
        workers.append(
            StoryRater(
                name,
                len(items[name]),
                accepted,
                reason,
                said.tests,
                said.tests_right,
                int(steady.over[k]),
                _or_none(steady.value[k]),
                _or_none(alike[k]),
                int(company.over[k]),
                _or_none(company.value[k]),
                _or_none(apart_p[k]),
                float(np.median(spent)) if spent else None,
            )
        )
    return StoryQuality(chosen, tuple(workers), _or_none(company.usual), _or_none(steady.usual), tuple(notes))


def verdicts(records: Sequence[Rating]) -> dict[str, ControlResult]:
    """Whose answers the analysis uses."""
    return {
        one.id: ControlResult(one.accepted, one.reason, tests=one.tests, tests_right=one.tests_right)
        for one in assess(records).workers
    }


class _Judgements(NamedTuple):
    """Each rater's judgement of each story (comparison): who, which, and what; and the columns of the systems
    that it is of."""

    rater: IntArray
    story: IntArray
    value: FloatArray
    systems: FloatArray


def _judgements(records: Sequence[Rating], number: Mapping[str, int]) -> _Judgements:
    given = [
        one for one in records if one.system and one.criterion not in (TEST, VOTE) and not is_repeat(one)
    ]
    n = len(number)
    value = np.array([one.value for one in given])
    rater = np.array([number[one.rater] for one in given], dtype=np.int64)
    against = [str(one.meta.get("against", "")) for one in given]
    if not any(against):  # marks: each criterion has a mean of its own
        criterion = np.unique([one.criterion for one in given], return_inverse=True)[1]
        scale = np.unique(rater * len(given) + criterion, return_inverse=True)[1]
        value = value - means(value, scale, len(given))[scale]
    names, author = np.unique([*(one.system for one in given), *against], return_inverse=True)
    first, second = author[: len(given)], author[len(given) :]
    turned = (first > second) & (np.array(against) != "")
    value = np.where(turned, -value, value)
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    item = np.unique([one.item for one in given], return_inverse=True)[1]
    told = np.unique((item * len(names) + first) * len(names) + second, return_inverse=True)[1]
    cell, row, place = np.unique(told * n + rater, return_index=True, return_inverse=True)
    systems, cells = np.zeros((len(cell), len(names))), np.arange(len(cell))
    if any(against):
        systems[cells, second[row]] += 1
        systems[cells, first[row]] -= 1
    else:
        systems[cells, first[row]] = 1
    return _Judgements(cell % n, cell // n, means(value, place, len(cell)), systems)


def agreement(records: Sequence[Rating], number: Mapping[str, int], trusted: BoolArray) -> Evidence:
    """How each rater agrees with those who are trusted, over judgements of the same stories."""
    n = len(number)
    r, root, usual, weight = np.full(n, np.nan), np.zeros(n), np.nan, trusted.astype(float)
    if not any(one.system for one in records):
        return Evidence(r, root, np.zeros(n, dtype=np.int64), usual)
    rater, story, value, systems = _judgements(records, number)
    there = trusted[rater]
    count = np.bincount(rater[np.bincount(story, weights=there)[story] > there], minlength=n)
    for _ in range(ROUNDS):
        known = weight[rater]
        total = np.bincount(story, weights=known)[story] - known
        others = np.bincount(story, weights=known * value)[story] - known * value
        r, root = np.full(n, np.nan), np.zeros(n)
        for k in np.flatnonzero(count).tolist():
            mine = (total > 1e-9) & (rater == k)
            sides = np.stack([value[mine], others[mine] / total[mine]], axis=1)
            basis, strength, _ = np.linalg.svd(systems[mine], full_matrices=False)
            basis = basis[:, strength > 1e-9]
            (own, both), (_, their) = (rest := sides - basis @ (basis.T @ sides)).T @ rest
            free = len(sides) - basis.shape[1]
            if free >= FREE and their > 1e-9:
                r[k] = both / np.sqrt(own * their) if own > 1e-9 else 0.0  # agrees with nobody's differences
                root[k] = np.sqrt(free - 2)
        typical = r[trusted & ~np.isnan(r)]
        if len(typical) < LEAST_PEERS:
            return Evidence(r, root, count, np.nan)
        usual = float(np.median(typical))
        weight = np.where(trusted, np.clip(np.nan_to_num(r, nan=usual), 0.0, None), 0.0)
    return Evidence(r, root, count, usual)


def consistency(
    records: Sequence[Rating], number: Mapping[str, int], trusted: BoolArray
) -> tuple[Evidence, FloatArray]:
    """How alike each rater's answers to repeated items are; and p that they are so by chance."""
    showings: dict[tuple[str, ...], tuple[dict[Any, float], dict[Any, float]]] = defaultdict(lambda: ({}, {}))
    for one in records:
        if one.pair and one.criterion != TEST:
            sides = showings[one.rater, one.campaign, one.hit, one.pair]
            sides[is_repeat(one)][one.system, one.criterion] = one.value
    n = len(number)
    count = np.zeros(n, dtype=np.int64)
    # survey: distance, its expectation and variance; preference: sum of equal less other choices, of all
    # that are no ties
    apart, expected, variance, same, decided = np.zeros((5, n))
    for (name, *_), (before, after) in showings.items():
        if not before or before.keys() != after.keys():
            continue
        k = number[name]
        count[k] += 1
        if any(criterion == PREFERENCE for _, criterion in before):
            both = sum(np.sign(before[key]) * np.sign(after[key]) for key in before)
            same[k], decided[k] = same[k] + both, decided[k] + abs(both)
            continue
        stories = sorted({system for system, _ in before})
        distance = np.zeros((len(stories), len(stories)))
        for criterion in sorted({criterion for _, criterion in before}):
            first, second = (
                np.array([side.get((system, criterion), 0.0) for system in stories])
                for side in (before, after)
            )
            distance += np.abs(first[:, None] - second) * (SPAN if criterion == VOTE else 1.0)
        rows, columns = distance.mean(axis=1, keepdims=True), distance.mean(axis=0, keepdims=True)
        rest = distance - rows - columns + distance.mean()
        apart[k] += np.trace(distance)
        expected[k] += distance.mean() * len(stories)
        variance[k] += (rest**2).sum() / max(1, len(stories) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if decided.any():
            value, root = same / count, count / np.sqrt(decided)
            throws = decided.astype(np.int64)
            p = np.where(throws > 0, bdtrc((throws + same) // 2 - 1, throws, 0.5), np.nan)
        else:
            value, root = 1 - apart / expected, expected / np.sqrt(variance)
            p = ndtr(-value * root)
        value = np.where(np.isfinite(root), value, np.nan)
    enough = trusted & (count >= LEAST_REPEATS) & ~np.isnan(value)
    usual = float(np.median(value[enough])) if enough.sum() >= LEAST_PEERS else np.nan
    return Evidence(value, root, count, usual), np.where(np.isnan(value), np.nan, p)


def _silent(company: Evidence, trusted: BoolArray) -> list[str]:
    """Whose agreement could not be computed, and why."""
    total = int(trusted.sum())
    missing = int((trusted & np.isnan(company.value)).sum()) if company.usual >= USUAL else total
    if not missing:
        return []
    if not company.over.any():
        why = "no story has judgements of two raters"
    elif np.isnan(company.usual):
        why = f"fewer than {LEAST_PEERS} raters share enough judgements"
    elif company.usual < USUAL:
        why = f"the raters hardly agree on stories of one system (usual r = {company.usual:.2f})"
    else:
        why = "they share too few judgements with others"
    return [
        f"Agreement with the others could not be tested for {missing:,} of the {many(total, 'rater')} who"
        f" pass the controls: {why}."
    ]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

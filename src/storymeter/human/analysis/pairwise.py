"""Ranks systems by pairwise votes: the Bradley-Terry model with ties.

Davidson (1970, "On extending the Bradley-Terry model to accommodate ties"): with strengths a and b, A wins
with probability e^a / D, B with e^b / D and nobody with e^(t + (a + b) / 2) / D, where D is the sum of the
three. The strengths (mean 0, in log odds) and t are fitted by maximum likelihood; without ties it is the
model of Bradley and Terry. Where the likelihood has no maximum, differences that votes do not bound have
neither interval nor p; the others are those of the votes within each group of systems.

Votes of one rater, and votes about one item, are not independent. The variance of a difference is that of
the model, and what votes that are clustered by rater and by item add to it (sandwich estimators, each less
that of single votes and at least 0). Intervals use the t distribution with Satterthwaite's degrees of
freedom, where a way of clustering has its clusters less one. `bench/pairwise_coverage.py` shows how often
they cover.

>>> against = {"against": "b"}
>>> votes = [Rating(f"v{k}", "a", f"r{k % 3}", -1.0 if k % 3 else 1.0, meta=against) for k in range(30)]
>>> found = fit(votes)
>>> [(one.name, round(one.strength, 3), one.wins) for one in found.systems]
[('a', 0.347, 20), ('b', -0.347, 10)]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from ...arrays import FloatArray, IntArray
from ...captions import Rating
from ...errors import DataError, first_few
from ...stats.resampling import holm
from .rater_effects import FEW_RATERS
from .scores import clusters

#: weight of the win that each side gets where votes do not bound the difference of two systems
PRIOR = 0.5
_ROUNDS, _PRECISION = 200, 1e-12


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """One system: its strength in log odds (the mean of all is 0) and what was voted."""

    name: str
    strength: float
    #: 95 % interval of the strength; None where votes do not bound it
    interval: tuple[float, float] | None
    #: how often it would win against the average system, ties counted half
    win_share: float
    wins: int
    ties: int
    losses: int
    ranks: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairwiseRanking:
    """Systems, best first; `p[i, j]` is the two-sided p of the difference of two strengths, NaN where votes
    do not bound it."""

    systems: tuple[RankedSystem, ...]
    p: FloatArray
    p_holm: FloatArray
    clusters: tuple[tuple[str, ...], ...]
    #: share of votes that two equal systems would tie; NaN where votes do not bound it
    tie_share: float
    votes: int
    raters: int
    items: int
    alpha: float
    notes: tuple[str, ...]
    #: half the width of the 95 % interval of each difference; NaN where votes do not bound it
    margin: FloatArray


def fit(votes: Sequence[Rating], *, alpha: float = 0.05, notes: Sequence[str] = ()) -> PairwiseRanking:
    """The ranking by these votes: below 0 for `system`, above 0 for `meta.against`, 0 for neither."""
    votes = sorted(
        map(_ordered, votes),
        key=lambda one: (one.item, one.rater, one.system, one.meta["against"], one.value),
    )
    pairs = [(one.system, str(one.meta["against"])) for one in votes]
    names = sorted({name for pair in pairs for name in pair})
    number = {name: k for k, name in enumerate(names)}
    first, second = (np.array([number[pair[side]] for pair in pairs]) for side in (0, 1))
    sign = np.sign([one.value for one in votes]).astype(np.int64)
    said = list(notes)
    group = _groups(names, first, second, sign, said)
    inside = group[first] == group[second]
    kept = [vote for vote, within in zip(votes, inside.tolist(), strict=True) if within]
    within = first[inside], second[inside], sign[inside]
    theta = _fitted(*within, np.ones(len(kept)), len(names))
    covariance = _covariance(theta, kept, *within, len(names))
    open_ties = bool((sign == 0).any()) and not np.isfinite(theta[-1])
    if not inside.all():
        theta = _placed(theta, group, first, second, sign)
    if (raters := len({one.rater for one in votes})) < FEW_RATERS:
        said.append(few_raters(raters))
    return _ranking(names, theta, covariance, votes, first, second, sign, group, open_ties, alpha, said)


def _ordered(vote: Rating) -> Rating:
    """The vote with its two systems in alphabetical order, so that sides and the order of a file change no
    bit of a number."""
    one, other = vote.system, str(vote.meta["against"])
    turned = one > other
    against = {"against": one if turned else other}
    return msgspec.structs.replace(
        vote, system=min(one, other), value=-vote.value if turned else vote.value, meta=against
    )


def few_raters(raters: int) -> str:
    are = "is 1 rater" if raters == 1 else f"are {raters} raters"
    return f"There {are}. A result from fewer than {FEW_RATERS} raters does not generalise to other raters."


def _groups(
    names: Sequence[str], first: IntArray, second: IntArray, sign: IntArray, notes: list[str]
) -> IntArray:
    """The group of each system: votes bound the differences within a group, and none between groups. Systems
    that no chain of votes compares are an error."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(names)
    winner, loser = np.where(sign <= 0, first, second), np.where(sign <= 0, second, first)
    tied = sign == 0
    rows, columns = np.concatenate([winner, loser[tied]]), np.concatenate([loser, winner[tied]])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))

    def parts(count: int, member: IntArray) -> list[str]:
        return [first_few([names[k] for k in np.flatnonzero(member == g).tolist()]) for g in range(count)]

    count, member = connected_components(graph, directed=False)
    if count > 1:
        one, other = parts(count, member)[:2]
        raise DataError(
            f"No vote compares {one} with {other}, so that they have no common rank.",
            hint="Rank each group of systems by itself, or ask for votes between them.",
        )
    placed = "half a win for each side of each such pair is added to give a strength, without an interval"
    if tied.any() and _without_upset(winner[~tied], loser[~tied], first[tied], second[tied], n):
        why = "Every vote is a tie" if tied.all() else "No win contradicts the order of the systems"
        notes.append(f"{why}, so that votes do not bound the differences: {placed} or a test.")
        return np.arange(n)
    count, member = connected_components(graph, directed=True, connection="strong")
    if count > 1:
        listed = "; ".join(sorted(parts(count, member))[:6]) + ("; …" if count > 6 else "")
        tests = ". Systems of one group are tested" if count < n else " or a test"
        notes.append(
            f"All votes between these groups of systems went one way: {listed}. Votes do not bound the"
            f" differences between the groups: {placed}{tests}."
        )
    return np.asarray(member, dtype=np.int64)


def _without_upset(winner: IntArray, loser: IntArray, left: IntArray, right: IntArray, n: int) -> bool:
    """Whether strengths and t can grow together without end: some scale puts every winner 1 or more above the
    loser and no tied systems more than 1 apart, that is, these limits make no negative cycle."""
    limit = np.full((n, n), np.inf)
    limit[left, right] = limit[right, left] = 1.0
    limit[winner, loser] = -1.0
    for k in range(n):
        limit = np.minimum(limit, limit[:, k, None] + limit[None, k, :])
    return bool((np.diagonal(limit) >= 0).all())


def _placed(
    inner: FloatArray, group: IntArray, first: IntArray, second: IntArray, sign: IntArray
) -> FloatArray:
    """The groups beside each other, where votes between two of them count half a win more for each side;
    differences within a group stay as they are."""
    n = len(group)
    apart = group[first] != group[second]
    one, other = np.unique(np.stack([first[apart], second[apart]]), axis=1)
    theta = _fitted(
        np.concatenate([first, one, one]),
        np.concatenate([second, other, other]),
        np.concatenate([sign, np.full(len(one), -1), np.full(len(one), 1)]),
        np.concatenate([np.ones(len(first)), np.full(2 * len(one), PRIOR)]),
        n,
    )
    for g in np.unique(group).tolist():
        members = np.flatnonzero(group == g)
        theta[members] = theta[members].mean() + inner[members] - inner[members].mean()
    theta[:n] -= theta[:n].mean()
    if np.isfinite(inner[-1]):
        theta[-1] = inner[-1]
    return theta


def _probabilities(
    theta: FloatArray, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of a win of the first, of the second, of a tie."""
    a, b = theta[first], theta[second]
    logits = np.stack([a, b, theta[-1] + (a + b) / 2])
    logits -= logits.max(axis=0)
    found = np.exp(logits)
    found /= found.sum(axis=0)
    return found[0], found[1], found[2]


def _gradients(theta: FloatArray, first: IntArray, second: IntArray, sign: IntArray) -> FloatArray:
    """(votes, parameters): the derivative of each vote's log-likelihood."""
    win, lose, tie = _probabilities(theta, first, second)
    rows = np.arange(len(first))
    out = np.zeros((len(first), len(theta)))
    np.add.at(out, (rows, first), (sign < 0) + (sign == 0) / 2 - win - tie / 2)
    np.add.at(out, (rows, second), (sign > 0) + (sign == 0) / 2 - lose - tie / 2)
    out[:, -1] = (sign == 0) - tie
    return out


def _information(theta: FloatArray, first: IntArray, second: IntArray, weight: FloatArray) -> FloatArray:
    """The negative second derivative of the log-likelihood: the covariance of the sufficient statistics."""
    win, lose, tie = _probabilities(theta, first, second)
    one, other = win + tie / 2, lose + tie / 2
    of_one, of_other = win + tie / 4 - one**2, lose + tie / 4 - other**2
    both = tie / 4 - one * other
    of_tie = tie * (1 - tie)
    out = np.zeros((len(theta), len(theta)))
    for rows, columns, value in (
        (first, first, of_one),
        (second, second, of_other),
        (first, second, both),
        (second, first, both),
        (first, np.full_like(first, len(theta) - 1), tie / 2 - one * tie),
        (second, np.full_like(first, len(theta) - 1), tie / 2 - other * tie),
    ):
        np.add.at(out, (rows, columns), weight * value)
    out[-1, :-1] = out[:-1, -1]
    out[-1, -1] = float((weight * of_tie).sum())
    return out


def _fitted(first: IntArray, second: IntArray, sign: IntArray, weight: FloatArray, n: int) -> FloatArray:
    """The maximum of the likelihood by Newton's method; strengths have mean 0, t is last (-inf without
    ties)."""
    theta = np.zeros(n + 1)
    ties = bool((sign == 0).any())
    theta[-1] = 0.0 if ties else -np.inf
    free = n + ties

    def value(at: FloatArray) -> float:
        win, lose, tie = _probabilities(at, first, second)
        chosen = np.where(sign < 0, win, np.where(sign > 0, lose, tie))
        return float((weight * np.log(np.maximum(chosen, 1e-300))).sum())

    best = value(theta)
    for _ in range(_ROUNDS):
        slope = (weight[:, None] * _gradients(theta, first, second, sign)).sum(axis=0)[:free]
        step = np.linalg.pinv(_information(theta, first, second, weight)[:free, :free]) @ slope
        size = 1.0
        while size > 1e-10:
            moved = theta.copy()
            moved[:free] += size * step
            moved[:n] -= moved[:n].mean()
            if (reached := value(moved)) >= best:
                theta, best = moved, reached
                break
            size /= 2
        if float(np.abs(size * step).max()) < _PRECISION or size <= 1e-10:
            break
    return theta


@dataclass(frozen=True, slots=True)
class _Covariance:
    """Of the strengths: by the model, and what each way of clustering adds, with its degrees of freedom."""

    model: FloatArray
    added: tuple[tuple[FloatArray, int], ...]

    def of(self, contrast: FloatArray) -> tuple[float, float]:
        """The standard error of a contrast, and its degrees of freedom."""
        variance = float(contrast @ self.model @ contrast)
        shares = [(max(0.0, float(contrast @ more @ contrast)), degrees) for more, degrees in self.added]
        total = variance + sum(share for share, _ in shares)
        noise = sum(share**2 / degrees for share, degrees in shares)
        return math.sqrt(max(0.0, total)), total**2 / noise if noise else math.inf


def _covariance(
    theta: FloatArray,
    votes: Sequence[Rating],
    first: IntArray,
    second: IntArray,
    sign: IntArray,
    n: int,
) -> _Covariance:
    free = n + bool(np.isfinite(theta[-1]))
    bread = np.linalg.pinv(_information(theta, first, second, np.ones(len(votes)))[:free, :free])
    slopes = _gradients(theta, first, second, sign)[:, :free]
    raters, items = [one.rater for one in votes], [one.item for one in votes]
    both = [f"{len(rater)} {rater} {item}" for rater, item in zip(raters, items, strict=True)]

    def sandwich(keys: Sequence[str]) -> tuple[FloatArray, int]:
        _, group = np.unique(np.array(keys), return_inverse=True)
        count = int(group.max(initial=-1)) + 1
        sums = np.zeros((count, free))
        np.add.at(sums, group, slopes)
        factor = count / max(1, count - 1)
        return np.asarray((factor * bread @ sums.T @ sums @ bread)[:n, :n], dtype=float), count

    single, _ = sandwich(both)
    ways = [sandwich(keys) for keys in (raters, items)]
    added = tuple((found - single, count - 1) for found, count in ways if 1 < count < len(votes))
    return _Covariance(np.asarray(bread[:n, :n], dtype=float), added)


def _ranking(
    names: Sequence[str],
    theta: FloatArray,
    covariance: _Covariance,
    votes: Sequence[Rating],
    first: IntArray,
    second: IntArray,
    sign: IntArray,
    group: IntArray,
    open_ties: bool,
    alpha: float,
    notes: list[str],
) -> PairwiseRanking:
    n = len(names)
    strengths = theta[:n]
    order = sorted(range(n), key=lambda k: (-strengths[k], names[k]))
    bounded = len(set(group.tolist())) == 1
    p, margin = np.full((n, n), np.nan), np.full((n, n), np.nan)
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            if i != j and group[one] == group[other]:
                contrast = np.zeros(n)
                contrast[one], contrast[other] = 1.0, -1.0
                error, degrees = covariance.of(contrast)
                t = abs(strengths[one] - strengths[other]) / error
                p[i, j] = 2 * (float(stdtr(degrees, -t)) if math.isfinite(degrees) else float(ndtr(-t)))
                margin[i, j] = _half_width(error, degrees)
    upper = np.triu_indices(n, 1)
    adjusted = np.full((n, n), np.nan)
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    wins = np.zeros((n, n), dtype=bool)
    wins[upper] = adjusted[upper] < alpha
    systems = []
    tie = math.exp(theta[-1])
    for position, k in enumerate(order):
        error, degrees = covariance.of(np.eye(n)[k] - 1 / n)
        half = _half_width(error, degrees)
        on_left, on_right = first == k, second == k
        ties = int((sign[on_left | on_right] == 0).sum())
        won = int((sign[on_left] < 0).sum() + (sign[on_right] > 0).sum())
        lost = int(on_left.sum() + on_right.sum()) - ties - won
        between = tie * math.exp(strengths[k] / 2)
        share = (math.exp(strengths[k]) + between / 2) / (math.exp(strengths[k]) + 1 + between)
        systems.append(
            RankedSystem(
                names[k],
                float(strengths[k]),
                (float(strengths[k] - half), float(strengths[k] + half)) if bounded else None,
                float(share),
                won,
                ties,
                lost,
                (1 + int(wins[:, position].sum()), n - int(wins[position].sum())),
            )
        )
    return PairwiseRanking(
        tuple(systems),
        p,
        adjusted,
        clusters([one.name for one in systems], wins),
        math.nan if open_ties else tie / (2 + tie),
        len(votes),
        len({one.rater for one in votes}),
        len({one.item for one in votes}),
        alpha,
        tuple(notes),
        margin,
    )


def _half_width(error: float, degrees: float) -> float:
    """Of the 95 % interval."""
    return error * (float(stdtrit(degrees, 0.975)) if math.isfinite(degrees) else float(ndtri(0.975)))

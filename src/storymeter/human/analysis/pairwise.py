"""Ranks systems by pairwise votes: the Bradley-Terry model with ties.

Davidson (1970, "On extending the Bradley-Terry model to accommodate ties"): with strengths a and b, A wins
with probability e^a / D, B with e^b / D and nobody with e^(t + (a + b) / 2) / D, where D is the sum of the
three. The strengths (mean 0, in log odds) and t are fitted by maximum likelihood; without ties it is the
model of Bradley and Terry.

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

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from ...arrays import FloatArray, IntArray
from ...captions import Rating
from ...errors import DataError, first_few
from ...stats.multiple import holm
from .scores import clusters

#: weight of the ties that are added where a system won or lost every vote
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
    """Systems, best first; `p[i, j]` is the two-sided p of the difference of two strengths."""

    systems: tuple[RankedSystem, ...]
    p: FloatArray
    p_holm: FloatArray
    clusters: tuple[tuple[str, ...], ...]
    #: share of votes that two equal systems would tie
    tie_share: float
    votes: int
    raters: int
    items: int
    alpha: float
    notes: tuple[str, ...] = ()


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
    bounded = _connected(names, first, second, sign, said)
    weight = np.ones(len(votes))
    fitted = first, second, sign, weight
    if not bounded:
        both = np.array(sorted({(min(a, b), max(a, b)) for a, b in zip(first, second, strict=True)}))
        none = np.zeros(len(both), dtype=np.int64)
        fitted = (
            np.concatenate([first, both[:, 0]]),
            np.concatenate([second, both[:, 1]]),
            np.concatenate([sign, none]),
            np.concatenate([weight, np.full(len(both), PRIOR)]),
        )
    theta = _fitted(*fitted, len(names))
    covariance = _covariance(theta, votes, first, second, sign, fitted, len(names))
    return _ranking(names, theta, covariance, votes, first, second, sign, bounded, alpha, said)


def _ordered(vote: Rating) -> Rating:
    """The vote with its two systems in alphabetical order, so that sides and the order of a file change no
    bit of a number."""
    one, other = vote.system, str(vote.meta["against"])
    turned = one > other
    against = {"against": one if turned else other}
    return msgspec.structs.replace(
        vote, system=min(one, other), value=-vote.value if turned else vote.value, meta=against
    )


def _connected(
    names: Sequence[str], first: IntArray, second: IntArray, sign: IntArray, notes: list[str]
) -> bool:
    """Whether the votes bound every strength; systems that no chain of votes compares are an error."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(names)
    winner, loser = np.where(sign <= 0, first, second), np.where(sign <= 0, second, first)
    tied = sign == 0
    rows, columns = np.concatenate([winner, loser[tied]]), np.concatenate([loser, winner[tied]])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    groups, member = connected_components(graph, directed=False)
    if groups > 1:
        parts = [[names[k] for k in np.flatnonzero(member == g).tolist()] for g in range(groups)]
        raise DataError(
            f"No vote compares {first_few(parts[0])} with"
            f" {first_few(parts[1])}, so that they have no common rank.",
            hint="Rank each group of systems by itself, or ask for votes between them.",
        )
    strong, member = connected_components(graph, directed=True, connection="strong")
    if strong > 1:
        notes.append(
            "Some systems won (or lost) every vote against the others, so that votes alone do not bound their"
            f" strengths: half a tie is added to each pair, and no interval is given ({first_few(names)})."
        )
    return int(strong) == 1


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
    fitted: tuple[IntArray, IntArray, IntArray, FloatArray],
    n: int,
) -> _Covariance:
    free = n + bool(np.isfinite(theta[-1]))
    bread = np.linalg.pinv(_information(theta, fitted[0], fitted[1], fitted[3])[:free, :free])
    slopes = _gradients(theta, first, second, sign)[:, :free]
    raters, items = [one.rater for one in votes], [one.item for one in votes]
    both = [f"{len(rater)} {rater} {item}" for rater, item in zip(raters, items, strict=True)]

    def sandwich(keys: Sequence[str]) -> tuple[FloatArray, int]:
        _, group = np.unique(np.array(keys), return_inverse=True)
        count = int(group.max()) + 1
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
    bounded: bool,
    alpha: float,
    notes: list[str],
) -> PairwiseRanking:
    n = len(names)
    strengths = theta[:n]
    order = sorted(range(n), key=lambda k: (-strengths[k], names[k]))
    p = np.full((n, n), np.nan)
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            if i != j and bounded:
                contrast = np.zeros(n)
                contrast[one], contrast[other] = 1.0, -1.0
                error, degrees = covariance.of(contrast)
                t = abs(strengths[one] - strengths[other]) / error if error else math.inf
                p[i, j] = 2 * (float(stdtr(degrees, -t)) if math.isfinite(degrees) else float(ndtr(-t)))
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
        half = error * (float(stdtrit(degrees, 0.975)) if math.isfinite(degrees) else float(ndtri(0.975)))
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
        tie / (2 + tie),
        len(votes),
        len({one.rater for one in votes}),
        len({one.item for one in votes}),
        alpha,
        tuple(notes),
    )

"""Raters who work together, found by who agrees with whom.

Raters who look at the clips agree because the captions have a quality. Raters who share something else (a
list of scores, a program, the public captions of the data) agree with each other by more than their agreement
with everybody else explains.

**Rings** (`rings`). Over the captions that raters i and j share, the correlation of their z-scores is
modelled as l_i l_j where both are of one camp and k l_i l_j where they are not, with a loading l in 0 … 1 of
each rater and one k below 1. Loadings, k and camps are fitted by the likelihood of normal pairs, summed over
pairs of raters, in turn, from several beginnings. A second camp is believed where the log likelihood gains
`GAIN` for each of its members, and k is at most `ACROSS`; crowds of one camp that differ in noise and taste
stay well below in simulated campaigns (docs/human-analysis.md). The camp with more of the raters whom the
controls believe is the crowd, and is searched again; the others are rings. Where the rings are not clearly
the smaller part (`CLEAR`), nobody can say which side looked at the clips.

**Same answers**: raters whose answers are equal place by place, whatever the captions, more
often than answers with their habits would be by chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc

from ...arrays import FloatArray, IntArray
from ...errors import many
from ..ratings import DEGRADED, BoolArray, Ratings
from .attention import Cells
from .scores import means

#: gain in log likelihood for each member, and agreement across camps as a share of that within
GAIN, ACROSS = 4.0, 0.85
#: up to this share of those whom the controls believe, a ring is the smaller side
CLEAR = 0.45
#: captions (equal places) that a rater must have to be looked at
SHARED = 10
#: more raters than this are not searched
MOST = 1500
#: probability below which equal answers in equal places are no chance, over all pairs
SAME = 1e-6
_LOADINGS = np.array([0.1, 0.25, 0.4, 0.5, 0.6, 0.68, 0.76, 0.83, 0.89, 0.94, 0.97, 0.99])
_ACROSS = np.linspace(-0.4, 1.0, 29)
_LARGEST = 2.5


class Ring(NamedTuple):
    raters: tuple[str, ...]
    #: correlation of members' scores with each other's, and what their agreement with the others explains of
    #: it
    within: float
    explained: float
    #: correlation with the others
    across: float
    #: captions that members share, by pairs
    shared: int
    #: share of equal scores (to 2 points) of captions that two raters share: members, the others
    equal: tuple[float, float]
    #: median seconds for a rating: members, the others; NaN where nobody wrote them down
    seconds: tuple[float, float]
    #: whether their answers are equal place by place, whatever the captions
    places: bool = False

    @property
    def reason(self) -> str:
        """Of one member."""
        others = many(len(self.raters) - 1, "rater")
        if self.places:
            return f"member of a ring: the same answers in the same places as {others}"
        return (
            f"member of a ring: agrees with {others} more than the captions explain (r = {self.within:.2f},"
            f" explained {self.explained:.2f})"
        )

    @property
    def evidence(self) -> str:
        """In words."""
        said = (
            f"agree with each other at r = {self.within:.2f}; what others see in the captions explains"
            f" {self.explained:.2f} (r with the others {self.across:.2f}, {self.shared:,} shared captions);"
            f" {100 * self.equal[0]:.0f} % of their scores differ by two points at most (others"
            f" {100 * self.equal[1]:.0f} %)"
        )
        if self.places:
            said = f"gave equal answers in equal places, whatever the captions; {said}"
        if not np.isnan(self.seconds[0]):
            said += f"; {self.seconds[0]:.1f} s per rating (others {self.seconds[1]:.1f} s)"
        return said


class Pairs(NamedTuple):
    """Of every two raters: shared captions, and sums of products and of squares over them."""

    shared: FloatArray
    product: FloatArray
    square: FloatArray

    @classmethod
    def of(cls, table: Cells, who: IntArray) -> Pairs:
        place = np.full(int(table.rater.max(initial=-1)) + 1, -1, dtype=np.int64)
        place[who] = np.arange(len(who))
        mine = place[table.rater] >= 0
        rater, caption, z = place[table.rater[mine]], table.caption[mine], table.z[mine]
        n = len(who)
        z = z - means(z, rater, n)[rater]
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.nan_to_num(z / np.sqrt(means(z * z, rater, n))[rater])
        z = np.clip(z, -_LARGEST, _LARGEST)
        from scipy.sparse import csr_matrix

        shape = (n, len(table.author))
        there, values, squares = (
            csr_matrix((v, (rater, caption)), shape) for v in (np.ones(len(z)), z, z * z)
        )
        count, product = (there @ there.T).toarray(), (values @ values.T).toarray()
        half = (squares @ there.T).toarray()
        for sums in (count, product, half):
            np.fill_diagonal(sums, 0.0)
        return cls(count, product, half + half.T)

    def take(self, who: IntArray) -> Pairs:
        return Pairs(*(table[np.ix_(who, who)] for table in self))


class _Fit(NamedTuple):
    value: float
    #: number of each rater's loading
    level: IntArray
    camp: BoolArray
    across: float


def _terms(r: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What a pair with this correlation adds to the log likelihood: for each shared caption, for the sum of
    squares and for the sum of products."""
    rest = 1 - r * r
    return -0.5 * np.log(rest), -r * r / (2 * rest), r / rest


def _fitted(pairs: Pairs, camp: BoolArray, level: IntArray, across: float, *, one: bool = False) -> _Fit:
    """Loadings, camps and the agreement across camps, each in turn the best for the others."""
    n, levels, best = len(camp), len(_LOADINGS), _Fit(-np.inf, level, camp, across)
    squared = _LOADINGS[:, None] * _LOADINGS[None, :]
    tables = pairs.shared, pairs.square, pairs.product
    for turn in range(40):
        # every rater's choices against all others as they are: (raters, camps and loadings)
        values = []
        for side in (False, True)[: 1 if one else 2]:
            r = (np.where(camp == side, 1.0, across) * _LOADINGS[level])[:, None] * _LOADINGS[None, :]
            values.append(sum(table @ terms for table, terms in zip(tables, _terms(r), strict=True)))
        choice = np.concatenate(values, axis=1).argmax(axis=1)
        move = (np.arange(n) + turn) % 2 == 0 if turn < 12 else np.arange(n) % 3 == turn % 3
        camp = np.where(move, choice >= levels, camp)
        level = np.where(move, choice % levels, level)
        # sums by camp and loading of both
        kind = np.zeros((n, 2 * levels))
        kind[np.arange(n), level + levels * camp] = 1.0
        blocks = [kind.T @ table @ kind for table in tables]
        between = [block[:levels, levels:] for block in blocks]
        within = [block[:levels, :levels] + block[levels:, levels:] for block in blocks]

        def gain(sums: list[FloatArray], k: float) -> float:
            return float(sum((a * b).sum() for a, b in zip(sums, _terms(k * squared), strict=True)))

        if between[0].any():
            across = max(_ACROSS.tolist(), key=lambda k: gain(between, k))
        value = gain(within, 1.0) / 2 + gain(between, across)
        if value < best.value + 1e-6 and turn > 8:
            break
        if value > best.value:
            best = _Fit(value, level, camp, across)
    return best


def _split(pairs: Pairs, believed: BoolArray) -> tuple[BoolArray, float, float] | None:
    """The camp of fewer believed raters, its gain per member and the agreement across; None: one camp."""
    n = len(pairs.shared)
    whole = _fitted(pairs, np.zeros(n, dtype=bool), np.full(n, len(_LOADINGS) // 2), 1.0, one=True)
    loading = _LOADINGS[whole.level]
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = (pairs.product - pairs.shared * loading[:, None] * loading[None, :]) / np.sqrt(
            np.maximum(pairs.shared, 1)
        )
    found = []
    _, vectors = np.linalg.eigh(rest)
    for k in (1, 2):
        v = vectors[:, -k]
        for sign in (1, -1):
            found.append(_fitted(pairs, sign * v > 0.5 / np.sqrt(n), whole.level, 0.3))
    best = max(found, key=lambda one: one.value)
    sides = [(int(believed[camp].sum()), int(camp.sum())) for camp in (best.camp, ~best.camp)]
    small = best.camp if sides[0] <= sides[1] else ~best.camp
    if small.sum() < 2:
        return None
    return small, (best.value - whole.value) / float(small.sum()), best.across


def rings(ratings: Ratings, table: Cells, believed: BoolArray) -> list[Ring]:
    """Raters who work together, those of most members first. `believed`: whom the controls believe; the crowd
    is where most of them are.
    """
    who = np.flatnonzero(np.bincount(table.rater, minlength=len(believed)) >= SHARED)
    if not 4 <= len(who) <= MOST:
        return []
    pairs, place, found = Pairs.of(table, who), np.arange(len(who)), []
    for _ in range(4):
        split = _split(pairs.take(place), believed[who[place]]) if len(place) >= 4 else None
        if split is None or split[1] < GAIN or split[2] > ACROSS:
            break
        found.append(who[place[split[0]]])
        place = place[~split[0]]
    known = {k for ring in found for k in ring.tolist()}
    out = [_described(ratings, table, ring, who[place]) for ring in found]
    for group in _same_places(ratings):
        if not known.issuperset(group):
            rest = np.array([k for k in who[place].tolist() if k not in group], dtype=np.int64)
            out.append(_described(ratings, table, np.array(group), rest)._replace(places=True))
    return sorted(out, key=lambda ring: (-len(ring.raters), ring.raters))


def _same_places(ratings: Ratings) -> list[list[int]]:
    """Groups of raters whose answers are equal place by place, where the captions differ."""
    n, there = len(ratings.rater), ~np.isnan(ratings.position)
    if not there.any() or n > MOST:
        return []
    place = np.unique(ratings.position[there], return_inverse=True)[1]
    rater, values = ratings.rater.codes[there], np.round(ratings.value[there]).astype(np.int64)
    value, item = np.full((2, n, int(place.max()) + 1), -1, dtype=np.int64)
    value[rater, place], item[rater, place] = values, ratings.item.codes[there]
    known = np.unique(value[value >= 0], return_inverse=True)
    habit = np.zeros((n, len(known[0])))
    np.add.at(habit, (np.nonzero(value >= 0)[0], known[1]), 1.0)
    habit /= np.maximum(habit.sum(axis=1, keepdims=True), 1)
    chance, linked = habit @ habit.T, []
    for a in range(n):
        both = (value[a] >= 0) & (value >= 0) & (item[a] != item)
        equal = (both & (value[a] == value)).sum(axis=1)
        p = bdtrc(equal - 1.0, both.sum(axis=1), np.minimum(chance[a], 1.0))
        others = np.flatnonzero((p < SAME / max(1, n * (n - 1) // 2)) & (equal >= SHARED))
        linked += [(a, b) for b in others.tolist() if b != a]
    return connected(linked)


def connected(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Groups of those whom chains of pairs connect.

    >>> connected([(3, 1), (0, 2), (1, 4)])
    [[0, 2], [1, 3, 4]]
    """
    group: dict[int, set[int]] = {}
    for a, b in pairs:
        merged = group.get(a, {a}) | group.get(b, {b})
        group.update(dict.fromkeys(merged, merged))
    return sorted({min(members): sorted(members) for members in group.values()}.values())


def _described(ratings: Ratings, table: Cells, ring: IntArray, others: IntArray) -> Ring:
    """What a ring is shown by."""
    both = np.concatenate([ring, others])
    pairs, n = Pairs.of(table, both), len(ring)

    def r(rows: slice, columns: slice) -> float:
        count = pairs.shared[rows, columns].sum()
        return float(pairs.product[rows, columns].sum() / count) if count else float("nan")

    inside, outside = slice(0, n), slice(n, None)
    within, across, usual = r(inside, inside), r(inside, outside), r(outside, outside)
    chosen, rest = (np.isin(np.arange(len(ratings.rater)), who) for who in (ring, others))
    return Ring(
        tuple(ratings.rater.names[k] for k in sorted(ring.tolist())),
        within,
        max(0.0, across * across / usual) if usual > 0 else 0.0,
        across,
        int(pairs.shared[inside, inside].sum()) // 2,
        (_equal(ratings, table, chosen), _equal(ratings, table, rest)),
        (_usual_seconds(ratings, chosen), _usual_seconds(ratings, rest)),
    )


def _usual_seconds(ratings: Ratings, who: BoolArray) -> float:
    times = ratings.seconds[who[ratings.rater.codes] & ~np.isnan(ratings.seconds)]
    return float(np.median(times)) if len(times) else float("nan")


def _equal(ratings: Ratings, table: Cells, who: BoolArray) -> float:
    """Of captions that two of these raters share, the share whose raw scores differ by two points at most."""
    rows = who[ratings.rater.codes] & (ratings.kind != DEGRADED)
    author = np.zeros(len(ratings), dtype=np.int64)
    author[ratings.credit_row] = ratings.credit.codes
    caption = author[rows] * len(ratings.item) + ratings.item.codes[rows]
    value, rater = ratings.value[rows], ratings.rater.codes[rows]
    near = 0.02 * (ratings.bounds[1] - ratings.bounds[0])
    order = np.lexsort((value, caption))
    caption, value, rater = caption[order], value[order], rater[order]
    together = equal = 0
    for gap in range(1, min(8, len(caption))):
        pair = (caption[gap:] == caption[:-gap]) & (rater[gap:] != rater[:-gap])
        together += int(pair.sum())
        equal += int((pair & (np.abs(value[gap:] - value[:-gap]) <= near)).sum())
    return equal / together if together else float("nan")

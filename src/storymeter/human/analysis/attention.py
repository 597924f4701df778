"""Raters held against themselves and against the others: whether they looked at all captions, and whether
they favour a system.

**Attention**, by two kinds of evidence, both apart from the control pairs. The control pairs catch who never
looks. Who looks at three captions in ten passes them sooner or later, and the more pairs there are, the
sooner: on average the damaged ones do get lower scores. Here such raters show.

- **Repeats** (`consistency`): a rater who reads gives a caption that comes again about the score it had, give
  or take a drift that is the same for all. With d the mean |first - second|, less that drift, over k repeats
  (times √(k/(k - 1)), for the drift that was taken out), G the mean |a - b| over all pairs of the rater's own
  scores (Gini's mean difference) and s their standard deviation, d of somebody who answers without looking is
  about normal with mean G and variance (2s² - G²)/k; p = P(no larger than d). Silent with fewer than five
  repeats.
- **Peers** (`peers`): r is the correlation of a rater's scores of undamaged captions with the mean z that
  trusted others gave the same captions. Who looks at a share a of the captions, and whose other answers are
  as spread as these, reaches a times the r of a rater who looks at all, about. So r is held against half of
  what is usual, R/2 with R the median over trusted raters: p = P(Z > (atanh r - atanh R/2) √(n - 3)) over n
  shared captions (Fisher 1921). Silent with fewer than three trusted raters, and where captions are so few,
  or raters so much at odds, that a usual rater would fail more than once in ten.
- **Within one author** (`Peers.inner`): the same correlation after the mean of each system (and of the human
  captions) was taken out of both sides. Who guesses from the text who wrote a caption, and scores long and
  fluent ones higher, agrees with the others on authors, but not on captions of one author. r below R/2 is too
  little; asked only where a usual rater would fail less than once in 200.

**Bias of a rater for a system** (`partisans`): the mean difference between the rater's z of its captions and
the others', less the same for the rater's other systems, less the median of all raters. Its standard error
comes from the rater's own deviations from the others within systems (a noisy rater is not a partial one), and
is widened where biases of all raters are spread more (by the median of absolute deviations, so that a
minority cannot widen it; raters do like systems differently). A bias that chance gives one honest rater in a
hundred, over all of its systems, and that is beyond `_MATERIAL`, is a partisan's; the others' means are then
taken without partisans' ratings of that system, and all is done again.

A score at the end of the scale cannot go further up, so that favour is measured on captions by the room that
they leave (`_ROOM`), disfavour likewise. Where several raters are beyond the limit for one system, or nearly
(`_SEVERAL`), the limit comes nearer: nearly halfway between them and the rest.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray, IntArray
from ..ratings import DEGRADED, HUMAN, REPEAT, SYSTEM, BoolArray, Ratings
from .scores import means, standardise

#: fewer repeats say nothing about consistency
LEAST_REPEATS = 5
#: fewer trusted raters do not tell what is usual
LEAST_PEERS = 3
#: the p that shows attention, by repeats and by peers (chosen on seeds of their own; docs/human-analysis.md)
CONSISTENT, ATTENTIVE = 0.1, 0.02
#: of those whom the control pairs believe, how many the check of repeats may take where it stands in for
#: peers
MOST_INCONSISTENT = 0.25
_SHARE, _LOST = 0.5, 0.1
#: how many usual raters the look at the captions of one author may lose where it is asked
_INNER_LOST = 0.005
#: partisans: honest raters who are beyond the limit by chance, and the captions that a bias is measured by
_BY_CHANCE, _LEAST = 0.01, 4
#: the nearest that the limit comes where many are beyond it, and the room above a caption, in z, at which it
#: counts in full
_NEAREST, _ROOM = 2.0, 1.0
#: where the limit stands between the rest and those beyond it, and the raters that tell what is usual
_BETWEEN, _CROWD = 0.45, 16
#: several raters beyond this for one system are believed together
_SEVERAL = 2.7
#: so many deviations of the usual size are added to a rater's own
_SHRINK = 20.0
#: a smaller bias, in z, is taste: raters of WMT differ by .16 to .24 (one standard deviation)
_MATERIAL = 0.35


class Cells(NamedTuple):
    """The mean z of every undamaged caption by each of its raters."""

    rater: IntArray
    caption: IntArray
    z: FloatArray
    #: system of each caption
    author: IntArray


def cells(ratings: Ratings, scale: Literal["raw", "z"] = "raw") -> Cells:
    z = standardise(ratings, scale)
    author = np.zeros(len(ratings), dtype=np.int64)
    author[ratings.credit_row] = ratings.credit.codes  # a caption that several wrote is known by one of them
    use = (ratings.kind != DEGRADED) & ~np.isnan(z)
    captions = len(ratings.systems) * len(ratings.item)
    cell, place = np.unique(
        ratings.rater.codes[use] * captions + author[use] * len(ratings.item) + ratings.item.codes[use],
        return_inverse=True,
    )
    known, caption = np.unique(cell % captions, return_inverse=True)
    return Cells(cell // captions, caption, means(z[use], place, len(cell)), known // len(ratings.item))


def _others(
    caption: IntArray, z: FloatArray, counted: BoolArray, captions: int
) -> tuple[BoolArray, FloatArray]:
    """Rows whose caption others gave a score that counts, and the mean of those scores in these rows."""
    raters = np.bincount(caption[counted], minlength=captions)[caption] - counted
    total = np.bincount(caption[counted], weights=z[counted], minlength=captions)[caption]
    there = raters > 0
    return there, (total - np.where(counted, z, 0.0))[there] / raters[there]


class Peers(NamedTuple):
    """Per rater: correlation with trusted others and p (NaN where nothing can be said); and what is usual."""

    r: FloatArray
    p: FloatArray
    usual: float
    #: why p says nothing of some
    silent: str
    #: the same correlation among captions of one author (NaN where nothing can be said), and what is usual
    #: there
    inner: FloatArray
    inner_usual: float

    @property
    def unlike(self) -> BoolArray:
        """Who agrees among the captions of one author less than half as well as is usual."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.inner < _SHARE * self.inner_usual)


@dataclass(frozen=True, slots=True)
class ControlPairs:
    """The two scores of every control pair that one rater rated completely."""

    rater: IntArray
    first: FloatArray
    second: FloatArray


def control_pairs(ratings: Ratings, kind: int) -> tuple[ControlPairs, int]:
    """The undamaged (or first) and damaged (or repeated) scores of each pair, and how many controls lack a
    partner.
    """
    original = np.flatnonzero((ratings.pair >= 0) & ((ratings.kind == SYSTEM) | (ratings.kind == HUMAN)))
    keys, first = np.unique(ratings.pair[original], return_index=True)
    control = np.flatnonzero((ratings.kind == kind) & (ratings.pair >= 0))
    place = np.searchsorted(keys, ratings.pair[control])
    there = place < len(keys)
    there[there] = keys[place[there]] == ratings.pair[control][there]
    control, partner = control[there], original[first[place[there]]]
    if kind == REPEAT:  # which of the two was shown first
        later = ratings.position[partner] > ratings.position[control]
        control, partner = np.where(later, partner, control), np.where(later, control, partner)
    return ControlPairs(ratings.rater.codes[control], ratings.value[partner], ratings.value[control]), int(
        (ratings.kind == kind).sum()
    ) - len(control)


def consistency(ratings: Ratings, repeats: ControlPairs) -> FloatArray:
    """p per rater that the scores of repeats are no closer than those of unrelated captions; NaN where
    nothing can be said.
    """
    n, rater = len(ratings.rater), ratings.rater.codes
    order = np.lexsort((ratings.value, rater))
    value, owner, size = ratings.value[order], rater[order], np.bincount(rater, minlength=n).astype(float)
    place = (
        np.arange(len(value)) - (np.cumsum(size) - size)[owner]
    )  # 0, 1, … among the rater's scores, smallest first
    k = np.bincount(repeats.rater, minlength=n).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = value - means(value, owner, n)[owner]
        variance = np.bincount(owner, weights=apart**2, minlength=n) / (size - 1)
        gini = (
            2
            * np.bincount(owner, weights=(2 * place + 1 - size[owner]) * apart, minlength=n)
            / (size * (size - 1))
        )
        spread = np.sqrt(np.maximum(2 * variance - gini**2, 0) / k)
        change = repeats.first - repeats.second
        change = (change - means(change, repeats.rater, n)[repeats.rater]) * np.sqrt(k / (k - 1))[
            repeats.rater
        ]
        z = (means(np.abs(change), repeats.rater, n) - gini) / spread
    return np.where((k >= LEAST_REPEATS) & (spread > 1e-12), ndtr(z), np.nan)


def peers(ratings: Ratings, trusted: BoolArray, scale: Literal["raw", "z"] = "raw") -> Peers:
    table = cells(ratings, scale)
    shared, theirs = _others(table.caption, table.z, trusted[table.rater], len(table.author))
    mine, who = table.z[shared], table.rater[shared]
    r, usual, root = _agreement(mine, theirs, who, trusted)
    with np.errstate(invalid="ignore", divide="ignore"):
        floor = np.arctanh(_SHARE * usual)
        lead = (np.arctanh(min(usual, 1 - 1e-12)) - floor) * root
        p = ndtr((floor - np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))) * root)
    telling = lead >= -ndtri(ATTENTIVE) - ndtri(_LOST)
    author = table.author[table.caption[shared]]
    author = np.unique(who * len(ratings.systems) + author, return_inverse=True)[1]
    groups = author.max(initial=-1) + 1
    mine, theirs = (values - means(values, author, groups)[author] for values in (mine, theirs))
    inner, inner_usual, root = _agreement(mine, theirs, who, trusted)
    with np.errstate(invalid="ignore", divide="ignore"):
        lead = (np.arctanh(min(inner_usual, 1 - 1e-12)) - np.arctanh(_SHARE * inner_usual)) * root
    silent = (
        f"fewer than {LEAST_PEERS} accepted raters share captions"
        if np.isnan(usual)
        else (
            "too few captions are shared with accepted raters, or the agreement between accepted raters is"
            " too low"
        )
    )
    return Peers(
        r,
        np.where(telling, p, np.nan),
        usual,
        silent,
        np.where(lead >= -ndtri(_INNER_LOST), inner, np.nan),
        inner_usual,
    )


def _agreement(
    mine: FloatArray, theirs: FloatArray, who: IntArray, trusted: BoolArray
) -> tuple[FloatArray, float, FloatArray]:
    """r per rater, the usual r (NaN with too few trusted raters), and √(n - 3) over n captions."""
    n = len(trusted)
    x, y = (values - means(values, who, n)[who] for values in (mine, theirs))
    xy, xx, yy = (np.bincount(who, weights=w, minlength=n) for w in (x * y, x * x, y * y))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where((xx > 1e-12) & (yy > 1e-12), xy / np.sqrt(xx * yy), np.nan)
    typical = r[trusted & ~np.isnan(r)]
    usual = float(np.median(typical)) if len(typical) >= LEAST_PEERS else np.nan
    return r, usual, np.sqrt(np.maximum(np.bincount(who, minlength=n) - 3.0, 0.0))


class Partisan(NamedTuple):
    rater: int
    system: str
    #: in z; above 0 the rater favours the system
    bias: float
    #: in standard errors
    spreads: float

    @property
    def reason(self) -> str:
        return (
            f"{'favours' if self.bias > 0 else 'disfavours'} {self.system} compared with the other raters by"
            f" {abs(self.bias):.2f} z, {self.spreads:.1f} standard errors"
        )


def partisans(ratings: Ratings, table: Cells, believed: BoolArray) -> list[Partisan]:
    """Those of these raters who favour or disfavour a system far more than others do."""
    n, systems = len(ratings.rater), len(ratings.systems)
    if believed.sum() < _CROWD:
        return []
    mine = believed[table.rater]
    rater, caption, z = table.rater[mine], table.caption[mine], table.z[mine]
    author = table.author[caption]
    own = rater * systems + author
    ends = np.full((2, n), np.nan)
    for side, sign in enumerate((1, -1)):
        np.fmax.at(ends[side], rater, sign * z)
    flagged = np.zeros((2, n, systems), dtype=bool)
    bias, spreads = (np.full((2, n, systems), np.nan) for _ in range(2))
    for _ in range(6):
        partial = np.asarray(flagged.any(axis=0))
        fair = ~partial[rater, author]
        there, level = _others(caption, z, fair, len(table.author))
        apart, group, who = z[there] - level, own[there], rater[there]
        noise = _noise(apart, group, n, systems)[:, None]
        limit = -float(ndtri(_BY_CHANCE / (2 * max(1, len(np.unique(group % systems))))))
        found = np.zeros_like(flagged)
        for side, sign in enumerate((1, -1)):
            # a score at the end of the scale cannot go further: captions count by the room that they leave
            room = np.clip((ends[side][who] - sign * level) / _ROOM, 0.0, 1.0)
            weight, squares, sums = (
                np.bincount(group, weights=w, minlength=n * systems).reshape(n, systems)
                for w in (room, room * room, room * apart * sign)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = np.where(weight >= _LEAST - 1, sums / weight, np.nan)
                fine = np.where(partial, np.nan, mean)
                # against the rater's other systems, those that the rater is no partisan of
                known = ~np.isnan(fine)
                error = noise * squares / weight**2
                rest, own_error = np.nan_to_num(fine), np.where(known, error, 0.0)
                count = known.sum(axis=1, keepdims=True) - known
                bias[side] = mean - (rest.sum(axis=1, keepdims=True) - rest) / count
                bias[side] -= _median(np.where(partial, np.nan, bias[side]))
                error += (own_error.sum(axis=1, keepdims=True) - own_error) / count**2
                units = bias[side] / np.sqrt(error)
            size = np.abs(units[np.isfinite(units)])
            spreads[side] = units / max(1.0, 1.4826 * float(np.median(size)) if len(size) else 1.0)
            found[side] = np.nan_to_num(spreads[side]) > _limits(np.asarray(spreads[side]), limit)
            found[side] &= np.nan_to_num(bias[side]) > _MATERIAL
        if (found == flagged).all():
            break
        flagged = found
    return [
        Partisan(
            int(r), ratings.systems[s], float((1, -1)[side] * bias[side, r, s]), float(spreads[side, r, s])
        )
        for side, r, s in np.argwhere(flagged)
    ]


def _limits(spreads: FloatArray, limit: float) -> FloatArray:
    """Of each system: the bias in standard errors that is too much; nearly halfway to many beyond it."""
    limits = np.full(spreads.shape[1], limit)
    for s, column in enumerate(spreads.T):
        column = column[~np.isnan(column)]
        beyond = column[column > min(limit, _SEVERAL)]
        share = len(beyond) / max(1, len(column))
        if len(beyond) >= 3 and 0.05 <= share < 0.5:
            limits[s] = min(limit, max(_NEAREST, _BETWEEN * float(np.median(beyond))))
    return limits


def _median(table: FloatArray) -> FloatArray:
    """Of each column, over what is there."""
    return np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0.0 for c in table.T])


def _noise(values: FloatArray, group: IntArray, n: int, systems: int) -> FloatArray:
    """Of each rater: the variance within its systems, drawn towards that of all."""
    rest = values - means(values, group, n * systems)[group]
    squares = np.bincount(group // systems, weights=rest * rest, minlength=n)
    size = np.bincount(group, minlength=n * systems).reshape(n, systems)
    free = size.sum(axis=1) - (size > 0).sum(axis=1)
    usual = float(squares.sum()) / max(1, int(free.sum()))
    return np.asarray((_SHRINK * usual + squares) / (_SHRINK + free))

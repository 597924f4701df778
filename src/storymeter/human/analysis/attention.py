"""Attention of raters: whether they looked at all captions. Two kinds of evidence, both apart from the
control pairs.

The control pairs catch who never looks. Who looks at three captions in ten passes them sooner or later, and
the more pairs there are, the sooner: on average the damaged ones do get lower scores. Here such raters show.

- **Repeats** (`consistency`): a rater who reads gives a caption that comes again about the score it had, give
  or take a
  drift that is the same for all. With d the mean |first - second|, less that drift, over k repeats (times
  √(k/(k - 1)), for the drift that was taken out), G the mean |a - b| over all pairs of the rater's own scores
  (Gini's mean difference) and s their standard deviation, d of somebody who answers without looking is about
  normal with mean G and variance (2s² - G²)/k; p = P(no larger than d). Silent with fewer than five repeats.
- **Peers** (`peers`): r is the correlation of a rater's scores of undamaged captions with the mean z that
  trusted others
  gave the same captions. Who looks at a share a of the captions, and whose other answers are as spread as
  these, reaches a times the r of a rater who looks at all, about. So r is held against half of what is usual,
  R/2 with R the median over trusted raters: p = P(Z > (atanh r - atanh R/2) √(n - 3)) over n shared captions
  (Fisher 1921). Silent with fewer than three trusted raters, and where captions are so few, or raters so much
  at odds, that a usual rater would fail more than once in ten.
- **Within one author** (`Peers.inner`): the same correlation after the mean of each system (and of the human
  captions) was taken out of both sides. Who guesses from the text who wrote a caption, and scores long and
  fluent ones higher, agrees with the others on authors, but not on captions of one author. r below R/2 is too
  little; asked only where a usual rater would fail less than once in 200.
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
    z = standardise(ratings, scale)
    author = np.zeros(len(ratings), dtype=np.int64)
    author[ratings.credit_row] = ratings.credit.codes  # a caption that several wrote is known by one of them
    use = (ratings.kind != DEGRADED) & ~np.isnan(z)
    captions = len(ratings.systems) * len(ratings.item)
    cell, place = np.unique(
        ratings.rater.codes[use] * captions + author[use] * len(ratings.item) + ratings.item.codes[use],
        return_inverse=True,
    )
    own = means(z[use], place, len(cell))
    rater, caption = cell // captions, np.unique(cell % captions, return_inverse=True)[1]
    known = trusted[rater]
    raters = np.bincount(caption[known], minlength=caption.max(initial=-1) + 1)[caption] - known
    others = np.bincount(caption[known], weights=own[known], minlength=caption.max(initial=-1) + 1)[
        caption
    ] - np.where(known, own, 0.0)
    shared = raters > 0
    mine, theirs, who = own[shared], others[shared] / raters[shared], rater[shared]
    r, usual, root = _agreement(mine, theirs, who, trusted)
    with np.errstate(invalid="ignore", divide="ignore"):
        floor = np.arctanh(_SHARE * usual)
        lead = (np.arctanh(min(usual, 1 - 1e-12)) - floor) * root
        p = ndtr((floor - np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))) * root)
    telling = lead >= -ndtri(ATTENTIVE) - ndtri(_LOST)
    author = np.unique(
        who * len(ratings.systems) + cell[shared] % captions // len(ratings.item), return_inverse=True
    )[1]
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

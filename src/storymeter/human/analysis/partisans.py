"""Raters who favour or disfavour a system far more than the others do.

Bias of a rater for a system: the mean difference between the rater's z of its
captions and the others', less the same for the rater's other systems, less the median of all raters. Its
standard error comes from the rater's own deviations from the others within systems (a noisy rater is not a
partial one), and is widened where biases of all raters are spread more (by the median of absolute
deviations, so that a minority cannot widen it; raters do like systems differently). A bias that chance gives
one honest rater in a hundred, over all of its systems, and that is beyond `_MATERIAL`, is a partisan's; the
others' means are then taken without partisans' ratings of that system, and all is done again.

A score at the end of the scale cannot go further up, so that favour is measured on captions by the room that
they leave (`_ROOM`), disfavour likewise. Where several raters are beyond the limit for one system, or nearly
(`_SEVERAL`), the limit comes nearer: nearly halfway between them and the rest.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ...arrays import FloatArray, IntArray
from ..ratings import BoolArray, Ratings
from .crowd import Cells
from .scores import means

#: honest raters who are beyond the limit by chance, and the captions that a bias is measured by
LOST, LEAST = 0.01, 4
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
        total = np.bincount(caption[fair], weights=z[fair], minlength=len(table.author))
        others = np.bincount(caption[fair], minlength=len(table.author))[caption] - fair
        there = others > 0
        level = (total[caption] - np.where(fair, z, 0.0))[there] / others[there]
        apart, group, who = z[there] - level, own[there], rater[there]
        noise = _noise(apart, group, n, systems)[:, None]
        limit = -float(ndtri(LOST / (2 * max(1, len(np.unique(group % systems))))))
        found = np.zeros_like(flagged)
        for side, sign in enumerate((1, -1)):
            # a score at the end of the scale cannot go further: captions count by the room that they leave
            room = np.clip((ends[side][who] - sign * level) / _ROOM, 0.0, 1.0)
            weight, squares, sums = (
                np.bincount(group, weights=w, minlength=n * systems).reshape(n, systems)
                for w in (room, room * room, room * apart * sign)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = np.where(weight >= LEAST - 1, sums / weight, np.nan)
                fine = np.where(flagged.any(axis=0), np.nan, mean)
                # against the rater's other systems, those that the rater is no partisan of
                known = ~np.isnan(fine)
                error = noise * squares / weight**2
                rest, own_error = np.nan_to_num(fine), np.where(known, error, 0.0)
                count = known.sum(axis=1, keepdims=True) - known
                bias[side] = mean - (rest.sum(axis=1, keepdims=True) - rest) / count
                bias[side] -= _median(np.where(flagged.any(axis=0), np.nan, bias[side]))
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

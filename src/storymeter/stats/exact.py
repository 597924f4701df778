"""Sums that are the same bits in whatever order and in however many parts they were added.

A number is written as digits on a fixed grid, x = sum over j of d_j * 2^(26 j) with |d_j| < 2^26, down to
2^-104. Digits times small whole weights are whole numbers below 2^53, which float64 adds without rounding: so
one matrix product per digit gives exact sums, parts of a corpus add up as 64-bit integers, and only the final
number is rounded, once (after Demmel & Nguyen, "Parallel Reproducible Summation", 2015).

>>> rows = np.array([[1e16], [1.0], [-1e16], [0.1]])
>>> parts = [weighted_sums(rows[k : k + 2], [np.ones((2, 1))]) for k in (0, 2)]
>>> added(parts).values(1).tolist(), rows.sum().item()
([[1.1]], 0.1)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray

#: bits of a digit, and the lowest digit: what is smaller than 2^-104 does not count
BITS, LOWEST = 26, -4
#: rows that may be multiplied at a time: times a weight of at most 8 and a digit below 2^26, under 2^53
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ExactSums:
    """(column, digit) -> the sum of that digit for each set of weights, as 64-bit integers. 2^34 rows fit."""

    digits: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)

    def values(self, columns: int) -> FloatArray:
        """(weights, columns): the sums, each rounded once."""
        sets = len(next(iter(self.digits.values()))) if self.digits else 0
        out = np.zeros((sets, columns))
        for column in range(columns):
            places = sorted(j for c, j in self.digits if c == column)
            if not places:
                continue
            if len(places) == 1:
                out[:, column] = np.ldexp(self.digits[column, places[0]].astype(np.float64), BITS * places[0])
                continue
            shift = [BITS * (j - places[0]) for j in places]
            sums = [self.digits[column, j].tolist() for j in places]
            scale = BITS * places[0]
            out[:, column] = [
                math.ldexp(float(sum(part << s for part, s in zip(parts, shift, strict=True))), scale)
                for parts in zip(*sums, strict=True)
            ]
        return out


def digits_of(rows: FloatArray) -> tuple[list[tuple[int, int]], FloatArray]:
    """The places (column, j) that any row has a digit at, and the digits: (rows, places)."""
    rest = np.array(rows, dtype=np.float64)
    largest = float(np.abs(rest).max(initial=0.0))
    top = math.frexp(largest)[1] // BITS
    places: list[tuple[int, int]] = []
    found: list[FloatArray] = []
    for j in range(top, LOWEST - 1, -1):
        digit = np.trunc(np.ldexp(rest, -BITS * j))
        used = np.flatnonzero(digit.any(axis=0)).tolist()
        if used:
            rest -= np.ldexp(digit, BITS * j)
            places += [(column, j) for column in used]
            found += [digit[:, column] for column in used]
    return places, np.column_stack(found) if found else np.zeros((len(rest), 0))


def weighted_sums(rows: FloatArray, weights: Sequence[FloatArray]) -> ExactSums:
    """Each of `weights` is (rows, sets) of whole numbers from 0 to 8; at most `BLOCK` rows at a time."""
    places, digits = digits_of(rows)
    sums = np.rint(np.hstack([digits.T @ each for each in weights])).astype(np.int64)
    return ExactSums({place: sums[k] for k, place in enumerate(places)})


def added(parts: Iterable[ExactSums]) -> ExactSums:
    """The sums of several parts of a corpus, in any order."""
    total: dict[tuple[int, int], NDArray[np.int64]] = {}
    for part in parts:
        for place, sums in part.digits.items():
            known = total.get(place)
            total[place] = sums.copy() if known is None else np.add(known, sums, out=known)
    return ExactSums(dict(sorted(total.items())))

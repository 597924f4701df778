"""Matching captions with references: monotone and one to one (SODA), or everything over a threshold
(ActivityNet).

The monotone matching maximises the sum of C over pairs that keep the order of both sides (SODA eqs. 5-6):

    S[i][j] = max(S[i-1][j], S[i][j-1], S[i-1][j-1] + C[i][j])

Every cell remembers in two bits which of the three it took, and the way back follows those bits: the pairs
returned always add up to the optimum. A pair with C = 0 adds nothing and is never returned. Where several
matchings reach the optimum, the one that leaves the last captions free is taken (a cell takes a match only
where it is strictly better).

The example of the paper (Fig. 1 and Fig. 4):

>>> C = [[0.7, 0.1, 0.4, 0.9, 0.1], [0.2, 0.3, 0.5, 0.4, 0.5],
...      [0.4, 1.0, 0.3, 0.7, 0.8], [0.8, 0.7, 0.6, 1.0, 0.1]]
>>> optimum, pairs = match(C)
>>> round(optimum, 12), pairs
(2.7, [(0, 0), (2, 1), (3, 3)])
>>> len(over_threshold(C, 0.5))
11
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _native
from ..arrays import FloatArray


def match(weights: ArrayLike) -> tuple[float, list[tuple[int, int]]]:
    """The best sum, and the (row, column) pairs that reach it. Any size: 10,000 x 10,000 needs 25 MB beside
    the matrix.
    """
    matrix = np.ascontiguousarray(weights, dtype=float)
    if matrix.ndim != 2:
        matrix = matrix.reshape(0, 0)
    optimum, rows, columns = _native.match(matrix)
    return optimum, list(zip(rows.tolist(), columns.tolist(), strict=True))


def optimum_table(weights: ArrayLike) -> FloatArray:
    """The whole table S, borders included: for pictures and lessons; `match` does not need it."""
    matrix = np.asarray(weights, dtype=float)
    sums = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    for i in range(1, sums.shape[0]):
        for j in range(1, sums.shape[1]):
            sums[i, j] = max(sums[i - 1, j], sums[i, j - 1], sums[i - 1, j - 1] + matrix[i - 1, j - 1])
    return sums


def over_threshold(overlap: ArrayLike, threshold: float, *, strict: bool = False) -> list[tuple[int, int]]:
    """Every (reference, candidate) pair whose IoU reaches the threshold (paper 000, eq. 2), candidate by
    candidate.
    """
    matrix = np.asarray(overlap, dtype=float)
    candidates, references = np.nonzero((matrix > threshold if strict else matrix >= threshold).T)
    return list(zip(references.tolist(), candidates.tolist(), strict=True))

"""Temporal intersection over union (SODA eq. 1).

    IoU(g, p) = max(0, (min(e(g), e(p)) - max(s(g), s(p))) / (max(e(g), e(p)) - min(s(g), s(p))))

Where two segments overlap, their hull is their union. Segments that only touch, segments without length and
reversed segments (end before start) overlap nothing: where the formula gives 0/0, the IoU is 0. The public
scripts add 1e-8 to the denominator (protocol `iou=eps`); that changes a number by less than 1e-8 per second
of union.

>>> iou([0, 4], [0, 10])
array([[0.4]])
>>> iou([[0, 4], [5, 5]], [[2, 6], [5, 5]])
array([[0.33333333, 0.        ],
       [0.        , 0.        ]])
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray

EPSILON = {"exact": 0.0, "eps": 1e-8}


def iou(references: ArrayLike, candidates: ArrayLike, kind: Literal["exact", "eps"] = "exact") -> FloatArray:
    """(references, candidates): segments are (start, end)."""
    g = np.asarray(references, dtype=float).reshape(-1, 1, 2)
    p = np.asarray(candidates, dtype=float).reshape(1, -1, 2)
    inner = np.minimum(g[..., 1], p[..., 1]) - np.maximum(g[..., 0], p[..., 0])
    hull = np.maximum(g[..., 1], p[..., 1]) - np.minimum(g[..., 0], p[..., 0])
    return np.asarray(np.divide(inner, hull + EPSILON[kind], out=np.zeros(inner.shape), where=inner > 0))

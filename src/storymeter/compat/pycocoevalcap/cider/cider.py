"""CIDEr (CIDEr-D with the idf of the references at hand) of captions by id."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....arrays import FloatArray
from .cider_scorer import CiderScorer as CiderScorer


class Cider:
    """`compute_score` gives (mean, array of one value per item)."""

    def __init__(self, test: object = None, refs: object = None, n: int = 4, sigma: float = 6.0) -> None:
        self._n, self._sigma = n, sigma

    def compute_score(
        self, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]
    ) -> tuple[np.float64, FloatArray]:
        return CiderScorer(n=self._n, sigma=self._sigma).gather(gts, res).compute_score()

    def method(self) -> str:
        return "CIDEr"

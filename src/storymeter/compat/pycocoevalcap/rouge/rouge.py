"""ROUGE-L of captions by id."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....pairs.rouge import RougeL, coco_values
from .. import items, texts


def my_lcs(string: Sequence[Any], sub: Sequence[Any]) -> int:
    """The length of the longest common subsequence of two sequences.

    >>> my_lcs("a b c d".split(), "b d".split())
    2
    """
    best = [0] * (len(sub) + 1)
    for item in string:
        before = 0
        for k, other in enumerate(sub, start=1):
            before, best[k] = best[k], before + 1 if item == other else max(best[k], best[k - 1])
    return best[-1]


class Rouge:
    """`compute_score` gives (mean, array of one value per item); empty against empty is 1, as in the
    original.
    """

    def __init__(self) -> None:
        self.beta = RougeL().beta

    def calc_score(self, candidate: Sequence[str], refs: Sequence[str]) -> float:
        """One candidate, in a list, against its references."""
        if len(candidate) != 1:
            raise AssertionError(f"Give a list of exactly one candidate, not {len(candidate)}.")
        if not len(refs):
            raise AssertionError("Give one reference or more.")
        return float(coco_values(texts(candidate, "candidate"), [texts(refs, "refs")], self.beta)[0])

    def compute_score(
        self, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]
    ) -> tuple[np.float64, FloatArray]:
        found = items(gts, res)
        values = coco_values(found.candidates, found.references, self.beta, found.jobs)
        return np.float64(np.mean(values)), values

    def method(self) -> str:
        return "Rouge"

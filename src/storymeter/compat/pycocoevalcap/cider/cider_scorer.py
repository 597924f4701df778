"""CIDEr-D of one list of candidates, gathered with `scorer += (candidate, references)`.

N-grams of 1 to 4 words count; another n only divides the sum by n, as in the original, and a caption of more
than n words is an error where n is below 4, as there.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain

import numpy as np

from ....arrays import FloatArray
from ....pairs.cider import Cider
from .. import Gathered
from ..bleu.bleu_scorer import Counts, precook as _counted

ORDERS = 4


def precook(s: str, n: int = 4, out: bool = False) -> Counts:
    """How often each n-gram of 1 to n words."""
    return _counted(s, n)[1]


def cook_refs(refs: Sequence[str], n: int = 4) -> list[Counts]:
    return [precook(reference, n) for reference in refs]


def cook_test(test: str, n: int = 4) -> Counts:
    return precook(test, n)


class CiderScorer(Gathered):
    """See the module. `compute_score` gives (mean, array of one value per item)."""

    def __init__(
        self, test: str | None = None, refs: Sequence[str] | None = None, n: int = 4, sigma: float = 6.0
    ) -> None:
        self.n, self.sigma = n, sigma
        self.ref_len: float | None = None
        super().__init__(test, refs)

    @property
    def crefs(self) -> list[list[Counts]]:
        return [cook_refs(references) for references in self._references]

    @property
    def ctest(self) -> list[Counts]:
        return [cook_test(test) for test in self._tests]

    @property
    def document_frequency(self) -> dict[tuple[str, ...], float]:
        """In how many items' references each n-gram stands."""
        found: dict[tuple[str, ...], float] = defaultdict(float)
        for references in self.crefs:
            for gram in set().union(*references):
                found[gram] += 1
        return found

    def compute_doc_freq(self) -> None:
        """Nothing to do: frequencies are counted when they are asked for."""

    def compute_cider(self) -> list[float]:
        if self.n < ORDERS:
            longest = max(len(line.split()) for line in chain(self._tests, *self._references))
            if longest > self.n:
                raise IndexError(
                    f"CIDEr with n={self.n} does not support a caption of {longest} words, as in"
                    " pycocoevalcap."
                )
        self.ref_len = np.log(float(len(self._references)))
        values = Cider(sigma=self.sigma, tokenizer="none").pairs(
            candidates=self._tests, references=self._references
        )
        return list(values * (ORDERS / self.n))

    def compute_score(self, option: object = None, verbose: int = 0) -> tuple[np.float64, FloatArray]:
        if not self._tests:
            raise ValueError("CIDEr of no captions at all is not defined.")
        values = np.array(self.compute_cider())
        return np.float64(np.mean(values)), values

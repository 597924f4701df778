"""BLEU-1 to BLEU-n of captions by id."""

from collections.abc import Mapping
from typing import Any

from .bleu_scorer import BleuScorer as BleuScorer


class Bleu:
    """`compute_score` gives ([BLEU-1 … BLEU-n of the corpus], [the same of each item])."""

    def __init__(self, n: int = 4) -> None:
        self._n = n
        self._hypo_for_image: dict[Any, Any] = {}
        self.ref_for_image: dict[Any, Any] = {}

    def compute_score(
        self,
        gts: Mapping[Any, list[str]],
        res: Mapping[Any, list[str]],
        verbose: int | str = 1,
        score_option: int | str = "closest",
    ) -> tuple[list[float], list[list[float]]]:
        """Newer copies take `score_option` (closest, shortest, average) in the place of `verbose`: so may a
        caller here."""
        option, loud = "closest", 1
        for value in (verbose, score_option):
            if isinstance(value, str):
                option = value
            else:
                loud = value
        return BleuScorer(n=self._n).gather(gts, res).compute_score(option=option, verbose=loud)

    def method(self) -> str:
        return "Bleu"

"""Cosine of sentence vectors: do two captions mean the same? For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from storymeter.arrays import FloatArray
from storymeter.compat.huggingface import base
from storymeter.pairs import Sts as Scorer


class Sts(base.CaptionModule):
    description: ClassVar[str] = "Cosine of sentence vectors: do two captions mean the same?"
    paper: ClassVar[str] = "Reimers and Gurevych, Sentence-BERT, EMNLP 2019"

    def _compute(
        self, predictions: list[str], references: list[Any], tokenizer: str = "none"
    ) -> dict[str, Any]:
        return super()._compute(predictions, references, "none")  # it reads sentences as they were written

    def scored(self, candidates: list[str], references: list[list[str]]) -> tuple[float, FloatArray]:
        values = Scorer().pairs(candidates=candidates, references=references)
        return values.mean(), values

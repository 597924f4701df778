"""Cosine of sentence vectors: do two captions mean the same? For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from typing import Any, ClassVar

from storymeter.compat.huggingface import base
from storymeter.pairs import Sts as Scorer


class Sts(base.CaptionModule):
    description: ClassVar[str] = "Cosine of sentence vectors: do two captions mean the same?"
    paper: ClassVar[str] = "Reimers and Gurevych, Sentence-BERT, EMNLP 2019"
    scorer = Scorer

    def _compute(
        self, predictions: list[str], references: list[Any], tokenizer: str = "none"
    ) -> dict[str, Any]:
        return super()._compute(predictions, references, "none")  # it reads sentences as they were written

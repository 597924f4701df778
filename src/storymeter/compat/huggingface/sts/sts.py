"""Cosine of sentence vectors: do two captions mean the same? For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from storymeter.compat._texts import prepared
from storymeter.compat.huggingface import base
from storymeter.pairs import Sts as Scorer


class Sts(base.CaptionModule):
    description: ClassVar[str] = "Cosine of sentence vectors: do two captions mean the same?"
    paper: ClassVar[str] = "Reimers and Gurevych, Sentence-BERT, EMNLP 2019"

    def _compute(
        self,
        predictions: list[str],
        references: list[Any],
        tokenizer: Literal["ptb", "whitespace", "none"] = "ptb",
    ) -> dict[str, Any]:
        candidates, groups = prepared(predictions, references, "none")
        values = Scorer().pairs(candidates=candidates, references=groups)
        return {"sts": float(values.mean()), "scores": values.tolist()}

"""What the modules for captions have in common: strings in, a corpus value and one value per caption out."""

from __future__ import annotations

from typing import Any, ClassVar

import datasets
import evaluate

from storymeter.arrays import FloatArray
from storymeter.compat._inputs import prepared
from storymeter.options import Tokenizer
from storymeter.pairs.scorer import PairScorer

INPUTS = """\
predictions: captions, one string each.
references: one string each, or a list of strings each.
tokenizer: ptb (default), whitespace or none; metrics that use the sentence as written ignore it.
Returns the value of the corpus, and scores: one value per prediction."""


class CaptionModule(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    description: ClassVar[str]
    paper: ClassVar[str]
    scorer: ClassVar[type[PairScorer]]

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=type(self).description,
            citation=self.paper,
            inputs_description=INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(
        self, predictions: list[str], references: list[Any], tokenizer: Tokenizer = "ptb"
    ) -> dict[str, Any]:
        value, scores = self.scored(*prepared(predictions, references, tokenizer))
        return {type(self).__name__.lower(): float(value), "scores": scores.tolist()}

    def scored(self, candidates: list[str], references: list[list[str]]) -> tuple[float, FloatArray]:
        """The value of the corpus and of each caption; texts are tokenised."""
        values = self.scorer().open(tokenised=True).pairs(candidates=candidates, references=references)
        return values.mean(), values

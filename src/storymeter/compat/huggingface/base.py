"""What the modules for captions have in common: strings in, a corpus value and one value per caption out."""

from __future__ import annotations

from typing import Any, ClassVar

import datasets
import evaluate

INPUTS = """\
predictions: captions, one string each.
references: one string each, or a list of strings each.
tokenizer: ptb (default), whitespace or none; what reads sentences as they are written takes no notice.
Returns the value of the corpus, and scores: one value per prediction."""


class CaptionModule(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    description: ClassVar[str]
    paper: ClassVar[str]

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

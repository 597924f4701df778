"""METEOR 1.5 without Java, as captioning reports it. For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from storymeter.compat._texts import prepared
from storymeter.compat.huggingface import base
from storymeter.pairs import Meteor as Scorer


class Meteor(base.CaptionModule):
    description: ClassVar[str] = "METEOR 1.5 without Java, as captioning reports it."
    paper: ClassVar[str] = "Denkowski and Lavie, Meteor Universal, WMT 2014"

    def _compute(
        self,
        predictions: list[str],
        references: list[Any],
        tokenizer: Literal["ptb", "whitespace", "none"] = "ptb",
    ) -> dict[str, Any]:
        scorer = Scorer()
        candidates, groups = prepared(predictions, references, tokenizer)
        rows = scorer.segment_statistics(candidates=candidates, references=groups)
        values = scorer.score_of_statistics(rows).tolist()
        return {"meteor": scorer.aggregate_of_statistics(rows), "scores": values}

"""METEOR 1.5 without Java, as captioning reports it. For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from typing import Any, ClassVar

from storymeter.arrays import FloatArray
from storymeter.compat.huggingface import base
from storymeter.pairs import Meteor as Scorer


class Meteor(base.CaptionModule):
    description: ClassVar[str] = "METEOR 1.5 without Java, as captioning reports it."
    paper: ClassVar[str] = "Denkowski and Lavie, Meteor Universal, WMT 2014"

    def scored(self, candidates: list[str], references: list[list[str]]) -> tuple[float, FloatArray]:
        scorer: Any = Scorer().open(tokenised=True)
        rows = scorer.segment_statistics(candidates=candidates, references=references)
        return scorer.aggregate_of_statistics(rows), scorer.score_of_statistics(rows)

"""What the modules have in common: captions (strings in, a corpus value and one value per caption out), and
timed captions of videos.
"""

from typing import Any, ClassVar

import datasets
import evaluate

from storymeter.arrays import FloatArray
from storymeter.compat import _inputs
from storymeter.options import Tokenizer
from storymeter.pairs import PairScorer
from storymeter.protocol import get
from storymeter.scores import Score

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
        value, scores = self.scored(*_inputs.prepared(predictions, references, tokenizer))
        return {type(self).__name__.lower(): float(value), "scores": scores.tolist()}

    def scored(self, candidates: list[str], references: list[list[str]]) -> tuple[float, FloatArray]:
        """The value of the corpus and of each caption; texts are tokenised."""
        values = self.scorer().open(tokenised=True).pairs(candidates=candidates, references=references)
        return values.mean(), values


class TimedModule(evaluate.Metric):  # type: ignore[misc]
    description: ClassVar[str]
    paper: ClassVar[str]
    inputs: ClassVar[str]

    def _info(self) -> Any:
        times = datasets.Sequence(datasets.Sequence(datasets.Value("float64")))
        video = {"timestamps": times, "sentences": datasets.Sequence(datasets.Value("string"))}
        return evaluate.MetricInfo(
            description=type(self).description,
            citation=self.paper,
            inputs_description=self.inputs,
            features=datasets.Features({"predictions": video, "references": video}),
        )

    def timed_score(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        metric: str,
        protocol: str,
    ) -> Score:
        """The score of a metric of timed captions, of videos in order."""
        said, truth = (
            _inputs.references({str(k): video for k, video in enumerate(videos)})
            for videos in (predictions, references)
        )
        return _inputs.scores([metric], said, [truth], get(protocol))[metric]

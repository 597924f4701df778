"""SODA c: the story in order, matched in time, scored by METEOR. For `evaluate.load`; see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

CITATION = "Fujita et al., SODA: Story Oriented Dense Video Captioning Evaluation Framework, ECCV 2020"
INPUTS = """\
predictions, references: one entry per video: {"timestamps": [[start, end], ...], "sentences": [text, ...]}.
variant: a, b, c (default) or d; protocol: paper (default), soda-v1 and the others of
`storymeter info --protocols`.
Returns soda (F1), precision and recall."""


class Soda(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    def _info(self) -> Any:
        times = datasets.Sequence(datasets.Sequence(datasets.Value("float64")))
        video = {"timestamps": times, "sentences": datasets.Sequence(datasets.Value("string"))}
        return evaluate.MetricInfo(
            description="SODA c: the story in order, matched in time, scored by METEOR.",
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": video, "references": video}),
        )

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        variant: str = "c",
        protocol: str = "paper",
    ) -> dict[str, float]:
        from storymeter.compat import _inputs
        from storymeter.protocol import get

        said, truth = (
            _inputs.references({str(k): video for k, video in enumerate(videos)})
            for videos in (predictions, references)
        )
        name = f"soda_{variant}"
        score = _inputs.scores([name], said, [truth], get(protocol))[name]
        return {
            "soda": score.value,
            "precision": score.parts["precision"],
            "recall": score.parts["recall"],
        }

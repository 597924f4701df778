"""Any metric of timed captions (SODA, ActivityNet, localisation, paragraphs). For `evaluate.load`; see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

CITATION = "Fujita et al., ECCV 2020 (SODA); Krishna et al., ICCV 2017 (ActivityNet Captions)"
INPUTS = """\
predictions, references: one entry per video: {"timestamps": [[start, end], ...], "sentences": [text, ...]}.
metric: soda_c (default), anet, localisation, paragraph_meteor and the others of `storymeter info --metrics`;
protocol: paper (default), soda-v1 and the others of `storymeter info --protocols`.
Returns the value under the name of the metric, its parts, and the signature."""


class Dense(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    def _info(self) -> Any:
        times = datasets.Sequence(datasets.Sequence(datasets.Value("float64")))
        video = {"timestamps": times, "sentences": datasets.Sequence(datasets.Value("string"))}
        return evaluate.MetricInfo(
            description="Any metric of timed captions that Storymeter knows.",
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": video, "references": video}),
        )

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        metric: str = "soda_c",
        protocol: str = "paper",
    ) -> dict[str, Any]:
        from storymeter.compat import _inputs
        from storymeter.protocol import get

        said, truth = (
            _inputs.references({str(k): video for k, video in enumerate(videos)})
            for videos in (predictions, references)
        )
        score = _inputs.scores([metric], said, [truth], get(protocol))[metric]
        return {metric: score.value, **score.parts, "signature": str(score.signature)}

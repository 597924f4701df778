"""Any metric of timed captions (SODA, ActivityNet, localisation, paragraphs). For `evaluate.load`; see
`storymeter.compat.huggingface`.
"""

from typing import Any, ClassVar

from storymeter.compat.huggingface import base


class Dense(base.TimedModule):
    description: ClassVar[str] = "Any metric of timed captions that Storymeter knows."
    paper: ClassVar[str] = "Fujita et al., ECCV 2020 (SODA); Krishna et al., ICCV 2017 (ActivityNet Captions)"
    inputs: ClassVar[str] = """\
predictions, references: one entry per video: {"timestamps": [[start, end], ...], "sentences": [text, ...]}.
metric: soda_c (default), anet, localisation, paragraph_meteor and the others of `storymeter info --metrics`;
protocol: paper (default), soda-v1 and the others of `storymeter info --protocols`.
Returns the value under the name of the metric, its parts, and the signature."""

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        metric: str = "soda_c",
        protocol: str = "paper",
    ) -> dict[str, Any]:
        score = self.timed_score(predictions, references, metric, protocol)
        return {metric: score.value, **score.parts, "signature": str(score.signature)}

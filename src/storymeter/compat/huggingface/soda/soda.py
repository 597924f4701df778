"""SODA c: the story in order, matched in time, scored by METEOR. For `evaluate.load`; see
`storymeter.compat.huggingface`.
"""

from typing import Any, ClassVar

from storymeter.compat.huggingface import base


class Soda(base.TimedModule):
    description: ClassVar[str] = "SODA c: the story in order, matched in time, scored by METEOR."
    paper: ClassVar[str] = (
        "Fujita et al., SODA: Story Oriented Dense Video Captioning Evaluation Framework, ECCV 2020"
    )
    inputs: ClassVar[str] = """\
predictions, references: one entry per video: {"timestamps": [[start, end], ...], "sentences": [text, ...]}.
variant: a, b, c (default) or d; protocol: paper (default), soda-v1 and the others of
`storymeter info --protocols`.
Returns soda (F1), precision and recall."""

    def _compute(
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        variant: str = "c",
        protocol: str = "paper",
    ) -> dict[str, float]:
        score = self.timed_score(predictions, references, f"soda_{variant}", protocol)
        return {
            "soda": score.value,
            "precision": score.parts["precision"],
            "recall": score.parts["recall"],
        }

"""Caption scores as torchmetrics: `update` in every step, `compute` at the end, summed over processes.

    score = CaptionScore("meteor")
    score.update(["a man walks"], [["a man is walking", "somebody walks"]])
    score.compute()                                  # tensor(0.46…)

The state is the sum of the measure's additive statistics (METEOR's counts, BLEU's n-gram counts), so that
corpus scores of several processes are exact: nothing but a vector is sent. CIDEr's idf must be known before:
give it the references of the whole corpus, `CaptionScore("cider", corpus=references)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MissingPartError, UsageError
from ..metric import Tokenizer
from ..registry import scorer as get_scorer
from ._texts import prepared

try:
    import torch
    import torchmetrics
except ImportError as error:
    raise MissingPartError(
        f"CaptionScore needs torch and torchmetrics ({error}).", hint="pip install torch torchmetrics"
    ) from None


class CaptionScore(torchmetrics.Metric):
    """`name`: meteor, bleu_1 … bleu_4, rouge_l, cider, sts and the other scorers of `storymeter info
    --metrics`.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    sums: Any

    def __init__(
        self,
        name: str = "meteor",
        *,
        corpus: Sequence[Sequence[str]] | None = None,
        tokenizer: Tokenizer = "ptb",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        scorer = get_scorer(name)
        # one with a tokenizer of its own, or that reads sentences as they are, gets them so
        self.tokenizer: Tokenizer = "none" if scorer.raw_text else tokenizer
        scorer = scorer if scorer.raw_text else scorer.of_tokens()
        if corpus is not None:
            groups = prepared([], corpus, self.tokenizer)[1]
            scorer = scorer.fit(groups)
        elif name.startswith("cider"):
            raise UsageError(
                "CIDEr weighs words by the references of the whole corpus.",
                hint='Give them: CaptionScore("cider", corpus=[[caption, ...], ...]).',
            )
        self.scorer = scorer
        width = scorer.statistics(candidates=["a"], references=[["a"]]).shape[1]
        self.add_state("sums", torch.zeros(width, dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, predictions: Sequence[str], references: Sequence[str | Sequence[str]]) -> None:
        """Captions, and for each its reference or references."""
        candidates, groups = prepared(predictions, references, self.tokenizer)
        rows = self.scorer.statistics(candidates=candidates, references=groups)
        self.sums += torch.from_numpy(np.asarray(rows, dtype=np.float64).sum(axis=0)).to(self.sums.device)

    def compute(self) -> Any:
        value = float(self.scorer.combine(self.sums.cpu().numpy())["value"])
        return torch.tensor(value, dtype=torch.float64)

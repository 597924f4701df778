"""Caption scores as torchmetrics: `update` in every step, `compute` at the end, summed over processes.

    score = CaptionScore("meteor")
    score.update(["a man walks"], [["a man is walking", "somebody walks"]])
    score.compute()                                  # tensor(0.46…)

The state is the sum of the measure's additive statistics (METEOR's counts, BLEU's n-gram counts), so that
corpus scores of several processes are exact: nothing but a vector is sent. CIDEr's idf must be known before:
give it the references of the whole corpus, `CaptionScore("cider", corpus=references)`.

Metrics of documents take one video a prediction, as captions with times or as the text of a model's answer:

    score = CaptionScore("soda_c", protocol="paper")
    score.update([[{"start": 0, "end": 4, "caption": "a man walks"}]], [{"timestamps": …, "sentences": …}])

Answers that hold no caption are warned of, and counted in `score.unread`.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..engine.run import Run
from ..errors import MissingPartError, StorymeterWarning, UsageError, many
from ..join import Coverage, Task
from ..metrics import Metric
from ..options import Tokenizer
from ..pairs.documents import TextMetric
from ..pairs.model import PairModel, own_tokenizer
from ..registry import metric as get_metric
from ..rewards.trainers import timed_documents, untimed_documents
from ._inputs import prepared

try:
    import torch
    import torchmetrics
except ImportError as error:
    raise MissingPartError(
        f"CaptionScore needs torch and torchmetrics ({error}).", hint="pip install torch torchmetrics"
    ) from None


class CaptionScore(torchmetrics.Metric):
    """`name`: any metric of `storymeter info --metrics`: meteor, bleu_4, cider, sts, soda_c, anet, …

    `protocol` and `timed` are for metrics of documents: `timed=False` takes their captions without times.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    sums: Any
    #: answers without a caption that can be read
    unread: Any
    run: Run | None = None
    scorer: PairModel
    metric: Metric

    def __init__(
        self,
        name: str = "meteor",
        *,
        corpus: Sequence[Sequence[str]] | None = None,
        tokenizer: Tokenizer = "ptb",
        protocol: str = "paper",
        timed: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        metric = get_metric(name)
        if not isinstance(metric, TextMetric):
            self._of_documents(metric, protocol, tokenizer, timed)
            return
        # one with a tokenizer of its own, or that reads sentences as they are, gets them so
        raw = own_tokenizer(metric.scorer) != "run"
        self.tokenizer: Tokenizer = "none" if raw else tokenizer
        self.metric, model = metric, metric.scorer.open(tokenised=not raw)
        if corpus is not None:
            groups = prepared([], corpus, self.tokenizer)[1]
            model = model.fit(groups)
        elif name.startswith("cider"):
            raise UsageError(
                "CIDEr weighs words by the references of the whole corpus.",
                hint='Give them: CaptionScore("cider", corpus=[[caption, ...], ...]).',
            )
        self.scorer = model
        width = self._statistics(["a"], [["a"]]).shape[1]
        self.add_state("sums", torch.zeros(width, dtype=torch.float64), dist_reduce_fx="sum")

    def _of_documents(self, metric: Metric, protocol: str, tokenizer: Tokenizer, timed: bool) -> None:
        if reason := metric.unshardable_reason():
            raise UsageError(
                f"{metric.name} cannot be summed over steps: {reason}.",
                hint="Score the whole corpus at once.",
            )
        run = Run(protocol=protocol, tokenizer=tokenizer, jobs=1)
        (self.metric,) = run.resolve_metrics([metric], referenced=True).values()
        self.run, self.timed = run, timed
        width = len(self.metric.columns)
        self.add_state("sums", torch.zeros(width, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("unread", torch.zeros((), dtype=torch.long), dist_reduce_fx="sum")

    def _rows(self, run: Run, predictions: Sequence[Any], references: Sequence[Any]) -> Any:
        """The rows of documents of one step; a video's references are one annotator or a list of them."""
        if len(predictions) != len(references):
            raise UsageError(
                f"There are {len(predictions):,} predictions but {len(references):,} references.",
                hint="Give the references of each video.",
            )
        documents = timed_documents if self.timed else untimed_documents
        found = [documents(each) for each in predictions]
        wrong = [k for k, each in enumerate(found) if len(each) != 1]
        if wrong:
            raise UsageError(
                f"Prediction {wrong[0]} is {len(found[wrong[0]])} documents.", hint="Give one per video."
            )
        unread = [
            k for k, each in enumerate(predictions) if isinstance(each, str) and not found[k][0].captions
        ]
        if unread:
            self.unread += len(unread)
            warnings.warn(
                f"{many(len(unread), 'answer')} of {len(found):,} hold no caption that can be read (first:"
                f" prediction {unread[0]}); they count as videos without captions, and `unread` counts them.",
                StorymeterWarning,
                stacklevel=3,
            )
        ids = tuple(f"{k:09d}" for k in range(len(found)))
        against = tuple(documents(each) for each in references)
        task = Task("predictions", ids, tuple(each[0] for each in found), against, Coverage(len(ids)))
        return self.metric.checked(self.metric.rows(task, run.against([]).context), task).values

    def update(self, predictions: Sequence[Any], references: Sequence[Any]) -> None:
        """Captions, and for each its reference or references."""
        if self.run is not None:
            rows = self._rows(self.run, predictions, references)
            self.sums += torch.from_numpy(rows.sum(axis=0)).to(self.sums.device)
            return
        candidates, groups = prepared(predictions, references, self.tokenizer)
        rows = self._statistics(candidates, groups)
        self.sums += torch.from_numpy(np.asarray(rows, dtype=np.float64).sum(axis=0)).to(self.sums.device)

    def _statistics(self, candidates: Sequence[str], groups: Sequence[Sequence[str]]) -> FloatArray:
        """What is summed of each caption; BLEU at the level of sentences is a mean of values."""
        if not self._averaged:
            return self.scorer.statistics(candidates=candidates, references=groups)
        values = self.scorer.pairs(candidates=candidates, references=groups)
        return np.column_stack([values, np.ones(len(values))])

    @property
    def _averaged(self) -> bool:
        return getattr(self.scorer.scorer, "level", "") == "sentence"

    def compute(self) -> Any:
        sums = self.sums.cpu().numpy()
        if self.run is not None:
            value = self.metric.combine(sums)["value"]
        else:
            value = sums[0] / max(sums[1], 1) if self._averaged else self.scorer.value_of(sums)
        return torch.tensor(float(value), dtype=torch.float64)

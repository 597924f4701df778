"""Whole documents by a scorer of sentences: the text of each (its captions joined by a blank) against its
references' texts.

>>> from storymeter.pairs import Bleu, TextMetric
>>> score = TextMetric(Bleu(1)).corpus(candidates=["a dog runs"], references=[["the dog runs"]])
>>> round(score.value, 4)
0.6667
"""

from __future__ import annotations

import functools
from dataclasses import MISSING, dataclass, replace
from typing import Any, cast

import numpy as np

from .. import _native
from ..arrays import FloatArray
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..measure import TrainingData, is_own, training_of
from ..metrics import Metric
from ..options import option
from ..plugins import gave
from ..protocol import Protocol
from ..scores import Rows, Signature
from .meteor import STATISTICS, Meteor
from .model import PLAIN_COLUMNS, PairModel, tokenized_by, value_of
from .plugged import inheriting
from .scorer import PairScorer, open_scorer
from .sentences import texts_of


def _trait(name: str) -> Any:
    """What the scorer's traits say."""
    return property(lambda metric: getattr(metric.scorer.traits, name))


@dataclass(frozen=True, eq=False, repr=False)
class TextMetric(Metric):
    """Scores documents by the scorer that it holds, under the scorer's name; the scorer may be given by its
    name. Where the value of a corpus is no mean of pairs, this makes an object of the subclass that knows it.
    """

    scorer: PairScorer = option(MISSING, "the scorer that compares each text with those of its references")
    _own = True

    def __new__(cls, scorer: PairScorer | str) -> TextMetric:
        made = PairScorer._from_text(scorer) if isinstance(scorer, str) else scorer
        if cls is TextMetric and not isinstance(made, PairScorer):
            raise UsageError(
                f"TextMetric: scorer cannot be {str(made)[:80]}.",
                hint="It is a scorer, such as 'meteor' or Meteor().",
            )
        if cls is not TextMetric:
            return super().__new__(cls)
        own: type[TextMetric] | None = MeteorText if isinstance(made, Meteor) else made._documents
        return super().__new__(own or _plugged(cast(Any, type(made))))

    @property
    def name(self) -> str:
        return self.scorer.name

    def __repr__(self) -> str:
        return f"TextMetric({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """The metric and its scorer have one name, and are equal, too."""
        scorer = other.scorer if isinstance(other, TextMetric) else other
        return self.scorer == scorer if isinstance(scorer, PairScorer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.scorer)

    def __reduce__(self) -> tuple[Any, ...]:
        return TextMetric, (self.scorer,)

    def __getattr__(self, name: str) -> Any:
        """Options and calls of the scorer."""
        if name.startswith("_") or name == "scorer":
            raise AttributeError(name)
        return getattr(self.scorer, name)

    @property
    def _named_measure(self) -> PairScorer:
        return self.scorer

    @property
    def own(self) -> bool:
        return is_own(type(self.scorer))

    @property
    def trained_on(self) -> TrainingData:
        return training_of(self.scorer)

    stand_in = _trait("stand_in")
    slow = _trait("slow")
    ordered = _trait("ordered")
    needs_references = _trait("needs_references")
    percent = _trait("percent")
    higher_is_better = _trait("higher_is_better")

    def unshardable_reason(self) -> str:
        if self.scorer.traits.learns:
            return "it is fitted to the references of all documents"
        return "pairs are scored in batches across documents" if self.scorer.traits.across_documents else ""

    @property
    def columns(self) -> tuple[str, ...]:
        columns = tuple(self.scorer.traits.pair_columns)
        return ("value", "documents") if columns == PLAIN_COLUMNS else columns

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        texts = texts_of(context, task, tokenized_by(self.scorer, context.tokenizer))
        model = open_scorer(context, self.scorer).fit([*texts.references, *texts.unscored])
        found: FloatArray = model.statistics(
            candidates=texts.candidates, references=texts.references, jobs=context.jobs
        )
        return found

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": value_of(self.scorer, sums)}

    def signature(self, context: Context) -> Signature:
        tok = tokenized_by(self.scorer, context.tokenizer)
        fields = self.signature_fields(open_scorer(context, self.scorer))
        return super().signature(context).add(tok=tok, **fields)

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        """What the signature says beside the name."""
        return {"references": self.scorer.traits.over_references, **model.depends_on()}

    def _gave(self) -> str:
        return gave(self.scorer, "score_indexed")


class MeteorText(TextMetric):
    """The score of the statistics summed over documents, beside the mean of the documents' scores. (It stands
    here so that METEOR of two sentences loads nothing of documents.)"""

    _own = True
    scorer: Meteor
    columns = (*STATISTICS, "score", "documents")

    def under(self, protocol: Protocol) -> Metric:
        """Where the protocol is that of visual storytelling, METEOR without options is what it prints."""
        plain = self.scorer.task == "rank" and self.scorer.normalize
        if not plain or protocol.meteor != "hter":
            return self
        return MeteorText(replace(self.scorer, task="hter", normalize=False))

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        open_scorer(context, self.scorer).prepare()
        statistics = np.asarray(super().rows(task, context))
        return np.column_stack([statistics, value_of(self.scorer, statistics), np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        value = value_of(self.scorer, sums[..., : len(STATISTICS)])
        return {"value": value, "mean": sums[..., -2] / np.maximum(sums[..., -1], 1.0)}

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        table = _native.METEOR_TABLE_VERSION
        options = {"task": self.scorer.task, "normalize": self.scorer.normalize}
        return {**options, **model.depends_on(), "table": table}


#: what scorers inherited from metrics in earlier versions
_OF_METRICS = set(dir(Metric)) - set(dir(PairScorer)) - {"own", "origin"}


@functools.cache
def _plugged(scorer: Any) -> type[TextMetric]:
    """The metric of a plug-in scorer. In earlier versions scorers were metrics of documents: what their class
    defines of a metric still counts.
    """
    given = {name for cls in scorer.__mro__ if not is_own(cls) for name in _OF_METRICS & vars(cls).keys()}
    if not given:
        return TextMetric
    forwarded = {name: _forwarded(scorer, name) for name in given}
    return type("TextMetric", (TextMetric,), {**forwarded, "_own": True})


def _forwarded(scorer: type[PairScorer], name: str) -> Any:
    made = getattr(scorer, name)
    if not callable(made):
        return property(lambda metric: getattr(_caller(metric), name))

    @functools.wraps(made)
    def forwarded(metric: TextMetric, *arguments: Any, **named: Any) -> Any:
        return getattr(_caller(metric), name)(*arguments, **named)

    return forwarded


def _caller(metric: TextMetric) -> Any:
    """The scorer of one's own, whose `super()` finds the metric of documents."""

    def inherited(name: str) -> Any:
        made = getattr(TextMetric, name)
        if isinstance(made, property):
            return property(lambda scorer: made.__get__(metric))
        return staticmethod(functools.partial(made, metric)) if callable(made) else made

    return inheriting(metric.scorer, {name: inherited(name) for name in _OF_METRICS})

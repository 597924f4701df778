"""Scorers: how alike are two sentences?

A `PairScorer` is a value: options that never change, and `traits`, which say what holds for all its calls.
The work is done by the `PairModel` that `open` makes: it knows where a model runs, whom to call about its
progress and which references it was fitted to. A scorer of one's own defines `score_indexed` on the class
itself (docs/plugins.md); `storymeter.pairs.plugged` makes its model.

Everything is built on one call: distinct sentences in two lists, and two index arrays that say which pairs
are wanted (`score_indexed`). Roles are keyword-only everywhere, because swapping them gives another number:
METEOR weighs recall. `storymeter.pairs.documents` scores whole documents by a scorer.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

from ..arrays import FloatArray
from ..measure import Measure, TrainingData, is_own
from ..progress import Progress, silent
from .model import PLAIN_COLUMNS, IndexedPairs as IndexedPairs, PairModel

if TYPE_CHECKING:
    from ..context import Context, Settings
    from ..scores import Score

#: what the option `tokenizer` of a scorer says
TOKENIZER_OPTION = "how sentences become words; run: as the run does, and ptb in a call of the scorer alone"


class Traits(NamedTuple):
    """What holds for all calls of a scorer; a scorer of one's own declares it as attributes of its class."""

    #: f(a, b) == f(b, a)
    symmetric: bool = False
    #: smallest and largest value a pair can get
    range: tuple[float, float] = (0.0, 1.0)
    #: whether several threads may call it at once
    threads: bool = False
    #: whether numbers depend on the references that `fit` was given
    learns: bool = False
    #: whether the value of a pair depends on the pairs beside it: it is scored by `score_groups` then
    fits_per_video: bool = False
    #: whether a pair may have no value (NaN): a judge's verdict that cannot be read
    may_be_missing: bool = False
    #: whether the value of a pair depends on the pairs beside it, also of other documents: no shards
    across_documents: bool = False
    #: whether it is made for English alone; captions in another language are warned of
    english: bool = False
    #: whether it reads sentences as they were written: a language model has a tokeniser of its own
    raw_text: bool = False
    #: whether a sentence without words matches nothing, so that its pairs are 0 and never scored
    needs_words: bool = True
    #: how several references of one candidate become one value, where the measure has no rule of its own
    over_references: Literal["max", "mean"] = "max"
    #: the additive statistics of a pair; measures whose corpus value is no mean (BLEU, METEOR) have others
    pair_columns: tuple[str, ...] = PLAIN_COLUMNS
    #: whether a model or another program reads every sentence: a run scores by all else first
    slow: bool = False
    #: whether it runs a model on the device of the run
    uses_device: bool = False
    #: whether it asks a language model, which costs money
    asks: bool = False
    #: what was used to train or tune it; None: nothing; of a plug-in: it is not stated
    trained_on: TrainingData | None = None
    #: whether it compares with references at all
    needs_references: bool = True
    #: whether tables print the value as a percentage, as the field does
    percent: bool = True
    #: whether a higher value is a better text; None where neither is
    higher_is_better: bool | None = True
    #: whether the order of a document's references can change the number: the signature states it
    ordered: bool = False
    #: what works in place of the original's engine, which is not packaged; '' where nothing does
    stand_in: str = ""


#: of a scorer by a model or another program
MODEL_TRAITS = Traits(raw_text=True, slow=True, uses_device=True)


class PairScorer(Measure):
    """Scores pairs of sentences; see the module."""

    _own = True
    #: what an option of this type takes, in errors
    _example: ClassVar[str] = "a scorer, such as 'meteor' or Meteor()"
    #: the class of its models; None: a scorer of one's own, which defines `score_indexed`
    _model: ClassVar[type[PairModel] | None] = None
    #: the class of the metric of documents that holds it; None: `documents.TextMetric`
    _documents: ClassVar[type[Any] | None] = None
    #: who is called with the progress of a scorer of one's own; its model sets it
    _progress: ClassVar[Progress] = staticmethod(silent)

    @property
    def traits(self) -> Traits:
        """What holds for all its calls, such as `symmetric` and `range`."""
        given = [key for key in Traits._fields if hasattr(type(self), key) or key in vars(self)]
        return Traits(**{key: getattr(self, key) for key in given})

    def open(self, settings: Settings | None = None, *, tokenised: bool = False) -> PairModel:
        """The scorer ready to work.

        settings: device, progress, tokenizer and budget; without them those of a call in Python.
        tokenised: whether sentences come as tokens joined by blanks, which nobody splits again.
        """
        if self._model is not None and is_own(type(self)):
            return self._model(self, settings, tokenised=tokenised)
        from .plugged import PluggedModel, hook

        if self._model is None:
            return PluggedModel(self, settings, tokenised=tokenised)
        model = self._model(self, settings, tokenised=tokenised)
        hook(model, self)  # a subclass of one of ours
        return model

    def pairs(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """One value per candidate, which has one or more references; 0 where it has none."""
        return self._alone.pairs(candidates=candidates, references=references, jobs=jobs)

    def matrix(self, *, candidates: Sequence[str], references: Sequence[str], jobs: int = 1) -> FloatArray:
        """(candidates, references): every sentence against every other."""
        return self._alone.matrix(candidates=candidates, references=references, jobs=jobs)

    def fit(self, references: Sequence[Sequence[str]]) -> Any:
        """A model that has learnt from the whole reference corpus, one list per item (idf); `pairs` and
        `matrix` are called on it. Most scorers learn nothing.
        """
        if not is_own(next(cls for cls in type(self).__mro__ if "fit" in vars(cls))):
            return self  # from the `fit` of a scorer of one's own
        return self._alone.fit(references)

    def corpus(self, *, candidates: Any, references: Any = None, **settings: Any) -> Score:
        """The score of a whole corpus, with its interval and signature: see `storymeter.Metric.corpus`."""
        metric = importlib.import_module("storymeter.pairs.documents").TextMetric(self)
        score: Score = metric.corpus(candidates=candidates, references=references, **settings)
        return score

    @classmethod
    def _from_text(cls, text: str) -> PairScorer:
        found: PairScorer = importlib.import_module("storymeter.registry").scorer(text)
        return found

    def __new__(cls, *arguments: object, **options: object) -> PairScorer:
        if cls._model is None and not hasattr(cls, "score_indexed"):
            raise TypeError(f"Can't instantiate {cls.__name__} without the method 'score_indexed'")
        return super().__new__(cls)

    @cached_property
    def _alone(self) -> PairModel:
        """What calls outside of a run are answered by; it keeps what it has read."""
        return self.open()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {key: value for key, value in state.items() if key != "_alone"}

    def __getattr__(self, name: str) -> Any:
        """What was an attribute of scorers earlier, and is now one of `traits`, of the model or of the
        metric of documents."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in Traits._fields:
            owner, place = cast(Any, self.traits), "traits"
        elif hasattr(self._model or PairModel, name):
            owner, place = self._alone, "open()"
        else:
            owner = importlib.import_module("storymeter.pairs.documents").TextMetric(self)
            place = "TextMetric"
            if not hasattr(type(owner), name):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        warnings.warn(f"{name} of a scorer is now {place}.{name}.", DeprecationWarning, stacklevel=2)
        return getattr(owner, name)


class ModelScorer(PairScorer):
    """A scorer of one's own by a model or another program: it reads sentences as they were written, and takes
    its time. `device` is where its model runs."""

    _own = True
    raw_text = slow = uses_device = True
    device: str = "cpu"


def open_scorer(context: Context, scorer: PairScorer) -> Any:
    """The run's own model of a scorer: on its device, for tokens, with what it has read so far."""
    return context.per_run(_opened, scorer)


def _opened(context: Context, scorer: PairScorer) -> PairModel:
    from ..context import Settings

    # not the context itself, which holds the model: neither would be given up before the next collection
    return scorer.open(Settings(**context.settings()), tokenised=True)

"""Scorers: how alike are two sentences?

>>> from storymeter.pairs import RougeL
>>> RougeL().pairs(candidates=["a dog runs"], references=[["the dog runs"]]).round(2).tolist()
[0.67]
>>> round(RougeL().corpus(candidates=["a dog runs"], references=[["the dog runs", "dogs run"]]).value, 2)
0.67

`pairs` compares each candidate with its references, `matrix` all texts with all; `corpus` gives the score
of a corpus, with interval and signature. Scorers load on first use, so that a program pays only for those
that it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .bertscore import BertScore as BertScore
    from .bleu import Bleu as Bleu
    from .cider import Cider as Cider
    from .diversity import Distinct as Distinct, Repetition as Repetition, SelfBleu as SelfBleu
    from .documents import TextMetric as TextMetric
    from .facts import Facts as Facts
    from .meteor import Meteor as Meteor
    from .model import PairModel as PairModel
    from .rouge import RougeL as RougeL
    from .scorer import ModelScorer as ModelScorer, PairScorer as PairScorer, Traits as Traits
    from .sentences import texts_of as texts_of
    from .spice import Spice as Spice
    from .sts import Sts as Sts
    from .wmd import Wmd as Wmd

_LATE = {
    "BertScore": "bertscore",
    "Bleu": "bleu",
    "Cider": "cider",
    "Distinct": "diversity",
    "Facts": "facts",
    "Meteor": "meteor",
    "PairModel": "model",
    "PairScorer": "scorer",
    "TextMetric": "documents",
    "Traits": "scorer",
    "ModelScorer": "scorer",
    "Repetition": "diversity",
    "RougeL": "rouge",
    "SelfBleu": "diversity",
    "Spice": "spice",
    "Sts": "sts",
    "Wmd": "wmd",
    "texts_of": "sentences",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

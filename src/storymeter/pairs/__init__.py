"""How alike are two sentences? Scorers load on first use, so that a program pays only for those that it
names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .bertscore import BertScore as BertScore
    from .bleu import Bleu as Bleu
    from .cider import Cider as Cider
    from .facts import Facts as Facts
    from .meteor import Meteor as Meteor
    from .rouge import RougeL as RougeL
    from .scorer import ModelScorer as ModelScorer
    from .sentences import texts_of as texts_of
    from .spice import Spice as Spice
    from .sts import Sts as Sts
    from .wmd import Wmd as Wmd

_LATE = {
    "BertScore": "bertscore",
    "Bleu": "bleu",
    "Cider": "cider",
    "Facts": "facts",
    "Meteor": "meteor",
    "ModelScorer": "scorer",
    "RougeL": "rouge",
    "Spice": "spice",
    "Sts": "sts",
    "Wmd": "wmd",
    "texts_of": "sentences",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

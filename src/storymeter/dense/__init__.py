"""Timed captions: whether the events are there, in order, without padding (SODA, ActivityNet).

>>> from storymeter.dense import Soda
>>> Soda("c")
Soda('c')

Sentences are compared by the scorers of `storymeter.pairs`; documents are scored by `storymeter.Run`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .activitynet import ActivityNet as ActivityNet
    from .counts import Captions as Captions, Overlap as Overlap, TimeCoverage as TimeCoverage, Words as Words
    from .localisation import Localisation as Localisation, StartDistance as StartDistance
    from .paragraph import Paragraph as Paragraph
    from .soda import Soda as Soda

_LATE = {
    "ActivityNet": "activitynet",
    "Captions": "counts",
    "Localisation": "localisation",
    "Overlap": "counts",
    "Paragraph": "paragraph",
    "Soda": "soda",
    "StartDistance": "localisation",
    "TimeCoverage": "counts",
    "Words": "counts",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

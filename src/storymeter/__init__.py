"""Storymeter measures how well a machine told the story of a video.

    import storymeter report = storymeter.evaluate(candidates=storymeter.read("mine.json"),
    references=[storymeter.read("ref.json")],
                                 metrics=["soda_c", "meteor"], protocol="paper")

Names are loaded on first use, so that a program that only wants METEOR starts in a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .late import late

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .captions import Caption as Caption
    from .captions import Corpus as Corpus
    from .captions import Document as Document
    from .captions import Rating as Rating
    from .engine.evaluate import evaluate as evaluate
    from .errors import StorymeterError as StorymeterError
    from .formats import read as read
    from .formats import write as write
    from .metric import Score as Score
    from .signature import Signature as Signature

_LATE = {
    "Caption": "captions",
    "Corpus": "captions",
    "Document": "captions",
    "Rating": "captions",
    "Score": "metric",
    "Signature": "signature",
    "StorymeterError": "errors",
    "evaluate": "engine.evaluate",
    "read": "formats",
    "write": "formats",
}

__getattr__, __dir__ = late(__name__, _LATE)

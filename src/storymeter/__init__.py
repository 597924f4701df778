"""Storymeter evaluates video captions, dense captions and visual stories.

    import storymeter
    storymeter.evaluate(["a dog runs"], [["the dog runs", "a dog is running"]], "meteor")    # lists of texts
    storymeter.evaluate("mine.json", "references.json", ["soda_c", "meteor"])                # files
    storymeter.metric("cider").corpus(candidates=[...], references=[[...], ...])             # one score

    run = storymeter.Run(references=storymeter.read("references.json"), protocol="paper")    # many systems
    results = run.score(storymeter.read("mine.json"), ["soda_c", "meteor"])

>>> import storymeter
>>> score = storymeter.metric("rouge_l").corpus(candidates=["a dog runs"], references=[["the dog runs"]])
>>> round(score.value, 2)
0.67

Names are loaded on first use, so that a program that only wants METEOR starts in a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import late, moved

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .captions import Caption as Caption, Corpus as Corpus, Document as Document, Rating as Rating
    from .engine.comparing import compare as compare
    from .engine.one_document import show as show
    from .engine.results import Results as Results
    from .engine.run import Run as Run, evaluate as evaluate
    from .engine.saved import load as load
    from .errors import StorymeterError as StorymeterError
    from .formats import read as read, write as write
    from .formats.prose import read_answer as read_answer
    from .metrics import MeanMetric as MeanMetric, Metric as Metric
    from .pairs.scorer import PairScorer as PairScorer
    from .protocol import Protocol as Protocol
    from .registry import metric as metric, scorer as scorer
    from .scores import Score as Score, Signature as Signature

_MODULES = {
    "captions": ("Caption", "Corpus", "Document", "Rating"),
    "engine.comparing": ("compare",),
    "engine.one_document": ("show",),
    "engine.results": ("Results",),
    "engine.run": ("Run", "evaluate"),
    "engine.saved": ("load",),
    "errors": ("StorymeterError",),
    "formats": ("read", "write"),
    "formats.prose": ("read_answer",),
    "metrics": ("MeanMetric", "Metric"),
    "pairs.scorer": ("PairScorer",),
    "protocol": ("Protocol",),
    "registry": ("metric", "scorer"),
    "scores": ("Score", "Signature"),
}
_LATE = {name: module for module, names in _MODULES.items() for name in names}

#: subpackages and modules that are there without an import of their own: `storymeter.pairs.Cider()`
_ROOMS = ("errors", "formats", "human", "meta", "pairs", "registry", "stats", "stress", "text")

__all__ = sorted(_LATE)
__getattr__, __dir__ = late(__name__, _LATE, _ROOMS)
#: module paths that documents named before
moved(
    {
        "storymeter.dense.matching": "storymeter.dense.caption_pairs",
        "storymeter.human.analysis.robust": "storymeter.human.analysis.influence",
        "storymeter.human.degrade": "storymeter.human.campaign.degrade",
        "storymeter.pairs.align": "storymeter.pairs.sts",
        "storymeter.report.full.data": "storymeter.report.full.build",
        "storymeter.stats.exact": "storymeter.stats.poisson",
        "storymeter.stats.multiple": "storymeter.stats.resampling",
    }
)

"""Timed captions under metrics of whole documents: METEOR of all captions of a video joined to one text is
not the METEOR that papers on dense captioning report. It is said once, and the signature has it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from ..captions import Corpus
from ..errors import StorymeterWarning
from ..metric import Metric
from ..pairs.base import PairScorer


def joins_captions(metric: Metric, corpora: Sequence[Corpus]) -> bool:
    """Whether the metric compares whole documents that hold several timed captions."""
    return isinstance(metric, PairScorer) and any(
        len(document.captions) > 1 and any(caption.timed for caption in document.captions)
        for corpus in corpora
        for document in corpus
    )


def warn_of_paragraphs(corpora: Sequence[Corpus], metrics: Mapping[str, Metric]) -> None:
    """A StorymeterWarning where scorers of sentences are asked of timed captions."""
    if not any(isinstance(metric, PairScorer) for metric in metrics.values()):
        return
    found = [label for label, metric in metrics.items() if joins_captions(metric, corpora)]
    if not found:
        return
    one = len(found) == 1
    warnings.warn(
        f"{', '.join(found)} compare{'s' * one} whole paragraphs: the captions of a video are joined to one"
        " text, and their times do not count. The score of dense captions that papers report is"
        f" anet(scorer={found[0]}); soda_c also counts their order.",
        StorymeterWarning,
        stacklevel=3,
    )

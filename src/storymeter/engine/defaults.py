"""Which metrics are computed when none are named: what the field reports, and what people can trust."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from ..captions import Corpus, Kind
from ..metrics import Metric
from ..registry import room_of
from ..text.sentences import split_sentences

_DENSE = [
    "soda_c",
    "soda_a",
    "soda_b",
    "anet(scorer=meteor)",
    "anet(scorer=cider)",
    "anet(scorer=bleu_4)",
    "localisation",
]
_COUNTS = ["captions", "words", "coverage", "overlap"]
_CAPTION = ["meteor", "cider", "bleu_4", "rouge_l"]
#: documents whose sentences are counted to tell stories from captions
LOOKED_AT = 1000
_STORY = ["rovist_nr", "self_bleu"]


def neural() -> bool:
    """Whether the optional part `neural` is installed; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


def kind_of(corpus: Corpus) -> Kind:
    """What a corpus holds, for the choice of metrics. Texts by id are stories where most of them have several
    sentences, and single captions otherwise.

    >>> from storymeter.captions import Caption, Document
    >>> kind_of(Corpus((Document("a", (Caption("A dog runs."),)),), meta={"kind": "story"}))
    'caption'
    """
    kind = corpus.kind
    if kind != "story" or any(len(d.captions) > 1 or "photo_sequence" in d.meta for d in corpus):
        return kind
    texts = [document.text for document in corpus.documents[:LOOKED_AT] if document.captions]
    several = sum(len(split_sentences(text)) > 1 for text in texts)
    return "story" if 2 * several > len(texts) else "caption"


def choose_metrics(corpus: Corpus, *, references: bool, images: bool = False) -> list[str]:
    """The default metrics for a system."""
    return default_metrics(kind_of(corpus), references=references, images=images)


def tells_stories(metrics: Iterable[Metric]) -> bool:
    """Whether one of the metrics measures stories."""
    return any(room_of(metric) == "story" for metric in metrics)


def default_metrics(kind: Kind, *, references: bool, images: bool = False) -> list[str]:
    if kind == "dense":
        return [*_DENSE, *(["soda_c(scorer=sts)"] if neural() else [])] if references else _COUNTS
    if kind == "story":
        models = ["rovist_c", *(["rovist_vg"] if images else [])] if neural() else []
        return [*_STORY, *models, *(_CAPTION if references else [])]
    return [*_CAPTION, *(["sts"] if neural() else [])] if references else ["words"]


def left_out(kind: Kind) -> str:
    """What the defaults lack where the part `neural` is not installed, as one line; '' where nothing is
    lacking.
    """
    if neural():
        return ""
    names = {"dense": "soda_c(scorer=sts)", "story": "rovist_c", "caption": "sts"}[kind]
    return f"{names} is left out: it needs the part `neural` (pip install 'storymeter[neural]')."

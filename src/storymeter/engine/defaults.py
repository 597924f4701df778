"""Which metrics are computed when none are named: what the field reports, and what people can trust."""

from __future__ import annotations

import importlib.util

from ..captions import Kind

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
_STORY = ["rovist_nr", "self_bleu"]


def neural() -> bool:
    """Whether the optional part `neural` is installed; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


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

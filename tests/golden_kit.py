"""What the tests on real captions share: COCO's names of the metrics, and the stories of AREL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from storymeter import Caption, Corpus, Document

#: our names and those of pycocoevalcap
COCO = {
    "bleu_1": "Bleu_1",
    "bleu_2": "Bleu_2",
    "bleu_3": "Bleu_3",
    "bleu_4": "Bleu_4",
    "rouge_l": "ROUGE_L",
    "cider": "CIDEr",
}


class Arel(NamedTuple):
    candidates: Corpus
    references: Corpus
    #: by COCO's names
    published: dict[str, float]


def arel(data: Path) -> Arel:
    """The stories of AREL on VIST as its authors scored them: one text each, every reference by itself."""
    stories, references, published = (
        _json(data / "vist" / f"{name}.json") for name in ("arel_test", "test_reference", "arel_test_scores")
    )
    mine = Corpus(tuple(Document(i, (Caption(texts[0]),)) for i, texts in stories.items()), "arel")
    theirs = Corpus(
        tuple(Document(i, (Caption(text),)) for i, texts in references.items() for text in texts), "vist"
    )
    return Arel(mine, theirs, published)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))

"""COCO captions: annotations (several captions per image, each a document of its own) and results (one per
image).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from ..errors import DataError
from .base import JsonFormat, carrying, has, some_of
from .checks import Check
from .problems import MISSING, Path, others

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_KNOWN = frozenset(("image_id", "caption"))


class _Coco(JsonFormat):
    carries = carrying("documents", "alternatives", "untimed", "meta")


class Annotations(_Coco):
    name = "coco"
    title = "COCO caption annotations"
    shape = '{"images": [{"id": 1}], "annotations": [{"image_id": 1, "id": 7, "caption": "…"}]}'

    def looks(self, value: Any) -> bool:
        return (
            has(value, "annotations")
            and not any(isinstance(v, list) for v in some_of(value["annotations"], 1))
            and "albums" not in value
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        found = self.within(value, "annotations", "an annotation file", check, [])
        listed = check.sequence(found, ("annotations",), "the annotations")
        yield from _documents(listed, ("annotations",), check)

    def value(self, corpus: Corpus) -> Any:
        items = _items(corpus)
        for number, item in enumerate(items):
            item.setdefault("id", number)
        images = [{"id": image} for image in dict.fromkeys(item["image_id"] for item in items)]
        return {**self.kept(corpus, {"images": images}), "annotations": items}


class Results(_Coco):
    name = "coco-results"
    title = "COCO caption results"
    shape = '[{"image_id": 1, "caption": "…"}]'

    def looks(self, value: Any) -> bool:
        return isinstance(value, list) and any(
            has(v, "image_id") or has(v, "caption") for v in some_of(value)
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        self.keep(check, {})
        yield from _documents(check.sequence(value, (), "a result file"), (), check)

    def value(self, corpus: Corpus) -> Any:
        return _items(corpus)


def _documents(listed: list[Any], at: Path, check: Check) -> Iterator[Document]:
    as_text = False
    for i, item in check.objects(enumerate(listed), at, "an annotation"):
        image = item.get("image_id", MISSING)
        as_text = as_text or isinstance(image, str)
        id = check.open(image, (*at, i), text=("caption",))
        meta = others(item, _KNOWN) if len(item) > 2 else None
        yield check.close(id, [check.caption(0, item.get("caption", MISSING), meta=meta)])
    check.meta["ids"] = "text" if as_text else "number"


def _items(corpus: Corpus) -> list[dict[str, Any]]:
    """One item per caption; ids as numbers unless the file had them as text or one of them is no number."""
    numbers = corpus.meta.get("ids") != "text" and all(_NUMBER.fullmatch(d.id) for d in corpus)
    crowded = [d.id for d in corpus if len(d.captions) > 1]
    if crowded:
        raise DataError(
            f"COCO files hold one caption per document; {len(crowded):,} documents hold more, such as"
            f" {crowded[0]!r}.",
            hint="Choose another format with --to.",
        )
    return [
        {"image_id": int(d.id) if numbers else d.id, "caption": c.text, **c.meta}
        for d in corpus
        for c in d.captions
    ]

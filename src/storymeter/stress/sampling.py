"""Fewer captions: sampled, dropped, merged, or one said twice; and fewer documents."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import UsageError
from .scene import Change, Dice, Scene


def fewer_documents(
    systems: Sequence[Corpus], references: Sequence[Corpus], count: int, seed: int
) -> tuple[list[Corpus], list[Corpus]]:
    """`count` documents that all systems have, with a reference (where there are any), drawn once by `seed`,
    and nothing else on either side. Where there is none, all stay as they are: whoever joins them says so."""
    known = {document.id for one in references for document in one}
    common = set[str].intersection(*({document.id for document in corpus} for corpus in systems))
    ids = sorted(common & known if known else common)
    if not ids:
        return list(systems), list(references)
    kept = set(Random(seed).sample(ids, min(count, len(ids))))

    def of(one: Corpus) -> Corpus:
        return msgspec.structs.replace(
            one, documents=tuple(document for document in one if document.id in kept)
        )

    return [of(one) for one in systems], [of(one) for one in references]


def sample(m: float | None = None, k: int | None = None) -> Change:
    if (m is None) == (k is None):
        raise UsageError("sample takes either m or k.", hint="Write sample(m=0.5) or sample(k=7).")
    if (m is not None and not 0 < m < 1e6) or (k is not None and k < 1):
        raise UsageError(
            f"sample cannot take {m if k is None else k} captions.",
            hint="m is a positive multiple of the reference captions, k a count from 1.",
        )

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        wanted = k if k is not None else max(1, int((m or 0) * scene.size(document)))
        if wanted >= len(document.captions):
            return document.captions
        return [
            document.captions[i] for i in sorted(dice("sample").sample(range(len(document.captions)), wanted))
        ]

    return change


def drop(share: float = 0.5) -> Change:
    if not 0 <= share <= 1:
        raise UsageError(f"drop cannot leave out a share of {share}.", hint="share lies between 0 and 1.")

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        random = dice("drop")
        kept = [caption for caption in document.captions if random.random() >= share]
        return kept or list(document.captions[:1])

    return change


def merge() -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        captions = list(document.captions)
        if len(captions) < 2:
            return captions
        k = dice("merge").randrange(len(captions) - 1)
        a, b = captions[k], captions[k + 1]
        starts, ends = (
            [t for t in (a.start, b.start) if t is not None],
            [t for t in (a.end, b.end) if t is not None],
        )
        both = msgspec.structs.replace(
            a, text=f"{a.text} {b.text}", start=min(starts, default=None), end=max(ends, default=None)
        )
        return [*captions[:k], both, *captions[k + 2 :]]

    return change


def repeat() -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        if len(document.captions) < 2:
            return document.captions
        return [
            *document.captions[:-1],
            msgspec.structs.replace(document.captions[-1], text=document.captions[0].text),
        ]

    return change

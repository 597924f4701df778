"""The right sentences in the wrong order, or under the wrong video; segments stay, but for a little
jitter.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import UsageError
from .scene import Change, Dice, Scene, Whole

Permute = Callable[[int, random.Random], list[int]]


def swap(bound: float = 0.7) -> Change:
    return _reorder(_swapped, bound)


def shuffle(bound: float = 0.7) -> Change:
    return _reorder(_shuffled, bound)


def reverse(bound: float = 0.7) -> Change:
    return _reorder(lambda n, dice: list(range(n))[::-1], bound)


def jitter(bound: float = 0.7) -> Change:
    return _reorder(lambda n, dice: list(range(n)), bound)


def _swapped(n: int, dice: random.Random) -> list[int]:
    order = list(range(n))
    if n > 1:
        k = dice.randrange(n - 1)
        order[k], order[k + 1] = order[k + 1], order[k]
    return order


def _shuffled(n: int, dice: random.Random) -> list[int]:
    order = list(range(n))
    while n > 1 and order == sorted(order):
        dice.shuffle(order)
    return order


def _reorder(permute: Permute, bound: float) -> Change:
    """Sentences take the places of others in the order of time; each segment moves a little, under the same
    dice for every kind of order, so that swap, shuffle and jitter of one seed differ in the order alone."""
    if not 0 <= bound <= 1:
        raise UsageError(
            f"The bound on IoU cannot be {bound}.", hint="It lies between 0 and 1; 1 keeps the segments."
        )

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        captions = sorted(document.captions, key=lambda c: (c.start is None, c.start or 0.0))
        moving, duration = dice(f"jitter {bound}"), scene.duration(document)
        segments = [moved(c.start, c.end, bound, duration, moving) for c in captions]
        order = permute(len(captions), dice("order"))
        return [
            msgspec.structs.replace(c, text=captions[source].text, start=s, end=e)
            for c, source, (s, e) in zip(captions, order, segments, strict=True)
        ]

    return change


def moved(
    start: float | None, end: float | None, bound: float, duration: float, dice: random.Random
) -> tuple[float | None, float | None]:
    """Another segment whose IoU with this one is above `bound` (at 1: this one), inside the video where this
    one is.

    Both ends move by up to (1 - bound) of the length, and what falls below the bound is drawn again.
    """
    if start is None or end is None or not end > start or bound >= 1:
        return start, end
    reach = (1 - bound) * (end - start)
    while True:
        s, e = start + dice.uniform(-reach, reach), end + dice.uniform(-reach, reach)
        s, e = max(s, min(start, 0.0)), min(e, max(end, duration))
        shared, hull = min(e, end) - max(s, start), max(e, end) - min(s, start)
        if e > s and shared / hull > bound:
            return s, e


def exchange() -> Whole:
    """Every document gets the sentences of the next one, in a random ring of all documents: none keeps its
    own.
    """

    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        ring = sorted(corpus.documents, key=lambda d: d.id)
        dice("exchange").shuffle(ring)
        givers = {d.id: ring[(k + 1) % len(ring)] for k, d in enumerate(ring)}

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            texts = [c.text for c in givers[document.id].captions] or [""]
            return [
                msgspec.structs.replace(c, text=texts[k % len(texts)])
                for k, c in enumerate(document.captions)
            ]

        return change

    return choose

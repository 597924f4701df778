"""Raters who never watch: attackers that score the text alone, for rehearsals.

    fluent   what reads well and is long gets a high score: z of the mean log p of its bigrams and of its
             length, over what the rater has read so far
    twins    the same, and remembers: of two captions that differ in one run of words only, the one that
             reads less fluently gets a lower score

Both give a caption that comes again the score it had. Their language model has read captions like these."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from .fluency import Bigrams

#: points of the slider for one standard deviation, for a twin, and what an answer strays by
_SPREAD, _TWIN, _NOISE = 14.0, 35.0, 4.0


class Blind:
    def __init__(self, model: Bigrams, rng: random.Random, *, twins: bool = False) -> None:
        self.model, self.rng, self.twins = model, rng, twins
        self.read: list[tuple[float, float]] = []
        self.known: dict[str, float] = {}

    def score(self, caption: str) -> float:
        """0-100 for a caption, whatever the clip shows."""
        if caption not in self.known:
            words = caption.split()
            fluency = self.model.fluency(words) / (len(words) + 1)
            self.read.append((fluency, math.log(len(words) + 1)))
            score = 60 + _SPREAD * sum(
                _z(value, [seen[k] for seen in self.read]) for k, value in enumerate(self.read[-1])
            )
            twin = next((text for text in self.known if self.twins and _twins(text, caption)), None)
            if twin is not None:
                better = self.model.fluency(words) > self.model.fluency(twin.split())
                score = self.known[twin] + (_TWIN if better else -_TWIN)
            self.known[caption] = score
        return min(100.0, max(0.0, self.known[caption] + self.rng.gauss(0, _NOISE)))


def _twins(one: str, other: str) -> bool:
    """Whether two texts are equally long, and differ in one run that leaves their ends and half of the words.

    >>> _twins("a man sings in a hall", "a man cooks some soup hall"), _twins("a b c d", "x b c d")
    (True, False)
    """
    a, b = one.split(), other.split()
    if len(a) != len(b) or one == other:
        return False
    places = [k for k, (first, second) in enumerate(zip(a, b, strict=True)) if first != second]
    return places[0] > 0 and places[-1] < len(a) - 1 and 2 * (places[-1] - places[0] + 1) <= len(a) + 1


def _z(value: float, values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return (value - mean) / sd if sd > 1e-9 else 0.0

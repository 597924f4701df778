"""Pairs of neighbouring sentences out of human stories, without the leaks that make a model look better than
it is.

Traps, each with its remedy: a story (or its opening sentence) that is also in a held-out file is dropped; the
split goes by album, since the stories of one album tell the same day; final marks go, because some last
sentences lack one (`order_net.plain`); placeholders become random names, one draw per story; pairs of equal
sentences go."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ...text.placeholders import fill
from ..order_net import plain
from .stories import Story


class Pair(NamedTuple):
    """Two neighbours in the order of the story; `place` counts from 0, `last` is the place of the story's
    last pair.
    """

    first: str
    second: str
    place: int
    last: int


class Split(NamedTuple):
    train: list[Pair]
    dev: list[Pair]
    train_stories: list[Story]
    dropped: int

    def sha256(self) -> str:
        """Of all pairs, in their order: what a model says it was trained on."""
        return hashlib.sha256(msgspec.json.encode([self.train, self.dev])).hexdigest()


def opener(story: Story) -> str:
    """What two tellings of one story share: the first sentence without case, marks and names."""
    return "".join(char for char in fill(story.sentences[0]).lower() if char.isalnum())


def without_leaks(stories: Iterable[Story], held_out: Iterable[Story]) -> list[Story]:
    """The stories whose opening sentence opens no held-out story."""
    known = {opener(story) for story in held_out}
    return [story for story in stories if opener(story) not in known]


def pairs_of(story: Story, source: random.Random | None = None, reach: int = 1) -> list[Pair]:
    """The pairs of a story as the model reads them; with `reach` > 1 also sentences so far apart."""
    joined = fill("\n".join(story.sentences), source)  # one draw for the whole story
    sentences = [plain(sentence) for sentence in joined.split("\n")]
    return [
        Pair(sentences[k], sentences[k + gap], k, len(sentences) - 2)
        for gap in range(1, reach + 1)
        for k in range(len(sentences) - gap)
        if sentences[k] and sentences[k + gap] and sentences[k] != sentences[k + gap]
    ]


def split_pairs(
    stories: Sequence[Story], held_out: Sequence[Story], *, dev_share: float, seed: int, reach: int = 1
) -> Split:
    """Training and development pairs; a group is on one side only, chosen by its name and the seed, not by
    its place.
    """
    kept = without_leaks(stories, held_out)
    draw = random.Random(seed)
    train: list[Pair] = []
    dev: list[Pair] = []
    train_stories = []
    for story in kept:
        is_dev = fraction(f"{seed}:{story.group}") < dev_share
        pairs = pairs_of(story, draw, 1 if is_dev else reach)
        (dev if is_dev else train).extend(pairs)
        if not is_dev:
            train_stories.append(story)
    return Split(train, dev, train_stories, len(stories) - len(kept))


def fraction(text: str) -> float:
    """A number from 0 to below 1 that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2.0**64

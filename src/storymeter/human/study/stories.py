"""What preference and survey share: the stories of several systems, and dealing in rounds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ...captions import Corpus, Document, Rating
from ...errors import DataError, UsageError
from ..request import CampaignRequest
from .base import ControlResult, Rehearsing, Study
from .controls import by_tests

T = TypeVar("T")
Story = tuple[str, ...]
#: the true quality of a story that belongs to something else
FOIL = 6.0


class StoryStudy(Study):
    """Stories of several systems beside each other; `foil` of a line is the one that must lose, if any."""

    def verdicts(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        return by_tests(records)

    def levels(self, line: Any, systems: Mapping[str, float]) -> Iterator[tuple[Story, float]]:
        for number, (name, story) in enumerate(zip(line.systems, line.texts, strict=True)):
            if number != line.foil:
                yield story, systems[name]

    def thought(self, stories: Iterable[Story], bot: Rehearsing, secret: Any) -> list[float]:
        """What a simulated rater thinks of each story; an attentive one sees which is told of something
        else.
        """
        levels = [bot.level(story) for story in stories]
        if secret is not None and secret.foil >= 0 and bot.attentive:
            levels[secret.foil] = FOIL
        return levels


def _first(
    documents: Iterable[Document], what: Callable[[Document], tuple[T, ...]]
) -> dict[str, tuple[T, ...]]:
    """By id, what its first document gives that gives anything."""
    found: dict[str, tuple[T, ...]] = {}
    for document in documents:
        given = what(document)
        if given:
            found.setdefault(document.id, given)
    return found


def stories_of(corpus: Corpus) -> dict[str, Story]:
    """The captions of the first document of each id."""
    return _first(corpus, lambda one: tuple(filter(None, (" ".join(c.text.split()) for c in one.captions))))


def times_of(corpus: Corpus) -> dict[str, tuple[tuple[float, float], ...]]:
    """When each caption begins and ends, in seconds, where all captions of a document say so."""

    def times(document: Document) -> tuple[tuple[float, float], ...]:
        spoken = [caption for caption in document.captions if caption.text.split()]
        known = tuple((c.start, c.end) for c in spoken if c.start is not None and c.end is not None)
        return known if len(known) == len(spoken) else ()

    return _first(corpus, times)


def pictures_of(corpora: Sequence[Corpus]) -> dict[str, tuple[str, ...]]:
    """The picture names of each sequence, as far as the caption files name them."""
    documents = itertools.chain.from_iterable(corpora)
    return _first(documents, lambda one: tuple(caption.image for caption in one.captions if caption.image))


def gather(systems: Sequence[Corpus], items: Iterable[str], task: str) -> dict[str, dict[str, Story]]:
    """Per item and system, the story; only items that two systems have."""
    if len(systems) < 2:
        raise UsageError(
            f"A {task} study compares systems; {len(systems)} was given.",
            hint="Give --systems two files or more.",
        )
    wanted = set(items)
    found: dict[str, dict[str, Story]] = {}
    for corpus in systems:
        for item, story in stories_of(corpus).items():
            if item in wanted:
                found.setdefault(item, {})[corpus.name] = story
    found = {item: by for item, by in sorted(found.items()) if len(by) >= 2}
    if not found:
        raise DataError(
            "No video has captions of two systems.", hint="Check that the ids in the caption files agree."
        )
    return found


def deal_rounds(
    deck: list[T], per_hit: int, options: CampaignRequest, rng: random.Random, what: str
) -> list[list[T]]:
    """So many HITs, or enough for the overlap asked for; every card comes once before any comes twice."""
    if len(deck) < per_hit:
        raise DataError(
            f"A HIT of {per_hit} cannot be filled: there are only {len(deck)} {what}.",
            hint=f"Use --per-hit {len(deck)} or less.",
        )
    count = options.hits if options.hits is not None else -(-len(deck) * options.overlap // per_hit)
    dealt: list[list[T]] = []
    rest: list[T] = []
    for _ in range(count):
        hand, rest = rest[:per_hit], rest[per_hit:]
        if len(hand) < per_hit:  # the next round; what this hand already holds waits
            fresh = rng.sample(deck, len(deck))
            fill = [card for card in fresh if card not in hand][: per_hit - len(hand)]
            rest = [card for card in fresh if card not in fill]
            hand += fill
        dealt.append(hand)
    return dealt

"""What preference and survey share: the stories of several systems, and dealing in rounds.

Stories that must lose: told of other pictures, and not to be found by who only compares the texts.

The stories of one item share words, and one drawn blindly from another item does not: of three or four
stories of VIST, the one with the least in common with the rest was the foil in three cases of four. So how
much the foil has in common with the stories beside it is drawn, too. Its wanted likeness is that of a story
that belongs there; of `LOTS` stories of other items, as long as the others, the one that comes nearest is
taken. Then the same comparison finds it little more often than a guess does (docs/human-analysis.md). More
lots would come nearer still, and tell of the same things more often, so that who looked might be taken in.

Likeness is the cosine of the sets of words, weighted by log(N / df) over all stories of the study.

>>> bride, dance, fish = ("the bride smiles .",), ("a bride dances .",), ("we ate fish .",)
>>> found = Foils({"s1": {"a": bride, "b": dance}, "s2": {"a": fish}})
>>> found.alike(bride, [dance]) > found.alike(bride, [fish]) == 0
True
"""

from __future__ import annotations

import itertools
import math
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ...captions import Corpus, Document, Rating
from ...errors import DataError, UsageError
from ..campaign.request import CampaignRequest
from .base import ControlResult, Rehearsing, Study, by_tests

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


#: stories that are looked at
LOTS = 24
_WORD = re.compile(r"\w+")


class Foils:
    """The stories of a study, by item and author, read once."""

    def __init__(self, stories: Mapping[str, Mapping[str, Story]]) -> None:
        self.stories = stories
        self._words = {story: _words(story) for by in stories.values() for story in by.values()}
        seen = Counter(word for words in self._words.values() for word in words)
        self._weight = {word: math.log(len(self._words) / count) ** 2 for word, count in seen.items()}
        self._norm = {story: math.sqrt(self._sum(words)) for story, words in self._words.items()}

    def _sum(self, words: frozenset[str]) -> float:
        return math.fsum(self._weight[word] for word in words)

    def alike(self, story: Story, others: Sequence[Story]) -> float:
        """How much a story has in common with others, on average, from 0 to 1."""
        found = []
        for other in others:
            norm = self._norm[story] * self._norm[other]
            found.append(self._sum(self._words[story] & self._words[other]) / norm if norm else 0.0)
        return statistics.fmean(found) if found else 0.0

    def among(self, item: str, rng: random.Random) -> tuple[str, Story] | None:
        """One more story beside those of an item, and whose it is; None where all are told of it, too."""
        own = list(self.stories[item].values())
        place = rng.randrange(len(own))
        wanted = self.alike(own[place], own[:place] + own[place + 1 :])
        return self._drawn(item, own, wanted, round(statistics.fmean(map(len, own))), rng)

    def instead(self, item: str, displaced: str, beside: str, rng: random.Random) -> tuple[str, Story] | None:
        """A story in the place of one author's, beside that of another."""
        own = self.stories[item]
        wanted = self.alike(own[displaced], [own[beside]])
        return self._drawn(item, [own[beside]], wanted, len(own[displaced]), rng)

    def _drawn(
        self, item: str, beside: Sequence[Story], wanted: float, sentences: int, rng: random.Random
    ) -> tuple[str, Story] | None:
        own = set(self.stories[item].values())
        others = [
            (other, story)
            for other, by in self.stories.items()
            if other != item
            for story in by.values()
            if story not in own
        ]
        if not others:
            return None
        nearest = min(abs(len(story) - sentences) for _, story in others)
        fitting = [one for one in others if abs(len(one[1]) - sentences) == nearest]
        lots = rng.sample(fitting, min(LOTS, len(fitting)))
        return min(lots, key=lambda one: abs(self.alike(one[1], beside) - wanted))


def _words(story: Story) -> frozenset[str]:
    """The words in lower case; of words in other scripts, which may know no blanks, pairs of letters."""
    found = _WORD.findall(" ".join(story).casefold())
    pairs = ("".join(pair) for word in found if not word.isascii() for pair in itertools.pairwise(word))
    return frozenset(word for word in found if word.isascii()).union(pairs)

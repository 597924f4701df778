"""Stories that must lose: told of other pictures, and not to be found by who only compares the texts.

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
from collections.abc import Mapping, Sequence

from .stories import Story

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

"""Parts that preference studies and surveys share: stories of several systems, designs in rounds, and
stories that must lose (foils): told of other pictures, and not to be found by who only compares the texts.

The stories of one item share words, and one drawn blindly from another item does not: of three or four
stories of VIST, the one with the least in common with the rest was the foil in three cases of four. So it is
drawn which place the foil takes when the stories of a survey are ordered by what they have in common with the
rest, the last place a quarter as often as each other place, because it is the easiest to take; of up to
`LOTS` stories of other items, about as long as the others, the first one that takes the place is the foil (or
the one that comes nearest). Then neither the story with the least in common nor the second one is the foil
much more often than a guess finds it (docs/human-analysis.md). Beside one caption of another author, of a
preference, the wanted likeness is that of the caption displaced, and `NEAR` are looked at: more would tell of
the same things more often, so that who looked might be taken in.

Likeness is the cosine of the sets of words, weighted by log(N / df) over all stories of the study.

>>> bride, dance, fish = ("the bride smiles .",), ("a bride dances .",), ("we ate fish .",)
>>> found = Foils({"s1": {"a": bride, "b": dance}, "s2": {"a": fish}})
>>> found.alike(bride, [dance]) > found.alike(bride, [fish]) == 0
True
"""

import itertools
import math
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from msgspec.structs import replace

from ...captions import Corpus, Document, Rating
from ...errors import DataError, UsageError, many
from ..campaign.request import CampaignRequest, Layout
from .base import ControlResult, SimulatedRater, Study, by_tests

T = TypeVar("T")
L = TypeVar("L", bound=Any)
Story = tuple[str, ...]
#: the kind of an item that a rater sees a second time
REPEAT = "repeat"
#: one item in so many is shown a second time; none of fewer than `LEAST` items, which would follow too soon
REPEATED, LEAST_ITEMS = 8, 5
#: the true quality of a story that belongs to something else
FOIL = 6.0


class StoryStudy(Study):
    """Stories of several systems beside each other; `foil` of a line is the one that must lose, if any."""

    stories = True
    #: what the plan calls its controls
    control_word: ClassVar[str]

    columns: ClassVar[tuple[str, ...]] = ("tests", "accepted", "included")

    def verdicts(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        return by_tests(records)

    def included(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        from ..analysis.story_raters import verdicts

        return verdicts(records)

    def repeats(self, hit: Sequence[Any]) -> int:
        return sum(line.kind == REPEAT for line in hit)

    def is_control(self, line: Any) -> bool:
        return bool(line.kind != REPEAT and line.foil >= 0)

    def described(
        self, key: Sequence[Any], layout: Layout | None, systems: Sequence[str], raters: int
    ) -> list[tuple[str, str]]:
        hit = [line for line in key if line.hit == key[0].hit]
        again, controls = self.repeats(hit), sum(map(self.is_control, hit))
        shown = f", {again} shown a second time" if again else ""
        return [("items of a HIT", f"{self.per_hit(hit)}, {controls} {self.control_word}{shown}")]

    def true_quality(self, line: Any, systems: Mapping[str, float]) -> Iterator[tuple[Story, float]]:
        for number, (name, story) in enumerate(zip(line.systems, line.texts, strict=True)):
            if number != line.foil:
                yield story, systems[name]

    def thought(self, stories: Iterable[Story], bot: SimulatedRater, secret: Any) -> list[float]:
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
    return _first(documents, lambda one: one.images)


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
    most = max((options.shown.get(card, 0) for card in deck), default=0)
    lagging = [card for card in deck if options.shown.get(card, 0) < most]
    rest: list[T] = rng.sample(lagging, len(lagging))
    for _ in range(count):
        hand, rest = rest[:per_hit], rest[per_hit:]
        if len(hand) < per_hit:  # the next round; what this hand already holds waits
            fresh = rng.sample(deck, len(deck))
            fill = [card for card in fresh if card not in hand][: per_hit - len(hand)]
            rest = [card for card in fresh if card not in fill]
            hand += fill
        dealt.append(hand)
    return dealt


def repeat_count(asked: int | None, per_hit: int) -> int:
    """How many items of a HIT are shown a second time; `asked`: what the organiser wants."""
    if asked is None:
        return max(1, per_hit // REPEATED) if per_hit >= LEAST_ITEMS else 0
    if not 0 <= asked <= per_hit:
        raise UsageError(
            f"{asked:,} of {many(per_hit, 'item')} of a HIT cannot be shown a second time.",
            hint=f"Use --repeat-per-hit {per_hit} or less.",
        )
    return asked


def with_repeats(lines: Sequence[L], chosen: Sequence[L], again: Callable[[L], L]) -> list[L]:
    """The lines of a HIT in their places: the chosen ones first, and `again` at the end (raters see them in
    the order of `Study.order`).
    """
    first = [replace(line, pair=f"{line.hit}.r{number}") for number, line in enumerate(chosen, 1)]
    rest = [line for line in lines if line not in chosen]
    last = [replace(again(line), kind=REPEAT) for line in first]
    return [replace(line, position=place) for place, line in enumerate([*first, *rest, *last])]


#: stories that are looked at: in a survey, and for a preference
LOTS, NEAR = 200, 24
#: how often the story with the least in common is to be the foil, against 1 for each other place; in small
#: studies it takes this place more often
LAST = 0.25
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

    def rarity(self, story: Story) -> float:
        """The mean weight of a story's words."""
        words = self._words[story]
        return self._sum(words) / len(words) if words else 0.0

    def alike(self, story: Story, others: Sequence[Story]) -> float:
        """How much a story has in common with others, on average, from 0 to 1."""
        found = []
        for other in others:
            norm = self._norm[story] * self._norm[other]
            found.append(self._sum(self._words[story] & self._words[other]) / norm if norm else 0.0)
        return statistics.fmean(found) if found else 0.0

    def among(
        self, item: str, rng: random.Random, avoid: Mapping[Any, int] | None = None
    ) -> tuple[str, Story] | None:
        """One more story beside those of an item, and whose it is; None where all are told of it, too.

        avoid: how often the rater meets items or stories elsewhere; those met least often are taken.
        """
        own = list(self.stories[item].values())
        wanted = rng.choices(range(len(own) + 1), [LAST, *([1.0] * len(own))])[0]

        def misses(story: Story) -> int:
            likeness = [
                self.alike(one, [other for k, other in enumerate([*own, story]) if k != number])
                for number, one in enumerate([*own, story])
            ]
            return abs(sum(one < likeness[-1] for one in likeness[:-1]) - wanted)

        length = round(statistics.fmean(map(len, own)))
        found, fewest = None, len(own) + 1
        for one in self._lots(item, length, LOTS, rng, avoid, tolerance=1):
            missed = misses(one[1])
            if missed < fewest:
                found, fewest = one, missed
            if not missed:
                break
        return found

    def instead(
        self,
        item: str,
        displaced: str,
        beside: str,
        rng: random.Random,
        avoid: Mapping[Any, int] | None = None,
    ) -> tuple[str, Story] | None:
        """A story in the place of one author's, beside that of another; `avoid` as in `among`."""
        own = self.stories[item]
        wanted = self.alike(own[displaced], [own[beside]])
        # of the author displaced, so that no author's manner gives the foil away
        lots = self._lots(item, len(own[displaced]), NEAR, rng, avoid, author=displaced)
        # what shares words with any story has common ones: whether the foil has the rarer words is drawn, too
        rarer, usual = rng.random() < 0.5, self.rarity(own[beside])
        lots = [one for one in lots if (self.rarity(one[1]) > usual) == rarer] or lots
        return min(lots, key=lambda one: abs(self.alike(one[1], [own[beside]]) - wanted), default=None)

    def _lots(
        self,
        item: str,
        sentences: int,
        most: int,
        rng: random.Random,
        avoid: Mapping[Any, int] | None,
        tolerance: int = 0,
        author: str = "",
    ) -> list[tuple[str, Story]]:
        """Stories of other items that have so many sentences, or come nearest; in random order."""
        own = set(self.stories[item].values())
        others = [
            (other, story)
            for other, by in self.stories.items()
            if other != item
            for name, story in by.items()
            if story not in own and author in ("", name)
        ]
        if not others:
            return []
        met = [sum((avoid or {}).get(part, 0) for part in one) for one in others]
        others = [one for one, often in zip(others, met, strict=True) if often == min(met)]
        nearest = max(tolerance, min(abs(len(story) - sentences) for _, story in others))
        fitting = [one for one in others if abs(len(one[1]) - sentences) <= nearest]
        return rng.sample(fitting, min(most, len(fitting)))


def _words(story: Story) -> frozenset[str]:
    """The words in lower case; of words in other scripts, which may know no blanks, pairs of letters."""
    found = _WORD.findall(" ".join(story).casefold())
    pairs = ("".join(pair) for word in found if not word.isascii() for pair in itertools.pairwise(word))
    return frozenset(word for word in found if word.isascii()).union(pairs)

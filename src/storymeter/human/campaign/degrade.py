"""Captions damaged on purpose (Direct Assessment, PLoS ONE 2018, table 2): attentive raters must notice.

    caption length N     1   2-5   6-8   9-15   16-20   > 20
    words replaced       1    2     3     4      5      floor(N / 4)

A contiguous run of words, neither the first nor the last, gives way to an equally long run out of the human
caption of another video, so that the damage reads fluently and only somebody who saw the clip knows which of
the two captions is wrong. Where no inner run of that length exists (N <= 3) what fits is replaced: the one
inner word of three, or the whole of a caption of one or two words; `short` says so. The result always differs
from the original.

Damage must not show in the text, but to who has seen the clip. Of some dozens of runs drawn by lot, only
those are taken whose capitals and punctuation stand where those of the words they replace stood, and which
hold a word at least that says something new (it is rare, and not in the caption). Of these, the first whose
gain in fluency (`storymeter.human.campaign.degrade`; words are judged without the caption they stand in)
comes near to a lot around `_GAIN` is taken, or the nearest: above zero, because the damage is chosen by a
small model, and looks worse to one that has read elsewhere. With captions of TRECVID and ActivityNet, a
bigram model that learnt from other captions then picks the damaged one of two twins about as often as a coin
does (docs/human-analysis.md).

Japanese and Chinese captions are cut into words first (`storymeter.text.script.segmenter`).

>>> others = {"v2": "a monkey wearing a red hat eats"}
>>> damaged = degrade("two white males dancing in a stadium", others, seed=4)
>>> damaged.length, damaged.donor, len(damaged.text.split())
(3, 'v2', 7)
>>> damaged.text.split()[0], damaged.text.split()[-1]
('two', 'stadium')

How fluently a caption reads, by a bigram model: so that damage does not show in the words alone.

p(w | v) = (c(v, w) + κ p(w)) / (c(v) + κ) with p(w) = (c(w) + 1) / (N + V), over captions in lower case with
a mark at each end; fluency is the sum of log p over bigrams. A text that is among those counted would look
too familiar beside one that is not, so the counts of some texts can be taken out ("leave one out").

>>> model = Bigrams(["a man runs", "a man sings", "a dog runs"])
>>> model.fluency("a man runs".split()) > model.fluency("a dog sings".split())
True
>>> text = "a man runs".split()
>>> model.fluency(text, [counts(text)]) < model.fluency(text)
True
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ...errors import DataError
from ...text.script import segmenter

#: runs looked at, and lots drawn to find them
_RUNS, _LOTS = 32, 256
#: mean and sd of the wanted gain in fluency, in nats
_GAIN = (4.5, 2.0)
#: a gain as near as this to the wanted one will do, and no further run is looked at
_CLOSE = 0.5
#: a word of more captions than this share says little
_COMMON = 0.1
_EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
#: punctuation before a word, whether it has a capital, punctuation after it
Shape = tuple[str, bool, str]


class Degraded(msgspec.Struct, frozen=True):
    """A damaged caption and what was done to it: `length` words from word `start` on came out of `donor`."""

    text: str
    start: int
    length: int
    donor: str
    #: the caption had no inner run as long as table 2 asks
    short: bool = False
    #: where in the text they stand, in scripts without blanks: from this character to before that one
    at: tuple[int, int] | None = None


def replaced(words: int) -> int:
    """How many words table 2 replaces in a caption of so many words.

    >>> [replaced(n) for n in (1, 2, 5, 6, 8, 9, 15, 16, 20, 21, 60)]
    [1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 15]
    """
    table = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
    return next((count for most, count in table if words <= most), words // 4)


def fitting(words: int) -> int:
    """Table 2, cut to what leaves the first and the last word alone where there are three or more."""
    return min(replaced(words), words - 2) if words >= 3 else words


def degrade(caption: str, donors: Mapping[str, str] | Sequence[str], seed: int | str) -> Degraded:
    """Damage one caption with words of `donors`: human captions of other videos, by id or as a plain list.

    The donor is named by its id, or by its text where the donors are a list.
    """
    named = donors if isinstance(donors, Mapping) else {text: text for text in donors}
    return damage(named).of(caption, random.Random(f"degrade:{seed}"))


def damage(donors: Mapping[str, str]) -> Damage:
    """The one of these donors; the same object while the donors are the same, so that they are read once."""
    return _damage(tuple(donors.items()))


@functools.lru_cache(maxsize=1)
def _damage(donors: tuple[tuple[str, str], ...]) -> Damage:
    return Damage(dict(donors))


class _Text:
    """A caption, read once: its words, how they look, in lower case, what a model counts of them, and how
    fluently they read up to each word, by the other captions."""

    __slots__ = ("counts", "fluency", "low", "shapes", "words")

    def __init__(self, text: str, model: Bigrams) -> None:
        self.words = model.cut(text)
        self.low = lower(self.words)
        self.shapes = tuple(map(_shape, self.words))
        self.counts = counts(self.words)
        steps = (model.step(a, b, (self.counts,)) for a, b in itertools.pairwise(self.low))
        self.fluency = list(itertools.accumulate(steps, initial=0.0))


class _Run(NamedTuple):
    """Words in a row of a caption, as written and in lower case, and how fluently they follow each other."""

    donor: str
    words: list[str]
    low: list[str]
    inner: float


class _Place(NamedTuple):
    """Words in a row that can give way: the word before them, they themselves and the word after, in lower
    case, how fluently all of these read, and the runs that look alike."""

    start: int
    before: str
    old: list[str]
    after: str
    fluency: float
    fits: list[_Run]


class Damage:
    """Damages captions with words of these, by id; reads them once."""

    def __init__(self, donors: Mapping[str, str]) -> None:
        self.model = model = Bigrams(donors.values())
        #: what stands between words
        self.joint = " " if model.cut is str.split else ""
        self.read = functools.cache(lambda text: _Text(text, model))
        self.donors = {name: self.read(text) for name, text in donors.items()}
        self.names = list(donors)
        seen = Counter(word for donor in self.donors.values() for word in set(donor.low))
        #: words of so many captions that they say little, unless all are
        common = {word for word, count in seen.items() if count > _COMMON * len(self.donors)}
        self.common = common if len(common) < len(seen) else set()
        self.runs = functools.cache(self._runs)
        self.places = functools.cache(self._places)
        #: words that say nothing new in a caption
        self.known = functools.cache(lambda text: self.common.union(self.read(text).low))
        self.step = functools.cache(model.step)

    def _runs(self, length: int) -> dict[tuple[Shape, ...], list[_Run]]:
        """All runs of so many words, by how they look."""
        found: dict[tuple[Shape, ...], list[_Run]] = {}
        for name, donor in self.donors.items():
            for first in range(len(donor.words) - length + 1):
                last = first + length
                inner = donor.fluency[last] - donor.fluency[first + 1]
                run = _Run(name, donor.words[first:last], donor.low[first + 1 : last + 1], inner)
                found.setdefault(donor.shapes[first:last], []).append(run)
        return found

    def _places(self, caption: str) -> list[_Place]:
        """Where a caption can be damaged, and with what: read once, however often it is damaged."""
        text = self.read(caption)
        length, inner = fitting(len(text.words)), len(text.words) >= 3
        places = []
        for start in range(inner, len(text.words) - length if inner else 1):
            end = start + length
            places.append(
                _Place(
                    start,
                    text.low[start],
                    text.low[start + 1 : end + 1],
                    text.low[end + 1],
                    text.fluency[end + 1] - text.fluency[start],
                    self.runs(length).get(text.shapes[start:end], []),
                )
            )
        return places

    def of(
        self, caption: str, rng: random.Random, *, item: str | None = None, near: Collection[str] = ()
    ) -> Degraded:
        """`item` is the caption's own video, which never gives words; those `near` it (in the same HIT, where
        a rater could meet the words again) give some only if no other can."""
        text = self.read(caption)
        words = text.words
        if not words:
            raise DataError(
                "An empty caption cannot be degraded.",
                hint="Take it out of the file, or give the video a caption.",
            )
        length = fitting(len(words))
        wanted = rng.gauss(*_GAIN)
        strangers = not self.donors.keys() <= set(near)
        found = self._best(caption, wanted, rng, item, near) if strangers else None
        start, name, run = (
            found or self._best(caption, wanted, rng, item, ()) or self._any(words, length, rng, item)
        )
        joint, put = self.joint, self.joint.join(run)
        before = len(joint.join([*words[:start], ""]))
        return Degraded(
            joint.join([*words[:start], *run, *words[start + length :]]),
            start,
            length,
            name,
            short=length < replaced(len(words)) or len(words) < 3,
            at=None if joint else (before, before + len(put)),
        )

    def _best(
        self, caption: str, wanted: float, rng: random.Random, item: str | None, near: Collection[str]
    ) -> tuple[int, str, list[str]] | None:
        """Of runs drawn by lot whose capitals and punctuation fit, one whose gain in fluency comes nearest
        to the wanted one: where it begins, whose it is, and its words. Who watched must be able to see the
        damage: runs with a word that says something new go first."""
        places, step, draw = self.places(caption), self.step, rng.random
        known, starts = self.known(caption), len(places)
        barred = {item, *near}
        best, chosen, found = (True, math.inf), None, 0
        for _ in range(_LOTS):
            start, before, old, after, lost, fits = places[int(draw() * starts)]
            if not fits:
                continue
            # most lots end here where a HIT holds most of the clips: its donor first, then the rest of a run
            run = fits[int(draw() * len(fits))]
            if run[0] in barred:
                continue
            name, words, new, inner = run
            if new == old:
                continue
            gain = step(before, new[0]) + inner + step(new[-1], after) - lost
            rank = known.issuperset(new), abs(gain - wanted)
            if rank < best:
                best, chosen = rank, (start, name, words)
                if rank < (False, _CLOSE):
                    break
            found += 1
            if found == _RUNS:
                break
        return chosen

    def _any(
        self, words: list[str], length: int, rng: random.Random, item: str | None
    ) -> tuple[int, str, list[str]]:
        """For small or stubborn sets: every start and every donor, and the run gets the capitals and the
        punctuation of the words it replaces.
        """
        starts = range(1, len(words) - length) if len(words) >= 3 else range(1)
        for start in rng.sample(starts, len(starts)):
            out = words[start : start + length]
            for name in rng.sample(self.names, len(self.names)):
                donor = self.donors[name].words
                count = max(0, len(donor) - length + 1)
                for first in rng.sample(range(count), count):
                    run = list(map(_dressed, donor[first : first + length], out))
                    if name != item and list(map(str.casefold, run)) != list(map(str.casefold, out)):
                        return start, name, run
        raise DataError(
            f"The caption {' '.join(words)[:60]!r} cannot be degraded: no human caption of another video has"
            f" {length} consecutive words that can be used as a replacement.",
            hint=(
                f"{len(self.names)} human captions were searched. Add videos with longer human captions, or"
                " do not use this video for control items."
            ),
        )


def _parts(word: str) -> tuple[str, str, str]:
    found = _EDGES.match(word)
    return (found[1], found[2], found[3]) if found else ("", word, "")


@functools.lru_cache(maxsize=2**16)
def _shape(word: str) -> Shape:
    """What a reader sees of a word without reading it: a capital, and the punctuation around it."""
    before, core, after = _parts(word)
    return before, core[:1].isupper(), after


def _dressed(new: str, old: str) -> str:
    """`new` with the punctuation and the first letter's case of `old`.

    >>> _dressed("Dog.", "man,"), _dressed("dog", "Man")
    ('dog,', 'Dog')
    """
    before, core, after = _parts(old)
    inner = _parts(new)[1] or new
    first = inner[:1].upper() if core[:1].isupper() else inner[:1].lower()
    return before + first + inner[1:] + after


#: how many sightings the frequency of the word itself is worth
_KAPPA = 2.0
BEGIN, END = "<s>", "</s>"


class Counts(NamedTuple):
    """How often each bigram was seen, each word before another, and each word after another."""

    pairs: Counter[tuple[str, str]]
    before: Counter[str]
    words: Counter[str]


def lower(words: Sequence[str]) -> list[str]:
    """The words as the model reads them: in lower case, with a mark at each end."""
    return [BEGIN, *(word.casefold() for word in words), END]


def counts(words: Sequence[str]) -> Counts:
    low = lower(words)
    return Counts(Counter(itertools.pairwise(low)), Counter(low[:-1]), Counter(low[1:]))


class Bigrams:
    def __init__(self, texts: Iterable[str]) -> None:
        texts = list(texts)
        #: how texts of this language are cut into words
        self.cut: Callable[[str], list[str]] = segmenter(texts) or str.split
        self._seen = Counts(Counter(), Counter(), Counter())
        for text in texts:
            more = counts(self.cut(text))
            self._seen.pairs.update(more.pairs)
            self._seen.before.update(more.before)
            self._seen.words.update(more.words)
        self._total = self._seen.words.total() + len(self._seen.words) + 1

    def fluency(self, words: Sequence[str], without: Sequence[Counts] = ()) -> float:
        """Log probability of a whole text; the counts of the texts in `without` are left out."""
        return sum(self.step(before, word, without) for before, word in itertools.pairwise(lower(words)))

    def step(self, before: str, word: str, without: Sequence[Counts] = ()) -> float:
        """Log probability of one word after another, both in lower case."""
        pairs, earlier, words = self._seen
        # `get`, because a Counter's own answer for what it has not seen is slow
        both, first, alone = pairs.get((before, word), 0), earlier.get(before, 0), words.get(word, 0)
        for hidden in without:
            both -= hidden.pairs.get((before, word), 0)
            first -= hidden.before.get(before, 0)
            alone -= hidden.words.get(word, 0)
        # a text that was never counted cannot be taken out
        single = (max(alone, 0) + 1) / self._total
        return math.log((max(both, 0) + _KAPPA * single) / (max(first, 0) + _KAPPA))

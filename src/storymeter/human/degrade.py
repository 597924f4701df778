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
hold a word at least that says something new (it is rare, and not in the caption); of these, the one whose
gain in fluency (`storymeter.human.fluency`, both captions left out of the counts) comes nearest to a lot
around `_GAIN`: above zero, because the damage is chosen by a small model, and looks worse to one that has
read elsewhere. With captions of TRECVID, ActivityNet and YouCook2, a bigram model that learnt from other
captions then picks the damaged one of two twins about as often as a coin does (docs/human-analysis.md).

>>> others = {"v2": "a monkey wearing a red hat eats"}
>>> damaged = degrade("two white males dancing in a stadium", others, seed=4)
>>> damaged.length, damaged.donor, len(damaged.text.split())
(3, 'v2', 7)
>>> damaged.text.split()[0], damaged.text.split()[-1]
('two', 'stadium')
"""

from __future__ import annotations

import functools
import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from ..errors import DataError
from .fluency import BEGIN, END, Bigrams, counts

#: runs looked at, and lots drawn to find them
_RUNS, _LOTS = 32, 256
#: mean and sd of the wanted gain in fluency, in nats
_GAIN = (4.5, 2.0)
#: a word of more captions than this share says little
_COMMON = 0.1
_EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


class Degraded(msgspec.Struct, frozen=True):
    """A damaged caption and what was done to it: `length` words from word `start` on came out of `donor`."""

    text: str
    start: int
    length: int
    donor: str
    #: the caption had no inner run as long as table 2 asks
    short: bool = False


def replaced(words: int) -> int:
    """How many words table 2 replaces in a caption of so many words.

    >>> [replaced(n) for n in (1, 2, 5, 6, 8, 9, 15, 16, 20, 21, 60)]
    [1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 15]
    """
    for most, count in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= most:
            return count
    return words // 4


def fitting(words: int) -> int:
    """Table 2, cut to what leaves the first and the last word alone where there are three or more."""
    return min(replaced(words), words - 2) if words >= 3 else words


def degrade(caption: str, donors: Mapping[str, str] | Sequence[str], seed: int | str) -> Degraded:
    """Damage one caption with words of `donors`: human captions of other videos, by id or as a plain list.

    The donor is named by its id, or by its text where the donors are a list.
    """
    named = donors if isinstance(donors, Mapping) else {text: text for text in donors}
    return Damage(named).of(caption, random.Random(f"degrade:{seed}"))


class Damage:
    """Damages captions with words of these, by id; counts them once."""

    def __init__(self, donors: Mapping[str, str]) -> None:
        self.words = {name: text.split() for name, text in donors.items()}
        self.counts = functools.cache(lambda name: counts(self.words[name]))
        self.shapes = {name: [_shape(word) for word in words] for name, words in self.words.items()}
        self.names = list(donors)
        self.model = Bigrams(donors.values())
        seen = Counter(word for words in self.words.values() for word in {w.casefold() for w in words})
        #: words of so many captions that they say little
        self.common = {word for word, count in seen.items() if count > _COMMON * len(self.words)}

    def of(
        self, caption: str, rng: random.Random, *, item: str | None = None, near: Collection[str] = ()
    ) -> Degraded:
        """`item` is the caption's own video, which never gives words; those `near` it (in the same HIT, where
        a rater could meet the words again) give some only if no other can."""
        words = caption.split()
        if not words:
            raise DataError(
                "An empty caption cannot be degraded.",
                hint="Take it out of the file, or give the video a caption.",
            )
        length = fitting(len(words))
        wanted = rng.gauss(*_GAIN)
        found = list(self._fitting(words, length, rng, item, near)) or list(
            self._fitting(words, length, rng, item, ())
        )
        # who watched must be able to see it: a word, at least, says something new
        found = [one for one in found if self._news(words, one[2])] or found
        if found:
            gains = self._gains(words, length, found)
            start, name, run = min(zip(gains, found, strict=True), key=lambda one: abs(one[0] - wanted))[1]
        else:
            start, name, run = self._any(words, length, rng, item)
        return Degraded(
            " ".join([*words[:start], *run, *words[start + length :]]),
            start,
            length,
            name,
            short=length < replaced(len(words)) or len(words) < 3,
        )

    def _news(self, words: list[str], run: list[str]) -> int:
        """How many words of the run are neither common nor in the caption."""
        known = {word.casefold() for word in words} | self.common
        return sum(word.casefold() not in known for word in run)

    def _gains(self, words: list[str], length: int, found: list[tuple[int, str, list[str]]]) -> list[float]:
        """By how much each of these runs would make the caption more fluent."""
        low, own = [BEGIN, *(word.casefold() for word in words), END], counts(words)
        before = functools.cache(lambda start: self.model.run(low[start : start + length + 2], (own,)))
        gains = []
        for start, name, run in found:
            new = [low[start], *(word.casefold() for word in run), low[start + length + 1]]
            gains.append(self.model.run(new, (own, self.counts(name))) - before(start))
        return gains

    def _fitting(
        self, words: list[str], length: int, rng: random.Random, item: str | None, near: Collection[str]
    ) -> Iterator[tuple[int, str, list[str]]]:
        """Runs whose capitals and punctuation fit, as far as a limited number of lots finds them."""
        shape = [_shape(word) for word in words]
        found = 0
        for _ in range(_LOTS if self.names else 0):
            name = self.names[rng.randrange(len(self.names))]
            donor = self.words[name]
            if name == item or name in near or len(donor) < length:
                continue
            start = rng.randrange(1, len(words) - length) if len(words) >= 3 else 0
            first = rng.randrange(len(donor) - length + 1)
            run = donor[first : first + length]
            if self.shapes[name][first : first + length] == shape[start : start + length] and _differs(
                run, words[start : start + length]
            ):
                yield start, name, run
                found += 1
                if found == _RUNS:
                    return

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
                donor = self.words[name]
                for first in rng.sample(
                    range(max(0, len(donor) - length + 1)), max(0, len(donor) - length + 1)
                ):
                    run = [
                        _dressed(new, old)
                        for new, old in zip(donor[first : first + length], out, strict=True)
                    ]
                    if name != item and _differs(run, out):
                        return start, name, run
        raise DataError(
            f"No other video's human caption has {length} words in a row to degrade the caption"
            f" {' '.join(words)[:60]!r} with.",
            hint=(
                f"{len(self.names)} donors were tried. Add videos with longer human captions, or leave this"
                " video out of the controls."
            ),
        )


def _differs(run: Sequence[str], out: Sequence[str]) -> bool:
    return [word.casefold() for word in run] != [word.casefold() for word in out]


def _parts(word: str) -> tuple[str, str, str]:
    found = _EDGES.match(word)
    return (found[1], found[2], found[3]) if found else ("", word, "")


def _shape(word: str) -> tuple[str, bool, str]:
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

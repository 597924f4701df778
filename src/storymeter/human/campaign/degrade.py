"""Captions damaged on purpose (Direct Assessment, PLoS ONE 2018, table 2): attentive raters must notice.

    caption length N     1   2-5   6-8   9-15   16-20   > 20
    words replaced       1    2     3     4      5      floor(N / 4)

A contiguous run of words, neither the first nor the last, gives way to an equally long run out of the human
captions of other videos, so that the damage reads fluently and only somebody who saw the clip knows which of
the two captions is wrong. Where no inner run of that length exists (N <= 3) what fits is replaced: the one
inner word of three, or the whole of a caption of one or two words; `short` says so. The result always differs
from the original.

Damage must not show in the text, but to who has seen the clip. Of some dozens of runs drawn by lot, only
those are taken whose capitals and punctuation stand where those of the words they replace stood, and which
hold a word at least that says something new (it is rare, and not in the caption). Of these, the first whose
gain in fluency (`storymeter.human.campaign.fluency`; words are judged without the caption they stand in)
comes near to a lot around `_GAIN` is taken, or the nearest: above zero, because the damage is chosen by a
small model, and looks worse to one that has read elsewhere. With captions of TRECVID and ActivityNet, a
bigram model that learnt from other captions then picks the damaged one of two twins about as often as a coin
does (docs/human-analysis.md).

Nor must it show to raters who share what they read: no three words in a row of what is put in (two, where
there are two) stand in a caption that raters see. Where they would, the run goes on as another that has the
same word in the same place. Places whose words other captions have in a row, or other captions of the clip
have at all, come last. Japanese and Chinese captions are cut into words (`storymeter.text.script.segmenter`).

>>> others = {"v2": "a monkey wearing a red hat eats"}
>>> damaged = degrade("two white males dancing in a stadium", others, seed=4)
>>> damaged.length, damaged.donor, len(damaged.text.split())
(3, 'v2', 7)
>>> damaged.text.split()[0], damaged.text.split()[-1]
('two', 'stadium')
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ...errors import DataError
from .fluency import Bigrams, Shape, counts, dressed, lower, plain_word, shape_of

#: runs looked at, and lots drawn to find them
_RUNS, _LOTS = 64, 512
#: how often a run may go on as another one, and be looked at again
_JOINS = 4
#: mean and sd of the wanted gain in fluency, in nats
_GAIN = (4.5, 2.0)
#: a gain as near as this to the wanted one will do, and no further run is looked at
_CLOSE = 0.5
#: a word of more captions than this share says little
_COMMON = 0.1
#: so many words in a row are known when they come again
_ROW = 3
#: what a place costs, in nats, for each thing by which the words taken out show that they belong there
_TELLING = 2.0
Lot = Callable[[], float]


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
    #: donors of the last words of the run, where no run of one donor is new to who reads all captions
    joined: tuple[str, ...] = ()


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


def damage(donors: Mapping[str, str], shown: Iterable[str] = ()) -> Damage:
    """The one of these donors; the same object while the texts are the same, so that they are read once."""
    return _damage(tuple(donors.items()), tuple(shown))


@functools.lru_cache(maxsize=1)
def _damage(donors: tuple[tuple[str, str], ...], shown: tuple[str, ...]) -> Damage:
    return Damage(dict(donors), shown)


class _Text:
    """A caption, read once: its words, how they look, in lower case, what a model counts of them, and how
    fluently they read up to each word, by the other captions."""

    __slots__ = ("counts", "fluency", "low", "plain", "shapes", "words")

    def __init__(self, text: str, model: Bigrams) -> None:
        self.words = model.cut(text)
        self.low = lower(self.words)
        self.plain = list(map(plain_word, self.words))
        self.shapes = tuple(map(shape_of, self.words))
        self.counts = counts(self.words)
        steps = (model.step(a, b, (self.counts,)) for a, b in itertools.pairwise(self.low))
        self.fluency = list(itertools.accumulate(steps, initial=0.0))


class _Run(NamedTuple):
    """Words in a row of a caption (or of several), as written, in lower case, and how fluently they read up
    to each word, by the other captions.
    """

    donors: tuple[str, ...]
    words: list[str]
    low: list[str]
    #: the same without punctuation
    plain: list[str]
    inner: list[float]


class _Runs:
    """All runs that look alike."""

    def __init__(self) -> None:
        self.runs: list[_Run] = []
        self._by_word: dict[tuple[int, str], list[_Run]] = {}

    def add(self, run: _Run) -> None:
        self.runs.append(run)
        for place, word in enumerate(run.low, 1):
            self._by_word.setdefault((place, word), []).append(run)

    def going_on(self, place: int, word: str) -> list[_Run]:
        """Those whose word before this place is this one."""
        return self._by_word[place, word]


class _Place(NamedTuple):
    """Words in a row that can give way: the word before them, they themselves and the word after, in lower
    case, how fluently all of these read, and the runs that look alike."""

    start: int
    before: str
    old: list[str]
    after: str
    fluency: float
    fits: _Runs | None
    #: whether another caption has the words in a row
    stands: bool


class Damage:
    """Damages captions with words of these, by id, in a campaign that shows some texts; reads them once."""

    def __init__(self, donors: Mapping[str, str], shown: Iterable[str] = ()) -> None:
        self.shown = tuple(dict.fromkeys(shown))
        self.rows = functools.cache(self._rows)
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

    def _runs(self, length: int) -> dict[tuple[Shape, ...], _Runs]:
        """All runs of so many words, by how they look."""
        found: dict[tuple[Shape, ...], _Runs] = {}
        for name, donor in self.donors.items():
            for first in range(len(donor.words) - length + 1):
                last = first + length
                inner = [read - donor.fluency[first + 1] for read in donor.fluency[first + 1 : last + 1]]
                words, low = donor.words[first:last], donor.low[first + 1 : last + 1]
                run = _Run((name,), words, low, donor.plain[first:last], inner)
                found.setdefault(donor.shapes[first:last], _Runs()).add(run)
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
                    self.runs(length).get(text.shapes[start:end]),
                    self._stands(text.plain[start:end], 2) is not None,
                )
            )
        return places

    def _rows(self, length: int) -> Counter[tuple[str, ...]]:
        """In how many texts that raters see so many words in a row stand."""
        found = Counter[tuple[str, ...]]()
        for text in self.shown:
            plain = list(map(plain_word, self.model.cut(text)))
            found.update({tuple(plain[k : k + length]) for k in range(len(plain) - length + 1)})
        return found

    def _stands(self, plain: list[str], texts: int) -> int | None:
        """The first row of these words (three, or all of two) that so many captions have."""
        size = min(len(plain), _ROW)
        known = self.rows(size)
        places = range(len(plain) - size + 1 if size > 1 else 0)
        return next((k for k in places if known[tuple(plain[k : k + size])] >= texts), None)

    def _new(self, run: _Run, fits: _Runs, barred: Collection[str | None], draw: Lot) -> _Run | None:
        """The run, or one joined from several whose words raters cannot read in a row elsewhere."""
        size = min(len(run.words), _ROW)
        for _ in range(_JOINS):
            if (at := self._stands(run.plain, 1)) is None:
                return run
            cut = at + 1 + int(draw() * (size - 1))
            others = fits.going_on(cut, run.low[cut - 1]) if size > 2 else []
            others = others if len(others) > 1 else fits.runs
            other = others[int(draw() * len(others))]
            if other.donors[0] not in barred:
                run = self._joined(run, other, cut)
        return None

    def _joined(self, run: _Run, other: _Run, cut: int) -> _Run:
        words, low, plain = (a[:cut] + b[cut:] for a, b in zip(run[1:4], other[1:4], strict=True))
        gap = run.inner[cut - 1] - other.inner[cut - 1]
        if run.low[cut - 1] != other.low[cut - 1]:
            gap += self.step(*low[cut - 1 : cut + 1]) - other.inner[cut] + other.inner[cut - 1]
        inner = run.inner[:cut] + [gap + read for read in other.inner[cut:]]
        return _Run(run.donors + other.donors, words, low, plain, inner)

    def of(
        self,
        caption: str,
        rng: random.Random,
        *,
        item: str | None = None,
        near: Collection[str] = (),
        beside: Iterable[str] = (),
    ) -> Degraded:
        """`item` is the caption's own video, which never gives words; those `near` it (in the same HIT, where
        a rater could meet the words again) give some only if no other can. `beside`: other captions of the
        video."""
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
        said = set(itertools.chain(*(lower(self.model.cut(text)) for text in beside))) - self.common
        found = self._best(caption, wanted, rng, item, near, said) if strangers else None
        start, donors, run = (
            found or self._best(caption, wanted, rng, item, (), said) or self._any(words, length, rng, item)
        )
        joint, put = self.joint, self.joint.join(run)
        before = len(joint.join([*words[:start], ""]))
        return Degraded(
            joint.join([*words[:start], *run, *words[start + length :]]),
            start,
            length,
            donors[0],
            length < replaced(len(words)) or len(words) < 3,
            None if joint else (before, before + len(put)),
            donors[1:],
        )

    def _best(
        self,
        caption: str,
        wanted: float,
        rng: random.Random,
        item: str | None,
        near: Collection[str],
        said: set[str],
    ) -> tuple[int, tuple[str, ...], list[str]] | None:
        """Of runs drawn by lot whose capitals and punctuation fit, one whose gain in fluency comes nearest
        to the wanted one: where it begins, whose it is, and its words. Who watched must be able to see the
        damage: runs with a word that says something new go first; then places whose words other captions do
        not have."""
        places, step, draw = self.places(caption), self.step, rng.random
        known, starts = self.known(caption), len(places)
        barred = {item, *near}
        best, chosen, found = (True, True, math.inf), None, 0
        for _ in range(_LOTS):
            start, before, old, after, lost, fits, stands = places[int(draw() * starts)]
            if not fits:
                continue
            # most lots end here where a HIT holds most of the clips: its donor first, then the rest of a run
            run = fits.runs[int(draw() * len(fits.runs))]
            if run.donors[0] in barred:
                continue
            fresh = self._new(run, fits, barred, draw)
            donors, words, new, _, inner = fresh or run
            if new == old:
                continue
            gain = step(before, new[0]) + inner[-1] + step(new[-1], after) - lost
            told = _TELLING * (stands + len(said.intersection(old)))
            rank = fresh is None, known.issuperset(new), told + abs(gain - wanted)
            if rank < best:
                best, chosen = rank, (start, donors, words)
                if rank < (False, False, _CLOSE):
                    break
            found += 1
            if found == _RUNS:
                break
        return chosen

    def _any(
        self, words: list[str], length: int, rng: random.Random, item: str | None
    ) -> tuple[int, tuple[str, ...], list[str]]:
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
                    run = list(map(dressed, donor[first : first + length], out))
                    if name != item and list(map(str.casefold, run)) != list(map(str.casefold, out)):
                        return start, (name,), run
        raise DataError(
            f"The caption {' '.join(words)[:60]!r} cannot be degraded: no human caption of another video has"
            f" {length} consecutive words that can be used as a replacement.",
            hint=(
                f"{len(self.names)} human captions were searched. Add videos with longer human captions, or"
                " do not use this video for control items."
            ),
        )

"""How fluently a caption reads, by a bigram model, and the shapes of words: so that damage does not show.

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

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ...text.script import segmenter

#: how many sightings the frequency of the word itself is worth
_KAPPA = 2.0
BEGIN, END = "<s>", "</s>"


class Counts(NamedTuple):
    """How often each bigram was seen, each word before another, and each word after another."""

    pairs: Counter[tuple[str, str]]
    before: Counter[str]
    words: Counter[str]


_EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
#: punctuation before a word, whether it has a capital, punctuation after it
Shape = tuple[str, bool, str]


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


def plain_word(word: str) -> str:
    """Without case and the punctuation around it."""
    return word_parts(word)[1].casefold() or word


@functools.lru_cache(maxsize=2**16)
def word_parts(word: str) -> tuple[str, str, str]:
    found = _EDGES.match(word)
    return (found[1], found[2], found[3]) if found else ("", word, "")


@functools.lru_cache(maxsize=2**16)
def shape_of(word: str) -> Shape:
    """What a reader sees of a word without reading it: a capital, and the punctuation around it."""
    before, core, after = word_parts(word)
    return before, core[:1].isupper(), after


def dressed(new: str, old: str) -> str:
    """`new` with the punctuation and the first letter's case of `old`.

    >>> dressed("Dog.", "man,"), dressed("dog", "Man")
    ('dog,', 'Dog')
    """
    before, core, after = word_parts(old)
    inner = word_parts(new)[1] or new
    first = inner[:1].upper() if core[:1].isupper() else inner[:1].lower()
    return before + first + inner[1:] + after

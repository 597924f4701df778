"""How fluently a caption reads, by a bigram model: so that damage does not show in the words alone.

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

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

#: how many sightings the frequency of the word itself is worth
_KAPPA = 2.0
BEGIN, END = "<s>", "</s>"
#: how often (before, word) was seen, and ("", word) and (before, "") for the two by themselves
Counts = Counter[tuple[str, str]]


def counts(words: Sequence[str]) -> Counts:
    low = [BEGIN, *(word.casefold() for word in words), END]
    alone = (pair for word in low for pair in (("", word), (word, "")))
    found = Counter(itertools.chain(itertools.pairwise(low), alone))
    del found["", BEGIN], found[END, ""]  # the first mark follows nothing, and nothing follows the last
    return found


class Bigrams:
    def __init__(self, texts: Iterable[str]) -> None:
        self._seen: Counts = Counter()
        for text in texts:
            for key, count in counts(text.split()).items():
                self._seen[key] += count
        alone = [count for (before, _), count in self._seen.items() if not before]
        self._total = sum(alone) + len(alone) + 1

    def fluency(self, words: Sequence[str], without: Sequence[Counts] = ()) -> float:
        """Log probability of a whole text; the counts of the texts in `without` are left out."""
        return self.run([BEGIN, *(word.casefold() for word in words), END], without)

    def run(self, words: Sequence[str], without: Sequence[Counts] = ()) -> float:
        """Log probability of words in lower case, given the first of them."""
        total = 0.0
        for pair in itertools.pairwise(words):
            both, before, alone = self._seen[pair], self._seen[pair[0], ""], self._seen["", pair[1]]
            for hidden in without:
                both -= hidden[pair]
                before -= hidden[pair[0], ""]
                alone -= hidden["", pair[1]]
            # a text that was never counted cannot be taken out
            single = (max(alone, 0) + 1) / self._total
            total += math.log((max(both, 0) + _KAPPA * single) / (max(before, 0) + _KAPPA))
        return total

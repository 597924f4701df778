"""What each word of a sentence speaks of: a thing, an action, a place, a number, a colour, a quality, or
nothing that could be wrong.

The kinds follow HanTa's tags (BNC's set), our lists of colours and numbers, and one rule for places: the head
noun of a phrase that a preposition of place opens (`in the red kitchen` -> kitchen). The words that hold a
sentence together (articles, pronouns, prepositions, forms of be, have and do) are of the kind `other`; all
the others are content words, with `not` among the numbers' company as `negation`.

>>> [(word.text, word.kind) for word in tagged("two men wash a red car in the garden") if word.content]
... # doctest: +SKIP
[('two', 'number'), ('men', 'thing'), ('wash', 'action'), ('red', 'colour'), ('car', 'thing'), ('garden',
'place')]"""

import functools
import re
from typing import Literal, NamedTuple, get_args

from ..text.words import tagger
from .word_classes import COLOURS, NUMBERS

Kind = Literal["thing", "action", "place", "number", "colour", "quality", "negation", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: longer pieces are tagged in parts, and longer words cut: the tagger's time grows faster than their length
LONGEST_SENTENCE, LONGEST_WORD = 100, 30
#: a word is a run of letters and digits, perhaps with hyphens or apostrophes inside
WORD = re.compile(r"\w+(?:['’-]\w+)*")
_PLACE_PREPOSITIONS = frozenset(
    ["in", "at", "on", "inside", "outside", "near", "through", "across", "into", "onto", "around", "along"]
)
_NEGATIONS = frozenset(["not", "never", "no", "nobody", "nothing", "without"])


class Word(NamedTuple):
    """One word of a text: as written, where it stands, HanTa's lemma and tag, and its kind."""

    text: str
    start: int
    end: int
    lemma: str
    tag: str
    kind: Kind

    @property
    def content(self) -> bool:
        return self.kind != "other"


@functools.lru_cache(maxsize=1 << 14)
def tagged(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence with their kinds; marks and emoji are no words."""
    found = list(WORD.finditer(sentence))
    lowered = [match.group().lower()[:LONGEST_WORD] for match in found]
    tags: list[tuple[str, str]] = []
    for begin in range(0, len(lowered), LONGEST_SENTENCE):
        part = lowered[begin : begin + LONGEST_SENTENCE]
        tags += [(lemma, tag) for _, lemma, tag in tagger("The kinds of words").tag_sent(part, taglevel=1)]
    kinds: list[Kind] = [_kind(word, tag) for word, (_, tag) in zip(lowered, tags, strict=True)]
    for k, kind in enumerate(kinds):
        head = kind == "thing" and (k + 1 == len(kinds) or kinds[k + 1] != "thing")
        if head and _after_place_preposition(lowered, kinds, k):
            kinds[k] = "place"
    return tuple(
        Word(match.group(), match.start(), match.end(), lemma, tag, kind)
        for match, (lemma, tag), kind in zip(found, tags, kinds, strict=True)
    )


def _kind(word: str, tag: str) -> Kind:
    if word in _NEGATIONS:
        return "negation"
    if word in COLOURS:
        return "colour"
    if tag == "CRD" and (word in NUMBERS or word.isdigit()):
        return "number"
    if tag.startswith(("NN", "NP")):
        return "thing"
    if tag.startswith("VV"):
        return "action"
    return "quality" if tag.startswith(("AJ", "CRD")) else "other"


def _after_place_preposition(words: list[str], kinds: list[Kind], k: int) -> bool:
    """Whether only articles, numbers and describing words stand between word k and a preposition of place."""
    for j in range(k - 1, -1, -1):
        if words[j] in _PLACE_PREPOSITIONS:
            return True
        if kinds[j] in ("action", "negation") or (kinds[j] == "other" and words[j] not in _DETERMINERS):
            return False
    return False


_DETERMINERS = frozenset(
    ["a", "an", "the", "his", "her", "their", "its", "my", "our", "some", "this", "that"]
)

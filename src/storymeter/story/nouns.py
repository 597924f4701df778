"""The nouns of a sentence: HanTa's English tagger (its data is in the wheel), with WordNet for words it does
not know.

Placeholders become words that can be seen (`[male]` -> man). A word the tagger has never met (its best score
is that of a guess) counts as a noun when WordNet has it as one; where METEOR's synset list is missing
(`pairs.wordnet`), the guess stands.

>>> nouns(["[male] walked his old dogs to the park , and i took a photo of the dogs ."])  # doctest: +SKIP
[('man', 'dogs', 'park', 'photo')]
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from ..errors import MissingPartError
from ..pairs.wordnet import synsets
from ..text.words import tagger, treebank

_WHAT = "The noun tagger"
_SEEN = {"male": "man", "female": "woman", "location": "place", "organization": "organization"}
_PLACEHOLDER = re.compile(r"\[\s*([a-z_]+)\s*\]", re.IGNORECASE)
_NOUN_TAGS = ("NN0", "NN1", "NN2", "NP0")
_WORD = re.compile(r"[^\W\d_][\w'-]*\Z")
#: a known word's best log probability is far above this; a guessed one's is below
_GUESS = -25.0
#: WordNet 3.0: verbs, adjectives and adverbs have smaller offsets than this; a larger one is a noun's
_FIRST_SURE_NOUN = 3_300_000


def nouns(sentences: Sequence[str], *, repeated: bool = False) -> list[tuple[str, ...]]:
    """Per sentence its nouns, lower case, in the order in which they first appear; each once, or with
    `repeated` as often as it stands there.
    """
    found = [_nouns(sentence) for sentence in sentences]
    return found if repeated else [tuple(dict.fromkeys(each)) for each in found]


@functools.lru_cache(maxsize=1 << 16)
def _nouns(sentence: str) -> tuple[str, ...]:
    text = _PLACEHOLDER.sub(lambda match: _SEEN.get(match.group(1).lower(), match.group(1).lower()), sentence)
    tokens = treebank(text.lower())
    if not tokens:
        return ()
    tagged = tagger(_WHAT).tag_sent(tokens, taglevel=1)
    return tuple(word for word, _, tag in tagged if word != "i" and _WORD.match(word) and _is_noun(word, tag))


def _is_noun(word: str, tag: str) -> bool:
    if tag in _NOUN_TAGS:
        return True
    return tag.startswith(("AJ", "UN")) and _guessed(word) and word in _wordnet_nouns()


@functools.lru_cache(maxsize=1 << 14)
def _guessed(word: str) -> bool:
    scores = tagger(_WHAT).tag_word(word)
    return not scores or float(scores[0][1]) < _GUESS


@functools.cache
def _wordnet_nouns() -> frozenset[str]:
    """Words with at least one synset that can only be a noun's."""
    try:
        known = synsets()
    except MissingPartError:
        return frozenset()
    return frozenset(
        word
        for word, numbers in known.items()
        if max(map(int, numbers.split()), default=0) >= _FIRST_SURE_NOUN
    )

"""The nouns of a sentence: HanTa's English tagger (its data is in the wheel), with WordNet for words it does not know.

Placeholders become words that can be seen (`[male]` -> man). A word the tagger has never met (its best score is that of a
guess) counts as a noun when WordNet has it as one; WordNet is read from METEOR's synset list inside the installed package
`pycocoevalcap`, and where that is missing, the guess stands.

>>> nouns(["[male] walked his old dogs to the park , and i took a photo of the dogs ."])  # doctest: +SKIP
[('man', 'dogs', 'park', 'photo')]
"""

from __future__ import annotations

import functools
import importlib.util
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from .tagger import tagger
from .words import treebank

_SEEN = {"male": "man", "female": "woman", "location": "place", "organization": "organization"}
_PLACEHOLDER = re.compile(r"\[\s*([a-z_]+)\s*\]", re.IGNORECASE)
_NOUN_TAGS = ("NN0", "NN1", "NN2", "NP0")
_WORD = re.compile(r"[^\W\d_][\w'-]*\Z")
#: a known word's best log probability is far above this; a guessed one's is below
_GUESS = -25.0
#: WordNet 3.0: verbs, adjectives and adverbs have smaller offsets than this; a larger one is a noun's
_FIRST_SURE_NOUN = 3_300_000


def nouns(sentences: Sequence[str]) -> list[tuple[str, ...]]:
    """Per sentence its distinct nouns, lower case, in the order they first appear."""
    return [_nouns(sentence) for sentence in sentences]


@functools.lru_cache(maxsize=1 << 16)
def _nouns(sentence: str) -> tuple[str, ...]:
    text = _PLACEHOLDER.sub(lambda match: _SEEN.get(match.group(1).lower(), match.group(1).lower()), sentence)
    tokens = treebank(text.lower())
    if not tokens:
        return ()
    tagged = tagger("The noun tagger").tag_sent(tokens, taglevel=1)
    return tuple(dict.fromkeys(word for word, _, tag in tagged if word != "i" and _WORD.match(word) and _is_noun(word, tag)))


def _is_noun(word: str, tag: str) -> bool:
    if tag in _NOUN_TAGS:
        return True
    return tag.startswith(("AJ", "UN")) and _guessed(word) and word in _wordnet_nouns()


@functools.lru_cache(maxsize=1 << 14)
def _guessed(word: str) -> bool:
    scores = tagger("The noun tagger").tag_word(word)
    return not scores or float(scores[0][1]) < _GUESS


@functools.cache
def _wordnet_nouns() -> frozenset[str]:
    """Words with at least one synset that can only be a noun's."""
    spec = importlib.util.find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        return frozenset()
    jar = Path(spec.submodule_search_locations[0]) / "meteor" / "meteor-1.5.jar"
    try:
        with zipfile.ZipFile(jar) as archive:
            lines = archive.read("synonym/english.synsets").decode("utf-8", "replace").splitlines()
    except (OSError, KeyError, zipfile.BadZipFile):
        return frozenset()
    return frozenset(word for word, offsets in zip(lines[::2], lines[1::2], strict=False)
                     if any(offset.isdigit() and int(offset) >= _FIRST_SURE_NOUN for offset in offsets.split()))

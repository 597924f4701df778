"""The same captions in other words: cut short, misspelt, or with synonyms."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from ..captions import Caption, Document
from ..errors import UsageError
from .scene import Change, Dice, Scene


def truncate(keep: float = 0.5) -> Change:
    _check("keep", keep)
    return _reword("truncate", lambda words, random: words[: max(1, int(keep * len(words)))])


def typo(rate: float = 0.1) -> Change:
    _check("rate", rate)
    return _reword(
        "typo", lambda words, random: [_misspelt(w, random) if random.random() < rate else w for w in words]
    )


def synonym(rate: float = 0.3) -> Change:
    _check("rate", rate)
    from ..pairs.wordnet import synonyms

    def replaced(word: str, random: random.Random) -> str:
        known = synonyms(word.lower())
        return random.choice(known) if known else word

    return _reword(
        "synonym", lambda words, random: [replaced(w, random) if random.random() < rate else w for w in words]
    )


def _check(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"{name} cannot be {value}.", hint="It is a share between 0 and 1.")


def _reword(purpose: str, change_words: Callable[[list[str], random.Random], list[str]]) -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        numbers = dice(purpose)
        return [
            msgspec.structs.replace(c, text=" ".join(change_words(c.text.split(), numbers)))
            for c in document.captions
        ]

    return change


def _misspelt(word: str, dice: random.Random) -> str:
    """One slip of the fingers: two letters exchanged, one doubled, or one lost. A word of one letter is left
    alone.
    """
    if len(word) < 2:
        return word
    k = dice.randrange(len(word) - 1)
    slip = dice.choice(("exchange", "double", "lose"))
    if slip == "exchange" and word[k] != word[k + 1]:
        return word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    return word[:k] + word[k] + word[k:] if slip == "double" else word[:k] + word[k + 1 :]

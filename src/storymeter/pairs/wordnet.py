"""WordNet's synsets, as METEOR ships them: which words can mean the same.

The list has one line per word and one of synset numbers. A number may be shared by synsets of different parts of speech; as
in METEOR, sharing a number counts as sharing a meaning. Words of several parts (`hot_dog`) are left out of `synonyms`.
"""

from __future__ import annotations

from functools import cache

from .meteor_tables import word_list


@cache
def synsets() -> dict[str, tuple[int, ...]]:
    """Word to its synset numbers."""
    lines = word_list("synonym/english.synsets").decode("utf-8", "replace").splitlines()
    return {word: tuple(map(int, numbers.split())) for word, numbers in zip(lines[::2], lines[1::2], strict=False)}


@cache
def _members() -> dict[int, list[str]]:
    members: dict[int, list[str]] = {}
    for word, numbers in synsets().items():
        if word.isalpha():
            for number in numbers:
                members.setdefault(number, []).append(word)
    return members


@cache
def synonyms(word: str) -> tuple[str, ...]:
    """Other single words that share a synset with this one, sorted."""
    found = {other for number in synsets().get(word, ()) for other in _members()[number]} if word.isalpha() else set()
    return tuple(sorted(found - {word}))

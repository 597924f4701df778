"""WordNet's synsets, as METEOR ships them: which words can mean the same.

The list has one line per word and one of synset numbers. A number may be shared by synsets of different parts
of speech; as in METEOR, sharing a number counts as sharing a meaning. Words of several parts (`hot_dog`) are
left out of `synonyms`."""

from functools import cache

from ..errors import DataError
from .meteor_compile import word_list


@cache
def synsets() -> dict[str, str]:
    """Word to the line of its synset numbers, which `meanings` reads: few of 150,000 words are asked for."""
    lines = word_list("synonym/english.synsets").decode("utf-8", "replace").splitlines()
    words, numbers = lines[::2], lines[1::2]
    digits = "".join("".join(numbers).split())
    if len(words) != len(numbers) or (digits and not digits.isdecimal()):
        raise DataError(
            "METEOR's list of synsets is damaged: it is not one line with a word and one with its numbers,"
            " and so on.",
            hint="Install pycocoevalcap again.",
        )
    return dict(zip(words, numbers, strict=True))


def meanings(word: str) -> tuple[int, ...]:
    """The word's synset numbers; none where WordNet has no such word."""
    return tuple(map(int, synsets().get(word, "").split()))


@cache
def _members() -> dict[str, list[str]]:
    """Synset number, as it is written, to its single words."""
    members: dict[str, list[str]] = {}
    for word, numbers in synsets().items():
        if word.isalpha():
            for number in numbers.split():
                members.setdefault(number, []).append(word)
    return members


@cache
def synonyms(word: str) -> tuple[str, ...]:
    """Other single words that share a synset with this one, sorted."""
    found = (
        {other for number in synsets().get(word, "").split() for other in _members()[number]}
        if word.isalpha()
        else set()
    )
    return tuple(sorted(found - {word}))


#: endings of English inflection and what may stand in their place (Miller et al., WordNet's rules of
#: detachment)
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("er", "e"),
    ("est", ""),
    ("est", "e"),
)


@cache
def _irregular() -> dict[str, list[str]]:
    """Form to base words: went -> go."""
    lines = word_list("synonym/english.exceptions").decode("utf-8", "replace").splitlines()
    found: dict[str, list[str]] = {}
    for base, forms in zip(lines[::2], lines[1::2], strict=False):
        for form in forms.split():
            found.setdefault(form, []).append(base)
    return found


@cache
def base_forms(word: str) -> tuple[str, ...]:
    """The words of WordNet that this may be a form of, itself first; itself where WordNet has none.

    >>> base_forms("running"), base_forms("went"), base_forms("qwerty")  # doctest: +SKIP
    (('running', 'run'), ('go',), ('qwerty',))
    """
    tries = [word, *_irregular().get(word, ())]
    for ending, other in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: len(word) - len(ending)]
            tries.append(stem + other)
            if not other and len(stem) > 3 and stem[-1] == stem[-2]:  # running, stopped
                tries.append(stem[:-1])
    return tuple(dict.fromkeys(one for one in tries if one in synsets())) or (word,)

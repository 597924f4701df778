"""What is known of words: lists of everyday ones, the kind of each word of a sentence, and WordNet.

**Lists** that scene graphs and alignments need: what a caption writer means by short everyday words. Colours
and sizes are the categories of SPICE; numbers and collectives say how many; links are prepositions of several
words. Articles are dropped before tagging, so phrases are written without them.

**Kinds**: each word of a sentence speaks of a thing, an action, a place, a number, a colour, a quality, or of
nothing that could be wrong. The kinds follow HanTa's tags (BNC's set), our lists of colours and numbers, and
one rule for places: the head noun of a phrase that a preposition of place opens (`in the red kitchen` ->
kitchen). The words that hold a sentence together (articles, pronouns, prepositions, forms of be, have and do)
are of the kind `other`; all the others are content words, with `not` among the numbers' company as
`negation`.

>>> [(word.text, word.kind) for word in tagged("two men wash a red car in the garden") if word.content]
... # doctest: +SKIP
[('two', 'number'), ('men', 'thing'), ('wash', 'action'), ('red', 'colour'), ('car', 'thing'), ('garden',
'place')]

**WordNet's synsets**, as METEOR ships them: which words can mean the same. The list has one line per word and
one of synset numbers. A number may be shared by synsets of different parts of speech; as in METEOR, sharing a
number counts as sharing a meaning. Words of several parts (`hot_dog`) are left out of `synonyms`."""

import functools
import re
from typing import Literal, NamedTuple, get_args

from ..errors import DataError
from ..text.words import tagger
from .meteor_compile import word_list


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _themselves(words: str) -> dict[str, str]:
    """Words that stand for themselves."""
    return {word: word for word in words.split()}


ARTICLES = frozenset(["a", "an", "the"])
COLOURS = _themselves(
    "black blond blue brown gold golden green grey maroon navy orange pink purple red silver tan teal "
    "turquoise violet white yellow beige crimson lavender magenta khaki brunette"
) | {"gray": "grey", "blonde": "blond"}
SIZES = _themselves(
    "big enormous giant gigantic huge large little long massive medium mini miniature short small tall "
    "thick thin tiny wide narrow"
)
ADJECTIVES = COLOURS | SIZES
NUMBERS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "dozen": "12",
    "twenty": "20",
}
COLLECTIVE = {
    "couple of": "2",
    "pair of": "2",
    "group of": "group",
    "crowd of": "crowd",
    "bunch of": "group",
    "set of": "set",
    "number of": "several",
    "lot of": "many",
    "lots of": "many",
    "line of": "line",
    "row of": "row",
    "team of": "team",
    "herd of": "group",
    "pack of": "group",
    "piece of": "piece",
}
LINKS = {
    "in front of": "in front of",
    "on top of": "on",
    "next to": "near",
    "close to": "near",
    "out of": "out of",
    "off of": "off",
    "on side of": "beside",
    "at side of": "beside",
    "by side of": "beside",
    "on edge of": "at",
    "at edge of": "at",
    "in middle of": "in",
    "in midst of": "in",
    "in center of": "in",
    "in back of": "behind",
    "inside of": "in",
    "outside of": "outside",
    "on back of": "on",
    "at top of": "on",
    "at bottom of": "under",
    "in background of": "behind",
}
#: nouns that name no thing in the scene
EMPTY_NOUNS = _set("front side something someone other kind sort type one")
#: verbs of captions that taggers take for nouns
VERBS_AS_NOUNS = {
    "runs": "run",
    "jumps": "jump",
    "walks": "walk",
    "rides": "ride",
    "stands": "stand",
    "plays": "play",
    "climbs": "climb",
    "smiles": "smile",
    "looks": "look",
    "swims": "swim",
    "catches": "catch",
    "leaps": "leap",
    "poses": "pose",
    "waits": "wait",
    "talks": "talk",
    "splashes": "splash",
    "swings": "swing",
    "kicks": "kick",
    "dives": "dive",
    "slides": "slide",
    "throws": "throw",
    "sits": "sit",
    "holds": "hold",
    "wears": "wear",
    "surfs": "surf",
    "skis": "ski",
    "skateboards": "skateboard",
    "snowboards": "snowboard",
    "laughs": "laugh",
    "sleeps": "sleep",
    "chases": "chase",
    "races": "race",
    "watches": "watch",
    "dances": "dance",
    "rolls": "roll",
    "trots": "trot",
    "flies": "fly",
    "bites": "bite",
    "points": "point",
    "hugs": "hug",
    "hops": "hop",
    "approaches": "approach",
    "cries": "cry",
}
ANIMATE = _set(
    "man woman boy girl child kid person guy lady baby toddler player dog cat horse rider biker cyclist "
    "skateboarder snowboarder surfer skier climber swimmer runner dancer singer performer musician worker "
    "hiker puppy animal bird bear cow sheep elephant fisherman fireman policeman officer soldier chef "
    "cook clown crowd family team couple adult teenager teen youth gentleman male female friend father "
    "mother son daughter brother sister bride groom student teacher athlete actor artist greyhound poodle "
    "terrier bull goat duck motorcyclist bicyclist wrestler boxer gymnast golfer pitcher batter "
    "quarterback goalie referee fan spectator tourist driver"
)
#: words that tell nothing by themselves
STOP_WORDS = _set(
    "a an the and or but of to in on at by for with from as is are was were be been being am it its he "
    "she they them his her their him this that these those there while who which i you we 's has have had "
    "do does"
)
#: base forms that exclude each other where one caption has the one and the other caption the other
OPPOSITES = (
    ("man", "woman"),
    ("boy", "girl"),
    ("man", "girl"),
    ("boy", "woman"),
    ("male", "female"),
    ("gentleman", "lady"),
    ("black", "white"),
    ("big", "small"),
    ("big", "little"),
    ("large", "small"),
    ("large", "little"),
    ("young", "old"),
    ("short", "tall"),
    ("short", "long"),
    ("inside", "outside"),
    ("indoors", "outdoors"),
    ("indoor", "outdoor"),
    ("up", "down"),
    ("over", "under"),
    ("front", "back"),
    ("left", "right"),
    ("sit", "stand"),
    ("day", "night"),
    ("wet", "dry"),
    ("hot", "cold"),
    ("empty", "full"),
    ("open", "closed"),
)


Kind = Literal["thing", "action", "place", "number", "colour", "quality", "negation", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: longer pieces are tagged in parts, and longer words cut: the tagger's time grows faster than their length
LONGEST_SENTENCE, LONGEST_WORD = 100, 30
#: a word is a run of letters and digits, perhaps with hyphens or apostrophes inside
WORD = re.compile(r"\w+(?:['’-]\w+)*")
_PLACE_PREPOSITIONS = _set("in at on inside outside near through across into onto around along")
_NEGATIONS = _set("not never no nobody nothing without")
_DETERMINERS = _set("a an the his her their its my our some this that")


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


@functools.cache
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


@functools.lru_cache(maxsize=1 << 15)
def meanings(word: str) -> frozenset[int]:
    """The word's synset numbers; none where WordNet has no such word."""
    return frozenset(map(int, synsets().get(word, "").split()))


@functools.cache
def _members() -> dict[str, list[str]]:
    """Synset number, as it is written, to its single words."""
    members: dict[str, list[str]] = {}
    for word, numbers in synsets().items():
        if word.isalpha():
            for number in numbers.split():
                members.setdefault(number, []).append(word)
    return members


@functools.cache
def synonyms(word: str) -> tuple[str, ...]:
    """Other single words that share a synset with this one, sorted."""
    numbers = synsets().get(word, "").split() if word.isalpha() else ()
    return tuple(sorted({other for number in numbers for other in _members()[number]} - {word}))


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


@functools.cache
def _irregular() -> dict[str, list[str]]:
    """Form to base words: went -> go."""
    lines = word_list("synonym/english.exceptions").decode("utf-8", "replace").splitlines()
    found: dict[str, list[str]] = {}
    for base, forms in zip(lines[::2], lines[1::2], strict=False):
        for form in forms.split():
            found.setdefault(form, []).append(base)
    return found


@functools.cache
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

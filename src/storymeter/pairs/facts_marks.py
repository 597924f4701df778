"""The captions of a document with the words that no reference supports, each at its place.

The document is read as `facts` reads it, as one text against all references; here every word goes back to the
caption it stands in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..captions import Document
from .facts import Facts, WordSupport, joined


class MarkedCaption(NamedTuple):
    """A caption as written, and its words, their places counted in it."""

    text: str
    words: tuple[WordSupport, ...]

    @property
    def unsupported(self) -> list[WordSupport]:
        return [word for word in self.words if word.unsupported]

    def pieces(self) -> list[tuple[str, WordSupport | None]]:
        """The text cut at its unsupported words, each of them with what is known of it.

        >>> from .facts import WordSupport
        >>> MarkedCaption("a red car", (WordSupport("red", 2, 5, "colour", 0.1),)).pieces()[::2]
        [('a ', None), (' car', None)]
        """
        out: list[tuple[str, WordSupport | None]] = []
        at = 0
        for word in self.unsupported:
            out += [(self.text[at : word.start], None), (self.text[word.start : word.end], word)]
            at = word.end
        return [piece for piece in (*out, (self.text[at:], None)) if piece[0]]


def marked_captions(
    facts: Facts, document: Document, references: Sequence[Document]
) -> tuple[float, list[MarkedCaption]]:
    """The value of the document, and its captions in their order."""
    text, begins = joined(document)
    against = [joined(reference)[0] for reference in references]
    words: list[list[WordSupport]] = [[] for _ in begins]
    for sentence in facts.explain(candidate=text, references=against):
        for word in sentence.words:
            k = bisect_right(begins, word.start) - 1
            own = document.captions[k].text
            shift = len(own) - len(own.lstrip()) - begins[k]
            words[k].append(word._replace(start=word.start + shift, end=word.end + shift))
    found = [MarkedCaption(c.text, tuple(w)) for c, w in zip(document.captions, words, strict=True)]
    value = float(facts.pairs(candidates=[text], references=[against])[0]) if against else 0.0
    return value, found

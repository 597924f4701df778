"""METEOR's word links between two sentences, as places among the words that blanks divide."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...pairs import Meteor
from ...pairs.meteor import Span

_LETTER = {"exact": "", "stem": "s", "synonym": "y", "paraphrase": "p"}
_WORD = re.compile(r"\S+")


class WordLinks:
    """Each distinct pair is aligned once.

    >>> WordLinks(Meteor())("A man walked past", "a man is walking by")
    '0-0 1-1 2-3s 3-4y'
    """

    def __init__(self, scorer: Meteor) -> None:
        self._scorer = scorer
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, candidate: str, reference: str) -> str:
        pair = (candidate, reference)
        if pair not in self._known:
            found = self._scorer.align(candidate=candidate, reference=reference)
            ours, theirs = places(found.candidate, candidate), places(found.reference, reference)
            links = dict.fromkeys(
                f"{ours[i]}-{theirs[j]}{_LETTER[match.by]}"
                for match in found.matches
                for i, j in _spread(match.candidate, match.reference)
                if ours[i] is not None and theirs[j] is not None
            )
            self._known[pair] = " ".join(links)
        return self._known[pair]


def _spread(ours: Span, theirs: Span) -> list[tuple[int, int]]:
    """Every word of a phrase with a word of the other, in order."""
    return [
        (ours.start + min(k, ours.length - 1), theirs.start + min(k, theirs.length - 1))
        for k in range(max(ours.length, theirs.length))
    ]


def places(tokens: Sequence[str], text: str) -> list[int | None]:
    """For each token the number of the word, as blanks divide the text, that it stands in.

    >>> places(["a", "man", "did", "n't", "go"], "A man  didn't go.")
    [0, 1, 2, 2, 3]
    """
    lower = text.lower()
    begins = [found.start() for found in _WORD.finditer(text)]
    out: list[int | None] = []
    at = word = 0
    for token in tokens:
        found = lower.find(token, at)
        if found < 0:
            out.append(None)
            continue
        while word + 1 < len(begins) and begins[word + 1] <= found:
            word += 1
        out.append(word)
        at = found + len(token)
    return out

"""Details of stories and single captions: pictures, links between sentences, word links, scene graphs."""

import base64
import io
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...captions import Document
from ...context import Settings
from ...engine.one_document import StoryExplanations
from ...errors import MissingPartError
from ...models.media import Pictures
from ...pairs import Meteor
from ...pairs.facts import Facts, FactsModel, marked_captions
from ...pairs.meteor import Span
from ...pairs.spice import compare_graphs
from ...progress import Progress, silent
from ..fitting import escape_controls
from ..one_document import fact_table, repeated_words
from .findings import Findings

#: explained are at most so many documents of all systems together
MOST = 600
SIDE = 320


def details(findings: Findings, images: str | None, device: str) -> dict[str, Any]:
    """What a page says of the texts of stories, with their pictures, or of single captions."""
    if findings.kind == "story":
        return _stories(findings, images, device)
    return {"pairs": _pairs(findings)} if findings.kind == "caption" and findings.annotators else {}


def _within(findings: Findings, system: int) -> Iterator[Document | None]:
    """The documents of a system in the order of the ids, as long as there are not too many."""
    most = MOST // len(findings.systems)
    docs = findings.captions[system]
    return (docs.get(id) if k < most else None for k, id in enumerate(findings.ids))


def _stories(findings: Findings, images: str | None, device: str) -> dict[str, Any]:
    shelf = Pictures(images) if images else None
    addresses: dict[str, str] = {}

    def row(document: Document, explanations: StoryExplanations) -> dict[str, Any]:
        story = explanations.of(document)
        names = shelf.of(document) if shelf else []
        for name in names:
            path = shelf.find(name) if shelf else None
            if name not in addresses and path is not None:
                jpeg = base64.b64encode(_small(path)).decode()
                addresses[name] = f"data:image/jpeg;base64,{jpeg}"
        found: dict[str, Any] = {
            "repeated": sorted(repeated_words(story)),
            "images": [escape_controls(name) for name in names],
        }
        if len(story.sentences) > len(document.captions) == 1:  # a whole story in one text
            found["sentences"] = [escape_controls(sentence) for sentence in story.sentences]
        if story.links is not None:
            found |= {
                "links": [round(p, 3) for p in story.links.probabilities],
                "weakest": story.links.weakest,
            }
        if story.sight is not None:
            found["regions"] = [
                {
                    "noun": escape_controls(n.noun),
                    "sentence": n.sentence,
                    "picture": names.index(n.image),
                    "box": [round(v, 3) for v in n.box[:4]],
                }
                for n in story.sight.nouns
            ]
        return found

    stories = []
    for s, system in enumerate(findings.systems):
        explanations = StoryExplanations(findings.results, system, images, device)
        told = _within(findings, s)
        stories.append([None if document is None else row(document, explanations) for document in told])
    return {
        "stories": stories,
        "images": {escape_controls(name): address for name, address in addresses.items()},
    }


def _small(path: Path) -> bytes:
    """The picture as a JPEG of at most SIDE points."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingPartError.extra("Pictures in the report", "neural") from None
    with Image.open(path) as picture:
        picture.thumbnail((SIDE, SIDE))
        out = io.BytesIO()
        picture.convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()


def _pairs(findings: Findings) -> list[list[dict[str, Any] | None]]:
    """[system][document]: METEOR's word links with the reference it likes best, and the facts of both
    sides.
    """
    scorer = Meteor(tokenizer="none")
    words = WordLinks(scorer)

    def pair(document: Document | None) -> dict[str, Any] | None:
        if document is None or not document.text:
            return None
        against = [docs[document.id].text for _, docs in findings.annotators if document.id in docs]
        if not against:
            return None
        scores = scorer.pairs(candidates=[document.text] * len(against), references=[[r] for r in against])
        graphs = compare_graphs(document.id, document.text, against)
        return {
            "words": words(document.text, against[int(np.argmax(scores))]),
            "facts": [[escape_controls(str(cell)) for cell in row] for row in fact_table(graphs).rows],
        }

    return [list(map(pair, _within(findings, s))) for s in range(len(findings.systems))]


# Which words of every caption no reference supports, for the data of the page.


_WORD = re.compile(r"\S+")


def unsupported(
    findings: Findings, device: str = "cpu", progress: Progress = silent
) -> list[list[list[list[int]] | None]]:
    """[system][document][caption]: the numbers of the words, as blanks divide the caption."""
    facts = FactsModel(Facts(), Settings(device=device))

    def words(system: int, done: int, id: str) -> list[list[int]] | None:
        progress(f"support of {findings.systems[system]}", done, len(findings.ids))
        document = findings.captions[system].get(id)
        against = [docs[id] for _, docs in findings.annotators if id in docs]
        if document is None or not against:
            return None
        _, captions = marked_captions(facts, document, against)
        return [_places(c.text, [word.start for word in c.unsupported]) for c in captions]

    return [
        [words(system, done, id) for done, id in enumerate(findings.ids)]
        for system in range(len(findings.systems))
    ]


def _places(text: str, starts: list[int]) -> list[int]:
    """
    >>> _places("a red  car", [2, 7])
    [1, 2]
    """
    begins = [found.start() for found in _WORD.finditer(text)]
    return sorted({bisect_right(begins, start) - 1 for start in starts})


# METEOR's word links between two sentences, as places among the words that blanks divide.


_LETTER = {"exact": "", "stem": "s", "synonym": "y", "paraphrase": "p"}


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

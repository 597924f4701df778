"""What only stories and single captions have: pictures, links between sentences, word links, scene graphs."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...captions import Document
from ...errors import MissingPartError
from ..table import harmless
from .findings import Findings

#: explained are at most so many documents of all systems together
MOST = 600
SIDE = 320


def details(
    findings: Findings, images: str | None, device: str, store: Callable[[str, bytes], str]
) -> dict[str, Any]:
    """`store(name, bytes)` keeps a picture and gives its address."""
    if findings.kind == "story":
        return _stories(findings, images, device, store)
    return {"pairs": _pairs(findings)} if findings.kind == "caption" and findings.annotators else {}


def _within(findings: Findings, system: int) -> Iterator[Document | None]:
    """The documents of a system in the order of the ids, as long as there are not too many."""
    most = MOST // len(findings.systems)
    docs = findings.captions[system]
    return (docs.get(id) if k < most else None for k, id in enumerate(findings.ids))


def _stories(
    findings: Findings, images: str | None, device: str, store: Callable[[str, bytes], str]
) -> dict[str, Any]:
    from ...models.media import Pictures
    from ...story.explain import explain_story
    from ..story_page import repeated_words

    shelf = Pictures(images) if images else None
    addresses: dict[str, str] = {}

    def row(document: Document, corpus: Sequence[Document]) -> dict[str, Any]:
        story = explain_story(document, corpus=corpus, images=images, device=device)
        names = shelf.of(document) if shelf else []
        for name in names:
            path = shelf.find(name) if shelf else None
            if name not in addresses and path is not None:
                addresses[name] = store(name, _small(path))
        found: dict[str, Any] = {
            "repeated": sorted(repeated_words(story)),
            "images": [harmless(name) for name in names],
        }
        if story.links is not None:
            found |= {
                "links": [round(p, 3) for p in story.links.probabilities],
                "weakest": story.links.weakest,
            }
        if story.sight is not None:
            found["regions"] = [
                {"noun": harmless(n.noun), "sentence": n.sentence, "box": [round(v, 3) for v in n.box[:4]]}
                for n in story.sight.nouns
                if n.sentence < len(names) and n.image == names[n.sentence]
            ]
        return found

    stories = [
        [
            None if document is None else row(document, system.candidates.documents)
            for document in _within(findings, s)
        ]
        for s, system in enumerate(findings.results.systems)
    ]
    return {"stories": stories, "images": {harmless(name): address for name, address in addresses.items()}}


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


def inline(name: str, data: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"


def _pairs(findings: Findings) -> list[list[dict[str, Any] | None]]:
    """[system][document]: METEOR's word links with the reference it likes best, and the facts of both
    sides.
    """
    from ...pairs import Meteor
    from ...pairs.spice_explain import compare_graphs
    from ..graphs import fact_table
    from .words import WordLinks

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
            "facts": [[harmless(str(cell)) for cell in row] for row in fact_table(graphs).rows],
        }

    return [list(map(pair, _within(findings, s))) for s in range(len(findings.systems))]

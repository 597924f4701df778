"""The data block of the page: one JSON object that the page's script reads, and any other program can.

ids         the documents, sorted
systems, metrics, annotators
values      [system][metric][document]: rounded to five digits, null where not scored
texts       every distinct sentence once
captions    [system][document]: start, end, sentence, start, end, sentence, … (null: none; times null:
            untimed)
references  [annotator][document]: likewise
alignments  per metric with a matching: [system][document]: annotator, then caption, reference, IoU, f, …
words       [alignment][system][document]: for each matched pair METEOR's word links, `3-5` (exact), `3-5s`
            (stem), `3-5y` (synonym), `3-5p` (paraphrase): the words of caption and reference, counted at
            blanks
unsupported [system][document][caption]: words that no reference supports, counted at blanks (with --facts)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from markupsafe import Markup

from ...arrays import FloatArray
from ...captions import Document
from ...score import Alignment
from ..table import harmless
from .findings import Findings

#: METEOR's word links are left out where there are more matched pairs than this
MOST_PAIRS = 60_000


def data(findings: Findings, *, details: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(harmless(text), len(texts))

    captions = [[_events(docs.get(id), number) for id in findings.ids] for docs in findings.captions]
    references = [[_events(docs.get(id), number) for id in findings.ids] for _, docs in findings.annotators]
    alignments = [
        {"metric": m, "links": [_links(alignment, findings.ids) for alignment in each]}
        for m, each in findings.alignments
    ]
    pairs = sum(len(alignment.candidate) for _, each in findings.alignments for alignment in each)
    words = _word_links(findings) if 0 < pairs <= MOST_PAIRS else []
    return {
        "schema": 1,
        "title": harmless(findings.title),
        "kind": findings.kind,
        "ids": [harmless(id) for id in findings.ids],
        "systems": [harmless(name) for name in findings.systems],
        "metrics": [
            {"name": harmless(name), "percent": score.as_percent, "sign": findings.direction(m)}
            for m, name in enumerate(findings.metrics)
            for score in findings.scores(m)[:1]
        ],
        "scores": [
            [[_rounded(s.value), *(map(_rounded, s.interval) if s.interval else ())] for s in system.scores]
            for system in findings.results.systems
        ],
        "annotators": [harmless(name) for name, _ in findings.annotators],
        "values": [[_values(column) for column in row] for row in findings.values],
        "durations": [_duration(findings, id) for id in findings.ids],
        "captions": captions,
        "references": references,
        "alignments": alignments,
        "words": words,
        "videos": {harmless(id): address for id, address in findings.videos.items()},
        **details,
        "texts": list(texts),
    }


def block(content: dict[str, Any]) -> Markup:
    """As it stands inside `<script type="application/json">`, which nothing in it can end."""
    text = msgspec.json.encode(content).decode()
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(text)  # noqa: S704


def _rounded(value: float) -> float | None:
    return float(f"{value:.5g}") if math.isfinite(value) else None


def _values(column: FloatArray) -> list[float | None]:
    return [_rounded(value) for value in column.tolist()]


def _time(seconds: float | None) -> float | int | None:
    return None if seconds is None else int(seconds) if seconds == int(seconds) else round(seconds, 2)


def _events(document: Document | None, number: Callable[[str], int]) -> list[Any] | None:
    if document is None:
        return None
    return [
        part
        for caption in document.captions
        for part in (_time(caption.start), _time(caption.end), number(caption.text))
    ]


def _duration(findings: Findings, id: str) -> float | int | None:
    documents = [
        docs[id] for docs in (*findings.captions, *(d for _, d in findings.annotators)) if id in docs
    ]
    lengths = [document.duration or 0.0 for document in documents]
    ends = [caption.end or 0.0 for document in documents for caption in document.captions]
    return _time(max([*lengths, *ends], default=0.0)) or None


def _links(alignment: Alignment, ids: Sequence[str]) -> list[list[float] | None]:
    known = set(alignment.ids)
    return [
        [
            int(alignment.annotator[alignment.place(id)]),
            *(
                part
                for match in alignment[id]
                for part in (match.candidate, match.reference, round(match.iou, 3), round(match.f, 3))
            ),
        ]
        if id in known
        else None
        for id in ids
    ]


def _word_links(findings: Findings) -> list[list[list[list[str]]]]:
    """[alignment][system][document][matched pair]"""
    from ...pairs import Meteor
    from .words import WordLinks

    words = WordLinks(Meteor(tokenizer="none"))

    def linked(alignment: Alignment, document: Document | None, id: str) -> list[str]:
        found = alignment.get(id)
        if document is None or not found:
            return []
        track = _track(findings, id, int(alignment.annotator[alignment.place(id)]))
        return [words(document.captions[m.candidate].text, track[m.reference]) for m in found]

    return [
        [
            [linked(alignment, findings.captions[k].get(id), id) for id in findings.ids]
            for k, alignment in enumerate(each)
        ]
        for _, each in findings.alignments
    ]


def _track(findings: Findings, id: str, annotator: int) -> list[str]:
    """The sentences of the annotator who counts, from 0 among those who have the document; -1: of all."""
    tracks = [docs[id] for _, docs in findings.annotators if id in docs]
    chosen = tracks if annotator < 0 else tracks[annotator : annotator + 1]
    return [caption.text for document in chosen for caption in document.captions]

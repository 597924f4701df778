"""Builds the page of a report from its findings, with the data that its script reads and its videos."""

import math
import os
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from ...arrays import FloatArray
from ...captions import Document
from ...engine.suitability import story_meteor
from ...files import safe_names, write_bytes, write_text
from ...pairs import Meteor
from ...scores import Alignment, Match
from ..fitting import clip, escape_controls
from ..marks import mark_notes, rough_scores, scale_note
from ..presentation import Shown, environment, html_page
from ..scores import engine_note, remarks, signature_lines
from .details import WordLinks, details
from .findings import Findings
from .sections import board, forest, matrix, methods, verdict, warnings

#: what can be read without script is written out while the page stays below so many bytes
COMPLETE = 19_000_000
#: pictures go into a folder beside the page when it would be larger than this
LARGEST = 25 << 20
#: about so many bytes are a number in the table of all documents
NUMBER = 14
_ARROWS = {1.0: ("↑", "higher is better"), -1.0: ("↓", "lower is better"), 0.0: ("", "neither is better")}


def report_page(
    findings: Findings,
    *,
    images: str | None = None,
    device: str = "cpu",
    by_annotator: Shown | None = None,
    audit: Mapping[str, Any] | None = None,
    people: Mapping[str, Any] | None = None,
    unsupported: Sequence[Any] | None = None,
    store: Callable[[Mapping[str, bytes]], Mapping[str, str]] | None = None,
) -> str:
    """The whole page as text. `by_annotator` is the table of scores against each annotator alone; `audit` and
    `people` are sections that were asked for, `unsupported` the words that no reference supports:
    [system][document][caption]. `store(pictures)` keeps the pictures beside the page and gives their
    addresses; it is called where the page would be too large with its pictures inside.
    """
    more = details(findings, images, device)
    if unsupported is not None:
        more["unsupported"] = unsupported
    found = data(findings, details=more)
    content = block(found)
    numbers = len(findings.ids) * len(findings.systems) * len(findings.metrics)
    if store is not None and more.get("images") and len(content) + NUMBER * numbers > LARGEST:
        found["images"] = store(
            {name: b64decode(address.partition(",")[2]) for name, address in more["images"].items()}
        )
        content = block(found)
    written = list(_written(findings, COMPLETE - len(content.encode()) - NUMBER * numbers))
    return html_page(
        "report.html",
        title=findings.title,
        script="report.js",
        systems=findings.systems,
        metrics=[
            {"name": name, "arrow": _ARROWS[sign][0], "direction": _ARROWS[sign][1]}
            for m, name in enumerate(findings.headings)
            for sign in [findings.direction(m)]
        ],
        documents=len(findings.ids),
        annotators=findings.annotators,
        verdict=verdict(findings),
        warnings=warnings(findings),
        board=board(findings),
        with_intervals=findings.with_intervals,
        rough=rough_scores(findings.results),
        resampled=findings.resampled,
        runs=findings.runs,
        tested_by_runs=findings.tested_by_runs,
        notes=[
            scale_note({score.metric: score.as_percent for score in findings.results.systems[0].scores}),
            "" if findings.comparisons else mark_notes(findings.marks, ()),  # of one document
            engine_note(findings.results),
            *remarks(findings.results),
            story_meteor(
                [system.candidates for system in findings.results.systems],
                dict(zip(findings.metrics, findings.results.metrics, strict=True)),
            ),
        ],
        luck=(
            [
                {
                    "metric": name,
                    "forest": forest(findings, m),
                    "matrix": matrix(findings, m) if len(findings.systems) > 2 else None,
                }
                for m, name in enumerate(findings.headings)
            ]
            if findings.comparisons
            else []
        ),
        tests=max((c.tests for c in findings.comparisons), default=0),
        mark_notes=mark_notes(findings.marks, findings.comparisons),
        document_rows=_document_rows(findings),
        static_documents=written,
        static_left=len(findings.ids) - len(written),
        by_annotator=by_annotator,
        audit=audit,
        people=people,
        methods=methods(findings),
        signatures=signature_lines(findings.results),
        data=content,
    )


def _document_rows(findings: Findings) -> Iterator[tuple[str, list[str]]]:
    scales = [findings.scores(m)[0].scale for m in range(len(findings.metrics))]
    columns = [
        [f"{value:.2f}" if value == value else "–" for value in (column * scale).tolist()]
        for row in findings.values
        for column, scale in zip(row, scales, strict=True)
    ]
    return ((id, [column[k] for column in columns]) for k, id in enumerate(findings.ids))


def _written(findings: Findings, room: int) -> Iterator[Markup]:
    """The captions of each document as they are read without script, while there is room for them."""
    template = environment().get_template("report_static.html")
    for id in findings.ids:
        text = template.render(id=id, lanes=_lanes(findings, id))
        room -= len(text.encode())
        if room < 0:
            return
        yield Markup(text)  # noqa: S704 - the template escapes


def _lanes(findings: Findings, id: str) -> Iterator[dict[str, Any]]:
    for name, documents in findings.annotators:
        if id in documents:
            yield {"name": f"References: {name}", "events": _events(documents[id], None)}
    for k, name in enumerate(findings.systems):
        document = findings.captions[k].get(id)
        alignment = findings.alignments[0][1][k] if findings.alignments else {}
        partners = {match.candidate: match for match in alignment[id]} if id in alignment else None
        yield {"name": name, "events": _events(document, partners) if document else []}


def _events(document: Document, partners: dict[int, Match] | None) -> list[dict[str, str]]:
    return [
        {
            "when": f"{caption.start:g}–{caption.end:g} s" if caption.timed else "",
            "text": clip(caption.text, 600),
            "partner": "" if partners is None else _partner(partners.get(k)),
        }
        for k, caption in enumerate(document.captions)
    ]


def _partner(match: Match | None) -> str:
    if match is None:
        return "no partner"
    return f"→ g{match.reference + 1}: {match.iou:.2f} × {match.f:.2f} = {match.product:.2f}"


def write_page(path: Path, findings: Findings, **options: Any) -> list[Path]:
    """The page, and a folder of pictures beside it only where the page would be too large; what was
    written.
    """
    folder = path.with_name(f"{path.stem}_files")
    stored: dict[str, str] = {}

    def store(pictures: Mapping[str, bytes]) -> Mapping[str, str]:
        for name, safe in safe_names(pictures).items():
            write_bytes(folder / f"{safe}.jpg", pictures[name])
            stored[name] = quote(f"{folder.name}/{safe}.jpg")
        return stored

    write_text(path, report_page(findings, store=store, **options))
    return [path, folder] if stored else [path]


# The data block of the page: one JSON object that the page's script reads, and any other program can.
#
# ids         the documents, sorted
# systems, metrics, annotators
# values      [system][metric][document]: rounded to five digits, null where not scored
# texts       every distinct sentence once
# captions    [system][document]: start, end, sentence, start, end, sentence, … (null: none; times null:
#             untimed)
# references  [annotator][document]: likewise
# alignments  per metric with a matching: [system][document]: annotator, then caption, reference, IoU, f, …
# words       [alignment][system][document]: for each matched pair METEOR's word links, `3-5` (exact), `3-5s`
#             (stem), `3-5y` (synonym), `3-5p` (paraphrase): the words of caption and reference, counted at
#             blanks
# unsupported [system][document][caption]: words that no reference supports, counted at blanks (with --facts)


#: METEOR's word links are left out where there are more matched pairs than this
MOST_PAIRS = 60_000


def data(findings: Findings, *, details: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(escape_controls(text), len(texts))

    captions = [[_events_of_data(docs.get(id), number) for id in findings.ids] for docs in findings.captions]
    references = [
        [_events_of_data(docs.get(id), number) for id in findings.ids] for _, docs in findings.annotators
    ]
    alignments = [
        {"metric": m, "links": [_links(alignment, findings.ids) for alignment in each]}
        for m, each in findings.alignments
    ]
    pairs = sum(len(alignment.candidate) for _, each in findings.alignments for alignment in each)
    words = _word_links(findings) if 0 < pairs <= MOST_PAIRS else []
    return {
        "schema": 1,
        "title": escape_controls(findings.title),
        "kind": findings.kind,
        "ids": [escape_controls(id) for id in findings.ids],
        "systems": [escape_controls(name) for name in findings.systems],
        "metrics": [
            {"name": escape_controls(name), "percent": score.as_percent, "sign": findings.direction(m)}
            for m, name in enumerate(findings.headings)
            for score in findings.scores(m)[:1]
        ],
        "scores": [
            [[_rounded(s.value), *(map(_rounded, s.interval) if s.interval else ())] for s in system.scores]
            for system in findings.results.systems
        ],
        "annotators": [escape_controls(name) for name, _ in findings.annotators],
        "values": [[_values(column) for column in row] for row in findings.values],
        "durations": [_duration(findings, id) for id in findings.ids],
        "captions": captions,
        "references": references,
        "alignments": alignments,
        "words": words,
        "videos": {escape_controls(id): address for id, address in findings.videos.items()},
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


def _events_of_data(document: Document | None, number: Callable[[str], int]) -> list[Any] | None:
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


# Which video belongs to which document, and the address at which the page finds it.


#: what browsers play, in the order in which one of several is taken
ENDINGS = (".mp4", ".webm", ".m4v", ".ogv", ".mov", ".mkv")


def find_videos(folder: Path, ids: Iterable[str], page: Path) -> dict[str, str]:
    """Document id -> address relative to the page. A file is named by the id, with or without a leading
    `v_`.
    """
    known: dict[str, Path] = {}
    for path in sorted(folder.rglob("*"), key=lambda p: (_rank(p), p.as_posix())):
        if _rank(path) < len(ENDINGS):
            known.setdefault(path.stem, path)
            known.setdefault(path.name, path)
    found = {}
    for id in ids:
        video = known.get(id) or known.get(id.removeprefix("v_")) or known.get(f"v_{id}")
        if video is not None:
            relative = os.path.relpath(video.resolve(), page.resolve().parent)
            found[id] = quote(Path(relative).as_posix())
    return found


def _rank(path: Path) -> int:
    ending = path.suffix.lower()
    return ENDINGS.index(ending) if ending in ENDINGS else len(ENDINGS)

"""From findings to the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...captions import Document
from ...score import Match
from ..fitting import clip
from ..marks import mark_notes, rough, scale_note
from ..scores import signature_lines
from ..templating import environment, render
from .boards import board, forest, matrix
from .data import block, data
from .details import details, inline
from .findings import Findings
from .methods import methods
from .verdict import verdict, warnings

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
    audit: Mapping[str, Any] | None = None,
    people: Mapping[str, Any] | None = None,
    unsupported: Sequence[Any] | None = None,
    store: Callable[[str, bytes], str] = inline,
) -> str:
    """The whole page as text. `audit` and `people` are sections that were asked for, `unsupported` the words
    that no reference supports: [system][document][caption]. `store` keeps pictures, inside the page if
    nothing else is said.
    """
    more = details(findings, images, device, store)
    if unsupported is not None:
        more["unsupported"] = unsupported
    content = block(data(findings, details=more))
    numbers = len(findings.ids) * len(findings.systems) * len(findings.metrics)
    written = list(_written(findings, COMPLETE - len(content.encode()) - NUMBER * numbers))
    return render(
        "report.html",
        title=findings.title,
        script="report.js",
        systems=findings.systems,
        metrics=[
            {"name": name, "arrow": _ARROWS[sign][0], "direction": _ARROWS[sign][1]}
            for m, name in enumerate(findings.metrics)
            for sign in [findings.direction(m)]
        ],
        documents=len(findings.ids),
        annotators=findings.annotators,
        verdict=verdict(findings),
        warnings=warnings(findings),
        board=board(findings),
        with_intervals=findings.with_intervals,
        rough=rough(len(findings.ids)),
        scale_note=scale_note(
            {score.metric: score.as_percent for score in findings.results.systems[0].scores}
        ),
        luck=(
            [
                {
                    "metric": name,
                    "forest": forest(findings, m),
                    "matrix": matrix(findings, m) if len(findings.systems) > 2 else None,
                }
                for m, name in enumerate(findings.metrics)
            ]
            if findings.comparisons
            else []
        ),
        tests=max((c.tests for c in findings.comparisons), default=0),
        mark_notes=mark_notes(findings.marks, findings.comparisons),
        document_rows=_document_rows(findings),
        static_documents=written,
        static_left=len(findings.ids) - len(written),
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


def write_report(path: Path, findings: Findings, **options: Any) -> list[Path]:
    """The page, and a folder of pictures beside it only where the page would be too large; what was
    written.
    """
    from ...files import write_bytes, write_text

    text = report_page(findings, **options)
    if len(text.encode()) <= LARGEST or "data:image/jpeg" not in text:
        write_text(path, text)
        return [path]
    folder = path.with_name(f"{path.stem}_files")

    def store(name: str, data: bytes) -> str:
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:100] + ".jpg"
        write_bytes(folder / safe, data)
        return f"{folder.name}/{safe}"

    write_text(path, report_page(findings, **{**options, "store": store}))
    return [path, folder]

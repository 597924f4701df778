"""The story of one video on a time axis: references above, captions below, matched pairs joined.

Each link carries its overlap in time (IoU), how alike the sentences are (f), and the product, which is what
SODA c sums. What has no partner is marked. In the terminal as text, on a page as SVG."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ..captions import Caption, Corpus
from ..dense.links import Link, VideoLinks
from .fitting import clip, pad
from .page import heading, page, paragraph
from .table import Column, Table, harmless


@dataclass(frozen=True, slots=True)
class Event:
    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timeline:
    video: str
    system: str
    annotator: str
    scorer: str
    duration: float
    references: Sequence[Event]
    captions: Sequence[Event]
    links: Sequence[Link]
    precision: float
    recall: float
    f1: float
    metric: str = "soda_c"

    @property
    def headline(self) -> str:
        return (
            f"{self.metric}  P {100 * self.precision:.2f}  R {100 * self.recall:.2f}  F1 {100 * self.f1:.2f}"
        )

    def partner(self, *, reference: int | None = None, caption: int | None = None) -> str:
        for link in self.links:
            if link.reference == reference:
                return f"p{link.candidate + 1}"
            if link.candidate == caption:
                return f"g{link.reference + 1}"
        return "no partner"


def timeline_of(
    found: VideoLinks,
    *,
    system: str,
    annotators: Sequence[Corpus],
    scorer: str,
    metric: str,
    duration: float | None,
) -> Timeline:
    """The links of one video as a picture: both sides sorted by start, numbered in that order."""
    names = [corpus.name for corpus in annotators if any(document.id == found.id for document in corpus)]
    annotator = (
        "all annotators merged"
        if found.annotator is None
        else names[found.annotator]
        if found.annotator < len(names)
        else "references"
    )
    references, reference_place = _sorted(found.references)
    captions, caption_place = _sorted(found.candidates)
    links = sorted(
        (Link(reference_place[k.reference], caption_place[k.candidate], k.iou, k.alike) for k in found.links),
        key=lambda k: k.reference,
    )
    latest = max((event.end for event in [*references, *captions]), default=0.0)
    return Timeline(
        found.id,
        system,
        annotator,
        scorer,
        max(duration or 0.0, latest),
        references,
        captions,
        links,
        found.precision,
        found.recall,
        found.f1,
        metric,
    )


def _sorted(captions: Sequence[Caption]) -> tuple[list[Event], dict[int, int]]:
    """Events by start, and where each caption, as read, went."""
    order = sorted(range(len(captions)), key=lambda k: captions[k].start or 0.0)
    return [Event(captions[k].text, captions[k].start or 0.0, captions[k].end or 0.0) for k in order], {
        k: place for place, k in enumerate(order)
    }


def link_table(timeline: Timeline) -> Table:
    rows = [
        [f"g{link.reference + 1}", f"p{link.candidate + 1}", link.iou, link.alike, link.product]
        for link in timeline.links
    ]
    return Table(
        [
            "reference",
            "caption",
            Column("IoU", ".3f"),
            Column(timeline.scorer, ".3f"),
            Column("product", ".3f"),
        ],
        rows,
    )


def terminal(timeline: Timeline, width: int = 100) -> str:
    axis = max(20, min(60, width // 2))
    lines = [f"{timeline.video}   {timeline.duration:g} s   {timeline.headline}   ({timeline.scorer})", ""]
    lines += [f"references ({timeline.annotator})", *_rows("g", timeline, axis, width), ""]
    lines += [f"captions ({timeline.system})", *_rows("p", timeline, axis, width), ""]
    return harmless("\n".join(lines)) + link_table(timeline).render("table")


def _rows(letter: str, timeline: Timeline, axis: int, width: int) -> list[str]:
    events = timeline.references if letter == "g" else timeline.captions
    span = max(timeline.duration, 1e-9)
    ruler = f"    0{f'{timeline.duration:g} s':>{axis - 1}}"
    lines = [ruler]
    room = max(20, width - axis - 20)
    for number, event in enumerate(events):
        first = min(axis - 1, int(event.start / span * axis))
        last = max(first + 1, min(axis, round(event.end / span * axis)))
        partner = timeline.partner(reference=number) if letter == "g" else timeline.partner(caption=number)
        bar = ("█" if partner != "no partner" else "░") * (last - first)
        text = pad(clip(harmless(event.text), room), room)
        lines.append(
            f"{letter}{number + 1:<3}{' ' * first}{bar}{' ' * (axis - last)} {text}"
            f" {'-> ' if letter == 'g' else '<- '}{partner}".rstrip()
        )
    return lines if events else [*lines, "    none"]


_WIDTH, _ROW, _BAR, _GAP, _LEFT = 1000, 46, 22, 120, 8
_STYLE = """
.timeline text { font: 14px system-ui, sans-serif; fill: var(--ink); } .timeline .small { font-size: 12px; fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.timeline .matched { fill: #2f7d5b; } .timeline .single { fill: none; stroke: #b4462f; stroke-dasharray: 5 4; stroke-width: 2; }
.timeline .link { stroke: #2f7d5b; stroke-width: 2; fill: none; opacity: .75; } .timeline .axis { stroke: var(--line); }
"""


def timeline_page(timeline: Timeline) -> str:
    """A self-contained HTML page."""
    parts = [
        paragraph(
            f"{timeline.headline}. References by {timeline.annotator}, captions by {timeline.system},"
            f" sentences compared by {timeline.scorer}."
        ),
        f'<div class="scroll">{_svg(timeline)}</div>',
        heading("Links"),
        f'<div class="scroll">{link_table(timeline).render("html")}</div>',
        paragraph(
            "Filled bars have a partner; dashed ones have none. A link shows the overlap in time (IoU) times"
            " how alike the two sentences are; SODA c sums these products along the best order-preserving"
            " matching.",
            note=True,
        ),
        _list("References", "g", timeline.references),
        _list("Captions", "p", timeline.captions),
    ]
    return page(f"{timeline.video}: the story on a time axis", parts, style=_STYLE)


def _list(title: str, letter: str, events: Sequence[Event]) -> str:
    rows = [
        [f"{letter}{number + 1}", event.start, event.end, event.text] for number, event in enumerate(events)
    ]
    return Table(["", Column("start", ".2f"), Column("end", ".2f"), "sentence"], rows, title=title).render(
        "html"
    )


def _svg(timeline: Timeline) -> str:
    span = max(timeline.duration, 1e-9)
    top, below = 30, 30 + _ROW * max(1, len(timeline.references)) + _GAP
    height = below + _ROW * max(1, len(timeline.captions)) + 20

    def x(seconds: float) -> float:
        return _LEFT + max(0.0, min(1.0, seconds / span)) * (_WIDTH - 2 * _LEFT)

    parts = [
        '<svg class="timeline" role="img" aria-label="references above, captions below, matched pairs'
        f' joined" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        ' xmlns="http://www.w3.org/2000/svg">'
    ]
    for k in range(5):
        at = x(span * k / 4)
        parts.append(
            f'<line class="axis" x1="{at:.1f}" y1="22" x2="{at:.1f}" y2="{height}"/><text class="small"'
            f' x="{at:.1f}" y="15"'
            f' text-anchor="{"start" if k == 0 else "end" if k == 4 else "middle"}">{span * k / 4:.1f}'
            " s</text>"
        )
    for link in timeline.links:
        g, p = timeline.references[link.reference], timeline.captions[link.candidate]
        x1, y1 = (x(g.start) + x(g.end)) / 2, top + _ROW * link.reference + 16 + _BAR
        x2, y2 = (x(p.start) + x(p.end)) / 2, below + _ROW * link.candidate + 16
        middle = (y1 + y2) / 2
        label = f"{link.iou:.2f} × {link.alike:.2f} = {link.product:.2f}"
        parts.append(
            f'<path class="link" d="M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f}'
            f' {x2:.1f},{y2:.1f}"/>'
            f'<text class="small" text-anchor="middle" x="{(x1 + x2) / 2:.1f}"'
            f' y="{top + _ROW * len(timeline.references) + _GAP / 2 + 14 * (link.reference % 3 - 1):.1f}">{label}</text>'
        )
    for letter, events, y0 in (("g", timeline.references, top), ("p", timeline.captions, below)):
        for number, event in enumerate(events):
            single = (
                timeline.partner(reference=number) if letter == "g" else timeline.partner(caption=number)
            ) == "no partner"
            y = y0 + _ROW * number
            left, right = x(event.start), x(event.end)
            text = html.escape(
                textwrap.shorten(
                    f"{letter}{number + 1}  " + " ".join(event.text.split()), 90, placeholder=" …"
                )
            )
            anchor, at = ("start", left) if left < _WIDTH * 0.55 else ("end", right)
            parts.append(
                f"<g><title>{html.escape(event.text)} [{event.start:g}, {event.end:g}]</title>"
                f'<rect class="{"single" if single else "matched"}" x="{left:.1f}" y="{y + 16}"'
                f' width="{max(2.0, right - left):.1f}" height="{_BAR}" rx="4"/>'
                f'<text text-anchor="{anchor}" x="{at:.1f}" y="{y + 11}">{text}</text></g>'
            )
    return "".join([*parts, "</svg>"])

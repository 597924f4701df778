"""The story of one video on a time axis: references above, captions below, matched pairs joined.

Each link carries its overlap in time (IoU), how alike the sentences are (f), and the product, which is what
SODA c sums. What has no partner is marked. In the terminal as text, on a page as SVG."""

from collections.abc import Sequence

from markupsafe import Markup

from ..dense.caption_pairs import Event, Timeline
from .figures.charts import Bar, lanes
from .fitting import clip, escape_controls
from .presentation import Presentation, present
from .table import Table, numbers
from .templating import render, shown


@present.register(Timeline)
def present_timeline(timeline: Timeline) -> Presentation:
    return Presentation(
        timeline.video,
        lambda style, width: [link_table(timeline)],
        page=lambda: timeline_page(timeline),
        text=lambda width, colour: terminal(timeline, width),
    )


def link_table(timeline: Timeline) -> Table:
    rows = [
        [f"g{link.reference + 1}", f"p{link.candidate + 1}", link.iou, link.f, link.product]
        for link in timeline.links
    ]
    return Table(["reference", "caption", *numbers(".3f", "IoU", timeline.scorer, "product")], rows)


def terminal(timeline: Timeline, width: int = 100) -> str:
    axis = max(20, min(60, width // 2))
    lines = [f"{timeline.video}   {timeline.duration:g} s   {timeline.headline}   ({timeline.scorer})", ""]
    lines += [f"references ({timeline.annotator})", *_rows("g", timeline, axis, width), ""]
    lines += [f"captions ({timeline.system})", *_rows("p", timeline, axis, width), ""]
    return escape_controls("\n".join(lines)) + link_table(timeline).render("table")


def _rows(letter: str, timeline: Timeline, axis: int, width: int) -> list[str]:
    from rich.cells import set_cell_size

    events, partners = timeline.side(letter)
    span = max(timeline.duration, 1e-9)
    lines = [f"    0{f'{timeline.duration:g} s':>{axis - 1}}"]
    room = max(20, width - axis - 20)
    for number, event in enumerate(events):
        first = min(axis - 1, int(event.start / span * axis))
        last = max(first + 1, min(axis, round(event.end / span * axis)))
        bar = ("█" if number in partners else "░") * (last - first)
        text = set_cell_size(clip(escape_controls(event.text), room), room)
        lines.append(
            f"{letter}{number + 1:<3}{' ' * first}{bar}{' ' * (axis - last)} {text}"
            f" {'-> ' if letter == 'g' else '<- '}{partners.get(number, 'no partner')}".rstrip()
        )
    return lines if events else [*lines, "    none"]


def timeline_page(timeline: Timeline) -> str:
    """A self-contained HTML page."""
    return render(
        "timeline.html",
        title=f"{timeline.video}: captions and references on a time axis",
        timeline=timeline,
        figure=timeline_figure(timeline),
        links=shown(link_table(timeline)),
        lists=[
            shown(event_table("References", "g", timeline.references)),
            shown(event_table("Captions", "p", timeline.captions)),
        ],
    )


def timeline_figure(timeline: Timeline) -> Markup:
    return lanes(
        _bars("g", timeline),
        _bars("p", timeline),
        [(k.reference, k.candidate, f"{k.iou:.2f} × {k.f:.2f} = {k.product:.2f}") for k in timeline.links],
        timeline.duration,
        "references above, captions below, matched pairs joined",
    )


def _bars(letter: str, timeline: Timeline) -> list[Bar]:
    events, partners = timeline.side(letter)
    return [
        Bar(f"{letter}{number + 1}", event.text, event.start, event.end, number not in partners)
        for number, event in enumerate(events)
    ]


def event_table(title: str, letter: str, events: Sequence[Event]) -> Table:
    rows = [
        [f"{letter}{number + 1}", event.start, event.end, event.text] for number, event in enumerate(events)
    ]
    return Table(["", *numbers(".2f", "start", "end"), "sentence"], rows, title=title)

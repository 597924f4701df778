"""One document looked at: the timeline of a video, the links, repetitions and groundings of a story, the
facts of captions beside those of references, and the words that no reference supports.

A timeline has the references above, the captions below, and the matched pairs joined: each link carries its
overlap in time (IoU), how alike the sentences are (f), and the product, which is what SODA c sums. What has
no partner is marked. A story has every link with its probability, the weakest marked, its repeated words, and
what each noun was seen in; a page shows the regions themselves (RoViST, figures 5 and 6).

In the terminal as text, on a page as SVG. Nothing is loaded from elsewhere."""

import base64
from collections.abc import Mapping, Sequence

from rich.cells import set_cell_size

from ..dense.caption_pairs import Event, Timeline
from ..engine.one_document import Support
from ..errors import many
from ..pairs.spice import GraphComparison
from ..story.regions import Box
from ..story.rovist import StoryExplanation, crops_of
from ..text.words import words
from .figures.charts import Bar, lanes, scene_graph
from .fitting import clip, escape_controls, wrapped
from .presentation import Presentation, html_page, plain, present, present_all, shown
from .table import Column, Table, numbers


@present.register(Timeline)
def present_timeline(timeline: Timeline) -> Presentation:
    return Presentation(
        timeline.video,
        lambda style, width: [link_table(timeline)],
        page=lambda: timeline_page(timeline),
        text=lambda width, colour: timeline_text(timeline, width),
    )


def link_table(timeline: Timeline) -> Table:
    rows = [
        [f"g{link.reference + 1}", f"p{link.candidate + 1}", link.iou, link.f, link.product]
        for link in timeline.links
    ]
    return Table(["reference", "caption", *numbers(".3f", "IoU", timeline.scorer, "product")], rows)


def timeline_text(timeline: Timeline, width: int = 100) -> str:
    axis = max(20, min(60, width // 2))
    lines = [f"{timeline.video}   {timeline.duration:g} s   {timeline.headline}   ({timeline.scorer})", ""]
    lines += [f"references ({timeline.annotator})", *_rows("g", timeline, axis, width), ""]
    lines += [f"captions ({timeline.system})", *_rows("p", timeline, axis, width), ""]
    return escape_controls("\n".join(lines)) + link_table(timeline).render("table")


def _rows(letter: str, timeline: Timeline, axis: int, width: int) -> list[str]:
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
    return html_page(
        "timeline.html",
        title=f"{timeline.video}: captions and references on a time axis",
        timeline=timeline,
        figure=lanes(
            _bars("g", timeline),
            _bars("p", timeline),
            [
                (k.reference, k.candidate, f"{k.iou:.2f} × {k.f:.2f} = {k.product:.2f}")
                for k in timeline.links
            ],
            timeline.duration,
            "references above, captions below, matched pairs joined",
        ),
        links=shown(link_table(timeline)),
        lists=[
            shown(event_table("References", "g", timeline.references)),
            shown(event_table("Captions", "p", timeline.captions)),
        ],
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


# A story: how its sentences go together, what it repeats, and where its nouns are in the pictures.


@present.register(StoryExplanation)
def present_story(story: StoryExplanation, *, images: str | None = None) -> Presentation:
    """`images`: the folder of the pictures, of which the page shows the regions."""

    def page() -> str:
        crops = crops_of(story.sight, images) if story.sight is not None and images is not None else {}
        return story_page(story, crops)

    tables = [repetition_table(story), *([grounding_table(story)] if story.sight is not None else [])]
    return plain("Story", tables, page=page, text=lambda width, colour: story_text(story, width))


def repeated_words(story: StoryExplanation) -> set[str]:
    """Words that stand in two sentences or in two neighbouring n-grams, but not those every text repeats."""
    return {word for item in story.repetitions for word in item.shared} - _USUAL


_USUAL = frozenset(
    words(
        "a an the and or but of in on at to for with from by is are was were be been it its he she they we i"
        " you his her their our my your this that there had has have did do as so then not n't 's 'm 're 've"
        " 'll all some one up out"
    )
)


def headline(story: StoryExplanation) -> str:
    sight, links, parts = story.sight, story.links, []
    if sight is not None:
        about = f"scaled {sight.scaled:.3f}, per noun {sight.per_noun:.3f}, {many(len(sight.nouns), 'noun')}"
        parts.append(f"grounding (VG) {sight.score:.3f} ({about})")
    if links is not None:
        mean = f"coherence (C) {links.mean:.3f}"
        parts.append(mean if links.probabilities else "coherence (C): one sentence has no link")
    return "   ".join([*parts, f"non-redundancy (NR) {story.nr:.3f}"])


def story_text(story: StoryExplanation, width: int = 100) -> str:
    repeated = repeated_words(story)
    lines = [f"{story.id}   {story.system}".rstrip(), headline(story), ""]
    for number, sentence in enumerate(story.sentences):
        shown = " ".join(
            f"*{chunk}*" if set(words(chunk)) & repeated else chunk for chunk in sentence.split()
        )
        lines += wrapped(f"{number + 1}. {shown}", max(width, 40), "   ")
        if story.links is not None and number < len(story.links.probabilities):
            weakest = "   <- weakest link" if number == story.links.weakest else ""
            lines.append(f"   | {story.links.probabilities[number]:.3f}{weakest}")
    if not story.sentences:
        lines.append("(no sentences)")
    lines += (
        ["", "Repetitions", repetition_table(story).render("table", width=width).rstrip("\n")]
        if story.repetitions
        else ["", "Nothing repeats."]
    )
    if story.sight is not None and not story.sight.nouns:
        lines += ["", "No noun could be grounded."]
    elif story.sight is not None:
        lines += [
            "",
            "Best image region for each noun",
            grounding_table(story).render("table", width=width).rstrip("\n"),
        ]
    return "\n".join([*lines, *(["", *story.notes] if story.notes else [])])


#: repetitions of a story that are shown
REPETITIONS = 8


def repetition_table(story: StoryExplanation) -> Table:
    rows = [
        (
            [f"{item.first + 1}", item.likeness, " ".join(item.shared), " / ".join(item.grams)]
            if item.first == item.second
            else [f"{item.first + 1} and {item.second + 1}", item.likeness, " ".join(item.shared), ""]
        )
        for item in story.repetitions[:REPETITIONS]
    ]
    columns: list[Column | str] = ["sentences", Column("Jaccard", ".3f"), "shared words", "n-grams"]
    if not any(row[3] for row in rows):
        columns, rows = columns[:3], [row[:3] for row in rows]
    left = len(story.repetitions) - len(rows)
    return Table(columns, rows, note=f"and {left} more" if left > 0 else "")


def grounding_table(story: StoryExplanation) -> Table:
    found = story.sight.nouns if story.sight is not None else ()
    rows = [
        [
            item.noun,
            item.sentence + 1,
            item.image,
            item.box.label or _where(item.box),
            item.similarity,
            item.idf,
        ]
        for item in found
    ]
    return Table(
        ["noun", "sentence", "picture", "region", Column("cosine", ".3f"), Column("idf", ".3f")], rows
    )


def _where(box: Box) -> str:
    return f"{box[0]:.2f},{box[1]:.2f} to {box[2]:.2f},{box[3]:.2f}"


def story_page(story: StoryExplanation, crops: Mapping[int, bytes] | None = None) -> str:
    """A self-contained page; `crops`: place of a grounded noun -> its region as a JPEG."""
    repeated, links, sight = repeated_words(story), story.links, story.sight
    return html_page(
        "story.html",
        title=f"{story.id}: coherence, repetition and grounding",
        headline=" · ".join([*([story.system] if story.system else []), *headline(story).split("   ")]),
        sentences=[
            [(chunk, bool(set(words(chunk)) & repeated)) for chunk in sentence.split()]
            for sentence in story.sentences
        ],
        strengths=links.probabilities if links is not None else (),
        weakest=links.weakest if links is not None else -1,
        repetitions=shown(repetition_table(story)) if story.repetitions else None,
        nouns=[
            {"item": item, "crop": _address((crops or {}).get(k))}
            for k, item in enumerate(sight.nouns if sight is not None else ())
        ],
        notes=story.notes,
    )


def _address(crop: bytes | None) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(crop).decode()}" if crop else ""


# What two captions say is there: a table of facts, and on a page two graphs.


_SIGN = {"same": "=", "synonym": "~", "only one": ""}


@present_all.register(GraphComparison)
def present_graphs(
    first: GraphComparison, compared: Sequence[GraphComparison], *, document: str = ""
) -> Presentation:
    return Presentation(
        document,
        lambda style, width: [fact_table(comparison) for comparison in compared],
        page=lambda: graphs_page(document, compared),
        text=lambda width, colour: graphs_text(compared, width),
    )


def graphs_headline(comparison: GraphComparison) -> str:
    return (
        f"spice(engine=rules)  P {100 * comparison.precision:.2f}  R {100 * comparison.recall:.2f}  F1"
        f" {100 * comparison.f1:.2f}"
    )


def said(fact: Sequence[str] | None) -> str:
    """dog; dog: brown; dog - run on - grass"""
    return "" if fact is None else f"{fact[0]}: {fact[1]}" if len(fact) == 2 else " - ".join(fact)


def fact_table(comparison: GraphComparison) -> Table:
    rows = [
        [matched.kind, said(matched.candidate), _SIGN[matched.how], " | ".join(map(said, matched.references))]
        for matched in comparison.facts
    ]
    return Table(["", "candidate", "", "references"], rows or [["nothing", "", "", ""]])


def graphs_text(comparisons: Sequence[GraphComparison], width: int = 100) -> str:
    lines = []
    for comparison in comparisons:
        lines += [f"{comparison.title}   {graphs_headline(comparison)}", ""]
        for name, texts in (("candidate", [comparison.candidate]), ("reference", comparison.references)):
            for text in texts:
                lines += wrapped(f"{name}  {text}", max(width, 40), " " * 11)
        lines += ["", fact_table(comparison).render("table", width=width)]
    return escape_controls(
        "\n".join(
            [*lines, "= the same words, ~ words of one WordNet synset; all others are found on one side only"]
        )
    )


def graphs_page(document: str, comparisons: Sequence[GraphComparison]) -> str:
    """A self-contained page."""
    return html_page(
        "graphs.html",
        title=f"{document}: scene graphs",
        comparisons=[
            {
                "title": comparison.title,
                "headline": graphs_headline(comparison),
                "candidate": comparison.candidate,
                "references": comparison.references,
                "ours": scene_graph(comparison.graph, ours, "the candidate"),
                "theirs": scene_graph(comparison.reference_graph, theirs, "the references"),
                "facts": shown(fact_table(comparison)),
            }
            for comparison in comparisons
            for ours, theirs in [comparison.matched()]
        ],
    )


# Captions with the words that no reference supports: in brackets in the terminal, marked on a page.


@present.register(Support)
def present_support(support: Support) -> Presentation:
    return Presentation(
        support.document,
        lambda style, width: [word_table(support)],
        page=lambda: support_page(support),
        text=lambda width, colour: support_text(support, width),
    )


def word_table(support: Support) -> Table:
    rows = [
        [f"p{number}", word.text, word.kind, word.support]
        for number, caption in enumerate(support.captions, 1)
        for word in caption.unsupported
    ]
    return Table(["caption", "word", "kind", Column("support", ".2f")], rows, title="Unsupported words")


def support_text(support: Support, width: int = 100) -> str:
    room = max(width, 40)
    lines = [f"{support.document}   {support.headline}", "", f"captions ({support.system})"]
    for number, caption in enumerate(support.captions, 1):
        text = "".join(f"[{piece}]" if word else piece for piece, word in caption.pieces())
        lines += wrapped(f"p{number:<3} {text}", room, " " * 5)
    lines += ["", "references"]
    for document in support.references:
        for number, text in enumerate((caption.text for caption in document.captions), 1):
            lines += wrapped(f"g{number:<3} {text}", room, " " * 5)
    lines += ["", "[ ] a content word that the references support by less than one half", ""]
    table = word_table(support)
    return escape_controls("\n".join(lines)) + (table.render("table", width=width) if table.rows else "")


def support_page(support: Support) -> str:
    """A self-contained page."""
    table = word_table(support)
    return html_page(
        "support.html",
        title=f"{support.document}: words that the references support",
        support=support,
        table=shown(table) if table.rows else None,
    )

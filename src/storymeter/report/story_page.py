"""One story looked at: every link with its probability, the weakest marked, repeated words, and what each
noun was seen in.

In the terminal as text, on a page with the regions themselves (RoViST, figures 5 and 6). Nothing is loaded
from elsewhere."""

import base64
from collections.abc import Mapping

from ..errors import many
from ..story.explain import StoryExplanation, crops_of
from ..story.regions import Box
from ..text.words import words
from .fitting import wrapped
from .presentation import Presentation, plain, present
from .table import Column, Table
from .templating import render, shown


@present.register(StoryExplanation)
def present_story(story: StoryExplanation, *, images: str | None = None) -> Presentation:
    """`images`: the folder of the pictures, of which the page shows the regions."""

    def page() -> str:
        crops = crops_of(story.sight, images) if story.sight is not None and images is not None else {}
        return story_page(story, crops)

    tables = [repetition_table(story), *([grounding_table(story)] if story.sight is not None else [])]
    return plain("Story", tables, page=page, text=lambda width, colour: terminal(story, width))


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
    parts = [f"non-redundancy (NR) {story.nr:.3f}"]
    if story.links is not None:
        parts.insert(
            0,
            (
                f"coherence (C) {story.links.mean:.3f}"
                if story.links.probabilities
                else "coherence (C): one sentence has no link"
            ),
        )
    if story.sight is not None:
        sight = story.sight
        parts.insert(
            0,
            f"grounding (VG) {sight.score:.3f} (scaled {sight.scaled:.3f}, per noun {sight.per_noun:.3f},"
            f" {many(len(sight.nouns), 'noun')})",
        )
    return "   ".join(parts)


def terminal(story: StoryExplanation, width: int = 100) -> str:
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


def repetition_table(story: StoryExplanation, most: int = 8) -> Table:
    rows = [
        (
            [f"{item.first + 1}", item.likeness, " ".join(item.shared), " / ".join(item.grams)]
            if item.first == item.second
            else [f"{item.first + 1} and {item.second + 1}", item.likeness, " ".join(item.shared), ""]
        )
        for item in story.repetitions[:most]
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
    return render(
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

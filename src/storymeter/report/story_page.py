"""One story looked at: every link with its probability, the weakest marked, repeated words, and what each
noun was seen in.

In the terminal as text, on a page with the regions themselves (RoViST, figures 5 and 6). Nothing is loaded
from elsewhere."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping

from ..story.explain import StoryExplanation
from ..text.words import words
from .page import heading, page, paragraph, picture
from .table import Column, Table

_STYLE = """
.story { list-style: none; padding: 0; max-width: 46rem; } .story li { margin: 0; }
.sentence { padding: .55rem .8rem; background: var(--tint); border-radius: .4rem; }
.link { padding: .15rem 0 .15rem 1.4rem; color: var(--soft); font-size: .9rem; border-left: 3px solid var(--line); margin-left: 1.2rem; }
.link.weakest { border-left-color: #b4462f; color: #b4462f; font-weight: 600; }
mark { background: #f5d98b; color: #1d2330; border-radius: .2em; padding: 0 .15em; }
.seen { display: flex; flex-wrap: wrap; gap: 1rem; } .seen figure { margin: 0; width: 10rem; } .seen figcaption { font-size: .85rem; line-height: 1.35; }
.seen img { border-radius: .3rem; display: block; width: 10rem; height: 10rem; object-fit: contain; background: var(--tint); }
"""


def repeated_words(story: StoryExplanation) -> set[str]:
    """Words that stand in two sentences or in two neighbouring n-grams, but not those every text repeats."""
    return {word for item in story.repetitions for word in item.shared} - _USUAL


_USUAL = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "with",
        "from",
        "by",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "he",
        "she",
        "they",
        "we",
        "i",
        "you",
        "his",
        "her",
        "their",
        "our",
        "my",
        "your",
        "this",
        "that",
        "there",
        "had",
        "has",
        "have",
        "did",
        "do",
        "as",
        "so",
        "then",
        "not",
        "n't",
        "'s",
        "'m",
        "'re",
        "'ve",
        "'ll",
        "all",
        "some",
        "one",
        "up",
        "out",
    ]
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
        parts.insert(0, f"grounding (VG) {story.sight.score:.3f} (scaled {story.sight.scaled:.3f})")
    return "   ".join(parts)


def terminal(story: StoryExplanation, width: int = 100) -> str:
    repeated = repeated_words(story)
    lines = [f"{story.id}   {story.system}".rstrip(), headline(story), ""]
    for number, sentence in enumerate(story.sentences):
        shown = " ".join(
            f"*{chunk}*" if set(words(chunk)) & repeated else chunk for chunk in sentence.split()
        )
        lines += textwrap.wrap(f"{number + 1}. {shown}", max(width, 40), subsequent_indent="   ")
        if story.links is not None and number < len(story.links.probabilities):
            weakest = "   <- weakest link" if number == story.links.weakest else ""
            lines.append(f"   | {story.links.probabilities[number]:.3f}{weakest}")
    if not story.sentences:
        lines.append("(no sentences)")
    lines += (
        ["", "What repeats", repetition_table(story).render("table", width=width).rstrip("\n")]
        if story.repetitions
        else ["", "Nothing repeats."]
    )
    if story.sight is not None and not story.sight.nouns:
        lines += ["", "No noun could be grounded."]
    elif story.sight is not None:
        lines += [
            "",
            "What each noun was seen in",
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


def _where(box: tuple[float, float, float, float, float, str]) -> str:
    return f"{box[0]:.2f},{box[1]:.2f} to {box[2]:.2f},{box[3]:.2f}"


def story_page(story: StoryExplanation, crops: Mapping[int, bytes] | None = None) -> str:
    """A self-contained page; `crops`: place of a grounded noun -> its region as a JPEG."""
    repeated = repeated_words(story)
    items = []
    for number, sentence in enumerate(story.sentences):
        shown = " ".join(
            f"<mark>{html.escape(chunk)}</mark>" if set(words(chunk)) & repeated else html.escape(chunk)
            for chunk in sentence.split()
        )
        items.append(f'<li class="sentence">{number + 1}. {shown}</li>')
        if story.links is not None and number < len(story.links.probabilities):
            weakest = number == story.links.weakest
            items.append(
                f'<li class="link{" weakest" if weakest else ""}">{story.links.probabilities[number]:.3f}{" – the weakest link" if weakest else ""}</li>'
            )
    parts = [
        paragraph(" · ".join([*([story.system] if story.system else []), *headline(story).split("   ")])),
        f'<ol class="story">{"".join(items)}</ol>',
        paragraph(
            "Between two sentences: the probability that the second follows the first; C is their mean."
            " Marked words repeat. NR is 1 where nothing is said twice.",
            note=True,
        ),
    ]
    if story.repetitions:
        parts += [
            heading("What repeats"),
            f'<div class="scroll">{repetition_table(story).render("html")}</div>',
            paragraph("Jaccard: the share of their words that two sentences have in common.", note=True),
        ]
    if story.sight is not None and story.sight.nouns:
        figures = "".join(
            f"<figure>{picture(crops[k], f'the region that shows {item.noun} best', kind='image/jpeg') if crops and k in crops else ''}<figcaption><strong>{html.escape(item.noun)}</strong>"
            f" in sentence {item.sentence + 1}<br>{html.escape(item.image)}<br>cosine {item.similarity:.3f},"
            f" idf {item.idf:.3f}</figcaption></figure>"
            for k, item in enumerate(story.sight.nouns)
        )
        parts += [
            heading("What each noun was seen in"),
            f'<div class="seen">{figures}</div>',
            paragraph(
                "cosine: how well the word fits the best region of all pictures (1: perfectly). idf: how rare"
                " the word is in the file; rare words weigh more. VG sums both up; higher is better.",
                note=True,
            ),
        ]
    parts += [paragraph(note, note=True) for note in story.notes]
    return page(f"{story.id}: a story looked at", parts, style=_STYLE)

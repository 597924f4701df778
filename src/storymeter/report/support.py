"""Captions with the words that no reference supports: in brackets in the terminal, marked on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..captions import Document
from ..pairs.facts_marks import MarkedCaption
from .fitting import wrapped
from .table import Column, Table, harmless
from .templating import render, shown


@dataclass(frozen=True, slots=True)
class Support:
    """One document of one system beside its references."""

    document: str
    system: str
    value: float
    captions: Sequence[MarkedCaption]
    references: Sequence[Document]

    @property
    def headline(self) -> str:
        words = [word for caption in self.captions for word in caption.words if word.kind != "other"]
        lacking = sum(word.unsupported for word in words)
        return f"facts {100 * self.value:.2f}   {lacking:,} of {len(words):,} content words unsupported"


def word_table(support: Support) -> Table:
    rows = [
        [f"p{number}", word.text, word.kind, word.support]
        for number, caption in enumerate(support.captions, 1)
        for word in caption.unsupported
    ]
    return Table(["caption", "word", "kind", Column("support", ".2f")], rows, title="Unsupported words")


def terminal(support: Support, width: int = 100) -> str:
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
    return harmless("\n".join(lines)) + (table.render("table", width=width) if table.rows else "")


def support_page(support: Support) -> str:
    """A self-contained page."""
    table = word_table(support)
    return render(
        "support.html",
        title=f"{support.document}: words that the references support",
        support=support,
        table=shown(table) if table.rows else None,
    )

"""What two captions say is there, beside each other: in the terminal as a table of facts, on a page as two
graphs as well.
"""

from collections.abc import Sequence

from markupsafe import Markup

from ..engine.one_document import Support
from ..pairs.scene_graph import SceneGraph
from ..pairs.spice import GraphComparison
from .figures.marks import shortened, svg, tag
from .fitting import escape_controls, wrapped
from .presentation import Presentation, html_page, present, present_all, shown
from .table import Column, Table

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


def headline(comparison: GraphComparison) -> str:
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
        lines += [f"{comparison.title}   {headline(comparison)}", ""]
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
                "headline": headline(comparison),
                "candidate": comparison.candidate,
                "references": comparison.references,
                "ours": graph_svg(comparison.graph, ours, "the candidate"),
                "theirs": graph_svg(comparison.reference_graph, theirs, "the references"),
                "facts": shown(fact_table(comparison)),
            }
            for comparison in comparisons
            for ours, theirs in [comparison.matched()]
        ],
    )


_WIDTH, _BOX, _HIGH, _STEP = 480, 190, 44, 62


def graph_svg(graph: SceneGraph, matched: frozenset[tuple[str, ...]], whose: str) -> Markup | None:
    """Objects below each other, relations as arrows at their side; None where no object was read."""
    names = sorted(
        {
            *graph.objects,
            *(a for a, _ in graph.attributes),
            *(end for a, _, b in graph.relations for end in (a, b)),
        }
    )
    if not names:
        return None
    place = {name: 12 + _STEP * k for k, name in enumerate(names)}
    parts: list[Markup] = []
    leaving = dict.fromkeys(names, 0)
    for number, fact in enumerate(sorted(graph.relations)):
        a, how, b = fact
        y1, y2 = place[a] + 10 + 8 * (leaving[a] % 4), place[b] + _HIGH / 2
        leaving[a] += 1
        out = _BOX + 30 + 22 * (number % 5) + 6 * abs(names.index(a) - names.index(b))
        path = f"M{_BOX},{y1:.0f} C{out},{y1:.0f} {out},{y2:.0f} {_BOX + 2},{y2:.0f} m8,-4 l-8,4 l8,4"
        said = tag("text", f"{a} {how} {b}", klass="small", x=(_BOX + 3 * out) / 4 + 6, y=(y1 + y2) / 2 + 4)
        parts.append(tag("g", tag("path", d=path), said, klass=_class(fact, matched)))
    for name in names:
        described = [
            tag("tspan", f"{fact[1]}  ", klass=_class(fact, matched))
            for fact in sorted(graph.attributes)
            if fact[0] == name
        ]
        box = tag("rect", x=2, y=place[name], width=_BOX - 2, height=_HIGH, rx=6)
        text = tag("text", tag("title", name), shortened(name, _BOX - 20), x=12, y=place[name] + 18)
        parts.append(tag("g", box, text, klass=_class((name,), matched)))
        parts.append(tag("text", *described, klass="small", x=12, y=place[name] + 35))
    height = place[names[-1]] + _HIGH + 12
    return svg(_WIDTH, height, f"scene graph of {whose}", *parts, klass="figure graph")


def _class(fact: tuple[str, ...], matched: frozenset[tuple[str, ...]]) -> str | None:
    return "both" if fact in matched else None


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

"""What two captions say is there, beside each other: in the terminal as a table of facts, on a page as two
graphs as well.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

from ..pairs.scene_graph import SceneGraph
from ..pairs.spice_explain import GraphComparison
from .page import heading, page, paragraph
from .table import Table, harmless

_SIGN = {"same": "=", "synonym": "~", "only one": ""}
_STYLE = """
.graphs { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; } .graphs h3 { font-size: 1rem; margin: .5rem 0; }
.graph text { font: 14px system-ui, sans-serif; fill: var(--ink); } .graph .small { font-size: 12px; fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.graph rect { fill: var(--tint); stroke: #b4462f; stroke-dasharray: 5 4; stroke-width: 1.5; } .graph .both rect { stroke: #2f7d5b; stroke-dasharray: none; stroke-width: 2; }
.graph path { fill: none; stroke: #b4462f; stroke-dasharray: 5 4; stroke-width: 1.5; } .graph .both path { stroke: #2f7d5b; stroke-dasharray: none; stroke-width: 2; }
.graph .both text, .graph tspan.both { fill: #2f7d5b; font-weight: 600; }
"""


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


def terminal(comparisons: Sequence[GraphComparison], width: int = 100) -> str:
    lines = []
    for comparison in comparisons:
        lines += [f"{comparison.title}   {headline(comparison)}", ""]
        for name, texts in (("candidate", [comparison.candidate]), ("reference", comparison.references)):
            for text in texts:
                lines += textwrap.wrap(
                    f"{name}  {' '.join(text.split())}", max(width, 40), subsequent_indent=" " * 11
                ) or [name]
        lines += ["", fact_table(comparison).render("table", width=width)]
    return harmless(
        "\n".join([*lines, "= the same words, ~ words of one WordNet synset; the rest only one side says"])
    )


def graphs_page(document: str, comparisons: Sequence[GraphComparison]) -> str:
    """A self-contained page."""
    parts = []
    for comparison in comparisons:
        ours, theirs = comparison.matched()
        parts += [
            heading(comparison.title),
            paragraph(headline(comparison)),
            "<div"
            f' class="graphs"><section><h3>Candidate</h3>{paragraph(comparison.candidate)}{graph_svg(comparison.graph, ours, "the candidate")}</section>'
            f"<section><h3>References</h3>{''.join(paragraph(text) for text in comparison.references)}{graph_svg(comparison.reference_graph, theirs, 'the references')}</section></div>",
            f'<div class="scroll">{fact_table(comparison).render("html")}</div>',
        ]
    parts.append(
        paragraph(
            "A box is a thing, the words in it describe it, an arrow is a relation. Green and solid: the"
            " other side says so too (= the same words, ~ words of one WordNet synset). Red and dashed: only"
            " this side does. The graphs are read by rules, which make mistakes.",
            note=True,
        )
    )
    return page(f"{document}: what is there", parts, style=_STYLE)


_WIDTH, _BOX, _HIGH, _STEP = 480, 190, 44, 62


def graph_svg(graph: SceneGraph, matched: frozenset[tuple[str, ...]], whose: str) -> str:
    """Objects below each other, relations as arrows at their side."""
    names = sorted(
        {
            *graph.objects,
            *(a for a, _ in graph.attributes),
            *(end for a, _, b in graph.relations for end in (a, b)),
        }
    )
    if not names:
        return paragraph("No object was read.", note=True)
    place = {name: 12 + _STEP * k for k, name in enumerate(names)}
    height = place[names[-1]] + _HIGH + 12
    parts = [
        f'<svg class="graph" role="img" aria-label="scene graph of {html.escape(whose)}" viewBox="0 0'
        f' {_WIDTH} {height}" width="{_WIDTH}" height="{height}" xmlns="http://www.w3.org/2000/svg">'
    ]
    leaving = dict.fromkeys(names, 0)
    for number, fact in enumerate(sorted(graph.relations)):
        a, how, b = fact
        y1, y2 = place[a] + 10 + 8 * (leaving[a] % 4), place[b] + _HIGH / 2
        leaving[a] += 1
        out = _BOX + 30 + 22 * (number % 5) + 6 * abs(names.index(a) - names.index(b))
        parts.append(
            f'<g{_class(fact, matched)}><path d="M{_BOX},{y1:.0f} C{out},{y1:.0f} {out},{y2:.0f}'
            f' {_BOX + 2},{y2:.0f} m8,-4 l-8,4 l8,4"/><text class="small" x="{(_BOX + 3 * out) / 4 + 6:.0f}"'
            f' y="{(y1 + y2) / 2 + 4:.0f}">{html.escape(f"{a} {how} {b}")}</text></g>'
        )
    for name in names:
        described = "".join(
            f"<tspan{_class(fact, matched)}>{html.escape(fact[1])}  </tspan>"
            for fact in sorted(graph.attributes)
            if fact[0] == name
        )
        parts.append(
            f'<g{_class((name,), matched)}><rect x="2" y="{place[name]}" width="{_BOX - 2}" height="{_HIGH}"'
            f' rx="6"/><text x="12" y="{place[name] + 18}">{html.escape(name)}</text></g><text class="small"'
            f' x="12" y="{place[name] + 35}">{described}</text>'
        )
    return "".join([*parts, "</svg>"])


def _class(fact: tuple[str, ...], matched: frozenset[tuple[str, ...]]) -> str:
    return ' class="both"' if fact in matched else ""

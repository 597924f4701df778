"""Two scene graphs beside each other: which facts of a caption its references confirm, and which they
miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .scene_graph import SceneGraph, scene_graph
from .spice import Fact, match

KIND = {1: "object", 2: "attribute", 3: "relation"}


class Matched(NamedTuple):
    """One fact of the candidate with the facts of the references that match it, or (candidate None) one that
    nobody said.
    """

    kind: str
    candidate: Fact | None
    references: tuple[Fact, ...]

    @property
    def how(self) -> Literal["same", "synonym", "only one"]:
        return (
            "only one"
            if self.candidate is None or not self.references
            else "same"
            if self.candidate in self.references
            else "synonym"
        )


class GraphComparison(NamedTuple):
    title: str
    candidate: str
    references: tuple[str, ...]
    graph: SceneGraph
    #: of all references, the union
    reference_graph: SceneGraph
    facts: tuple[Matched, ...]
    precision: float
    recall: float
    f1: float

    def matched(self) -> tuple[frozenset[Fact], frozenset[Fact]]:
        """The facts of each side that the other side says too."""
        return (
            frozenset(m.candidate for m in self.facts if m.candidate is not None and m.references),
            frozenset(fact for m in self.facts if m.candidate is not None for fact in m.references),
        )


def compare_graphs(title: str, candidate: str, references: Sequence[str]) -> GraphComparison:
    graph, others = scene_graph(candidate), [scene_graph(text) for text in references]
    union = SceneGraph(
        *(  # type: ignore[arg-type]
            set[str]().union(*(getattr(other, part) for other in others)) for part in SceneGraph._fields
        )
    )
    ours, theirs = _ordered(graph), _ordered(union)
    facts = [
        Matched(KIND[len(fact)], fact, tuple(other for other in theirs if match(fact, other)))
        for fact in ours
    ]
    found = {other for matched in facts for other in matched.references}
    precise = sum(bool(matched.references) for matched in facts)
    p, r = precise / len(ours) if ours else 0.0, len(found) / len(theirs) if theirs else 0.0
    facts += [Matched(KIND[len(fact)], None, (fact,)) for fact in theirs if fact not in found]
    facts.sort(key=lambda matched: list(KIND.values()).index(matched.kind))
    return GraphComparison(
        title,
        candidate,
        tuple(references),
        graph,
        union,
        tuple(facts),
        p,
        r,
        2 * p * r / (p + r) if p + r else 0.0,
    )


def _ordered(graph: SceneGraph) -> list[Fact]:
    return sorted(graph.tuples(), key=lambda fact: (len(fact), fact))

"""SPICE by rules: do candidate and references say the same things are there (Anderson et al., ECCV 2016)?

Captions become scene graphs (`scene_graph`), graphs become facts: (dog), (dog, brown), (dog, run on, grass).
The references of one candidate are one graph, the union of theirs. Two facts match when they have the same
length and, place by place, equal words or words that share a synset of WordNet. With C the candidate's facts
and R the references',

    P = share of C that some fact of R matches        R = share of R that some fact of C matches        SPICE
                                                      = 2PR / (P + R)

so that several words for one thing in the references are found, or missed, together. By category: object (one
word), attribute (two), relation (three), and among attributes colour, size and cardinality. No facts on
either side: 0.

An approximation: the original reads a dependency parse by the Stanford parser, ours are rules over
part-of-speech tags. Values are not comparable with published SPICE; `spice(engine=rules)` says so in every
table. `spice(engine=parse)` reads a dependency parse by spaCy (`scene_parse`), `spice(engine=java)` runs the
original (`spice_java`).

Two scene graphs beside each other: which facts of a caption its references confirm, and which they
miss."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..measure import Named, TrainingData, measure
from ..options import option
from ..scores import Rows
from .documents import TextMetric
from .lexicon import COLOURS, SIZES, meanings
from .model import IndexedPairs, PairModel, Unpack
from .scene_graph import SceneGraph, scene_graph
from .scene_parse import label as parser_label, parsed_graphs
from .scorer import MODEL_TRAITS, PairScorer, Traits, open_scorer
from .sentences import texts_of
from .spice_java import DEADLINE, Item, OriginalSpice

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


Fact = tuple[str, ...]
Facts = frozenset[Fact]
_COLOURS, _SIZES = frozenset(COLOURS.values()), frozenset(SIZES.values())
CATEGORIES: Mapping[str, Callable[[Fact], bool]] = {
    "all": lambda fact: True,
    "object": lambda fact: len(fact) == 1,
    "attribute": lambda fact: len(fact) == 2,
    "relation": lambda fact: len(fact) == 3,
    "colour": lambda fact: len(fact) == 2 and fact[1] in _COLOURS,
    "size": lambda fact: len(fact) == 2 and fact[1] in _SIZES,
    "cardinality": lambda fact: len(fact) == 2 and fact[1].isdigit(),
}
KINDS = tuple(CATEGORIES)[1:]


class SpiceModel(PairModel):
    """SPICE at work; it keeps the facts of each caption."""

    scorer: Spice

    def depends_on(self) -> dict[str, object]:
        if self.scorer.engine == "java":
            return {"jar": self._original.label}
        if self.scorer.engine == "parse":
            return {"parser": parser_label()}
        try:
            return {"tagger": f"HanTa-{version('HanTa')}"}
        except PackageNotFoundError:
            return {}

    def facts(self, texts: Sequence[str]) -> list[Facts]:
        """The facts of each caption; each distinct caption is read once in the scorer's life."""
        new = [text for text in dict.fromkeys(texts) if text not in self._facts]
        graphs = parsed_graphs(new) if self.scorer.engine == "parse" else map(scene_graph, new)
        for done, (text, graph) in enumerate(zip(new, graphs, strict=True)):
            if done % 100 == 0:
                self.progress("reading captions", done, len(new))
            self._facts[text] = graph.tuples()
        if new:
            self.progress("reading captions", len(new), len(new))
        return [self._facts[text] for text in texts]

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        candidates, references = pairs["candidates"], pairs["references"]
        numbers = zip(pairs["candidate_index"].tolist(), pairs["reference_index"].tolist(), strict=True)
        if self.scorer.engine == "java":
            rows = self._by_original([Item(candidates[c], (references[r],)) for c, r in numbers], jobs)
            return np.nan_to_num(rows[:, list(CATEGORIES).index(self.scorer.category)], nan=0.0)
        ours = [chosen(facts, self.scorer.category) for facts in self.facts(candidates)]
        theirs = [chosen(facts, self.scorer.category) for facts in self.facts(references)]
        return np.nan_to_num(
            np.array([f1(ours[c], theirs[r]) for c, r in numbers], dtype=np.float64), nan=0.0
        )

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        values = self.by_category(
            candidates=candidates, references=references, categories=(self.scorer.category,), jobs=jobs
        )
        return np.nan_to_num(values[:, 0], nan=0.0)

    def by_category(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[Sequence[str]],
        categories: Sequence[str] = tuple(CATEGORIES),
        jobs: int = 1,
    ) -> FloatArray:
        """(candidates, categories); NaN where neither the candidate nor its references have a fact of that
        category.
        """
        if self.scorer.engine == "java":
            values = self._by_original(
                [
                    Item(candidate, tuple(group))
                    for candidate, group in zip(candidates, references, strict=True)
                ],
                jobs,
            )
            return values[:, [list(CATEGORIES).index(category) for category in categories]]
        self.facts([*candidates, *(text for group in references for text in group)])
        out = np.empty((len(candidates), len(categories)))
        for row, (candidate, group) in enumerate(zip(candidates, references, strict=True)):
            theirs = frozenset[Fact]().union(*(self._facts[text] for text in group))
            out[row] = [f1(chosen(self._facts[candidate], each), chosen(theirs, each)) for each in categories]
        return out

    @cached_property
    def _facts(self) -> dict[str, Facts]:
        return {}

    @cached_property
    def _said(self) -> dict[Item, FloatArray]:
        return {}

    @cached_property
    def _original(self) -> OriginalSpice:
        return OriginalSpice(self.scorer.jars, self.scorer.deadline)

    def _by_original(self, items: Sequence[Item], jobs: int) -> FloatArray:
        """What the program says of each, in the order of `CATEGORIES`; it is started once for all that is
        new.
        """
        new = [item for item in dict.fromkeys(items) if item not in self._said]
        self.progress("SPICE in Java", 0, len(new))
        self._said.update(zip(new, self._original.score(new, jobs), strict=True))
        return np.array([self._said[item] for item in items]).reshape(len(items), len(CATEGORIES))


class SpiceText(TextMetric):
    """The mean over documents, and each category over the documents where it occurs."""

    _own = True
    scorer: Spice
    columns = ("value", *KINDS, "documents", *(f"documents_{kind}" for kind in KINDS))

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        texts = texts_of(context, task, "none")
        values = open_scorer(context, self.scorer).by_category(
            candidates=texts.candidates, references=texts.references, jobs=context.jobs
        )
        if self.scorer.category != "all":
            values[:, 0] = values[:, list(CATEGORIES).index(self.scorer.category)]
        counts = (~np.isnan(values)).astype(np.float64)
        counts[:, 0] = 1.0  # a document without any fact counts as 0
        return np.column_stack([np.nan_to_num(values, nan=0.0), counts])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        size = len(CATEGORIES)
        means = sums[..., :size] / np.maximum(sums[..., size:], 1.0)
        return {name: means[..., k] for k, name in enumerate(["value", *KINDS])}

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        return {"references": "union", **model.depends_on()}


@measure(
    Named(
        "spice", "scene graphs: do candidate and references name the same objects, attributes and relations?"
    ),
    papers=("anderson2016",),
)
@dataclass(frozen=True)
class Spice(PairScorer):
    engine: Literal["rules", "parse", "java"] = option(
        "rules",
        "rules, a dependency parse (the part `parse`), or the original program, if its jars are installed",
        always=True,
    )
    category: Literal["all", "object", "attribute", "relation", "colour", "size", "cardinality"] = option(
        "all", "which facts are compared"
    )
    jars: str = option("", "folder of the original's jars, for engine=java")
    deadline: float = option(DEADLINE, "seconds that the original may take, for engine=java", low=1)

    _model = SpiceModel
    _documents = SpiceText

    @property
    def traits(self) -> Traits:
        # `engine=parse` stands in every name
        stand_in = "rules" if self.engine == "rules" else ""
        return MODEL_TRAITS._replace(
            symmetric=True, english=True, trained_on=self._training, stand_in=stand_in
        )

    def _check_options(self) -> None:
        if self.engine != "java" and (self.jars or self.deadline != DEADLINE):
            raise UsageError(
                "jars and deadline are options of spice(engine=java).",
                hint="Leave them out, or add engine=java.",
            )

    @property
    def _training(self) -> TrainingData:
        if self.engine == "java":
            return TrainingData("the original's parser: a treebank")
        if self.engine == "parse":
            return TrainingData("parser: OntoNotes")
        return TrainingData("rules tuned on Flickr8k-Expert", ("flickr8k-expert", "flickr8k-expert-all"))


def chosen(facts: Facts, category: str) -> Facts:
    return facts if category == "all" else frozenset(filter(CATEGORIES[category], facts))


def f1(ours: Facts, theirs: Facts) -> float:
    """NaN where there is nothing to compare."""
    if not ours and not theirs:
        return math.nan
    both = ours & theirs
    precise = len(both) + sum(any(match(a, b) for b in theirs) for a in ours - both)
    recalled = len(both) + sum(any(match(a, b) for a in ours) for b in theirs - both)
    if not precise:
        return 0.0
    p, r = precise / len(ours), recalled / len(theirs)
    return 2 * p * r / (p + r)


def match(a: Fact, b: Fact) -> bool:
    return len(a) == len(b) and same(a[0], b[0]) and all(map(same, a[1:], b[1:]))


@functools.lru_cache(maxsize=1 << 18)
def same(one: str, other: str) -> bool:
    """Equal, or of one synset."""
    return one == other or not meanings(one).isdisjoint(meanings(other))

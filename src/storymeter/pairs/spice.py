"""SPICE by rules: do candidate and references say the same things are there (Anderson et al., ECCV 2016)?

Captions become scene graphs (`scene_graph`), graphs become facts: (dog), (dog, brown), (dog, run on, grass). The references of one
candidate are one graph, the union of theirs. Two facts match when they have the same length and, place by place, equal words or
words that share a synset of WordNet. With C the candidate's facts and R the references',

    P = share of C that some fact of R matches        R = share of R that some fact of C matches        SPICE = 2PR / (P + R)

so that several words for one thing in the references are found, or missed, together. By category: object (one word), attribute (two),
relation (three), and among attributes colour, size and cardinality. No facts on either side: 0.

An approximation: the original reads a dependency parse by the Stanford parser, ours are rules over part-of-speech tags. Values are not
comparable with published SPICE; `spice(engine=rules)` says so in every table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar, Literal

import numpy as np

from ..errors import UsageError
from ..join import Task
from ..metric import Metric, Progress, Setting, silent
from ..names import Name
from ..signature import Signature
from ..text.tokens import document_texts
from .base import FloatArray, IntArray, PairScorer
from .scene_graph import SceneGraph, scene_graph
from .table import read_by
from .word_classes import COLOURS, SIZES
from .wordnet import synsets

Fact = tuple[str, ...]
Facts = frozenset[Fact]
Category = Literal["all", "object", "attribute", "relation", "colour", "size", "cardinality"]
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


class Spice(PairScorer):
    symmetric: ClassVar[bool] = True
    raw_text: ClassVar[bool] = True

    def __init__(self, engine: Literal["rules"] = "rules", category: Category = "all") -> None:
        if engine != "rules":
            raise UsageError(f"spice has no engine {engine!r}.", hint="There is one: rules.")
        if category not in CATEGORIES:
            raise UsageError(f"spice has no category {category!r}.", hint=f"Choose one of {', '.join(CATEGORIES)}.")
        self.engine, self.category = engine, category
        self._facts: dict[str, Facts] = {}
        self._progress: Progress = silent

    @property
    def name(self) -> str:
        return str(Name("spice", {"engine": self.engine} | ({"category": self.category} if self.category != "all" else {})))

    def prepare(self, progress: Progress, device: str = "cpu") -> None:
        self._progress = progress

    def depends_on(self) -> dict[str, object]:
        try:
            return {"tagger": f"HanTa-{version('HanTa')}"}
        except PackageNotFoundError:
            return {}

    def graph(self, text: str) -> SceneGraph:
        """What the rules read in a caption, to look at."""
        return scene_graph(text)

    def facts(self, texts: Sequence[str]) -> list[Facts]:
        """The facts of each caption; each distinct caption is read once in the scorer's life."""
        new = [text for text in dict.fromkeys(texts) if text not in self._facts]
        for done, text in enumerate(new):
            if done % 100 == 0:
                self._progress("reading captions", done, len(new))
            self._facts[text] = scene_graph(text).tuples()
        if new:
            self._progress("reading captions", len(new), len(new))
        return [self._facts[text] for text in texts]

    def score_indexed(self, *, candidates: Sequence[str], references: Sequence[str], candidate_index: IntArray, reference_index: IntArray, jobs: int = 1) -> FloatArray:
        ours = [chosen(facts, self.category) for facts in self.facts(candidates)]
        theirs = [chosen(facts, self.category) for facts in self.facts(references)]
        return np.array([f1(ours[c], theirs[r]) or 0.0 for c, r in zip(candidate_index.tolist(), reference_index.tolist(), strict=True)], dtype=np.float64)

    def pairs(self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1) -> FloatArray:
        values = self.by_category(candidates=candidates, references=references, categories=(self.category,))
        return np.nan_to_num(values[:, 0], nan=0.0)

    def by_category(self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], categories: Sequence[str] = tuple(CATEGORIES)) -> FloatArray:
        """(candidates, categories); NaN where neither the candidate nor its references have a fact of that category."""
        if len(candidates) != len(references):
            raise UsageError(f"There are {len(candidates):,} candidates but {len(references):,} lists of references.", hint="Give one list of references per candidate.")
        self.facts([*candidates, *(text for group in references for text in group)])
        out = np.full((len(candidates), len(categories)), np.nan)
        for row, (candidate, group) in enumerate(zip(candidates, references, strict=True)):
            ours, theirs = self._facts[candidate], frozenset[Fact]().union(*(self._facts[text] for text in group))
            for column, category in enumerate(categories):
                value = f1(chosen(ours, category), chosen(theirs, category))
                if value is not None:
                    out[row, column] = value
        return out


class SpiceMetric(Metric):
    """The mean over documents; each category over the documents where it occurs."""

    percent: ClassVar[bool] = True

    def __init__(self, engine: Literal["rules"] = "rules") -> None:
        self.scorer = Spice(engine)

    @property
    def name(self) -> str:
        return self.scorer.name

    @property
    def columns(self) -> tuple[str, ...]:
        kinds = list(CATEGORIES)[1:]
        return ("value", *kinds, "documents", *(f"documents_{kind}" for kind in kinds))

    def signature(self, setting: Setting) -> Signature:
        return super().signature(read_by(self.scorer, setting)).add(references="union", **self.scorer.depends_on())

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        self.scorer.prepare(setting.progress, setting.device)
        texts = document_texts(task, read_by(self.scorer, setting))
        values = self.scorer.by_category(candidates=texts.candidates, references=texts.references)
        counts = (~np.isnan(values)).astype(np.float64)
        counts[:, 0] = 1.0  # a document without any fact counts as 0
        return np.column_stack([np.nan_to_num(values, nan=0.0), counts])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        size = len(CATEGORIES)
        means = sums[..., :size] / np.maximum(sums[..., size:], 1.0)
        return {name: means[..., k] for k, name in enumerate(["value", *list(CATEGORIES)[1:]])}


def chosen(facts: Facts, category: str) -> Facts:
    return facts if category == "all" else frozenset(filter(CATEGORIES[category], facts))


def f1(ours: Facts, theirs: Facts) -> float | None:
    """None where there is nothing to compare."""
    if not ours and not theirs:
        return None
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
    return one == other or not _senses(one).isdisjoint(_senses(other))


@functools.lru_cache(maxsize=1 << 15)
def _senses(word: str) -> frozenset[int]:
    return frozenset(synsets().get(word, ()))

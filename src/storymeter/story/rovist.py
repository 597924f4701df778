"""RoViST: the sum of grounding, coherence and non-redundancy (RoViST, section 3).

    RoViST     = VG + C + NR
    scaled_sum = VG (scaled, eq. 3) + C + NR

VG has no upper limit while C and NR lie within 0 … 1, so that the sum follows VG almost alone: tables show
the three and their scaled sum before it, and say how strongly each correlates with it over the stories.
`scaled=true` makes the scaled sum the value. Options of the parts go through:
`rovist(idf=none,coherence=runs/albert,grounding=runs/vg)`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from ..arrays import FloatArray
from ..context import Context
from ..join import Task
from ..measure import Named, TrainingData, measure, training_of_all
from ..options import option
from ..scores import Score, Signature
from .coherence import Coherence
from .documents import Missing, StoryMetric
from .grounding import Grounding, Mentions
from .redundancy import Jaccard, Redundancy

#: below so many stories correlations of parts are not printed
FEW = 10


@measure(Named("rovist", "grounding + coherence + non-redundancy (RoViST)"), papers=("wang2022",))
@dataclass(frozen=True)
class Rovist(StoryMetric):
    parts: ClassVar[tuple[str, ...]] = (
        "value",
        "vg",
        "c",
        "nr",
        "scaled_sum",
        "per_noun",
        "nouns",
        "no_nouns",
        "no_pictures",
        "grounded",
    )
    shown_parts: ClassVar[tuple[str, ...]] = ("vg", "c", "nr", "scaled_sum")

    coherence: str = option("", "model of rovist_c")
    grounding: str = option("", "model of rovist_vg")
    regions: str = option("grid", "regions of rovist_vg")
    idf: str = option("vist", "idf of rovist_vg")
    missing: Missing = option("error", "missing pictures: stop, or continue without them")
    jaccard: Jaccard = option("set", "jaccard of rovist_nr")
    scaled: bool = option(False, "whether grounding is added on its scale of 0 … 1")
    mentions: Mentions = option("sentence", "mentions of rovist_vg")
    repeats: Literal["zero", "score"] = option("zero", "repeats of rovist_c")
    marks: Literal["strip", "keep"] = option("strip", "marks of rovist_c")
    temperature: Literal["fitted", "one"] = option("fitted", "temperature of rovist_c")

    @cached_property
    def seeing(self) -> Grounding:
        return Grounding(
            self.grounding, self.regions, self.idf, self.missing, self.scaled, mentions=self.mentions
        )

    @cached_property
    def linking(self) -> Coherence:
        return Coherence(self.coherence, self.repeats, self.marks, self.temperature)

    @cached_property
    def repeating(self) -> Redundancy:
        return Redundancy(self.jaccard)

    @property
    def members(self) -> tuple[Grounding, Coherence, Redundancy]:
        return self.seeing, self.linking, self.repeating

    english: ClassVar[bool] = True

    @property
    def stand_in(self) -> str:
        return ",".join(part.stand_in for part in self.members if part.stand_in)

    @property
    def trained_on(self) -> TrainingData:
        return training_of_all(member.trained_on for member in self.members)

    @property
    def compares_documents(self) -> bool:
        return self.seeing.compares_documents

    def unshardable_reason(self) -> str:
        return self.seeing.unshardable_reason()

    def document_values(self, task: Task, context: Context) -> FloatArray:
        seen = self.seeing.document_values(task, context)
        part = dict(zip(self.seeing.parts, seen.T, strict=True))
        c = self.linking.document_values(task, context)[:, 0]
        nr = self.repeating.document_values(task, context)[:, 0]
        vg = part["value"]
        sums = [vg + c + nr, vg, c, nr, part["scaled"] + c + nr]
        return np.column_stack([*sums, *(part[name] for name in self.parts[5:])])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        values = super().combine(sums)
        grounded = np.maximum(sums[..., self.parts.index("grounded")], 1.0)
        values["per_noun"] = sums[..., self.parts.index("per_noun")] / grounded
        return values

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        return self.seeing.corpus_fields(task, context)

    def signature(self, context: Context) -> Signature:
        seeing, linking = self.seeing.signature(context), self.linking.signature(context)
        own = super().signature(context).add(tok="story", vg=seeing.get("model"))
        shared = {
            key: seeing.get(key) or None
            for key in ("nouns", "regions", "idf", "stories", "missing", "scaled", "mentions")
        }
        return own.add(**shared, c=linking.get("model"), jaccard=self.repeating.jaccard)

    def remarks(self, scores: Mapping[str, Score]) -> list[str]:
        """How strongly the sum follows each of its parts."""
        rows = [score.rows for score in scores.values() if score.rows is not None]
        found = self.seeing.remarks(scores)
        if sum(map(len, rows)) < FEW:
            return found
        columns = dict(zip(self.columns, np.concatenate(rows).T, strict=True))
        told = [
            f"{name.upper()} {np.corrcoef(columns['value'], columns[name])[0, 1]:+.2f}"
            for name in ("vg", "c", "nr")
            if np.ptp(columns[name]) > 0 and np.ptp(columns["value"]) > 0
        ]
        return [
            f"{self.name} is the sum VG + C + NR; over these {len(columns['value']):,} stories it correlates"
            f" with {', '.join(told)}.",
            *found,
        ]

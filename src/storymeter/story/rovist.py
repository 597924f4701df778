"""RoViST: the sum of grounding, coherence and non-redundancy (RoViST, section 3).

    RoViST = VG + C + NR

The three stand beside the sum as its parts. VG is unbounded while C and NR lie within 0 … 1; `scaled=true`
adds VG on its scale of 0 … 1 (eq. 3) instead. Options of the parts go through:
`rovist(idf=none,coherence=runs/albert,grounding=runs/vg)`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..arrays import FloatArray
from ..join import Task
from ..measure import Named, measure
from ..options import option
from ..scores import Signature
from .coherence import Coherence
from .documents import Missing, StoryMetric
from .grounding import Idf, VisualGrounding
from .redundancy import Jaccard, NonRedundancy

if TYPE_CHECKING:
    from ..context import Context


@measure(Named("rovist", "grounding + coherence + non-redundancy (RoViST)"), papers=("wang2022",))
@dataclass(frozen=True)
class Rovist(StoryMetric):
    parts: ClassVar[tuple[str, ...]] = ("value", "vg", "c", "nr")

    coherence: str = option("", "model of rovist_c")
    grounding: str = option("", "model of rovist_vg")
    regions: str = option("grid", "regions of rovist_vg")
    idf: Idf = option("corpus", "idf of rovist_vg")
    missing: Missing = option("error", "missing pictures: stop, or continue without them")
    jaccard: Jaccard = option("set", "jaccard of rovist_nr")
    scaled: bool = option(False, "whether grounding is added on its scale of 0 … 1")

    @cached_property
    def seeing(self) -> VisualGrounding:
        return VisualGrounding(self.grounding, self.regions, self.idf, self.missing, self.scaled)

    @cached_property
    def linking(self) -> Coherence:
        return Coherence(self.coherence)

    @cached_property
    def repeating(self) -> NonRedundancy:
        return NonRedundancy(self.jaccard)

    def unshardable_reason(self) -> str:
        return self.seeing.unshardable_reason()

    def document_values(self, task: Task, context: Context) -> FloatArray:
        columns = [
            part.document_values(task, context)[:, 0] for part in (self.seeing, self.linking, self.repeating)
        ]
        return np.column_stack([sum(columns), *columns])

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        return self.seeing.corpus_fields(task, context)

    def signature(self, context: Context) -> Signature:
        seeing, linking = self.seeing.signature(context), self.linking.signature(context)
        own = super().signature(context).add(tok="story", vg=seeing.get("model"))
        shared = {key: seeing.get(key) for key in ("regions", "idf", "missing", "scaled")}
        return own.add(**shared, c=linking.get("model"), jaccard=self.repeating.jaccard)

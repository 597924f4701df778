"""RoViST: the sum of grounding, coherence and non-redundancy (RoViST, section 3).

    RoViST = VG + C + NR

The three stand beside the sum as its parts. VG is unbounded while C and NR lie within 0 … 1; `scaled=true`
adds VG on its scale of 0 … 1 (eq. 3) instead. Options of the parts go through:
`rovist(idf=none,coherence=runs/albert,grounding=runs/vg)`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..join import Task
from ..metric import FloatArray, MeanMetric, Setting
from ..pairs.sentences import printed
from ..signature import Signature
from .coherence import Coherence
from .grounding import Idf, Missing, VisualGrounding
from .redundancy import Jaccard, NonRedundancy


class Rovist(MeanMetric):
    needs_references: ClassVar[bool] = False
    percent: ClassVar[bool] = False
    parts: tuple[str, ...] = ("value", "vg", "c", "nr")

    def __init__(
        self,
        coherence: str = "",
        grounding: str = "",
        regions: str = "grid",
        idf: Idf = "corpus",
        missing: Missing = "error",
        jaccard: Jaccard = "set",
        scaled: bool = False,
    ) -> None:
        self.seeing = VisualGrounding(grounding, regions, idf, missing, scaled)
        self.linking = Coherence(coherence)
        self.repeating = NonRedundancy(jaccard)

    @property
    def name(self) -> str:
        seeing = self.seeing
        usual: dict[str, object] = {
            "coherence": "",
            "grounding": "",
            "regions": "grid",
            "idf": "corpus",
            "missing": "error",
            "jaccard": "set",
            "scaled": False,
        }
        return printed(
            "rovist",
            usual,
            coherence=self.linking.model,
            grounding=seeing.model,
            regions=seeing.regions,
            idf=seeing.idf,
            missing=seeing.missing,
            jaccard=self.repeating.jaccard,
            scaled=seeing.scaled,
        )

    def document_values(self, task: Task, setting: Setting) -> FloatArray:
        columns = [
            part.document_values(task, setting)[:, 0] for part in (self.seeing, self.linking, self.repeating)
        ]
        return np.column_stack([sum(columns), *columns])

    def signature(self, setting: Setting) -> Signature:
        seeing, linking = self.seeing.signature(setting), self.linking.signature(setting)
        return (
            super()
            .signature(setting)
            .add(
                tok="story",
                vg=seeing.get("model"),
                regions=seeing.get("regions"),
                idf=seeing.get("idf"),
                missing=seeing.get("missing"),
                scaled=seeing.get("scaled"),
                c=linking.get("model"),
                jaccard=self.repeating.jaccard,
            )
        )

"""What a transformation sees, and the shapes it comes in."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ..captions import Caption, Corpus, Document
from ..engine.run import Run


@dataclass(frozen=True, slots=True)
class Scene:
    """What a transformation may look at besides the corpus: the references by id, and the run."""

    references: Mapping[str, Sequence[Document]]
    run: Run

    @classmethod
    def of(cls, run: Run) -> Scene:
        return cls(Corpus(tuple(chain.from_iterable(run.references))).by_id(), run)

    def size(self, document: Document) -> float:
        """|G|: how many captions people wrote for this document."""
        counts = [len(reference.captions) for reference in self.references.get(document.id, ())]
        return (
            0.0
            if not counts
            else float(sum(counts))
            if self.run.context.protocol.refs == "merge"
            else sum(counts) / len(counts)
        )

    def duration(self, document: Document) -> float:
        """Of the video: as stated anywhere, else the latest end of any caption."""
        sides = (document, *self.references.get(document.id, ()))
        ends = [c.end for d in sides for c in d.captions if c.end is not None]
        return max([d.duration for d in sides if d.duration] or ends, default=0.0)


#: random numbers for a purpose: the same seed, purpose and document give the same numbers
Dice = Callable[[str], random.Random]
#: captions of one document to other captions
Change = Callable[[Document, Scene, Dice], Sequence[Caption]]
#: the same for changes that look at the whole corpus first
Whole = Callable[[Corpus, Scene, Dice], Change]

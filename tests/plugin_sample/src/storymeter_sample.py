"""A metric of documents and a scorer of sentence pairs, as a plug-in brings them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from storymeter import MeanMetric, PairScorer
from storymeter.measure import Named, measure
from storymeter.options import option


@measure(Named("sample_length", "how near a document's length is to its references'"))
@dataclass(frozen=True)
class Length(MeanMetric):
    """1 where candidate and reference have as many words (or letters), less the more they differ."""

    unit: Literal["words", "letters"] = option("words", "what is counted")

    def document_values(self, task, bench):
        def size(text):
            return len(text.split()) if self.unit == "words" else len(text)

        texts = bench.texts(task)
        values = []
        for candidate, references in zip(texts.candidates, texts.references, strict=True):
            wanted = np.mean([size(reference) for reference in references])
            values.append(1 - abs(size(candidate) - wanted) / max(size(candidate), wanted, 1))
        return np.array(values)


@measure(Named("sample_overlap", "share of words that two sentences have in common"))
@dataclass(frozen=True)
class Overlap(PairScorer):
    """|words of both| / |words of either|."""

    least: int = option(1, "words shorter than this are left out", low=1)

    symmetric: ClassVar[bool] = True

    def score_indexed(self, *, candidates, references, candidate_index, reference_index, jobs=1):
        ours, theirs = ([self._words(text) for text in side] for side in (candidates, references))
        pairs = zip(candidate_index.tolist(), reference_index.tolist(), strict=True)
        return np.array([len(ours[c] & theirs[r]) / max(len(ours[c] | theirs[r]), 1) for c, r in pairs])

    def _words(self, text):
        return {word for word in text.split() if len(word) >= self.least}

"""Semantic textual similarity: do two sentences mean the same?

    sts                  cosine of the sentence vectors of an encoder (the embedded MiniLM, or `model=` a
                         local checkpoint). Range [-1, 1].
    sts(engine=align)    each word aligned to its most similar one on the other side, with penalties for words
                         that find none or an opposite
                         (`align`): the family of the service that paper used. Word vectors: the encoder's
                         own, or `vectors=` a text file.

Both are symmetric; the mean over references. The original STS service of Graham et al. (PLOS ONE 2018) is
gone; this is what stands in its place, and it agrees with people better than anything that counts words
(docs/report-card.md). The encoder was trained on caption pairs that include Flickr30k and COCO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import _native
from ..arrays import FloatArray, IntArray
from ..errors import UsageError
from ..measure import NOT_STATED, Named, TrainingData, measure, training_of_encoder
from ..models.encoder import MULTILINGUAL, Precision
from ..models.vectors import Embeddings, embeddings
from ..options import option
from ..text.script import well_formed
from .align import Aligner
from .arguments import IndexedPairs
from .model import PairModel
from .scorer import MODEL_TRAITS, PairScorer, Traits

if TYPE_CHECKING:
    from typing_extensions import Unpack


class StsModel(PairModel):
    """STS at work."""

    scorer: Sts

    def depends_on(self) -> dict[str, object]:
        if self.scorer.engine == "align":
            return {"engine": "align", "vectors": self._aligner.label}
        return {"engine": "cosine", "encoder": self._embeddings.label}

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        if self.scorer.engine == "align":
            return self._aligner.score_indexed(**pairs, jobs=jobs, progress=self.progress)
        candidates, references = pairs["candidates"], pairs["references"]
        a = self._rows(candidates)[pairs["candidate_index"]]
        b = self._rows(references)[pairs["reference_index"]]
        rows = self._embeddings.vectors
        out = np.empty(len(a))
        for block in rows.blocks(len(a), (len(candidates) + len(references)) / max(len(a), 1)):
            vectors = rows.view()
            _native.dot_indexed(vectors, vectors, a[block], b[block], out[block], threads=jobs)
        return np.clip(out, -1.0, 1.0)

    def _matrix(self, candidates: list[str], references: list[str], jobs: int) -> FloatArray:
        """Sentence vectors: one matrix product instead of many dot products."""
        if self.scorer.engine == "align":
            return super()._matrix(candidates, references, jobs)
        a, b = self._rows(candidates), self._rows(references)
        vectors = self._embeddings.vectors.view()
        product: FloatArray = (vectors[a] @ vectors[b].T).astype(np.float64)
        product[[not self.has_words(text) for text in candidates]] = 0.0
        product[:, [not self.has_words(text) for text in references]] = 0.0
        return np.clip(product, -1.0, 1.0, out=product)

    def _rows(self, sentences: Sequence[str]) -> IntArray:
        return self._embeddings.rows(well_formed(sentences), self.progress)

    @cached_property
    def _embeddings(self) -> Embeddings:
        return embeddings(
            self.scorer.model, self.device, cache=self.scorer.cache, precision=self.scorer.precision
        )

    @cached_property
    def _aligner(self) -> Aligner:
        return Aligner(self.scorer.vectors, self.scorer.model, self.device)


@measure(
    Named(
        "sts",
        "do candidate and reference mean the same? cosine of sentence vectors, or words aligned"
        " (engine=align)",
    ),
    papers=("reimers2019", "han2013"),
)
@dataclass(frozen=True)
class Sts(PairScorer):
    model: str = option(
        "",
        "a checkpoint, an added model (mpnet), several (minilm+mpnet), or multilingual; empty: the"
        " packaged one",
    )
    cache: bool = option(True, "whether sentence vectors are kept on this machine")
    engine: Literal["cosine", "align"] = option("cosine", "sentence vectors, or words aligned with penalties")
    vectors: str = option("", "a text file of word vectors for engine=align")
    precision: Precision = option("fp32", "of the encoder's products; bf16 is faster, and within .01 of fp32")

    _model = StsModel

    @property
    def traits(self) -> Traits:
        return MODEL_TRAITS._replace(
            symmetric=True,
            range=(-1.0, 1.0),
            over_references="mean",
            english=not self.model and not self.vectors,
            trained_on=TrainingData(NOT_STATED) if self.vectors else training_of_encoder(self.model),
        )

    def _check_options(self) -> None:
        if self.precision != "fp32" and (self.model == MULTILINGUAL or self.engine == "align"):
            raise UsageError(
                f"precision={self.precision} is for encoders of sentences that torch runs: not for"
                " engine=align, nor for the multilingual one.",
                hint="Write sts(precision=bf16), or leave the precision out.",
            )
        if self.model == MULTILINGUAL and self.engine == "align":
            raise UsageError(
                "The multilingual encoder gives vectors of sentences, not of words.",
                hint="Write sts(model=multilingual), or give word vectors: sts(engine=align,vectors=FILE).",
            )
        if self.vectors and (self.engine == "cosine" or self.model):
            raise UsageError(
                "vectors= gives sts its word vectors: it needs engine=align, and no model.",
                hint="Write sts(engine=align,vectors=FILE).",
            )

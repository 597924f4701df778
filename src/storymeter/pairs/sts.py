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
from typing import ClassVar, Literal, get_args

import numpy as np

from .. import _native
from ..errors import UsageError
from ..metric import Progress, silent
from ..text.unicode import well_formed
from .align import Aligner
from .base import FloatArray, IntArray, PairScorer
from .embeddings import Embeddings
from .sentences import printed

Engine = Literal["cosine", "align"]


class Sts(PairScorer):
    symmetric: ClassVar[bool] = True
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    over_references: ClassVar[Literal["max", "mean"]] = "mean"
    raw_text: ClassVar[bool] = True

    def __init__(
        self, model: str = "", cache: bool = True, engine: Engine = "cosine", vectors: str = ""
    ) -> None:
        if engine not in get_args(Engine):
            raise UsageError(
                f"sts has no engine {engine!r}.", hint=f"Choose one of {', '.join(get_args(Engine))}."
            )
        if vectors and (engine == "cosine" or model):
            raise UsageError(
                "vectors= gives sts its word vectors: it needs engine=align, and no model.",
                hint="Write sts(engine=align,vectors=FILE).",
            )
        self.model, self.cache, self.engine, self.vectors = model, cache, engine, vectors
        self._embeddings: Embeddings | None = None
        self._aligner: Aligner | None = None
        self._device = "cpu"
        self._progress: Progress = silent

    @property
    def name(self) -> str:
        return printed(
            "sts",
            {"model": "", "cache": True, "engine": "cosine", "vectors": ""},
            engine=self.engine,
            model=self.model,
            vectors=self.vectors,
            cache=self.cache,
        )

    def prepare(self, progress: Progress, device: str = "cpu") -> None:
        if device != self._device:
            self._embeddings = self._aligner = None
        self._device, self._progress = device, progress

    def depends_on(self) -> dict[str, object]:
        return (
            {"engine": "align", "vectors": self._words().label}
            if self.engine == "align"
            else {"engine": "cosine", "encoder": self._loaded().label}
        )

    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        if self.engine == "align":
            return self._words().score_indexed(
                candidates, references, candidate_index, reference_index, jobs, self._progress
            )
        embeddings = self._loaded()
        a = embeddings.rows(well_formed(candidates), self._progress)[candidate_index]
        b = embeddings.rows(well_formed(references), self._progress)[reference_index]
        out = np.empty(len(a))
        for block in embeddings.vectors.blocks(len(a), (len(candidates) + len(references)) / max(len(a), 1)):
            vectors = embeddings.vectors.view()
            _native.dot_indexed(vectors, vectors, a[block], b[block], out[block], threads=jobs)
        return np.clip(out, -1.0, 1.0)

    def matrix(self, *, candidates: Sequence[str], references: Sequence[str], jobs: int = 1) -> FloatArray:
        """Sentence vectors: one matrix product instead of many dot products."""
        if self.engine == "align":
            return super().matrix(candidates=candidates, references=references, jobs=jobs)
        embeddings = self._loaded()
        a, b = (
            embeddings.rows(well_formed(candidates), self._progress),
            embeddings.rows(well_formed(references), self._progress),
        )
        vectors = embeddings.vectors.view()
        product: FloatArray = (vectors[a] @ vectors[b].T).astype(np.float64)
        return np.clip(product, -1.0, 1.0, out=product)

    def _loaded(self) -> Embeddings:
        if self._embeddings is None:
            self._embeddings = Embeddings(self.model, self._device, cache=self.cache)
        return self._embeddings

    def _words(self) -> Aligner:
        if self._aligner is None:
            self._aligner = Aligner(self.vectors, self.model, self._device)
        return self._aligner

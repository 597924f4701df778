"""Several encoders at once: `minilm+mpnet`.

Vectors of length one, written one after another and divided by the root of their number, have as their dot
product the mean of the encoders' cosines; so a joined model is used like any other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Float32, IntArray
from ..metric import Progress, silent
from ..text.encoder import Precision
from ..text.model_packages import models_of
from .embeddings import CHUNK, Embeddings
from .vector_rows import VectorRows


class JoinedEmbeddings:
    """The same calls as `Embeddings`."""

    def __init__(
        self,
        models: Sequence[str],
        device: str = "cpu",
        *,
        cache: bool = True,
        precision: Precision = "fp32",
    ) -> None:
        self._parts = [Embeddings(model, device, cache=cache, precision=precision) for model in models]
        self.label = "+".join(part.label for part in self._parts)
        self.vectors = VectorRows(sum(part.vectors.dimension for part in self._parts))
        self._row: dict[str, int] = {}

    def rows(self, sentences: Sequence[str], progress: Progress = silent) -> IntArray:
        new = [text for text in dict.fromkeys(sentences) if text not in self._row]
        places = [part.rows(new, progress) for part in self._parts]
        for begin in range(0, len(new), CHUNK):
            block = slice(begin, begin + CHUNK)
            joined = np.concatenate(
                [part.vectors.view()[rows[block]] for part, rows in zip(self._parts, places, strict=True)],
                axis=1,
            )
            first = self.vectors.append(joined / np.float32(math.sqrt(len(self._parts))))
            self._row.update({text: first + k for k, text in enumerate(new[block])})
        return np.fromiter(map(self._row.__getitem__, sentences), dtype=np.int64, count=len(sentences))

    def of(self, texts: Sequence[str]) -> Float32:
        rows = self.rows(texts)
        return self.vectors.view()[rows]


def embeddings(
    model: str = "", device: str = "cpu", *, cache: bool = True, precision: Precision = "fp32"
) -> Embeddings | JoinedEmbeddings:
    """One encoder, or several joined by `+`."""
    names = models_of(model)
    return (
        Embeddings(model, device, cache=cache, precision=precision)
        if len(names) == 1
        else JoinedEmbeddings(names, device, cache=cache, precision=precision)
    )

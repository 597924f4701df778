"""One vector per word, whatever stands around it: from a text file (GloVe, word2vec, fastText), or the
encoder's own first layer.

A file is mapped, so a large one costs little memory (`VectorFile`). The encoder's vector of a word is
the mean over its word pieces of the input embeddings. All vectors are scaled to length one.

Such lists stand in the order of frequency, the commonest word first. So a word's place also says how much it
tells:

    weight(word) = log(1 + place) / log(1 + words in the list),   1 for a word that is not in it
"""

import hashlib
import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32
from ..cache import cache_folder
from ..errors import DataError
from ..files import atomic
from ..text.words import words
from .checkpoints import weights_hash
from .encoder import load_encoder

Vector = NDArray[np.float64]


class WordVectors(ABC):
    """One vector of length one per word."""

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
        encoder = load_encoder(model, device)
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


# Word vectors from a text file (GloVe, word2vec, fastText: `word v1 … vd` a line), read once and
# memory-mapped ever after.
#
# The first use compiles the text into a table of floats and a list of words, in the cache folder
# (`STORYMETER_CACHE`, by default the user's cache directory), under a name that holds the file's size and
# time; later starts map the table and read no text.


class VectorFile:
    """`table` has one row per line; `places` says which row a word has, the first of its lines."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise DataError(
                f"There is no file {str(path)!r} of word vectors.",
                hint="Give a GloVe text file, such as glove.6B.300d.txt.",
            )
        stamp = self.path.stat()
        self.key = hashlib.sha256(
            f"{self.path.resolve()} {stamp.st_size} {stamp.st_mtime_ns}".encode()
        ).hexdigest()[:16]
        table, listing = (
            Path(cache_folder(), f"vectors-{self.key}{ending}") for ending in (".npy", ".words")
        )
        if not (table.is_file() and listing.is_file()):
            self._compile(table, listing)
        self.files = (table, listing)
        self.table: Float32 = np.load(table, mmap_mode="r")
        self.places: dict[str, int] = {}
        for place, word in enumerate(listing.read_text(encoding="utf-8").split("\n")):
            self.places.setdefault(word, place)
        self.width = int(self.table.shape[1])

    def _compile(self, table: Path, listing: Path) -> None:
        width, count = _measure(self.path)
        names: list[str] = []
        with atomic(table) as out, self.path.open(encoding="utf-8-sig", errors="replace") as lines:
            header = {"descr": np.dtype(np.float32).str, "fortran_order": False, "shape": (count, width)}
            np.lib.format.write_array_header_2_0(out, header)
            for number, line in enumerate(lines, 1):
                if not line.strip() or (number == 1 and _is_header(line, width)):
                    continue
                parts = line.rstrip().rsplit(" ", width)
                try:
                    vector = np.array(parts[1:], dtype=np.float32)
                    if len(vector) != width or not np.isfinite(vector).all():
                        raise ValueError
                except ValueError:
                    raise DataError(
                        f"{self.path}:{number}: not a word and {width} numbers.",
                        hint="The file may be truncated.",
                    ) from None
                out.write(vector.tobytes())
                names.append(parts[0].replace("\n", " "))
        with atomic(listing) as out:
            out.write("\n".join(names).encode())

    def unknown(self, texts: Sequence[str]) -> Counter[str]:
        """The words of the texts that have no vector, with the number of texts that hold them."""
        return Counter(word for text in texts for word in set(words(text)) - self.places.keys())

    def phrases(self, texts: Sequence[str]) -> Float32:
        """The mean vector of each phrase's known words; zeros where none is known."""
        out = np.zeros((len(texts), self.width), np.float32)
        for row, text in enumerate(texts):
            known = [self.places[word] for word in words(text) if word in self.places]
            if known:
                out[row] = self.table[known].mean(0)
        return out


def _measure(path: Path) -> tuple[int, int]:
    """Numbers per line, by what most of the first lines have (a word may hold blanks), and how many lines
    hold any.
    """
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        head = list(itertools.islice(lines, 100))
        widths = Counter(len(line.split()) - 1 for line in head if line.strip())
        width = widths.most_common(1)[0][0] if widths else 0
        count = sum(1 for line in itertools.chain(head, lines) if line.strip()) - (
            bool(head) and _is_header(head[0], width)
        )
    if width < 1:
        raise DataError(
            f"{path} holds no word vectors.", hint="A line is a word and its numbers, separated by spaces."
        )
    return width, count


def _is_header(line: str, width: int) -> bool:
    """`400000 300`: how many words and how many numbers each, as word2vec and fastText begin."""
    parts = line.split()
    return len(parts) == 2 and width > 1 and parts[0].isdecimal() and parts[1] == str(width)

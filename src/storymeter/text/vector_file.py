"""Word vectors from a text file (GloVe, word2vec, fastText: `word v1 … vd` a line), read once and
memory-mapped ever after.

The first use compiles the text into a table of floats and a list of words, in the cache folder
(`STORYMETER_CACHE`, by default the user's cache directory), under a name that holds the file's size and time;
later starts map the table and read no text."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..arrays import Float32
from ..cache import cache_folder
from ..errors import DataError
from ..files import atomic
from .words import words


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

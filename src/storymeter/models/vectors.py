"""Sentence vectors, each distinct sentence encoded once: in this run, and with the cache on, on this machine.

The cache is one SQLite file per model (its name holds the hashes of the weights and of the tokeniser and
settings beside them) in `STORYMETER_CACHE` or the user's cache directory; a sentence is found by the SHA-256
of its text. `STORYMETER_EMBEDDINGS=off` switches it off. A cache that cannot be read or written is never an
error: a warning says so, and the sentences are encoded instead."""

import hashlib
import math
import os
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32
from ..cache import cache_folder
from ..errors import DataError, StorymeterWarning
from ..progress import Progress, silent
from .checkpoints import checkpoint_folder, read_settings, reading_files, weight_files, weights_hash
from .encoder import (
    DEFAULT_NAME,
    DIMENSION,
    LABEL,
    MULTILINGUAL,
    Precision,
    default_folder,
    embed,
    load_encoder,
    mark,
)
from .packages import DEFAULT, models_of

#: sentences encoded between two writes to the cache, so that an interrupted run keeps what it did
CHUNK = 2048
Thing = TypeVar("Thing")


class KeptVectors:
    """Vectors by name, which are only added to, in memory and with the cache on in the file `name` too."""

    def __init__(self, name: str, dimension: int, *, cache: bool = True) -> None:
        self.vectors = VectorRows(dimension)
        self._row: dict[str, int] = {}
        self._store = VectorStore(name, dimension, cache=cache)

    def remember(self, things: Mapping[str, Thing], make: Callable[[list[Thing]], Float32]) -> None:
        """Of things with names: takes from the disk the vectors that are there, and makes the others, in
        their order.
        """
        new = [name for name in things if name not in self._row]
        known = self._store.get(new)
        lacking = [name for name in new if name not in known]
        if lacking:
            made = make([things[name] for name in lacking])
            self._store.put(lacking, made)
            known.update(zip(lacking, made, strict=True))
        if known:
            self._add(list(known), np.stack(list(known.values())))

    def __contains__(self, name: str) -> bool:
        return name in self._row

    def named(self, names: Iterable[str]) -> Float32:
        """(names, dimension): vectors that are known."""
        return self.vectors.view()[[self._row[name] for name in names]]

    def _add(self, names: Sequence[str], vectors: Float32) -> None:
        begin = self.vectors.append(vectors)
        self._row.update({name: begin + k for k, name in enumerate(names)})


class Embeddings(KeptVectors):
    """Of sentences: `rows` says where a sentence's vector stands, after encoding what is new.

    The model itself is loaded when the first unknown sentence comes: a run whose sentences are all in the
    cache never pays for it."""

    def __init__(
        self,
        model: str = "",
        device: str = "cpu",
        *,
        cache: bool = True,
        precision: Precision = "fp32",
        alone: bool = False,
    ) -> None:
        """`alone`: no bit of a vector depends on the other sentences that are encoded with it."""
        model = "" if model == DEFAULT else model
        self._model, self._device, self._precision, self._alone = model, device, precision, alone
        self.label, dimension, key = _identity(model)
        self.label += mark(precision)
        key += mark(precision).replace("/", "-") + ("-alone" if alone else "")
        super().__init__(f"sentences-{key}.sqlite", dimension, cache=cache)

    def rows(self, sentences: Sequence[str], progress: Progress = silent) -> NDArray[np.int64]:
        self._learn([text for text in dict.fromkeys(sentences) if text not in self._row], progress)
        return np.fromiter(map(self._row.__getitem__, sentences), dtype=np.int64, count=len(sentences))

    def _learn(self, new: Sequence[str], progress: Progress) -> None:
        lacking = [
            text
            for begin in range(0, len(new), CHUNK)
            for text in self._remembered(new[begin : begin + CHUNK])
        ]
        lacking.sort(key=len)
        if lacking and self._model != MULTILINGUAL:
            progress("encoding sentences\tloading the model", 0, len(lacking))
            load_encoder(self._model, self._device, self._precision)
        for begin in range(0, len(lacking), CHUNK):
            progress("encoding sentences", begin, len(lacking))
            part = lacking[begin : begin + CHUNK]

            def encoded(what: str, done: int, total: int, begin: int = begin) -> None:
                progress("encoding sentences", begin + done, len(lacking))

            vectors = self._encoded(part, encoded)
            self._add(part, vectors)
            self._store.put(part, vectors)
        if lacking:
            progress("encoding sentences", len(lacking), len(lacking))

    def of(self, texts: Sequence[str]) -> Float32:
        """(texts, dimension): their vectors themselves."""
        rows = self.rows(texts)
        return self.vectors.view()[rows]

    def _encoded(self, texts: Sequence[str], progress: Progress) -> Float32:
        if self._model == MULTILINGUAL:
            return embed(texts)
        loaded = load_encoder(self._model, self._device, self._precision)
        return loaded.embed(texts, alone=self._alone, progress=progress)

    def _remembered(self, texts: Sequence[str]) -> list[str]:
        """Takes from the cache what is there; the sentences that are not."""
        known = self._store.get(texts)
        if known:
            self._add(list(known), np.stack(list(known.values())))
        return [text for text in texts if text not in known]


def _identity(model: str) -> tuple[str, int, str]:
    """What signatures call a model, how long its vectors are, and what its cache is named by."""
    if model == MULTILINGUAL:
        return LABEL, DIMENSION, LABEL.replace("#", "-")
    folder = checkpoint_folder(model) if model else default_folder()
    digest = weights_hash(*weight_files(folder))
    label = f"{Path(model).name if model else DEFAULT_NAME}#{digest[:8]}"
    return label, _dimension(folder), f"{digest[:8]}-{weights_hash(*reading_files(folder))[:8]}"


def _dimension(folder: Path) -> int:
    """What a checkpoint calls the length of its vectors depends on its family."""
    config = read_settings(folder / "config.json")
    try:
        return int(
            next(config[name] for name in ("hidden_size", "dim", "d_model", "n_embd") if name in config)
        )
    except (ValueError, TypeError, StopIteration):
        raise DataError(
            f"{folder / 'config.json'} does not say how long the vectors are (hidden_size).",
            hint="Give the folder of a complete checkpoint of an encoder.",
        ) from None


class VectorStore:
    """Vectors of one length on disk, by name; what cannot be read or written is said once, and done without.
    STORYMETER_EMBEDDINGS switches it off.
    """

    def __init__(self, name: str, dimension: int, *, cache: bool = True) -> None:
        self._dimension, self._folder = dimension, Path(cache_folder())
        self._connection: sqlite3.Connection | None = None
        if not cache or os.environ.get("STORYMETER_EMBEDDINGS", "").lower() in ("off", "0", "no"):
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self._folder / name, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT"
                " ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def get(self, texts: Sequence[str]) -> dict[str, Float32]:
        found: dict[str, Float32] = {}
        if self._connection is None:
            return found
        try:
            keys = {_key(text): text for text in texts}
            names = list(keys)
            for start in range(0, len(names), 500):
                part = names[start : start + 500]
                marks = ",".join("?" * len(part))
                question = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608
                for key, data in self._connection.execute(question, part):
                    if isinstance(data, bytes) and len(data) == 4 * self._dimension:
                        found[keys[key]] = np.frombuffer(data, np.float32)
        except sqlite3.Error as error:
            self._give_up(error)
        return found

    def put(self, texts: Sequence[str], vectors: Float32) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                ((_key(t), v.tobytes()) for t, v in zip(texts, vectors, strict=True)),
            )
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:  # a full disk, a file from elsewhere
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Go on without."""
        self._connection = None
        warnings.warn(
            f"Sentence vectors cannot be kept in {self._folder}"
            f" ({getattr(error, 'strerror', None) or error}); they are computed for this run only. Set"
            " STORYMETER_CACHE to a folder that can be written, or STORYMETER_EMBEDDINGS=off.",
            StorymeterWarning,
            stacklevel=2,
        )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


# Vectors that are only ever added to, in memory while they are few, in a nameless temporary file when they
# are many.
#
# A file is mapped anew each time it is looked at (`view`), so that the pages which the last look touched
# are given back: the memory of a process stays flat, however many sentences it has read. Where no temporary
# file can be written, memory has to do.


#: what may stay in memory, and about what one look at a file should touch
MEMORY = 64 << 20


def unit(vectors: NDArray[np.floating[Any]]) -> Float32:
    """The same directions, each of length one."""
    length = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return np.asarray(vectors / length, dtype=np.float32)


class VectorRows:
    def __init__(self, dimension: int, memory: int = MEMORY) -> None:
        self.dimension = dimension
        self._width = 4 * dimension
        self._memory: float = memory
        self._rows: Float32 = np.empty((0, dimension), np.float32)
        self._file: IO[Any] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """In bytes."""
        return self._count * self._width

    def append(self, rows: Float32) -> int:
        """The number of the first of the new rows."""
        begin = self._count
        if self._file is None and self.size + rows.nbytes > self._memory:
            self._move()
        if self._file is not None:
            self._file.seek(0, 2)
            self._file.write(np.ascontiguousarray(rows, dtype=np.float32).tobytes())
        else:
            if begin + len(rows) > len(self._rows):
                grown = np.empty((max(begin + len(rows), 2 * len(self._rows)), self.dimension), np.float32)
                grown[:begin] = self._rows[:begin]
                self._rows = grown
            self._rows[begin : begin + len(rows)] = rows
        self._count += len(rows)
        return begin

    def view(self) -> Float32:
        """All rows. Hold on to it no longer than needed."""
        if self._file is None:
            return self._rows[: self._count]
        self._file.flush()
        return np.asarray(
            np.memmap(self._file, dtype=np.float32, mode="r", shape=(self._count, self.dimension))
        )

    def blocks(self, pairs: int, rows_each: float) -> list[slice]:
        """`pairs` cut so that one look touches about `MEMORY`, where a pair needs `rows_each` rows that no
        other pair of its block needs.
        """
        size = pairs if self._file is None else max(1024, int(MEMORY / (self._width * max(rows_each, 1e-9))))
        return [slice(begin, min(begin + size, pairs)) for begin in range(0, pairs, max(size, 1))]

    def _move(self) -> None:
        try:
            # it lives as long as the rows
            self._file = tempfile.TemporaryFile(prefix="storymeter-")  # noqa: SIM115
            self._file.write(self._rows[: self._count].tobytes())
        except OSError:  # a full or read-only disk
            self._file, self._memory = None, float("inf")
            return
        self._rows = np.empty((0, self.dimension), np.float32)


# Several encoders at once: `minilm+mpnet`.
#
# Vectors of length one, written one after another and divided by the root of their number, have as their
# dot product the mean of the encoders' cosines; so a joined model is used like any other.


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

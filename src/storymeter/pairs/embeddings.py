"""Sentence vectors, each distinct sentence encoded once: in this run, and with the cache on, on this machine.

The cache is one SQLite file per model (its name holds the hash of the weights) in `STORYMETER_CACHE` or the user's cache directory;
a sentence is found by the SHA-256 of its text. `STORYMETER_EMBEDDINGS=off` switches it off. A cache that cannot be read or written is
never an error: the sentences are encoded instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..metric import Progress, silent
from ..text.checkpoints import checkpoint_folder, weight_files, weights_hash
from ..text.encoder import DEFAULT_NAME, default_folder, load

Float32 = NDArray[np.float32]
#: sentences encoded between two writes to the cache, so that an interrupted run keeps what it did
CHUNK = 2048


def cache_folder() -> Path | None:
    if os.environ.get("STORYMETER_EMBEDDINGS", "").lower() in ("off", "0", "no"):
        return None
    chosen = os.environ.get("STORYMETER_CACHE")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("storymeter"))


class Embeddings:
    """Rows of one growing array; `rows` says where a sentence's vector stands, after encoding what is new.

    The model itself is loaded when the first unknown sentence comes: a run whose sentences are all in the cache never pays for it.
    """

    def __init__(self, model: str = "", device: str = "cpu", *, cache: bool = True) -> None:
        self._model, self._device = model, device
        folder = checkpoint_folder(model) if model else default_folder()
        digest = weights_hash(*weight_files(folder))
        self.label = f"{Path(model).name if model else DEFAULT_NAME}#{digest[:8]}"
        self.dimension = int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"])
        self._row: dict[str, int] = {}
        self._vectors: Float32 = np.empty((0, self.dimension), np.float32)
        place = cache_folder() if cache else None
        self._store = _Store(place / f"sentences-{digest[:16]}.sqlite", self.dimension) if place else None

    @property
    def vectors(self) -> Float32:
        return self._vectors

    def rows(self, sentences: Sequence[str], progress: Progress = silent) -> NDArray[np.int64]:
        new = [text for text in dict.fromkeys(sentences) if text not in self._row]
        if new:
            self._add(new, progress)
        return np.fromiter(map(self._row.__getitem__, sentences), dtype=np.int64, count=len(sentences))

    def _add(self, new: list[str], progress: Progress) -> None:
        begin = len(self._vectors)
        grown = np.empty((begin + len(new), self.dimension), np.float32)
        grown[:begin] = self._vectors
        known = self._store.get(new) if self._store else {}
        for k, text in enumerate(new):
            if text in known:
                grown[begin + k] = known[text]
        lacking = sorted((k for k, text in enumerate(new) if text not in known), key=lambda k: len(new[k]))
        for start in range(0, len(lacking), CHUNK):
            progress("encoding sentences", start, len(lacking))
            part = lacking[start:start + CHUNK]
            vectors = load(self._model, self._device).embed([new[k] for k in part])
            grown[[begin + k for k in part]] = vectors
            if self._store:
                self._store.put([new[k] for k in part], vectors)
        self._vectors = grown
        self._row.update({text: begin + k for k, text in enumerate(new)})


class _Store:
    def __init__(self, path: Path, dimension: int) -> None:
        self._dimension = dimension
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
        except (OSError, sqlite3.Error):
            self._connection = None

    def get(self, texts: Sequence[str]) -> dict[str, Float32]:
        found: dict[str, Float32] = {}
        if self._connection is None:
            return found
        try:
            keys = {_key(text): text for text in texts}
            names = list(keys)
            for start in range(0, len(names), 500):
                part = names[start:start + 500]
                marks = ",".join("?" * len(part))
                for key, data in self._connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part):  # noqa: S608  (only question marks)
                    vector = np.frombuffer(data, np.float32)
                    if len(vector) == self._dimension:
                        found[keys[key]] = vector
        except sqlite3.Error:
            self._connection = None
        return found

    def put(self, texts: Sequence[str], vectors: Float32) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", ((_key(t), v.tobytes()) for t, v in zip(texts, vectors, strict=True)))
            self._connection.execute("COMMIT")
        except sqlite3.Error:  # a full disk, a file from elsewhere: go on without
            self._connection = None


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

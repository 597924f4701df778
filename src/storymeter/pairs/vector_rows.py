"""Vectors that are only ever added to, in memory while they are few, in a nameless temporary file when they
are many.

A file is mapped anew each time it is looked at (`view`), so that the pages which the last look touched are
given back: the memory of a process stays flat, however many sentences it has read. Where no temporary file
can be written, memory has to do."""

from __future__ import annotations

import tempfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32

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

"""The folder of a run in shards: files that appear whole or not at all, and that tell when they were altered.

Any filesystem that pyarrow opens will do (`/data/run`, `s3://bucket/run`, `gs://…`, `hdfs://…`); all nodes
must see the same one. A chunked file holds parts that are read one by one: its index is written last, so
that a file without one was never finished."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, MissingPartError

_SEAL = b"SMS1"


class Index:
    """Part, offset, length and CRC-32 of each chunk, by part and then in the order they were written: 28
    bytes a chunk, of which a large run has millions."""

    def __init__(self, chunks: NDArray[np.int64]) -> None:
        self._part, self._rest = chunks[:, 0].astype(np.int32), chunks[:, 1:]

    @classmethod
    def of(cls, chunks: list[tuple[int, int, int, int]]) -> Index:
        return cls(np.array(sorted(chunks), dtype=np.int64).reshape(-1, 4))

    def chunks(self, part: int) -> list[list[int]]:
        begin, end = np.searchsorted(self._part, [part, part + 1])
        found: list[list[int]] = self._rest[begin:end].tolist()
        return found

    def data(self) -> bytes:
        return np.column_stack([self._part.astype(np.int64), self._rest]).astype("<i8").tobytes()

    @classmethod
    def read(cls, data: bytes) -> Index:
        return cls(np.frombuffer(data, dtype="<i8").astype(np.int64).reshape(-1, 4))


def filesystem(where: str) -> tuple[Any, str]:
    """The pyarrow filesystem of a path or an address, and the path in it."""
    try:
        from pyarrow import fs
    except ImportError:
        raise MissingPartError.extra("A corpus in shards", "ray") from None
    if "://" not in where:
        return fs.LocalFileSystem(), str(Path(where).absolute())
    try:
        found, path = fs.FileSystem.from_uri(where)
    except (OSError, ValueError) as error:
        raise DataError(
            f"{where} cannot be opened: {str(error).splitlines()[0]}", hint="Check the address."
        ) from None
    return found, str(path)


class Folder:
    """Sent to workers as its address alone."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __getstate__(self) -> dict[str, str]:
        return {"where": self.where}

    @functools.cached_property
    def _place(self) -> tuple[Any, str]:
        return filesystem(self.where)

    def path(self, name: str) -> str:
        return f"{self._place[1]}/{name}"

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Any]:
        """A file that is there under its name only when the block ends well."""
        system, path = self._place[0], self.path(name)
        temporary = f"{path}.{uuid.uuid4().hex}.tmp"
        try:
            system.create_dir(path.rpartition("/")[0], recursive=True)
            with system.open_output_stream(temporary) as file:
                yield file
            system.move(temporary, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                system.delete_file(temporary)
            raise DataError(
                f"{path} cannot be written: {error}.", hint="Choose a folder that all nodes can write."
            ) from None

    def put(self, name: str, data: bytes) -> None:
        with self.writing(name) as file:
            file.write(_SEAL + hashlib.sha256(data).digest())
            file.write(data)

    def read(self, name: str) -> bytes:
        try:
            with self._place[0].open_input_stream(self.path(name)) as file:
                return bytes(file.read())
        except OSError:
            raise DataError(
                f"There is no {name} in {self.where}.",
                hint="Check the address, and that the run is complete.",
            ) from None

    def get(self, name: str) -> bytes | None:
        """What `put` wrote; None where the file is not there, or is not as it was written."""
        try:
            data = self.read(name)
        except DataError:
            return None
        head, content = data[: len(_SEAL) + 32], data[len(_SEAL) + 32 :]
        return content if head == _SEAL + hashlib.sha256(content).digest() else None

    def put_chunks(self, name: str, chunks: Iterable[tuple[int, bytes]], about: Callable[[], Any]) -> int:
        """A file of parts, each in any number of chunks, and its index with what there is to say about it in
        the end; the bytes written."""
        written: list[tuple[int, int, int, int]] = []
        at = 0
        with self.writing(f"{name}.data") as file:
            for part, data in chunks:
                file.write(data)
                written.append((part, at, len(data), zlib.crc32(data)))
                at += len(data)
        self.put(f"{name}.index", msgspec.msgpack.encode((Index.of(written).data(), about())))
        return at

    def needed(self, name: str, file: str) -> bytes:
        """What `put` wrote in a file, which belongs to the part of this name."""
        data = self.get(file)
        if data is None:
            raise DataError(f"{name} of the run is missing.", hint="Run the command again.")
        return data

    def index(self, name: str) -> tuple[Index, Any]:
        """The index of a chunked file that was finished."""
        index, about = msgspec.msgpack.decode(self.needed(name, f"{name}.index"), type=tuple[bytes, Any])
        return Index.read(index), about

    def chunks(self, name: str, index: Index, part: int) -> Iterator[bytes]:
        """The chunks of one part, and nothing else of the file."""
        wanted = index.chunks(part)
        if not wanted:
            return
        try:
            with self._place[0].open_input_file(self.path(f"{name}.data")) as file:
                for offset, length, checksum in wanted:
                    data = bytes(file.read_at(length, offset))
                    if zlib.crc32(data) != checksum:
                        raise DataError(
                            f"{file_name(name)} was altered or damaged.",
                            hint="Run the command again in a new folder.",
                        )
                    yield data
        except OSError as error:
            raise DataError(f"{file_name(name)} cannot be read: {error}.") from None

    def names(self, folder: str) -> set[str]:
        """Of the files in a folder of this one."""
        from pyarrow import fs

        selector = fs.FileSelector(self.path(folder), allow_not_found=True)
        return {entry.base_name for entry in self._place[0].get_file_info(selector)}

    def remove(self, name: str) -> None:
        """A file, or a folder with all that is in it; nothing where there is none."""
        from pyarrow import fs

        kind = self._place[0].get_file_info(self.path(name)).type
        if kind == fs.FileType.Directory:
            self._place[0].delete_dir(self.path(name))
        elif kind == fs.FileType.File:
            self._place[0].delete_file(self.path(name))


def file_name(name: str) -> str:
    return f"The file {name}.data of the run"

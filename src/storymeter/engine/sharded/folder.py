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

from ...errors import DataError, MissingPartError

_SEAL = b"SMS1"
#: part -> (offset, length, CRC-32) of each of its chunks, in the order they were written
Index = dict[int, list[tuple[int, int, int]]]


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

    def get(self, name: str) -> bytes | None:
        """None where the file is not there, or is not as it was written."""
        try:
            with self._place[0].open_input_stream(self.path(name)) as file:
                data = bytes(file.read())
        except OSError:
            return None
        head, content = data[: len(_SEAL) + 32], data[len(_SEAL) + 32 :]
        return content if head == _SEAL + hashlib.sha256(content).digest() else None

    def put_chunks(self, name: str, chunks: Iterable[tuple[int, bytes]], about: Callable[[], Any]) -> int:
        """A file of parts, each in any number of chunks, and its index with what there is to say about it in
        the end; the bytes written."""
        index: Index = {}
        at = 0
        with self.writing(f"{name}.data") as file:
            for part, data in chunks:
                file.write(data)
                index.setdefault(part, []).append((at, len(data), zlib.crc32(data)))
                at += len(data)
        self.put(f"{name}.index", msgspec.msgpack.encode((index, about())))
        return at

    def index(self, name: str) -> tuple[Index, Any] | None:
        """The index of a chunked file; None where it was not finished."""
        data = self.get(f"{name}.index")
        return None if data is None else msgspec.msgpack.decode(data, type=tuple[Index, Any])

    def chunks(self, name: str, index: Index, part: int) -> Iterator[bytes]:
        """The chunks of one part, and nothing else of the file."""
        wanted = index.get(part)
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

    def has(self, name: str) -> bool:
        from pyarrow import fs

        return bool(self._place[0].get_file_info(self.path(name)).type == fs.FileType.File)

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

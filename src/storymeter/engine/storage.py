"""Runs on the disk: the zip of a saved run, and the folder of a run in shards. Both appear whole or not at
all, and tell when they were altered: nothing in them is believed before it was checked.

The same content gives a zip of the same bytes. The folder may lie on any filesystem that pyarrow opens
(`/data/run`, `s3://bucket/run`, `gs://…`, `hdfs://…`); all nodes must see the same one. A chunked file in it
holds parts that are read one by one: its index is written last, so that a file without one was never
finished.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import math
import re
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingPartError
from ..files import atomic

SCHEMA = 3
#: where a run in shards keeps what it needs until it is complete, and the result
WORK, RESULT = "work", "run.smr"
_MEMBER = re.compile(
    r"(run|checksums)\.json|references/\d{1,6}\.json"
    r"|systems/\d{1,6}/(candidates\.json|\d{1,6}-(rows|alignment|sums)\.npy)"
)
#: what a member may take in memory, and how much smaller it may be in the file: text and numbers never get
#: near
_LARGEST, _DENSEST = 4 << 30, 500
_UNPACKING = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
T = TypeVar("T")


class Head(msgspec.Struct):
    """What says that a file is a saved run, whatever its schema."""

    storymeter: str
    schema: int
    version: str = ""


def npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def write_zip(path: str | Path, members: Mapping[str, bytes]) -> None:
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    everything = {**members, "checksums.json": msgspec.json.encode(sums)}
    with atomic(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as out:
        for name, data in everything.items():
            entry = zipfile.ZipInfo(name)  # always of 1980: the same results give the same bytes
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                3,
                0o644 << 16,
            )
            out.writestr(entry, data)


class Archive:
    """A saved run as it lies on the disk; nothing in it is believed before it was checked."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __enter__(self) -> Archive:
        try:
            self._zip = zipfile.ZipFile(self.path)
        except (OSError, ValueError, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise DataError(
                f"{self.path} cannot be read: {reason}.", hint="Check the name of the file."
            ) from None
        except zipfile.BadZipFile:
            raise self.damaged("it is not a zip file, or it is truncated") from None
        try:
            self._members = self._checked()
            self._sums = self.decode("checksums.json", dict[str, str])
        except BaseException:
            self._zip.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        members: dict[str, zipfile.ZipInfo] = {}
        for entry in self._zip.infolist():
            if not _MEMBER.fullmatch(entry.filename) or entry.filename in members or entry.flag_bits & 1:
                raise self.damaged(f"it holds {entry.filename[:60]!r}, which no saved run has")
            if entry.file_size > _LARGEST or entry.file_size > _DENSEST * entry.compress_size + (1 << 20):
                raise self.damaged(f"its part {entry.filename} claims {entry.file_size:,} bytes")
            members[entry.filename] = entry
        if "run.json" not in members or "checksums.json" not in members:
            raise self.damaged("it holds no run")
        return members

    def read(self, member: str) -> bytes:
        entry = self._members.get(member)
        if entry is None:
            raise self.damaged(f"its part {member} is missing")
        try:
            data = self._zip.read(entry)
        except _UNPACKING as error:
            raise self.damaged(f"its part {member} cannot be unpacked ({error})") from None
        if member != "checksums.json" and hashlib.sha256(data).hexdigest() != self._sums.get(member):
            raise self.damaged(f"its part {member} was altered")
        return data

    def decode(self, member: str, kind: type[T]) -> T:
        data = self.read(member)
        if member == "run.json":
            self._check_schema(data)
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self.damaged(f"its part {member} cannot be read ({error})") from None

    def _check_schema(self, data: bytes) -> None:
        try:
            head = msgspec.json.decode(data, type=Head)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            head = None
        if head is None or head.storymeter != "run":
            raise self.damaged("its part run.json is not that of a saved run")
        if head.schema > SCHEMA:
            raise DataError(
                f"{self.path} was written by a newer Storymeter ({head.version}, schema {head.schema}; this"
                f" one reads up to {SCHEMA}).",
                hint="Update Storymeter: pip install --upgrade storymeter",
            )

    def array(self, member: str, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of this type and shape; -1 stands for any length. Nothing is allocated that the file only
        claims.
        """
        data = self.read(member)
        stream = io.BytesIO(data)
        try:
            major = np.lib.format.read_magic(stream)[0]
            header = (
                np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
            )
            found, fortran, dtype = header(stream)
        except Exception as error:  # numpy parses the header as Python text: it may fail in any way
            raise self.damaged(f"its part {member} is not an array ({type(error).__name__})") from None
        begin = stream.tell()
        fits = len(found) == len(shape) and all(w in (-1, h) for w, h in zip(shape, found, strict=True))
        if dtype != kind or not fits or fortran or len(data) - begin != math.prod(found) * dtype.itemsize:
            raise self.damaged(f"its part {member} has shape {found} and type {dtype}")
        array = np.frombuffer(data, dtype, offset=begin).reshape(found)
        if not np.isfinite(array).all():
            raise self.damaged(f"its part {member} holds values that are no numbers")
        return array

    def damaged(self, why: str) -> DataError:
        return DataError(
            f"{self.path} is not a saved run, or it is damaged: {why}.",
            hint="Make it again with: storymeter score … --save FILE",
        )


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


def arrow() -> Any:
    """pyarrow with its filesystems and Parquet, which is imported where a corpus lies in shards."""
    try:
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError:
        raise MissingPartError.extra("A corpus in shards", "ray") from None
    return pyarrow


def filesystem(where: str) -> tuple[Any, str]:
    """The pyarrow filesystem of a path or an address, and the path in it."""
    fs = arrow().fs
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
    """The folder of a run in shards; sent to workers as its address alone."""

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
        selector = arrow().fs.FileSelector(self.path(folder), allow_not_found=True)
        return {entry.base_name for entry in self._place[0].get_file_info(selector)}

    def remove(self, name: str) -> None:
        """A file, or a folder with all that is in it; nothing where there is none."""
        kind = self._place[0].get_file_info(self.path(name)).type.name
        if kind == "Directory":
            self._place[0].delete_dir(self.path(name))
        elif kind == "File":
            self._place[0].delete_file(self.path(name))


def file_name(name: str) -> str:
    return f"The file {name}.data of the run"


def unfinished(folder: Folder) -> str:
    """What is known of a run without a result; '' where there is none."""
    if folder.get(f"{WORK}/job") is None:
        return ""
    data = folder.get(f"{WORK}/failed")
    if data is not None:
        return msgspec.msgpack.decode(data, type=str)
    done = len(folder.names(f"{WORK}/shards"))
    return f"The run in {folder.where} is not complete: {done:,} shards are scored."

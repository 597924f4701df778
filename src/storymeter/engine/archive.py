"""The zip that a saved run lies in: written so that the same content gives the same bytes, read so that
nothing in it is believed before it was checked."""

from __future__ import annotations

import hashlib
import io
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..files import atomic

SCHEMA = 3
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
            raise self.damaged("its part run.json is not that of a saved run") from None
        if head.storymeter != "run":
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

"""Logs of Inspect (inspect-ai), `.eval` and JSON, as JSON Lines of id, completion and target.

An `.eval` file is a zip with one JSON file per sample, compressed with Zstandard, which Python before 3.14
does not read: pyarrow does. Long texts stand once in `attachments` of the sample, and are named where they
belong (`attachment://…`).
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import msgspec

from ..errors import MissingPartError

LARGEST = 1 << 32  #: bytes of all samples of an unpacked log
_REFERENCE = "attachment://"
_ZSTANDARD = 93  #: the number of the method in a zip
_HEADER = 30  #: bytes of an entry's header before its name


def flat(data: bytes) -> bytes | None:
    """The samples of a log, one line each; None where the file is no log of Inspect."""
    try:
        if data.startswith(b"PK\x03\x04") and b"_journal/start.json" in data:
            samples = list(_zipped(data))
        elif data[:1] == b"{" and all(key in data for key in (b'"samples"', b'"plan"', b'"eval"')):
            log = msgspec.json.decode(data)
            if not isinstance(log, dict) or not {"version", "eval", "samples"} <= log.keys():
                return None
            samples = log["samples"] or []
        else:
            return None
        return b"\n".join(msgspec.json.encode(_record(sample)) for sample in samples)
    except (msgspec.DecodeError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return None
    except (TypeError, KeyError, AttributeError, IndexError, OSError, struct.error):
        return None


def _zipped(data: bytes) -> Iterator[Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        samples = [each for each in archive.infolist() if each.filename.startswith("samples/")]
        if sum(each.file_size for each in samples) > LARGEST:
            raise zipfile.BadZipFile("too large")
        for each in samples:
            zstandard = each.compress_type == _ZSTANDARD
            yield msgspec.json.decode(_zstandard(data, each) if zstandard else archive.read(each))


def _zstandard(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    try:
        import pyarrow
    except ImportError:
        raise MissingPartError(
            "An .eval log of Inspect is compressed with Zstandard, which needs pyarrow.",
            hint="pip install 'storymeter[parquet]', or: inspect log convert LOG --to json --output-dir json",
        ) from None
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    begin = entry.header_offset + _HEADER + name + extra
    packed = data[begin : begin + entry.compress_size]
    unpacked: bytes = pyarrow.Codec("zstd").decompress(packed, entry.file_size, asbytes=True)
    return unpacked


def _record(sample: dict[str, Any]) -> dict[str, Any]:
    output = sample.get("output") or {}
    said = output.get("completion")
    if said is None:
        choices = output.get("choices") or [{"message": {"content": ""}}]
        said = choices[0]["message"]["content"]
    if isinstance(said, list):  # parts of a message
        said = "".join(part.get("text", "") for part in said if part.get("type") == "text")
    attachments = sample.get("attachments") or {}
    if said.startswith(_REFERENCE):
        said = attachments[said.removeprefix(_REFERENCE)]
    # several epochs of a sample are several answers, which candidates may not have
    return {"id": sample["id"], "completion": said, "target": sample.get("target")}

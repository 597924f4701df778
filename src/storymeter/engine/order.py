"""In which order the references of a document were given, for signatures.

Two numbers may depend on it: METEOR takes the first of references with equal scores (none matches, say), as
the original does, and captions of merged annotators that start together keep the order of their files. The
order is stated as a hash that depends neither on the names of files nor on the order of documents, and that
adds up over the shards of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from ..captions import Corpus

_WRAP = (1 << 64) - 1


def order_of_references(references: Sequence[Corpus]) -> int:
    """A sum over the documents that have several references; 0 where none has."""
    groups: dict[str, list[bytes]] = {}
    for corpus in references:
        for document in corpus:
            content = msgspec.msgpack.encode((document.captions, document.duration), order="deterministic")
            groups.setdefault(document.id, []).append(content)
    total = 0
    for id, contents in groups.items():
        if len(contents) > 1:
            rank = {content: k for k, content in enumerate(sorted(set(contents)))}
            data = msgspec.msgpack.encode((id, [rank[content] for content in contents]))
            total += int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    return total & _WRAP


def order_field(total: int) -> str | None:
    """What a signature says of the sum."""
    return f"{total:016x}"[:8] if total else None

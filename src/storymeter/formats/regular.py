"""Big JSON files whose shape is by the book: decoded straight into records, without a dictionary per caption.

msgspec checks the shape while it decodes: every key and type that a format has, and no others. A file of any
other shape gives None here and is read the careful way, which says what is wrong and where. Values are judged
by `Check` as always: a document in which any of them is doubtful goes through it caption by caption.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from ..captions import Caption, Document
from .checks import INDEX, Check
from .values import FOREVER, LONG, ROUNDING

Text = Annotated[str, msgspec.Meta(max_length=LONG - 1)]
Span = tuple[int | float, int | float]


class _Event(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    sentence: Text
    timestamp: Span


class _Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    duration: int | float
    timestamps: list[Span]
    sentences: list[Text]


_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_EVENTS = msgspec.json.Decoder(dict[str, list[_Event]])
_ENTRIES = msgspec.json.Decoder(dict[str, _Entry])
_SUBMISSION = frozenset(("version", "results", "external_data"))


def submission(data: bytes, check: Check) -> tuple[dict[str, Any], tuple[Document, ...]] | None:
    """The keys beside the results, and the documents."""
    try:
        top = _TOP.decode(data)
        if "results" not in top or not _SUBMISSION.issuperset(top):
            return None
        results = _EVENTS.decode(top.pop("results"))
        keys = {key: msgspec.json.decode(value) for key, value in top.items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    documents = []
    for video, events in results.items():
        texts, spans = [event.sentence for event in events], [event.timestamp for event in events]
        captions = None if check.repair else _plain(video, texts, spans, FOREVER)
        if captions is not None:
            documents.append(Document(video, captions))
        else:
            id = check.open(video, ("results", video), text=(INDEX, "sentence"), time=(INDEX, "timestamp"))
            documents.append(_careful(id, texts, spans, check))
    return keys, tuple(documents)


def reference(data: bytes, check: Check) -> tuple[Document, ...] | None:
    try:
        entries = _ENTRIES.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not entries or any(len(entry.timestamps) != len(entry.sentences) for entry in entries.values()):
        return None
    documents = []
    for video, entry in entries.items():
        length, texts, spans = entry.duration, entry.sentences, entry.timestamps
        plain = 0 < length <= FOREVER and not check.repair
        captions = _plain(video, texts, spans, length + ROUNDING) if plain else None
        if captions is not None:
            documents.append(Document(video, captions, length))
        else:
            at = (video,)
            id = check.open(video, at, text=("sentences", INDEX), time=("timestamps", INDEX), duration=length)
            documents.append(_careful(id, texts, spans, check))
    return tuple(documents)


def _plain(id: str, texts: list[str], spans: list[Span], limit: float) -> tuple[Caption, ...] | None:
    """The captions, where `Check` would find nothing to say of them."""
    if not "".join(texts).isprintable() or not id.isprintable() or not id.strip():
        return None
    captions = []
    last: float = 0
    for text, (start, end) in zip(texts, spans, strict=True):
        # a blank is the only white space that is printable
        if not last <= start < end <= limit or text[-1:] <= " ":
            return None
        captions.append(Caption(text, start, end))
        last = start
    return tuple(captions)


def _careful(id: str, texts: list[str], spans: list[Span], check: Check) -> Document:
    each = [check.caption(k, text, *span) for k, (text, span) in enumerate(zip(texts, spans, strict=True))]
    return check.close(id, each)

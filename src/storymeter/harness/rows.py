"""References as rows of a data set: one row per video, all annotators in one field, and back.

>>> corpus = Corpus((Document("v1", (Caption("a dog runs", 0.0, 4.5),), 9.0),))
>>> (row,) = to_rows([corpus])
>>> row["video_id"], row["duration"], row["references"]
('v1', 9.0, '[{"annotator":0,"captions":[{"start":0.0,"end":4.5,"caption":"a dog runs"}]}]')
>>> to_corpora([row])[0].documents == corpus.documents
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document


def to_rows(corpora: Sequence[Corpus]) -> list[dict[str, Any]]:
    """A row for every id of the references, in the order of the files."""
    found: dict[str, dict[str, Any]] = {}
    for annotator, corpus in enumerate(corpora):
        for document in corpus:
            row = found.setdefault(
                document.id,
                {"video_id": document.id, "video": document.id, "duration": None, "references": []},
            )
            row["duration"] = document.duration if row["duration"] is None else row["duration"]
            captions = [_caption(caption) for caption in document.captions]
            row["references"].append({"annotator": annotator, "captions": captions})
    for row in found.values():
        row["references"] = msgspec.json.encode(row["references"]).decode()
    return list(found.values())


def to_corpora(rows: Iterable[Mapping[str, Any]]) -> list[Corpus]:
    """The corpora of references, one per annotator, that `to_rows` was given."""
    documents: dict[int, list[Document]] = {}
    for row in rows:
        for each in msgspec.json.decode(row["references"]):
            captions = tuple(Caption(c["caption"], c.get("start"), c.get("end")) for c in each["captions"])
            document = Document(row["video_id"], captions, row["duration"])
            documents.setdefault(each["annotator"], []).append(document)
    return [Corpus(tuple(documents[k]), f"references {k + 1}") for k in sorted(documents)]


def _caption(caption: Caption) -> dict[str, Any]:
    if not caption.timed:
        return {"caption": caption.text}
    return {"start": caption.start, "end": caption.end, "caption": caption.text}

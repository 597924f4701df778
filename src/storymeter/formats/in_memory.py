"""Records in memory as a corpus, read as a file of them would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..captions import Corpus, Document, Origin
from .aliases import Role
from .checks import Check
from .containers import unfold
from .problems import named
from .reading import Reading
from .record_builder import Builder
from .records import check_columns, plan_rows
from .source import Source


def corpus_from_records(
    rows: Any,
    *,
    name: str = "",
    role: Role | None = None,
    kind: str | None = None,
    lists: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Corpus:
    """Records in memory (lists and dicts as JSON has them) as a corpus, read as a file of them would be.

    >>> corpus = corpus_from_records([{"video_id": "a", "caption": "a dog runs"}])
    >>> corpus.documents[0].id, corpus.documents[0].text, corpus.meta["read_as"]
    ('a', 'a dog runs', 'id = video_id, caption = caption')
    """
    check = Check(name or "the records")
    source = Source(name or "the records", b"", check)
    source.columns, source.role, source.kind, source.lists = dict(columns or {}), role, kind, lists or ""
    check_columns(source.columns)
    found = unfold(rows, role)
    plan = plan_rows(found, source.columns, role) if found else None
    documents: list[Document] = []
    if plan is None:
        check.error("unknown-format", "no records of an id and a caption", detail=named(rows))
    else:
        documents = Builder(source, plan, check).documents()
    corpus = Corpus(tuple(documents), name, Origin(name, "records"), dict(check.meta))
    return Reading(name or "the records", corpus, check.problems).require()

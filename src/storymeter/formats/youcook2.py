"""YouCook2: a database of videos, each with its annotated segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from .base import JsonFormat, carrying, has
from .checks import INDEX, Check
from .problems import MISSING, others

_VIDEO = frozenset(("duration", "annotations"))


class YouCook2(JsonFormat):
    name = "youcook2"
    title = "YouCook2"
    shape = (
        '{"database": {"<video>": {"duration": 9.0, "subset": "…", "annotations": [{"id": 0, "segment": [0,'
        ' 4], "sentence": "…"}]}}}'
    )
    carries = carrying("documents", "several", "times", "empty", "duration", "meta", "about")

    def looks(self, value: Any) -> bool:
        return has(value, "database") and not isinstance(value["database"], str)

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        database = self.within(value, "database", "a YouCook2 file", check, {})
        videos = check.mapping(database, ("database",), "the database")
        for video, entry in check.objects(videos.items(), ("database",), "a video"):
            at = ("database", video)
            id = check.open(
                video,
                at,
                text=("annotations", INDEX, "sentence"),
                time=("annotations", INDEX, "segment"),
                duration=entry.get("duration"),
            )
            within = (*at, "annotations")
            listed = check.sequence(entry.get("annotations", MISSING), within, "the annotations")
            captions = check.events(listed, within, "an annotation", "sentence", "segment")
            yield check.close(id, captions, meta=others(entry, _VIDEO))

    def value(self, corpus: Corpus) -> Any:
        fresh = self.name not in (corpus.meta.get("file") or {})
        database: dict[str, Any] = {}
        for document in corpus:
            annotations = [
                {**({"id": i} if fresh else {}), "segment": [c.start, c.end], "sentence": c.text, **c.meta}
                for i, c in enumerate(document.captions)
            ]
            duration = {} if document.duration is None else {"duration": document.duration}
            database[document.id] = {**duration, "annotations": annotations, **document.meta}
        return {**self.kept(corpus), "database": database}

"""Predictions in the style of TimeChat and other language models: a list of timed captions per video.

The same shape with `sentence` in place of `caption` (the inside of an ActivityNet submission) is read too,
and written back as it was. Ids often end in `.mp4`; `--id-map strip-ext` takes that off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from .base import JsonFormat, carrying, has, some_of
from .checks import INDEX, Check
from .problem_log import MISSING, others


class TimeChat(JsonFormat):
    name = "timechat"
    title = "Timed captions by video (TimeChat style)"
    shape = '{"<video>.mp4": [{"timestamp": [0.0, 4.5], "caption": "…"}]}'
    carries = carrying("documents", "several", "times", "empty", "meta")
    manner = True

    def looks(self, value: Any) -> bool:
        return isinstance(value, dict) and any(
            has(item, "timestamp") for v in some_of(value) if isinstance(v, list) for item in some_of(v, 3)
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        videos = check.mapping(value, (), "a file of predictions")
        key = (
            "sentence"
            if any(
                has(item, "sentence")
                for v in some_of(videos)
                if isinstance(v, list)
                for item in some_of(v, 3)
            )
            else "caption"
        )
        known = frozenset((key, "timestamp"))
        self.keep(check, {"text": key})
        for video, events in videos.items():
            id = check.open(video, (video,), text=(INDEX, key), time=(INDEX, "timestamp"))
            captions = []
            listed = check.sequence(events, (video,), "the captions of a video")
            for i, event in check.objects(enumerate(listed), (video,), "a caption"):
                start, end = check.pair(event.get("timestamp", MISSING), i)
                meta = others(event, known) if len(event) > 2 else None
                captions.append(check.caption(i, event.get(key, MISSING), start, end, None, meta))
            yield check.close(id, captions)

    def value(self, corpus: Corpus) -> Any:
        key = self.kept(corpus).get("text", "caption")
        return {
            d.id: [{"timestamp": [c.start, c.end], key: c.text, **c.meta} for c in d.captions] for d in corpus
        }

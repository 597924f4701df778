"""Predictions in the style of TimeChat and other language models: a list of timed captions per video.

The same shape with `sentence` in place of `caption` (the inside of an ActivityNet submission) is read too,
and written back as it was. Ids often end in `.mp4`; `--id-map strip-ext` takes that off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from .base import JsonFormat, carrying, has, some_of
from .checks import INDEX, Check


class TimeChat(JsonFormat):
    name = "timechat"
    title = "Timed captions by video (TimeChat style)"
    shape = '{"<video>.mp4": [{"timestamp": [0.0, 4.5], "caption": "…"}]}'
    carries = carrying("documents", "several", "times", "empty", "meta")
    manner = True

    def looks(self, value: Any) -> bool:
        return isinstance(value, dict) and _has_items(value, "timestamp")

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        videos = check.mapping(value, (), "a file of predictions")
        key = "sentence" if _has_items(videos, "sentence") else "caption"
        self.keep(check, {"text": key})
        for video, events in videos.items():
            id = check.open(video, (video,), text=(INDEX, key), time=(INDEX, "timestamp"))
            listed = check.sequence(events, (video,), "the captions of a video")
            yield check.close(id, check.events(listed, (video,), "a caption", key, "timestamp"))

    def value(self, corpus: Corpus) -> Any:
        key = self.kept(corpus).get("text", "caption")
        return {
            d.id: [{"timestamp": [c.start, c.end], key: c.text, **c.meta} for c in d.captions] for d in corpus
        }


def _has_items(videos: dict[str, Any], key: str) -> bool:
    """Do items of the first videos have this key?"""
    return any(has(item, key) for v in some_of(videos) if isinstance(v, list) for item in some_of(v, 3))

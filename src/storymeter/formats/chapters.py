"""Three formats that give only starts: ViTT, VidChapters and the chapter lines of YouTube.

A caption ends where the next one starts, and the last one with the video; where the file does not tell the
duration, the last caption stays open (`end` is None), and a warning says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document
from .base import Format, JsonFormat, LineFormat, has, objects, some_of
from .checks import INDEX, Check
from .problems import MISSING, Mark, others
from .source import Source

_CHAPTER = re.compile(
    r"\s*[-*•(\[]*\s*(?:(\d{1,3}):)?(\d{1,3}):(\d\d)(?:\.(\d{1,3}))?[)\]]*\s*(?:[-–—:|]\s+)?(.*)"
)

START_ONLY = frozenset(("captions", "bounds", "several", "times", "open"))


def finish(
    captions: Sequence[Caption], check: Check, id: str, at: Any, duration: float | None
) -> tuple[Caption, ...]:
    """Give each caption its end: the next start, or the end of the video."""
    starts = sorted(c.start for c in captions if c.start is not None)
    follow = dict(zip(starts, [*starts[1:], duration], strict=False))  # of equal starts the last one counts
    out = []
    for i, caption in enumerate(captions):
        end = follow[caption.start] if caption.start is not None else None
        if end is None:
            check.warn(
                "open-end",
                "the last caption has no end: the file does not give the length of the video",
                at,
                id=id,
                index=i,
            )
        elif caption.start is not None and end < caption.start:
            check.error(
                "reversed",
                "the last caption starts after the video ends",
                at,
                detail=f"{caption.start:g} of {end:g}",
                id=id,
                index=i,
            )
        out.append(msgspec.structs.replace(caption, end=end))
    return tuple(out)


class Vitt(LineFormat):
    name = "vitt"
    title = "ViTT (milliseconds, one video and annotator per line)"
    shape = '{"id": "<video>", "annotations": [{"timestamp": 1060, "tag": "…"}]}'
    suffixes = (".json",)
    carries = START_ONLY | {"documents", "alternatives", "empty", "meta", "about"}
    tick = 0.001

    def sniff(self, source: Source) -> bool:
        return source.is_json and has(source.first_value, "id", "annotations")

    def documents(self, lines: Iterable[tuple[int, bytes]], check: Check) -> Iterator[Document]:
        for at, item in objects(lines, check):
            id = check.open(
                item.get("id", MISSING),
                at,
                text=("annotations", INDEX, "tag"),
                time=("annotations", INDEX, "timestamp"),
            )
            captions = []
            within = (*at, "annotations")
            listed = check.sequence(item.get("annotations", MISSING), within, "the annotations")
            for i, tag in check.objects(enumerate(listed), within, "an annotation"):
                time = tag.get("timestamp", MISSING)
                start = (
                    time / 1000
                    if isinstance(time, int | float) and not isinstance(time, bool) and abs(time) < 1e300
                    else time
                )
                meta = others(tag, frozenset(("timestamp", "tag")))
                caption = check.caption(i, tag.get("tag", MISSING), check.given(start, i), meta=meta)
                if caption is not None:
                    captions.append(caption)
            yield check.close(
                id, finish(captions, check, id, at, None), meta=others(item, frozenset(("id", "annotations")))
            )

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            tags = [
                {"timestamp": round(1000 * (c.start or 0)), "tag": c.text, **c.meta}
                for c in document.captions
            ]
            yield msgspec.json.encode({"id": document.id, "annotations": tags, **document.meta}) + b"\n"


class VidChapters(JsonFormat):
    name = "vidchapters"
    title = "VidChapters"
    shape = '{"<video>": {"duration": 9.0, "chapters": [{"time": 0, "label": "…"}]}}'
    carries = START_ONLY | {"documents", "empty", "duration", "meta", "about"}

    def looks(self, value: Any) -> bool:
        return isinstance(value, dict) and any(has(v, "chapters") for v in some_of(value))

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        videos = check.mapping(value, (), "a VidChapters file").items()
        for video, entry in check.objects(videos, (), "a video"):
            id = check.open(
                video,
                (video,),
                text=("chapters", INDEX, "label"),
                time=("chapters", INDEX, "time"),
                duration=entry.get("duration"),
            )
            captions = []
            within = (video, "chapters")
            listed = check.sequence(entry.get("chapters", MISSING), within, "the chapters")
            for i, chapter in check.objects(enumerate(listed), within, "a chapter"):
                start = check.given(chapter.get("time", MISSING), i)
                meta = others(chapter, frozenset(("time", "label")))
                captions.append(check.caption(i, chapter.get("label", MISSING), start, meta=meta))
            document = check.close(id, captions, meta=others(entry, frozenset(("duration", "chapters"))))
            yield msgspec.structs.replace(
                document, captions=finish(document.captions, check, id, (video,), document.duration)
            )

    def value(self, corpus: Corpus) -> Any:
        return {
            d.id: {
                **({} if d.duration is None else {"duration": d.duration}),
                "chapters": [{"time": c.start, "label": c.text, **c.meta} for c in d.captions],
                **d.meta,
            }
            for d in corpus
        }


class YouTube(Format):
    name = "chapters"
    title = "YouTube chapter lines"
    shape = "0:00 Title"
    suffixes = (".chapters",)
    textual = True
    carries = START_ONLY
    tick = 1.0

    def sniff(self, source: Source) -> bool:
        if source.is_json or source.foreign:
            return False
        lines = [line for line in source.head.splitlines() if line.strip()][:50]
        return bool(lines) and sum(bool(_CHAPTER.fullmatch(line)) for line in lines) > len(lines) / 2

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        id = check.open(source.stem, (), text=(), time=())
        captions: list[Caption] = []
        for number, line in enumerate(source.text.splitlines(), 1):
            if not line.strip():
                continue
            at = (Mark("line", number),)
            found = _CHAPTER.fullmatch(line)
            if not found:
                check.warn("skipped-line", "the line is not `0:00 Title` and was left out", at, id=id)
                continue
            check.move(at)
            hours, minutes, seconds, fraction, title = found.groups()
            time = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
            caption = check.caption(
                len(captions), title.strip(), time + float(f"0.{fraction}") if fraction else time
            )
            if caption is not None:
                captions.append(caption)
        check.move(())
        document = check.close(id, captions)
        last = (Mark("line", source.text.count("\n") + 1),)
        return [msgspec.structs.replace(document, captions=finish(captions, check, id, last, None))]

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            for caption in document.captions:
                minutes, seconds = divmod(round(caption.start or 0), 60)
                hours, minutes = divmod(minutes, 60)
                stamp = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
                yield f"{stamp} {' '.join(caption.text.split())}\n".encode()

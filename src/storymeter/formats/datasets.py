"""JSON files of datasets: COCO, Visual Storytelling, YouCook2, and predictions in the style of TimeChat.

COCO has annotations (several captions per image, each a document of its own) and results (one per image).

VIST has stories in sequence, and the output files of its challenge. A story's id is its album: the five
stories of an album are alternatives of one document. A challenge file may tell an album twice, over two photo
sequences; its ids are then `album/photo-photo-…`, and `--id-map sequence` names the stories of a reference
file in the same way.

TimeChat and other language models write a list of timed captions per video. The same shape with `sentence` in
place of `caption` (the inside of an ActivityNet submission) is read too, and written back as it was. Ids
often end in `.mp4`; `--id-map strip-ext` removes that.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from ..errors import DataError
from .base import JsonFormat, carrying, has, some_of
from .checks import INDEX, Check
from .problems import MISSING, Path, others

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_KNOWN = frozenset(("image_id", "caption"))


class Coco(JsonFormat):
    carries = carrying("documents", "alternatives", "untimed", "meta")


class Annotations(Coco):
    name = "coco"
    title = "COCO caption annotations"
    shape = '{"images": [{"id": 1}], "annotations": [{"image_id": 1, "id": 7, "caption": "…"}]}'

    def looks(self, value: Any) -> bool:
        return (
            has(value, "annotations")
            and not any(isinstance(v, list) for v in some_of(value["annotations"], 1))
            and "albums" not in value
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        found = self.within(value, "annotations", "an annotation file", check, [])
        listed = check.sequence(found, ("annotations",), "the annotations")
        yield from _documents(listed, ("annotations",), check)

    def value(self, corpus: Corpus) -> Any:
        items = _items(corpus)
        for number, item in enumerate(items):
            item.setdefault("id", number)
        images = [{"id": image} for image in dict.fromkeys(item["image_id"] for item in items)]
        return {**self.kept(corpus, {"images": images}), "annotations": items}


class Results(Coco):
    name = "coco-results"
    title = "COCO caption results"
    shape = '[{"image_id": 1, "caption": "…"}]'

    def looks(self, value: Any) -> bool:
        return isinstance(value, list) and any(
            has(v, "image_id") or has(v, "caption") for v in some_of(value)
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        self.keep(check, {})
        yield from _documents(check.sequence(value, (), "a result file"), (), check)

    def value(self, corpus: Corpus) -> Any:
        return _items(corpus)


def _documents(listed: list[Any], at: Path, check: Check) -> Iterator[Document]:
    as_text = False
    for i, item in check.objects(enumerate(listed), at, "an annotation"):
        image = item.get("image_id", MISSING)
        as_text = as_text or isinstance(image, str)
        id = check.open(image, (*at, i), text=("caption",))
        meta = others(item, _KNOWN) if len(item) > 2 else None
        yield check.close(id, [check.caption(0, item.get("caption", MISSING), meta=meta)])
    check.meta["ids"] = "text" if as_text else "number"


def _items(corpus: Corpus) -> list[dict[str, Any]]:
    """One item per caption; ids as numbers unless the file had them as text or one of them is no number."""
    numbers = corpus.meta.get("ids") != "text" and all(_NUMBER.fullmatch(d.id) for d in corpus)
    crowded = [d.id for d in corpus if len(d.captions) > 1]
    if crowded:
        raise DataError(
            f"COCO files hold one caption per document; {len(crowded):,} documents hold more, such as"
            f" {crowded[0]!r}.",
            hint="Choose another format with --to.",
        )
    return [
        {"image_id": int(d.id) if numbers else d.id, "caption": c.text, **c.meta}
        for d in corpus
        for c in d.captions
    ]


_SIS = frozenset(("album_id", "story_id", "worker_arranged_photo_order", "photo_flickr_id", "text"))
_OUTPUT = frozenset(("album_id", "photo_sequence", "story_text_normalized"))


class Sis(JsonFormat):
    name = "vist"
    title = "VIST stories in sequence (SIS)"
    shape = (
        '{"images": […], "albums": […], "annotations": [[{"story_id", "album_id",'
        ' "worker_arranged_photo_order", "photo_flickr_id", "text"}]]}'
    )
    carries = carrying("documents", "several", "alternatives", "untimed", "images", "meta")
    story = True

    def looks(self, value: Any) -> bool:
        return has(value, "annotations") and (
            any(isinstance(v, list) for v in some_of(value["annotations"])) or "albums" in value
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        found = self.within(value, "annotations", "a VIST file", check, [])
        stories: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        for i, entry in enumerate(check.sequence(found, ("annotations",), "the annotations")):
            at = ("annotations", i)
            if not isinstance(entry, list) or len(entry) != 1 or not isinstance(entry[0], dict):
                check.error("wrong-type", "an annotation must be a list of one object", at)
                continue
            story = check.open(entry[0].get("story_id", MISSING), (*at, 0))
            stories.setdefault(story, []).append((i, entry[0]))
        for story, parts in stories.items():
            yield self._story(story, parts, check)

    def _story(self, story: str, parts: list[tuple[int, dict[str, Any]]], check: Check) -> Document:
        orders = [item.get("worker_arranged_photo_order", MISSING) for _, item in parts]
        for (i, _), order in zip(parts, orders, strict=True):
            if not isinstance(order, int):
                check.error(
                    "bad-order",
                    "worker_arranged_photo_order must be a whole number",
                    ("annotations", i, 0),
                    id=story,
                )
        if all(isinstance(order, int) for order in orders):
            parts = sorted(parts, key=lambda part: part[1]["worker_arranged_photo_order"])
        captions, photos, album = [], [], story
        for i, item in parts:
            album = check.open(item.get("album_id", story), ("annotations", i, 0), text=("text",))
            photo = str(item.get("photo_flickr_id", ""))
            photos.append(photo)
            meta = others(item, _SIS)
            captions.append(check.caption(0, item.get("text", MISSING), image=photo or None, meta=meta))
        return check.close(
            album, captions, meta={"album_id": album, "story_id": story, "photo_sequence": photos}
        )

    def value(self, corpus: Corpus) -> Any:
        annotations = []
        for number, document in enumerate(corpus):
            story = document.meta.get("story_id", str(number))
            for order, caption in enumerate(document.captions):
                item = {
                    "story_id": story,
                    "album_id": document.meta.get("album_id", document.id),
                    "worker_arranged_photo_order": order,
                    "photo_flickr_id": caption.image or "",
                    "text": caption.text,
                    **caption.meta,
                }
                annotations.append([item])
        return {**self.kept(corpus, {"images": [], "albums": []}), "annotations": annotations}


class Challenge(JsonFormat):
    name = "vist-challenge"
    title = "VIST challenge output"
    shape = (
        '{"output_stories": [{"album_id": "7", "photo_sequence": ["1", "2", "3", "4", "5"],'
        ' "story_text_normalized": "…"}]}'
    )
    carries = carrying("documents", "several", "alternatives", "untimed", "images", "sequence", "about") - {
        "bounds"
    }
    story = True

    def looks(self, value: Any) -> bool:
        return has(value, "output_stories")

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        found = self.within(value, "output_stories", "a challenge file", check, [])
        listed = check.sequence(found, ("output_stories",), "the stories")
        told = {
            (str(item.get("album_id")), str(item.get("photo_sequence")))
            for item in listed
            if isinstance(item, dict)
        }
        albums = Counter(album for album, _ in told)
        for i, item in check.objects(enumerate(listed), ("output_stories",), "a story"):
            at = ("output_stories", i)
            id = check.open(item.get("album_id", MISSING), at, text=("story_text_normalized",), time=(INDEX,))
            photos = [
                str(photo)
                for photo in check.sequence(
                    item.get("photo_sequence", MISSING), (*at, "photo_sequence"), "the photo sequence"
                )
            ]
            caption = check.caption(0, item.get("story_text_normalized", MISSING))
            name = id if albums[id] == 1 else f"{id}/{'-'.join(photos)}"
            yield check.close(
                name,
                [caption],
                meta={"album_id": id, "photo_sequence": photos, **others(item, _OUTPUT)},
            )

    def value(self, corpus: Corpus) -> Any:
        stories = [
            {"album_id": d.id, **d.meta, "photo_sequence": _photos(d), "story_text_normalized": d.text}
            for d in corpus
        ]
        return {**self.kept(corpus), "output_stories": stories}


def _photos(document: Document) -> list[str]:
    photos = document.meta.get("photo_sequence")
    return photos if isinstance(photos, list) else [c.image for c in document.captions if c.image]


def sequence_id(document: Document) -> str:
    """`album/photo-photo-…`, the same name in a reference file and in a challenge file."""
    photos = _photos(document)
    return f"{document.meta.get('album_id', document.id)}/{'-'.join(photos)}" if photos else document.id


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

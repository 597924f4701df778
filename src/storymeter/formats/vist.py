"""Visual Storytelling (VIST): stories in sequence, and the output files of its challenge.

A story's id is its album: the five stories of an album are alternatives of one document. A challenge file may
tell an album twice, over two photo sequences; its ids are then `album/photo-photo-…`, and `--id-map sequence`
names the stories of a reference file in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from .base import JsonFormat, carrying, has, some_of
from .checks import INDEX, Check
from .problems import MISSING, others

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

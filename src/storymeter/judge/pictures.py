"""What a judge that sees is shown: the images of a document, or frames of its video at even distances.

Pictures are scaled down to at most `SIDE` pixels a side and sent as JPEG inside the request (`data:`
addresses), so that no server has to fetch anything. They are read when they are sent; until then only their
places are kept, so that memory stays flat. An answer is known by the bytes of the file and the times of the
frames, whatever the file is called."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

from ..captions import Document
from ..errors import DataError, UsageError, some
from ..models.checkpoints import weights_hash
from ..models.media import Pictures, Videos, even_times, frames_at, open_picture, video_seconds
from ..story.documents import View
from .prompt import IMAGES

SIDE, QUALITY = 512, 85


class Shown(View):
    def digest(self) -> bytes:
        """The hash of all that decides what is seen."""
        return hashlib.sha256(f"{weights_hash(self.path)} {self.times} {SIDE} {QUALITY}".encode()).digest()

    def parts(self) -> Iterator[dict[str, Any]]:
        """The pictures as parts of a message."""
        for picture in frames_at(self.path, self.times) if self.times else [open_picture(self.path)]:
            picture.thumbnail((SIDE, SIDE))
            data = io.BytesIO()
            picture.save(data, "JPEG", quality=QUALITY)
            url = f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"
            yield {"type": "image_url", "image_url": {"url": url}}


def message(text: str, shown: Sequence[Shown] = ()) -> dict[str, Any]:
    """A user's message; pictures come where the prompt has `{images}`."""
    if not shown:
        return {"role": "user", "content": text}
    before, _, after = text.partition(IMAGES)
    parts = [part for each in shown for part in each.parts()]
    return {
        "role": "user",
        "content": [{"type": "text", "text": before}, *parts, {"type": "text", "text": after}],
    }


def shown_of(
    documents: Sequence[Document], images: str | None, videos: str | None, frames: int
) -> list[tuple[Shown, ...]]:
    """What belongs to each document: its images, else its video; at most `frames` of either."""
    if images is None and videos is None:
        raise UsageError(
            "This judge needs images or videos, and none were given.",
            hint="Give a folder: --images FOLDER or --videos FOLDER (images=, videos= in Python).",
        )
    pictures = Pictures(images) if images is not None else None
    films = Videos(videos) if videos is not None else None
    found = [_of(document, pictures, films, frames) for document in documents]
    blind = [d.id for d, shown in zip(documents, found, strict=True) if d.captions and not shown]
    if blind:
        raise DataError(
            f"{len(blind):,} of {len(documents):,} documents have no image or video in"
            f" {images or videos}: {some(blind)}",
            hint="Name files by the ids of the documents, or name the images in the file of captions.",
        )
    return found


def _of(
    document: Document, pictures: Pictures | None, films: Videos | None, frames: int
) -> tuple[Shown, ...]:
    names = pictures.of(document) if pictures else []
    paths = [path for name in names if pictures and (path := pictures.find(name)) is not None]
    if paths:
        return tuple(Shown(path) for path in paths[:frames])
    film = films.find(document.id) if films else None
    if film is None or not document.captions:
        return ()
    return (Shown(film, tuple(even_times(0.0, video_seconds(film), frames))),)

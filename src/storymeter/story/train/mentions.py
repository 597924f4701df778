"""Training data of grounding: phrases, and the regions of pictures that they name.

Flickr30K Entities (Plummer et al., 2015) says which phrase of a caption names which boxes of its picture:

    <folder>/Annotations/<image>.xml    objects: <name>entity id</name> …, <bndbox> or <nobndbox>
    <folder>/Sentences/<image>.txt      captions: [/EN#<entity id>/<type> the phrase]
    <images>/<image>.jpg

One's own pictures with captions, in any shape that `score` reads (CSV, JSON, JSON Lines …), by the name of
the picture: a row with a box (`x, y, w, h` or `left, top, right, bottom`, in pixels) pairs its text with the
box; a caption without one pairs each of its nouns with the whole picture. In COCO's layout a picture is
called by its `file_name`; in that of Karpathy's splits (`images`, each with its `sentences`), val and test
are left out.

Stop words leave the phrases; a phrase of nothing else goes. The same phrase on the same box counts once."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...captions import Caption
from ...errors import DataError, first_few
from ...formats import read
from ...progress import Progress, silent
from ...text.words import words
from ..nouns import nouns

_PHRASE = re.compile(r"\[/EN#(\d+)/\S+ ([^\]]+)\]")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "some",
        "any",
        "each",
        "every",
        "all",
        "both",
        "another",
        "other",
        "one",
        "two",
        "three",
        "four",
        "five",
        "several",
        "many",
        "few",
        "of",
        "in",
        "on",
        "at",
        "to",
        "with",
        "and",
        "or",
        "his",
        "her",
        "their",
        "its",
        "my",
        "your",
        "our",
        "he",
        "she",
        "it",
        "they",
        "him",
        "them",
        "who",
        "what",
        "which",
        "'s",
        "is",
        "are",
        "was",
        "were",
        "be",
        "being",
        "by",
        "for",
        "from",
        "up",
        "down",
        "out",
        "into",
        "over",
        "under",
        "as",
    ]
)

Place = tuple[int, int, int, int]


class Mention(NamedTuple):
    """A phrase and the region (left, top, right, bottom in pixels; None: the whole picture) that it names."""

    image: str
    phrase: str
    box: Place | None


#: what the numbers of a box are called; the last two are its size
_SIZED = (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("left", "top", "width", "height"))
#: the same; the last two are its other corner
_CORNERS = (("left", "top", "right", "bottom"), ("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2"))


def read_captions(path: str | Path, progress: Progress = silent) -> list[Mention]:
    """Mentions of a file of captions, or of phrases with boxes.

    path: captions by the names of their pictures, in any shape that is scored.
    progress: called with what is being done, how much is done, and of how much.
    """
    told = _told(Path(path))
    boxes = [_box(caption.meta, f"{path}: {image}") for image, caption in told]
    progress("finding nouns", 0, len(told))
    texts = [caption.text for (_, caption), box in zip(told, boxes, strict=True) if box is None]
    named = iter(nouns(texts))
    found: dict[Mention, None] = {}
    for number, ((image, caption), box) in enumerate(zip(told, boxes, strict=True), 1):
        for phrase in next(named) if box is None else (caption.text,):
            if kept := _phrase(phrase):
                found.setdefault(Mention(image, kept, box))
        progress("finding nouns", number, len(told))
    if not found:
        raise DataError(
            f"{path} names nothing that a picture could show.",
            hint="Give captions by the names of their pictures: a CSV file with the columns image, caption.",
        )
    return list(found)


def _told(path: Path) -> list[tuple[str, Caption]]:
    """Captions and the names of their pictures."""
    images = _images(path)
    if any("sentences" in image for image in images):
        return [
            (str(image.get("filename") or image.get("file_name")), Caption(str(sentence["raw"])))
            for image in images
            if image.get("split") not in ("val", "test")
            for sentence in image.get("sentences", ())
            if isinstance(sentence, dict) and "raw" in sentence
        ]
    files = {str(image.get("id")): str(image["file_name"]) for image in images if "file_name" in image}
    return [
        (caption.image or files.get(document.id, document.id), caption)
        for document in read(path, role="references")
        for caption in document.captions
    ]


def _images(path: Path) -> list[dict[str, Any]]:
    """The list of pictures that COCO's files and Karpathy's begin with; empty in other files."""
    try:
        content = json.loads(path.read_bytes()) if path.suffix == ".json" else None
    except (OSError, ValueError):
        return []  # what is wrong with it, the reader says
    images = content.get("images") if isinstance(content, dict) else None
    return [image for image in images if isinstance(image, dict)] if isinstance(images, list) else []


def _phrase(text: str) -> str:
    return " ".join(word for word in words(text) if word not in _STOP)


def _box(meta: Mapping[str, Any], where: str) -> Place | None:
    """The box of a row; None where it has no such fields."""
    fields = {key.strip().lower(): value for key, value in meta.items()}
    for names in (*_CORNERS, *_SIZED):
        given = [fields.get(name) for name in names]
        if None in given or "" in given:
            continue
        try:
            left, top, right, bottom = (round(float(str(value))) for value in given)
        except (ValueError, OverflowError):
            left = top = right = bottom = 0
        if names in _SIZED:
            right, bottom = left + right, top + bottom
        if right <= left or bottom <= top:
            raise DataError(
                f"{where}: {', '.join(names)} = {', '.join(map(str, given))} is no box.",
                hint="Give whole pixels, with a width and a height above 0.",
            )
        return left, top, right, bottom
    return None


def read_mentions(folder: str | Path, progress: Progress = silent) -> list[Mention]:
    """Mentions of Flickr30K Entities.

    folder: the unpacked data set, with Annotations and Sentences.
    progress: called with what is being done, how much is done, and of how much.
    """
    folder = Path(folder)
    annotations, sentences = folder / "Annotations", folder / "Sentences"
    if not annotations.is_dir() or not sentences.is_dir():
        raise DataError(
            f"{folder} lacks the folders Annotations and Sentences.",
            hint="Give the unpacked Flickr30K Entities (annotations.zip).",
        )
    files = sorted(annotations.glob("*.xml"))
    found: dict[Mention, None] = {}
    lacking = []
    for number, file in enumerate(files, 1):
        text = sentences / f"{file.stem}.txt"
        if not text.is_file():
            lacking.append(file.stem)
            continue
        boxes = _boxes(file)
        for id, phrase in _PHRASE.findall(text.read_text(encoding="utf-8", errors="replace")):
            if kept := _phrase(phrase):
                found.update(dict.fromkeys(Mention(file.stem, kept, box) for box in boxes.get(id, ())))
        progress("reading annotations", number, len(files))
    if lacking:
        raise DataError(
            f"{len(lacking):,} of {len(files):,} images have no sentence file: {first_few(lacking)}",
            hint="Unpack the whole archive.",
        )
    if not found:
        raise DataError(
            f"{folder} names no phrase with a box.",
            hint="Give the unpacked Flickr30K Entities (annotations.zip).",
        )
    return list(found)


def _boxes(file: Path) -> dict[str, list[Place]]:
    content = file.read_bytes()
    if (
        b"<!DOCTYPE" in content or b"<!ENTITY" in content
    ):  # entities are how XML attacks; the data set has none
        raise DataError(
            f"{file} declares entities, which Flickr30K Entities never does; it was not read.",
            hint="Unpack the archive again.",
        )
    boxes: dict[str, list[Place]] = {}
    try:
        # entities were refused above
        for item in ElementTree.fromstring(content).iter("object"):  # noqa: S314
            place = item.find("bndbox")
            if place is None:
                continue
            left, top, right, bottom = (
                int(float(place.findtext(edge) or "nan")) for edge in ("xmin", "ymin", "xmax", "ymax")
            )
            if right > left and bottom > top:
                for name in item.findall("name"):
                    boxes.setdefault((name.text or "").strip(), []).append((left, top, right, bottom))
    except (ElementTree.ParseError, ValueError) as error:
        raise DataError(
            f"{file} cannot be read: {error}", hint="It may be truncated: unpack the archive again."
        ) from None
    return boxes

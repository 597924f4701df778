"""Flickr30K Entities (Plummer et al., 2015): which phrase of a caption names which boxes of its picture.

    <folder>/Annotations/<image>.xml    objects: <name>entity id</name> …, <bndbox> or <nobndbox>
    <folder>/Sentences/<image>.txt      captions: [/EN#<entity id>/<type> the phrase]
    <images>/<image>.jpg

Stop words leave the phrases; a phrase of nothing else goes. The same phrase on the same box counts once.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError, some
from ...progress import Progress, silent
from ...text.words import words

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


class Mention(NamedTuple):
    """A phrase and the region (left, top, right, bottom in pixels) it names in an image."""

    image: str
    phrase: str
    box: tuple[int, int, int, int]


def read_mentions(folder: str | Path, progress: Progress = silent) -> list[Mention]:
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
            kept = " ".join(word for word in words(phrase) if word not in _STOP)
            if kept:
                found.update(dict.fromkeys(Mention(file.stem, kept, box) for box in boxes.get(id, ())))
        progress("reading annotations", number, len(files))
    if lacking:
        raise DataError(
            f"{len(lacking):,} of {len(files):,} images have no sentence file: {some(lacking)}",
            hint="Unpack the whole archive.",
        )
    if not found:
        raise DataError(
            f"{folder} names no phrase with a box.",
            hint="Give the unpacked Flickr30K Entities (annotations.zip).",
        )
    return list(found)


def _boxes(file: Path) -> dict[str, list[tuple[int, int, int, int]]]:
    content = file.read_bytes()
    if (
        b"<!DOCTYPE" in content or b"<!ENTITY" in content
    ):  # entities are how XML attacks; the data set has none
        raise DataError(
            f"{file} declares entities, which Flickr30K Entities never does; it was not read.",
            hint="Unpack the archive again.",
        )
    boxes: dict[str, list[tuple[int, int, int, int]]] = {}
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

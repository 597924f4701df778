"""The records that every room shares: frozen, slotted, without any reading or writing in them.

>>> video = Document("v1", (Caption("a dog runs", 0.0, 4.5), Caption("it jumps", 4.5, 9.0)), duration=9.0)
>>> Corpus((video,), "mine").kind
'dense'
"""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

Kind = Literal["dense", "story", "caption"]


class Caption(msgspec.Struct, frozen=True, gc=False):  # gc: millions of them hold no cycle
    """One sentence, perhaps timed (seconds), perhaps tied to an image."""

    text: str
    start: float | None = None
    end: float | None = None
    image: str | None = None
    meta: dict[str, Any] = {}

    @property
    def timed(self) -> bool:
        return self.start is not None and self.end is not None


class Document(msgspec.Struct, frozen=True, gc=False):
    """What one author said of one video, story or image: captions in the order they were read.

    Several documents of a corpus may carry the same id: those are alternatives (five captions of one COCO
    image, five stories of one album, two annotators in one ViTT file), and a join hands all of them out as
    references."""

    id: str
    captions: tuple[Caption, ...] = ()
    duration: float | None = None
    meta: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """All captions, joined by one blank, in the order they were read."""
        return " ".join(caption.text for caption in self.captions)

    @property
    def images(self) -> tuple[str, ...]:
        """Names of the pictures in order, each once: those of the captions, else the photo sequence."""
        named = [caption.image for caption in self.captions if caption.image]
        sequence = self.meta.get("photo_sequence")
        if not named and isinstance(sequence, list):
            named = [str(photo) for photo in sequence]
        return tuple(dict.fromkeys(named))


class Origin(msgspec.Struct, frozen=True):
    """Where a corpus came from."""

    path: str = ""
    format: str = ""
    sha256: str = ""


class Corpus(msgspec.Struct, frozen=True):
    """One file by one author (a system or an annotator)."""

    documents: tuple[Document, ...]
    name: str = ""
    origin: Origin = Origin()
    meta: dict[str, Any] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def captions(self) -> int:
        """How many captions there are in all."""
        return sum(len(document.captions) for document in self.documents)

    def by_id(self) -> dict[str, list[Document]]:
        """Documents grouped by id, ids in the order of the file."""
        groups: dict[str, list[Document]] = {}
        for document in self.documents:
            groups.setdefault(document.id, []).append(document)
        return groups

    @property
    def kind(self) -> Kind:
        """What the documents are: timed captions, stories of several sentences, or single captions."""
        several = False
        for document in self.documents:
            if any(caption.timed for caption in document.captions):
                return "dense"
            several = several or len(document.captions) > 1 or "photo_sequence" in document.meta
        return "story" if several or self.meta.get("kind") == "story" else "caption"


class Rating(msgspec.Struct, frozen=True):
    """One human judgement.

    `kind` says what was rated: "system" (an ordinary caption), "repeat" (the same item again), "degraded" (a
    caption damaged on purpose), "human" (the undamaged human caption). `pair` links the two members of a
    control pair within one rater's work: a degraded caption with its undamaged original, or a repeat with its
    first showing. `campaign` tells the HITs of several campaigns apart."""

    item: str
    system: str
    rater: str
    value: float
    kind: str = "system"
    criterion: str = ""
    hit: str = ""
    pair: str = ""
    position: int | None = None
    seconds: float | None = None
    time: str = ""
    meta: dict[str, Any] = {}
    campaign: str = ""

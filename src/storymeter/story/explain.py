"""Why a story scored as it did: its links, its repetitions and what its nouns were grounded in, as plain
records.

`explain_story` leaves out what cannot be said: links need the optional part `neural`, grounding also needs
pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..captions import Document
from ..context import Context
from ..errors import MissingPartError
from . import redundancy
from .coherence import Links
from .documents import sentences_of
from .grounding import (
    Grounded,
    VisualGrounding,
    ground,
    inverse_frequency,
    log_sum_exp,
    noun_vectors,
    scaled,
    story_nouns,
)
from .redundancy import Repetition


class Sight(NamedTuple):
    """The nouns of a story with the regions that won, and the score they make."""

    nouns: tuple[Grounded, ...]
    score: float
    scaled: float
    pictures: tuple[str, ...]


class StoryExplanation(NamedTuple):
    id: str
    system: str
    sentences: tuple[str, ...]
    nr: float
    inter: float
    intra: float
    repetitions: tuple[Repetition, ...]
    links: Links | None
    sight: Sight | None
    #: why links or sight are missing, in words
    notes: tuple[str, ...] = ()


def explain_story(
    document: Document,
    *,
    system: str = "",
    corpus: Sequence[Document] = (),
    images: str | None = None,
    device: str = "cpu",
    coherence_model: str = "",
    grounding: VisualGrounding | None = None,
) -> StoryExplanation:
    """`corpus`: the stories that idf is counted over; with fewer than ten every noun weighs the same."""
    from . import coherence

    sentences = sentences_of(document)
    nr, inter, intra = (float(value) for value in redundancy.redundancy([sentences])[0])
    notes: list[str] = []
    links = None
    try:
        links = coherence.explain(sentences, coherence.load(coherence_model, device))
    except MissingPartError as error:
        notes.append(str(error))
    sight = None
    if images is None:
        notes.append("No pictures were given (--images FOLDER), so grounding is not computed.")
    else:
        try:
            sight = _sight(
                document,
                corpus,
                grounding or VisualGrounding(missing="skip"),
                images,
                device,
            )
        except MissingPartError as error:
            notes.append(str(error))
    return StoryExplanation(
        document.id,
        system,
        tuple(sentences),
        nr,
        inter,
        intra,
        tuple(redundancy.explain(sentences)),
        links,
        sight,
        tuple(notes),
    )


def _sight(
    document: Document, corpus: Sequence[Document], metric: VisualGrounding, images: str, device: str
) -> Sight:
    store = metric.store(Context(images=images, device=device))
    story = story_nouns([document])
    idf = inverse_frequency(story_nouns(corpus)) if len(corpus) >= 10 and metric.idf == "corpus" else None
    names = store.pictures.present(document)
    found = ground(story[0], names, store, noun_vectors(story, store.space), idf)
    import numpy as np

    score = log_sum_exp(np.array([item.idf * item.similarity for item in found]))
    return Sight(tuple(found), score, scaled(score), tuple(names))


def crops_of(sight: Sight, images: str, *, side: int = 160) -> dict[int, bytes]:
    """Place of a grounded noun -> its region as a small JPEG; each picture is opened once."""
    import io

    from ..models.media import Pictures, open_picture

    pictures = Pictures(images)
    opened = {
        name: open_picture(path) for name in sight.pictures if (path := pictures.find(name)) is not None
    }
    out = {}
    for place, item in enumerate(sight.nouns):
        crop: Any = item.box.crop(opened[item.image])
        crop.thumbnail((side, side))
        buffer = io.BytesIO()
        crop.save(buffer, "JPEG", quality=80)
        out[place] = buffer.getvalue()
    return out

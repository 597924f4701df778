"""What a document says as a story: its sentences in order, and the pictures it was told about."""

from __future__ import annotations

from ..captions import Document
from ..text import sentences


def sentences_of(document: Document, *, like_nltk: bool = False) -> list[str]:
    """One per caption; a document of a single caption is a whole story in one text, and is cut. Blank ones
    are left out.
    """
    texts = [caption.text.strip() for caption in document.captions if caption.text.strip()]
    if len(texts) == 1:
        return sentences.punkt(texts[0]) if like_nltk else sentences.split(texts[0])
    return texts


def images_of(document: Document) -> list[str]:
    """Names of the story's pictures in order, each once: those of the captions, else the photo sequence."""
    named = [caption.image for caption in document.captions if caption.image]
    sequence = document.meta.get("photo_sequence")
    if not named and isinstance(sequence, list):
        named = [str(photo) for photo in sequence]
    return list(dict.fromkeys(named))

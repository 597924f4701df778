"""What a document says as a story: its sentences in order, and the pictures it was told about."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..captions import Document
from ..errors import StorymeterWarning
from ..text import sentences


def sentences_of(document: Document, *, like_nltk: bool = False) -> list[str]:
    """One per caption; a document of a single caption is a whole story in one text, and is cut. Blank ones
    are left out.
    """
    texts = [caption.text.strip() for caption in document.captions if caption.text.strip()]
    if len(texts) == 1:
        return sentences.split_sentences(texts[0], like_nltk=like_nltk)
    return texts


def stories_of(documents: Sequence[Document], *, like_nltk: bool = False) -> list[list[str]]:
    """The sentences of each document. A whole corpus of one sentence a story is warned of: measures of how
    sentences follow one another then have nothing to look at.
    """
    stories = [sentences_of(document, like_nltk=like_nltk) for document in documents]
    told = [story for story in stories if story]
    if len(told) > 1 and all(len(story) == 1 for story in told):
        warnings.warn(
            f"All {len(told):,} stories have one sentence each, such as {told[0][0][:60]!r}: metrics that"
            " compare the sentences of a story cannot be computed. Is there a full stop between them, or is"
            " the file one of single captions?",
            StorymeterWarning,
            stacklevel=2,
        )
    return stories

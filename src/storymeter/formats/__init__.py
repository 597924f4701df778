"""Files to records and back; `registry` lists the formats, `checks` says what counts as a problem.

corpus = read("val_1.json")                 # one DataError lists all that is wrong
write(corpus, "val_1.jsonl")
for problem in examine("mine.json").problems: ...
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

from ..captions import Corpus
from ..errors import StorymeterWarning
from .aliases import Role
from .in_memory import corpus_from_records as corpus_from_records
from .lines import UNREAD_TIMES
from .reading import Reading as Reading
from .reading import examine as examine
from .reading import iter_documents as iter_documents
from .writing import write as write


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    repair: bool = False,
    id_map: str | Sequence[str] | None = None,
    columns: dict[str, str] | None = None,
    role: Role | None = None,
    kind: str | None = None,
    lists: str | None = None,
) -> Corpus:
    """One file as a corpus; `-` is stdin, a folder holds one video per file. The format is seen from the
    content unless `format` names it.

    Raises one DataError that lists every error with its place; warnings do not stop it (see `examine`), but
    lines that were left out, or whose times cannot be read, are counted in a StorymeterWarning. `repair`
    swaps reversed segments, clips times to the video and trims blanks; `id_map` is `strip-v`, `add-v`,
    `strip-ext`, `sequence` or a file of pairs, or several of them in order; `columns` maps our names to those
    of a table: {"text": "caption"}.

    `role` (candidates or references) says which texts count where a file holds both; `kind="story"` that
    lists of sentences are stories, `lists` (story or alternatives) what they are in any case. What was
    assumed of a file that has no known format is in `corpus.meta["read_as"]`."""
    reading = examine(
        path,
        format=format,
        repair=repair,
        id_map=id_map,
        columns=columns,
        role=role,
        kind=kind,
        lists=lists,
    )
    corpus = reading.require()
    left_out = reading.left_out
    if left_out:
        timed = sum(problem.code != "skipped-line" for problem in left_out)
        warnings.warn(
            f"{reading.path}: {len(left_out):,} lines or items were left out"
            + (f", {timed:,} of them with times" if timed else "")
            + f"; see them with: storymeter validate {reading.path}",
            StorymeterWarning,
            stacklevel=2,
        )
    if silent := sum(problem.code == "no-answer" for problem in reading.problems):
        warnings.warn(
            f"{reading.path}: {silent:,} of {len(corpus):,} answers hold no caption that can be read; they"
            " count as answers without captions.",
            StorymeterWarning,
            stacklevel=2,
        )
    if unread := sum(problem.code == UNREAD_TIMES for problem in reading.problems):
        warnings.warn(
            f"{reading.path}: {unread:,} lines begin like segments whose times cannot be read; each was taken"
            " for a caption without times. Write times like 0:12 - 0:20 or 12.5 - 20 s.",
            StorymeterWarning,
            stacklevel=2,
        )
    return corpus

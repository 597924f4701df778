"""How rare a noun is in stories (RoViST, eq. 1).

    idf(t) = log(N / (1 + df(t)))     N stories, df(t) of them contain the noun t

The stories that N and df are counted over are an option of grounding:

- `vist` (default): the 4,988 human stories of VIST's validation set, whose counts are packaged. A story has
  the same value in every file and run.
- `references`: all references of the run, the same for all its systems.
- a file: stories in any format that is read, or a table of counts as `bench/noun_counts.py` writes it.
- `corpus`: the candidates of each system, the paper's own reading. The value of a story then depends on the
  other stories of its file, and two systems have two different idf.
- `none`: 1 for every noun.

idf lies between log(N / (N + 1)), just below 0, for a noun of every story, and log N for an unknown one."""

from __future__ import annotations

import functools
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..captions import Document
from ..errors import DataError, StorymeterWarning, UsageError
from ..formats import read
from ..progress import Progress, silent
from ..scores import short_hash
from .documents import sentences_of
from .nouns import nouns

if TYPE_CHECKING:
    from ..context import Context
    from ..join import Task

PACKAGED = Path(__file__).parent / "data" / "vist_nouns.tsv"
#: words for what idf is counted over; anything else is a file
SOURCES = ("vist", "references", "corpus", "none")
#: below so many stories idf hardly tells rare nouns from common ones
FEW = 100
_HEAD = re.compile(r"noun\tof (\d+) stories\s*\Z")


class NounFrequencies(NamedTuple):
    """In how many of so many stories each noun occurs."""

    stories: int
    counts: Mapping[str, int]

    def idf(self, noun: str) -> float:
        """
        >>> round(NounFrequencies(4, {"dog": 2}).idf("dog"), 4)
        0.2877
        """
        return float(np.log(max(self.stories, 1) / (1 + self.counts.get(noun, 0))))

    @property
    def label(self) -> str:
        """For signatures: N and a hash of the counts."""
        return f"{self.stories}#{short_hash(sorted(self.counts.items()))}"


def story_nouns(
    documents: Sequence[Document], progress: Progress = silent, *, repeated: bool = False
) -> list[list[tuple[str, ...]]]:
    """Per story and sentence its nouns, each once unless `repeated`."""
    out = []
    for k, document in enumerate(documents):
        out.append(nouns(sentences_of(document), repeated=repeated))
        progress("finding nouns", k + 1, len(documents))
    return out


def count_nouns(stories: Iterable[Sequence[Sequence[str]]]) -> NounFrequencies:
    """Over stories given as nouns per sentence."""
    distinct = [set(chain.from_iterable(story)) for story in stories]
    return NounFrequencies(len(distinct), Counter(chain.from_iterable(distinct)))


def frequencies(context: Context, task: Task, source: str) -> NounFrequencies | None:
    """Those of a task; None where every noun counts the same."""
    return context.per_task(_frequencies, task, source)


def _frequencies(context: Context, task: Task, source: str) -> NounFrequencies | None:
    found = fixed_frequencies(source) or _counted(context, task, source)
    if found is not None and found.stories < FEW:
        warnings.warn(
            f"The idf of nouns is counted over {found.stories:,} stories (idf={source}); below {FEW} it"
            " hardly tells rare nouns from common ones. Leave idf out for the packaged counts, or use"
            " idf=none.",
            StorymeterWarning,
            stacklevel=2,
        )
    return found


def fixed_frequencies(source: str) -> NounFrequencies | None:
    """Those that do not depend on what is scored: the packaged ones, or those of a file."""
    if source == "vist":
        return _table(PACKAGED)
    return None if source in SOURCES else _of_file(source)


def _counted(context: Context, task: Task, source: str) -> NounFrequencies | None:
    if source == "none":
        return None
    documents: Sequence[Document] = task.candidates
    if source == "references":
        documents = [*chain.from_iterable((*task.references, *task.unscored))]
        if not documents:
            raise UsageError(
                "idf=references needs references.",
                hint="Give them with --references FILE, or leave idf out for the packaged counts.",
            )
    return count_nouns(story_nouns(documents, context.progress))


@functools.lru_cache(maxsize=4)
def _of_file(path: str) -> NounFrequencies:
    where = Path(path).expanduser()
    if not where.is_file():
        raise UsageError(
            f"There is no file {path!r} to count idf over.",
            hint="idf is vist, references, corpus, none, or a file of stories.",
        )
    with where.open("rb") as file:
        counts = file.read(5) == b"noun\t"
    return _table(where) if counts else count_nouns(story_nouns(read(where, role="references").documents))


@functools.lru_cache(maxsize=4)
def _table(path: Path) -> NounFrequencies:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    found = _HEAD.match(head)
    rows = [line.split("\t") for line in lines]
    if found is None or any(len(row) != 2 or not row[1].isdecimal() for row in rows):
        raise DataError(
            f"{path} is not a table of noun counts.",
            hint="Write it with: python bench/noun_counts.py STORIES > counts.tsv",
        )
    return NounFrequencies(int(found[1]), {noun: int(count) for noun, count in rows})

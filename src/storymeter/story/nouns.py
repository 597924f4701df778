"""The nouns of a sentence: HanTa's English tagger (its data is in the wheel), with WordNet for words it does
not know.

Placeholders become words that can be seen (`[male]` -> man). A word the tagger has never met (its best score
is that of a guess) counts as a noun when WordNet has it as one; where METEOR's synset list is missing
(`pairs.lexicon`), the guess stands.

>>> nouns(["[male] walked his old dogs to the park , and i took a photo of the dogs ."])  # doctest: +SKIP
[('man', 'dogs', 'park', 'photo')]

How rare a noun is in stories (RoViST, eq. 1):

    idf(t) = log(N / (1 + df(t)))     N stories, df(t) of them contain the noun t

The stories that N and df are counted over are an option of grounding:

- `vist` (default): the 4,988 human stories of VIST's validation set, whose counts are packaged. A story has
  the same value in every file and run.
- `references`: all references of the run, the same for all its systems.
- a file: stories in any format that is read, or a table of counts as `bench/noun_counts.py` writes it.
- `corpus`: the candidates of each system, the paper's own reading. The value of a story then depends on the
  other stories of its file, and two systems have two different idf.
- `none`: 1 for every noun.

idf lies between log(N / (N + 1)), just below 0, for a noun of every story, and log N for an unknown one.
"""

import functools
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..captions import Document
from ..context import Context
from ..errors import DataError, MissingPartError, StorymeterWarning, UsageError
from ..formats import read
from ..join import Task
from ..pairs.lexicon import synsets
from ..progress import Progress, silent
from ..scores import short_hash
from ..text.words import tagger, treebank
from .documents import sentences_of

_WHAT = "The noun tagger"
_SEEN = {"male": "man", "female": "woman", "location": "place", "organization": "organization"}
_PLACEHOLDER = re.compile(r"\[\s*([a-z_]+)\s*\]", re.IGNORECASE)
_NOUN_TAGS = ("NN0", "NN1", "NN2", "NP0")
_WORD = re.compile(r"[^\W\d_][\w'-]*\Z")
#: a known word's best log probability is far above this; a guessed one's is below
_GUESS = -25.0
#: WordNet 3.0: verbs, adjectives and adverbs have smaller offsets than this; a larger one is a noun's
_FIRST_SURE_NOUN = 3_300_000


def nouns(sentences: Sequence[str], *, repeated: bool = False) -> list[tuple[str, ...]]:
    """Per sentence its nouns, lower case, in the order in which they first appear; each once, or with
    `repeated` as often as it stands there.
    """
    found = [_nouns(sentence) for sentence in sentences]
    return found if repeated else [tuple(dict.fromkeys(each)) for each in found]


@functools.lru_cache(maxsize=1 << 16)
def _nouns(sentence: str) -> tuple[str, ...]:
    text = _PLACEHOLDER.sub(lambda match: _SEEN.get(match.group(1).lower(), match.group(1).lower()), sentence)
    tokens = treebank(text.lower())
    if not tokens:
        return ()
    tagged = tagger(_WHAT).tag_sent(tokens, taglevel=1)
    return tuple(word for word, _, tag in tagged if word != "i" and _WORD.match(word) and _is_noun(word, tag))


def _is_noun(word: str, tag: str) -> bool:
    if tag in _NOUN_TAGS:
        return True
    return tag.startswith(("AJ", "UN")) and _guessed(word) and word in _wordnet_nouns()


@functools.lru_cache(maxsize=1 << 14)
def _guessed(word: str) -> bool:
    scores = tagger(_WHAT).tag_word(word)
    return not scores or float(scores[0][1]) < _GUESS


def knows_wordnet() -> bool:
    """Whether METEOR's synset list is installed, which decides on words that the tagger has never met."""
    return bool(_wordnet_nouns())


@functools.cache
def _wordnet_nouns() -> frozenset[str]:
    """Words with at least one synset that can only be a noun's."""
    try:
        known = synsets()
    except MissingPartError:
        return frozenset()
    return frozenset(
        word
        for word, numbers in known.items()
        if max(map(int, numbers.split()), default=0) >= _FIRST_SURE_NOUN
    )


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
        return _of_file(PACKAGED, 0, 0)
    if source in SOURCES:
        return None
    where = Path(source).expanduser()
    if not where.is_file():
        raise UsageError(
            f"There is no file {source!r} to count idf over.",
            hint="idf is vist, references, corpus, none, or a file of stories.",
        )
    about = where.stat()
    return _of_file(where, about.st_mtime_ns, about.st_size)


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
def _of_file(where: Path, changed: int, size: int) -> NounFrequencies:
    """Counted anew when the file has changed."""
    with where.open("rb") as file:
        counts = file.read(5) == b"noun\t"
    if counts:
        return _table(where)
    return count_nouns(story_nouns(read(where, role="references", lists="story").documents))


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

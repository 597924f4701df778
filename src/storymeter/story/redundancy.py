"""RoViST-NR, non-redundancy: does a story say everything once?  (RoViST, section 3.3, eq. 7; no model.)

    J(a, b)  = |words of a ∩ words of b| / |words of a ∪ words of b|
    inter    = mean J over all pairs of sentences of the story
    intra    = mean J over neighbouring n-grams (n = 4, consecutive, not overlapping) of each sentence, over
             the whole story
    NR       = 1 - (inter + intra) / 2

The last n-gram of a sentence may be shorter. A story in which no sentence has two n-grams has intra 0. One
sentence has no inter: NR = 1 - intra, and the part `single` counts such stories. A story without a word
scores 0.

`jaccard=set` is the paper's. `jaccard=pairs` is what the authors' script does: equal token pairs above the
line (so J may exceed 1 and NR may be negative), every token with its marks, the last token of each sentence
dropped, sentences of tokenised stories as NLTK cuts them.

Worked example, `we saw a big red dog .` and `we saw a cat .`: inter = |{we, saw, a}| / |{we, saw, a, big,
red, dog, cat}| = 3/7; the first sentence has the n-grams (we saw a big) and (red dog), J = 0; NR = 1 - 3/14.

>>> values = redundancy([["we saw a big red dog .", "we saw a cat ."]])
>>> [round(float(value), 4) for value in values[0]]
[0.7857, 0.4286, 0.0]
"""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from .. import _native
from ..arrays import FloatArray
from ..captions import Document
from ..context import Context
from ..errors import StorymeterWarning, first_few
from ..join import Task
from ..measure import Named, measure
from ..options import option
from ..pairs.sentences import bounds_of
from ..scores import Signature
from ..text.words import treebank, words
from .documents import StoryMetric, stories_of

Jaccard = Literal["set", "pairs"]


def redundancy(
    stories: Sequence[Sequence[str]], *, n: int = 4, jaccard: Jaccard = "set", jobs: int = 1
) -> FloatArray:
    """(stories, 3): NR, inter, intra of stories given as sentences; inter is NaN where there is one sentence
    only.
    """
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__  # a new word gets the next number
    told = list(chain.from_iterable(stories))
    tokens = words if jaccard == "set" else lambda sentence: treebank(sentence)[:-1]
    known = {sentence: [ids[token] for token in tokens(sentence)] for sentence in dict.fromkeys(told)}
    numbers = [known[sentence] for sentence in told]
    parts = np.empty((len(stories), 2))
    _native.story_redundancy(
        np.fromiter(chain.from_iterable(numbers), dtype=np.int32),
        bounds_of(numbers),
        bounds_of(stories),
        n,
        jaccard == "pairs",
        jobs,
        parts,
    )
    inter, intra = parts[:, 0], np.nan_to_num(parts[:, 1], nan=0.0)
    value = 1.0 - np.where(np.isnan(inter), intra, (np.nan_to_num(inter) + intra) / 2)
    return np.column_stack([value, inter, intra])


@measure(Named("rovist_nr", "a story's non-redundancy (RoViST-NR)"), papers=("wang2022",))
@dataclass(frozen=True)
class Redundancy(StoryMetric):
    slow: ClassVar[bool] = False  # it counts words, without a model
    needs_spaces: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("value", "inter", "intra", "single")

    jaccard: Jaccard = option(
        "set", "sets of words, as in the paper, or pairs of tokens, as in the authors' script"
    )
    n: int = option(4, "words of the n-grams within a sentence", low=1)

    def document_values(self, task: Task, context: Context) -> FloatArray:
        stories = stories_of(task.candidates, like_nltk=self.jaccard == "pairs")
        out = np.empty((len(stories), 4))
        for begin in range(0, len(stories), 20_000):  # so that memory does not grow with the corpus
            block = redundancy(
                stories[begin : begin + 20_000], n=self.n, jaccard=self.jaccard, jobs=context.jobs
            )
            out[begin : begin + len(block), :3] = block
            context.progress("looking for repetition", begin + len(block), len(stories))
        out[:, 3] = [len(story) == 1 for story in stories]
        empty = [document.id for document, story in zip(task.candidates, stories, strict=True) if not story]
        out[[not story for story in stories], 0] = 0.0
        if empty:
            warnings.warn(
                f"{len(empty):,} of {len(stories):,} stories of {task.name!r} have no sentence and count 0 in"
                f" {self.name}: {first_few(empty)}.",
                StorymeterWarning,
                stacklevel=2,
            )
        return np.nan_to_num(out, nan=0.0)

    def of_sentences(self, document: Document) -> tuple[float, float, float]:
        """NR, inter and intra of one story, as `document_values` has them."""
        (story,) = stories_of([document], like_nltk=self.jaccard == "pairs")
        nr, inter, intra = np.nan_to_num(redundancy([story], n=self.n, jaccard=self.jaccard)[0]).tolist()
        return (nr if story else 0.0), inter, intra

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(tok="treebank", jaccard=self.jaccard, n=self.n)


class Repetition(NamedTuple):
    """Two sentences (or one sentence twice, for n-grams inside it), how alike they are, and the words they
    share.
    """

    first: int
    second: int
    likeness: float
    shared: tuple[str, ...]
    grams: tuple[str, str] = ("", "")


def explain(sentences: Sequence[str], *, n: int = 4) -> list[Repetition]:
    """Everything that repeats, the most alike first: pairs of sentences, and neighbouring n-grams inside
    one.
    """
    found = []
    told = [words(sentence) for sentence in sentences]
    for (i, a), (j, b) in combinations(enumerate(told), 2):
        found += _repetition(i, j, a, b)
    for i, sentence in enumerate(told):
        grams = [sentence[k : k + n] for k in range(0, len(sentence), n)]
        for a, b in pairwise(grams):
            found += _repetition(i, i, a, b)
    return sorted(found, key=lambda item: (-item.likeness, item.first, item.second))


def _repetition(i: int, j: int, a: list[str], b: list[str]) -> list[Repetition]:
    shared = [word for word in dict.fromkeys(a) if word in b]
    if not shared:
        return []
    grams = (" ".join(a), " ".join(b)) if i == j else ("", "")
    return [Repetition(i, j, len(shared) / len({*a, *b}), tuple(shared), grams)]

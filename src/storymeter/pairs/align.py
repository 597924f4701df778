"""Align and penalise: the similarity of two sentences from that of their words (after Han et al., UMBC
EBIQUITY-CORE, *SEM 2013).

    sim(t, u) = 1                                          where t and u are forms of one word
                min(1, cos+(t, u) + ½ |S_t ∩ S_u| / |S_t ∪ S_u|)   otherwise; cos+: cosine of the word
                                                                   vectors, not below 0; S: WordNet's synsets
    g(t)      = the most similar word of the other sentence
    v(t)      = -½  where t and g(t) exclude each other (man, woman; see OPPOSITES)
                -¼  where sim(t, g(t)) < .05: nothing on the other side speaks of t
                sim(t, g(t))  otherwise
    score     = ½ Σ_t∈A w(t) v(t) / Σ_t∈A w(t)  +  ½ the same over B        0 where a side has no word

over the distinct words of both sentences A and B without stop words (a sentence of stop words alone keeps
them), the first 2,048 at most. Range -½ … 1, symmetric, 1 for a sentence and itself.

In the paper this is T - P: the alignment, minus (sim + weight) of weak and (sim + ½) of opposite words; as
sim cancels, such a word counts by its penalty alone. What differs: word similarity was LSA's over a web
corpus with paths through WordNet, of which METEOR's list of synsets keeps the first step; opposites were
WordNet's antonyms; the weight w (how rare a word is: `word_vectors`) stood in the penalties only. The
constants were chosen on Flickr8k-Expert and TRECVID (docs/semantic.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import Float32, FloatArray, IntArray
from ..models.word_vectors import word_vectors
from ..progress import Progress, silent
from ..text.script import well_formed
from ..text.words import words
from .ngrams import bounds_of
from .word_classes import NUMBERS, OPPOSITES, STOP_WORDS
from .wordnet import base_forms, meanings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .arguments import IndexedPairs

WEAK_BELOW, WEAK, OPPOSITE, SHARED_SENSES = 0.05, 0.25, 0.5, 0.5
MOST_WORDS = 2048
#: distinct words of the sentences that are compared at once: the table of their similarities takes 64 MB
TABLE_SIDE = 4096
Numbers = NDArray[np.int64]


class Vocabulary:
    """Every word met so far has a number; what is known of it is worked out once."""

    def __init__(self, vectors: str = "", model: str = "", device: str = "cpu") -> None:
        self.source = word_vectors(vectors, model, device)
        self.number: dict[str, int] = {}
        self.weights: Float32 = np.empty(0, np.float32)
        self._vectors: Float32 = np.empty((0, 0), np.float32)
        self._bases: list[tuple[str, ...]] = []
        self._senses: list[frozenset[int]] = []

    def add(self, new: Sequence[str]) -> None:
        new = [word for word in dict.fromkeys(new) if word not in self.number]
        if not new:
            return
        found = self.source.vectors(new)
        width = next((len(vector) for vector in found if vector is not None), self._vectors.shape[1])
        # a word without a vector is like none but itself
        self._vectors = np.pad(self._vectors, ((0, len(new)), (0, width - self._vectors.shape[1])))
        for row, vector in enumerate(found, len(self.number)):
            if vector is not None:
                self._vectors[row] = vector
        self.weights = np.concatenate(
            [self.weights, np.array([self.source.weight(word) for word in new], np.float32)]
        )
        for word in new:
            bases = tuple(dict.fromkeys(NUMBERS.get(base, base) for base in base_forms(word)))
            self._bases.append(bases)
            self._senses.append(frozenset(sense for base in bases for sense in meanings(base)))
            self.number[word] = len(self.number)

    def similarities(self, ours: Numbers, theirs: Numbers) -> Float32:
        """(ours, theirs): sim of the module; its last bit says that two words exclude each other."""
        table: Float32 = np.clip(self._vectors[ours] @ self._vectors[theirs].T, 0.0, 1.0)
        mine, other, _ = _incidence(self._senses, ours, theirs)
        shared = (mine @ other.T).tocoo()
        sizes = [np.array([len(self._senses[k]) for k in side]) for side in (ours, theirs)]
        table[shared.row, shared.col] += (
            SHARED_SENSES * shared.data / (sizes[0][shared.row] + sizes[1][shared.col] - shared.data)
        )
        np.minimum(table, 1.0, out=table)
        mine, other, columns = _incidence(self._bases, ours, theirs)
        bits = table.view(np.int32)
        bits &= -2
        known = [(columns[a], columns[b]) for a, b in OPPOSITES if a in columns and b in columns]
        if known:
            exclude = (mine @ _pairs(known, len(columns)) @ other.T).tocoo()
            at = exclude.row, exclude.col
            table[at] = np.maximum(table[at], WEAK_BELOW)  # what excludes a word is about it
            bits[at] = (
                bits[at] & -2
            ) - 1  # a little less: where two are equally near, the one that is no contradiction counts
        same = (mine @ other.T).tocoo()
        table[same.row, same.col] = 1.0
        return table


class Block(NamedTuple):
    """Sentences that follow each other: the numbers of their words in the vocabulary, and each sentence as
    places in that list.
    """

    first: int
    words: Numbers
    offset: IntArray
    places: NDArray[np.int32]
    weights: Float32


class Aligner:
    """`score_indexed` of `sts(engine=align)`."""

    def __init__(self, vectors: str = "", model: str = "", device: str = "cpu") -> None:
        self.vocabulary = Vocabulary(vectors, model, device)
        self.label = self.vocabulary.source.label
        self._read: dict[str, Numbers] = {}

    def score_indexed(
        self, *, jobs: int = 1, progress: Progress = silent, **pairs: Unpack[IndexedPairs]
    ) -> FloatArray:
        candidate_index, reference_index = pairs["candidate_index"], pairs["reference_index"]
        ours = list(self._blocks(self._words_of(pairs["candidates"], progress)))
        theirs = list(self._blocks(self._words_of(pairs["references"], progress)))
        a, b = (
            np.searchsorted([block.first for block in blocks], index, side="right") - 1
            for blocks, index in ((ours, candidate_index), (theirs, reference_index))
        )
        tile = a * len(theirs) + b
        order = np.argsort(tile, kind="stable")
        out, done = np.empty(len(tile)), 0
        for group in np.split(order, np.flatnonzero(np.diff(tile[order])) + 1) if len(tile) else []:
            one, other = ours[a[group[0]]], theirs[b[group[0]]]
            values = np.empty(len(group))
            _native.align_and_penalise(
                self.vocabulary.similarities(one.words, other.words),
                one.offset,
                one.places,
                one.weights,
                other.offset,
                other.places,
                other.weights,
                candidate_index[group] - one.first,
                reference_index[group] - other.first,
                WEAK_BELOW,
                WEAK,
                OPPOSITE,
                values,
                threads=jobs,
            )
            out[group] = values
            done += len(group)
            progress("aligning words", done, len(tile))
        return out

    def _words_of(self, texts: Sequence[str], progress: Progress) -> list[Numbers]:
        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        said: list[list[str]] = []
        for k, text in enumerate(well_formed(new)):
            distinct = list(dict.fromkeys(words(text)))
            said.append(([word for word in distinct if word not in STOP_WORDS] or distinct)[:MOST_WORDS])
            if k % 4096 == 0:
                progress("reading words", k, len(new))
        self.vocabulary.add(list(chain.from_iterable(said)))
        number = self.vocabulary.number
        self._read.update(
            (text, np.array([number[word] for word in listed], dtype=np.int64))
            for text, listed in zip(new, said, strict=True)
        )
        return [self._read[text] for text in texts]

    def _blocks(self, sentences: Sequence[Numbers]) -> Iterator[Block]:
        begin, met = 0, set[int]()
        for k, sentence in enumerate(sentences):
            new = set(sentence.tolist()) - met
            if k > begin and len(met) + len(new) > TABLE_SIDE:
                yield self._block(begin, sentences[begin:k])
                begin, met = k, set(sentence.tolist())
            else:
                met |= new
        yield self._block(begin, sentences[begin:])

    def _block(self, first: int, sentences: Sequence[Numbers]) -> Block:
        flat = np.concatenate([np.empty(0, np.int64), *sentences])
        distinct, places = np.unique(flat, return_inverse=True)
        return Block(
            first,
            distinct,
            bounds_of(sentences),
            places.astype(np.int32),
            self.vocabulary.weights[flat],
        )


def _incidence(groups: Sequence[Any], ours: Numbers, theirs: Numbers) -> tuple[Any, Any, dict[Any, int]]:
    """For the groups of either side a sparse matrix with a 1 where a group holds a thing; and the columns of
    the things.
    """
    from scipy.sparse import csr_matrix

    columns: dict[Any, int] = {}
    sides = [[groups[k] for k in side] for side in (ours, theirs)]
    held = [[columns.setdefault(thing, len(columns)) for group in side for thing in group] for side in sides]
    one, other = (
        csr_matrix(
            (np.ones(len(at), np.float32), np.array(at, np.int64), bounds_of(side)),
            shape=(len(side), len(columns)),
        )
        for side, at in zip(sides, held, strict=True)
    )
    return one, other, columns


def _pairs(known: Sequence[tuple[int, int]], width: int) -> Any:
    from scipy.sparse import csr_matrix

    a, b = np.array(known, np.int64).T
    return csr_matrix(
        (np.ones(2 * len(known), np.float32), (np.concatenate([a, b]), np.concatenate([b, a]))),
        shape=(width, width),
    )

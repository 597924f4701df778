"""Semantic textual similarity: do two sentences mean the same?

    sts                  cosine of the sentence vectors of an encoder (the embedded MiniLM, or `model=` a
                         local checkpoint). Range [-1, 1].
    sts(engine=align)    each word aligned to its most similar one on the other side, with penalties for words
                         that find none or an opposite: the family of the service that paper used. Word
                         vectors: the encoder's own, or `vectors=` a text file.

Both are symmetric; the mean over references. The original STS service of Graham et al. (PLOS ONE 2018) is
gone; this is what stands in its place, and it agrees with people better than anything that counts words
(docs/report-card.md). The encoder was trained on caption pairs that include Flickr30k and COCO.

Align and penalise (after Han et al., UMBC EBIQUITY-CORE, *SEM 2013): the similarity of two sentences from
that of their words.

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
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import Float32, FloatArray, IntArray
from ..errors import UsageError
from ..measure import NOT_STATED, Named, TrainingData, measure, training_of_encoder
from ..models.encoder import MULTILINGUAL, Precision
from ..models.vectors import Embeddings, embeddings
from ..models.word_vectors import word_vectors
from ..options import option
from ..progress import Progress, silent
from ..text.script import well_formed
from ..text.words import words
from .lexicon import NUMBERS, OPPOSITES, STOP_WORDS, base_forms, meanings
from .model import IndexedPairs, PairModel, Unpack
from .scorer import MODEL_TRAITS, PairScorer, Traits
from .sentences import bounds_of

WEAK_BELOW, WEAK, OPPOSITE, SHARED_SENSES = 0.05, 0.25, 0.5, 0.5
MOST_WORDS = 2048
#: distinct words of the sentences that are compared at once: the table of their similarities takes 64 MB
TABLE_SIDE = 4096


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
        fresh = np.array([self.source.weight(word) for word in new], np.float32)
        self.weights = np.concatenate([self.weights, fresh])
        for word in new:
            bases = tuple(dict.fromkeys(NUMBERS.get(base, base) for base in base_forms(word)))
            self._bases.append(bases)
            self._senses.append(frozenset(sense for base in bases for sense in meanings(base)))
            self.number[word] = len(self.number)

    def similarities(self, ours: IntArray, theirs: IntArray) -> Float32:
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
            a, b = np.array(known, np.int64).T
            opposite = _ones(np.concatenate([a, b]), np.concatenate([b, a]), (len(columns), len(columns)))
            exclude = (mine @ opposite @ other.T).tocoo()
            at = exclude.row, exclude.col
            table[at] = np.maximum(table[at], WEAK_BELOW)  # what excludes a word is about it
            # a little less: where two are equally near, the one that is no contradiction counts
            bits[at] = (bits[at] & -2) - 1
        same = (mine @ other.T).tocoo()
        table[same.row, same.col] = 1.0
        return table


class Block(NamedTuple):
    """Sentences that follow each other: the numbers of their words in the vocabulary, and each sentence as
    places in that list.
    """

    first: int
    words: IntArray
    offset: IntArray
    places: NDArray[np.int32]
    weights: Float32


class Aligner:
    """`score_indexed` of `sts(engine=align)`."""

    def __init__(self, vectors: str = "", model: str = "", device: str = "cpu") -> None:
        self.vocabulary = Vocabulary(vectors, model, device)
        self.label = self.vocabulary.source.label
        self._read: dict[str, IntArray] = {}

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

    def _words_of(self, texts: Sequence[str], progress: Progress) -> list[IntArray]:
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

    def _blocks(self, sentences: Sequence[IntArray]) -> Iterator[Block]:
        begin, met = 0, set[int]()
        for k, sentence in enumerate(sentences):
            new = set(sentence.tolist()) - met
            if k > begin and len(met) + len(new) > TABLE_SIDE:
                yield self._block(begin, sentences[begin:k])
                begin, met = k, set(sentence.tolist())
            else:
                met |= new
        yield self._block(begin, sentences[begin:])

    def _block(self, first: int, sentences: Sequence[IntArray]) -> Block:
        flat = np.concatenate([np.empty(0, np.int64), *sentences])
        distinct, places = np.unique(flat, return_inverse=True)
        return Block(
            first,
            distinct,
            bounds_of(sentences),
            places.astype(np.int32),
            self.vocabulary.weights[flat],
        )


def _incidence(groups: Sequence[Any], ours: IntArray, theirs: IntArray) -> tuple[Any, Any, dict[Any, int]]:
    """For the groups of either side a sparse matrix with a 1 where a group holds a thing; and the columns of
    the things.
    """
    columns: dict[Any, int] = {}
    sides = [[groups[k] for k in side] for side in (ours, theirs)]
    held = [[columns.setdefault(thing, len(columns)) for group in side for thing in group] for side in sides]
    one, other = (
        _ones(
            np.repeat(np.arange(len(side)), np.diff(bounds_of(side))),
            np.array(at, np.int64),
            (len(side), len(columns)),
        )
        for side, at in zip(sides, held, strict=True)
    )
    return one, other, columns


def _ones(rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> Any:
    """A sparse matrix with a 1 at each of these places."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


class StsModel(PairModel):
    """STS at work."""

    scorer: Sts

    def depends_on(self) -> dict[str, object]:
        if self.scorer.engine == "align":
            return {"engine": "align", "vectors": self._aligner.label}
        return {"engine": "cosine", "encoder": self._embeddings.label}

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        if self.scorer.engine == "align":
            return self._aligner.score_indexed(**pairs, jobs=jobs, progress=self.progress)
        candidates, references = pairs["candidates"], pairs["references"]
        a = self._rows(candidates)[pairs["candidate_index"]]
        b = self._rows(references)[pairs["reference_index"]]
        rows = self._embeddings.vectors
        out = np.empty(len(a))
        for block in rows.blocks(len(a), (len(candidates) + len(references)) / max(len(a), 1)):
            vectors = rows.view()
            _native.dot_indexed(vectors, vectors, a[block], b[block], out[block], threads=jobs)
        return np.clip(out, -1.0, 1.0)

    def _matrix(self, candidates: list[str], references: list[str], jobs: int) -> FloatArray:
        """Sentence vectors: one matrix product instead of many dot products."""
        if self.scorer.engine == "align":
            return super()._matrix(candidates, references, jobs)
        a, b = self._rows(candidates), self._rows(references)
        vectors = self._embeddings.vectors.view()
        product: FloatArray = (vectors[a] @ vectors[b].T).astype(np.float64)
        product[[not self.has_words(text) for text in candidates]] = 0.0
        product[:, [not self.has_words(text) for text in references]] = 0.0
        return np.clip(product, -1.0, 1.0, out=product)

    def _rows(self, sentences: Sequence[str]) -> IntArray:
        return self._embeddings.rows(well_formed(sentences), self.progress)

    @cached_property
    def _embeddings(self) -> Embeddings:
        return embeddings(
            self.scorer.model, self.device, cache=self.scorer.cache, precision=self.scorer.precision
        )

    @cached_property
    def _aligner(self) -> Aligner:
        return Aligner(self.scorer.vectors, self.scorer.model, self.device)


@measure(
    Named(
        "sts",
        "do candidate and reference mean the same? cosine of sentence vectors, or words aligned"
        " (engine=align)",
    ),
    papers=("reimers2019", "han2013"),
)
@dataclass(frozen=True)
class Sts(PairScorer):
    model: str = option(
        "",
        "a checkpoint, an added model (mpnet), several (minilm+mpnet), or multilingual; empty: the"
        " packaged one",
    )
    cache: bool = option(True, "whether sentence vectors are kept on this machine")
    engine: Literal["cosine", "align"] = option("cosine", "sentence vectors, or words aligned with penalties")
    vectors: str = option("", "a text file of word vectors for engine=align")
    precision: Precision = option("fp32", "of the encoder's products; bf16 is faster, and within .01 of fp32")

    _model = StsModel

    @property
    def traits(self) -> Traits:
        return MODEL_TRAITS._replace(
            symmetric=True,
            range=(-1.0, 1.0),
            over_references="mean",
            english=not self.model and not self.vectors,
            trained_on=TrainingData(NOT_STATED) if self.vectors else training_of_encoder(self.model),
        )

    def _check_options(self) -> None:
        if self.precision != "fp32" and (self.model == MULTILINGUAL or self.engine == "align"):
            raise UsageError(
                f"precision={self.precision} is for encoders of sentences that torch runs: not for"
                " engine=align, nor for the multilingual one.",
                hint="Write sts(precision=bf16), or leave the precision out.",
            )
        if self.model == MULTILINGUAL and self.engine == "align":
            raise UsageError(
                "The multilingual encoder gives vectors of sentences, not of words.",
                hint="Write sts(model=multilingual), or give word vectors: sts(engine=align,vectors=FILE).",
            )
        if self.vectors and (self.engine == "cosine" or self.model):
            raise UsageError(
                "vectors= gives sts its word vectors: it needs engine=align, and no model.",
                hint="Write sts(engine=align,vectors=FILE).",
            )

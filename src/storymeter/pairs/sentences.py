"""What a run knows of sentences: each text is tokenised once, each pair of sentences scored once.

`Sentences` numbers them; `texts_of` gives the texts of whole documents, `ngrams_of` the same for the n-gram
kernels: each distinct sentence is analysed once, items point at it by number.

`PairTable` keeps what a scorer said of two numbered sentences. Metrics that want the same pairs, and systems
that repeat each other's sentences, find them there. A pair is (hypothesis, reference) as the scorer sees it;
which side of the data is the hypothesis is the caller's choice, and so both orientations may live in one
table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import FloatArray, IntArray
from ..context import Context
from ..join import Task
from ..options import Tokenizer
from ..progress import Progress, silent
from ..text.ptb import may_read_on, tokenize_batch
from ..text.script import well_formed
from ..text.tokenizers import ascii_only, tokenize
from .model import PLAIN_COLUMNS, PairModel, tokenized_by
from .scorer import PairScorer, open_scorer

#: of sentences in an index of n-grams
Numbers = NDArray[np.uint32]
#: about so many pairs are scored between two reports of progress
CHUNK = 1_000_000


class Sentences:
    """Numbers for sentences; two texts with the same tokens share one."""

    def __init__(self, context: Context, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.strip = context.protocol.ascii == "strip"
        self.texts: list[str] = []
        self._of_raw: dict[str, int] = {}
        self._of_tokens: dict[str, int] = {}

    def numbers(self, raw: Sequence[str]) -> IntArray:
        new = [text for text in dict.fromkeys(raw) if text not in self._of_raw]
        clean = [ascii_only(text) for text in new] if self.strip else new
        for text, tokens in zip(new, tokenize(clean, self.tokenizer), strict=True):
            self._of_raw[text] = self._number(tokens)
        return np.fromiter(map(self._of_raw.__getitem__, raw), dtype=np.int64, count=len(raw))

    def tokens(self, raw: Sequence[str]) -> list[str]:
        """The tokens of each text, joined by blanks."""
        return [self.texts[k] for k in self.numbers(raw).tolist()]

    def run_on(self, raw: Sequence[str]) -> list[int]:
        """Which of these texts end in such a way that the tokeniser of the public scripts reads on in the
        line that follows (`... with a capital T.`)."""
        return may_read_on(raw) if self.tokenizer == "ptb" else []

    def number_before(self, raw: str, following: Sequence[str]) -> int:
        """The number of a text that the scripts' tokeniser reads right before others, the last of which no
        line end follows.
        """
        lines = [ascii_only(line) if self.strip else line for line in (raw, *following)]
        there = next((k for k, line in enumerate(lines) if k and line.strip()), len(lines) - 1)
        more = [""] if there + 1 < len(lines) else []  # beyond the next words only the line end matters
        return self._number(tokenize_batch([*lines[: there + 1], *more], punctuation=False)[0])

    def _number(self, tokens: str) -> int:
        number = self._of_tokens.setdefault(tokens, len(self.texts))
        if number == len(self.texts):
            self.texts.append(tokens)
        return number


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of each document of a task, of each of its references, and of the references of documents that
    are not scored.
    """

    candidates: list[str]
    references: list[list[str]]
    unscored: list[list[str]]


def sentences_of(context: Context, tokenizer: Tokenizer | None = None) -> Sentences:
    """The sentences of the run, split by its tokenizer or by another."""
    return context.per_run(Sentences, tokenizer or context.tokenizer)


def sentences_for(context: Context, scorer: PairScorer) -> Sentences:
    """The sentences of the run as a scorer reads them."""
    return sentences_of(context, tokenized_by(scorer, context.tokenizer))


def texts_of(context: Context, task: Task, tokenizer: Tokenizer | None = None) -> Texts:
    """What metrics of whole documents compare: the captions of a document joined by a blank, split by the
    run's tokenizer or by another.

    context, task: what a metric is given to score.
    tokenizer: default: that of the run.
    """
    return context.per_task(_texts, task, tokenizer or context.tokenizer)


def _texts(context: Context, task: Task, tokenizer: Tokenizer) -> Texts:
    documents = [document.text for document in task.candidates]
    groups = [*task.references, *task.unscored]
    alternatives = [document.text for group in groups for document in group]
    tokens = sentences_of(context, tokenizer).tokens([*documents, *alternatives])
    rest = iter(tokens[len(documents) :])
    against = [[next(rest) for _ in group] for group in groups]
    return Texts(tokens[: len(documents)], against[: len(documents)], against[len(documents) :])


class NgramBatch:
    """Items for the kernels: `candidates[i]` against `references[bounds[i]:bounds[i+1]]`, numbers of an
    index.
    """

    def __init__(self, index: Any, candidates: Numbers, references: Numbers, bounds: IntArray) -> None:
        self.index, self.candidates, self.references, self.bounds = index, candidates, references, bounds
        #: the texts of the items, where they came in groups
        self.texts: tuple[Sequence[str], Sequence[Sequence[str]]] = ((), ())
        #: references and bounds of all items, also of those without a candidate: what an idf is counted over
        self.corpus: tuple[Numbers, IntArray] = references, bounds
        self._bleu: FloatArray | None = None

    @classmethod
    def of_groups(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[Sequence[str]],
        unscored: Sequence[Sequence[str]] = (),
        orders: int = 4,
        base: Any = None,
    ) -> NgramBatch:
        """One candidate per item, with its own references; `unscored` are references of items that have no
        candidate here.
        """
        every = [*references, *unscored]
        index, ids = analyse([*candidates, *chain.from_iterable(every)], orders=orders, base=base)
        bounds, against = bounds_of(every), ids[len(candidates) :]
        size = bounds[len(references)]
        batch = cls(index, ids[: len(candidates)], against[:size], bounds[: len(references) + 1])
        batch.corpus = against, bounds
        batch.texts = candidates, references
        return batch

    @classmethod
    def of_index(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        orders: int = 4,
        base: Any = None,
    ) -> NgramBatch:
        """One pair per item, picked from two lists of distinct sentences."""
        index, ids = analyse([*candidates, *references], orders=orders, base=base)
        ours, theirs = ids[: len(candidates)], ids[len(candidates) :]
        bounds = np.arange(len(candidate_index) + 1, dtype=np.int64)
        return cls(index, ours[candidate_index], theirs[reference_index], bounds)

    def arguments(self) -> tuple[Any, Numbers, Numbers, IntArray]:
        return self.index, self.candidates, self.references, self.bounds

    def bleu(self, jobs: int) -> FloatArray:
        """(items, columns): the statistics of BLEU-4, counted once."""
        if self._bleu is None:
            self._bleu = _native.bleu_statistics(*self.arguments(), threads=jobs)
        return self._bleu


def analyse(lines: Sequence[str], *, orders: int = 4, base: Any = None) -> tuple[Any, Numbers]:
    """An index of these tokenised lines, and the number of each line in it."""
    index = _native.NgramIndex.of(well_formed(lines), orders=orders, base=base)
    return index, index.ids()


def bounds_of(groups: Iterable[Sized]) -> IntArray:
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)


def ngrams_of(context: Context, task: Task, tokenizer: Tokenizer | None = None) -> NgramBatch:
    """The texts of a task for the n-gram kernels."""
    return context.per_task(_ngrams_of, task, tokenizer or context.tokenizer)


def _ngrams_of(context: Context, task: Task, tokenizer: Tokenizer) -> NgramBatch:
    texts = texts_of(context, task, tokenizer)
    return NgramBatch.of_groups(
        candidates=texts.candidates, references=texts.references, unscored=texts.unscored
    )


class PairTable:
    """What `model` says of pairs of `sentences`: a value each, and its additive statistics where it has its
    own.
    """

    def __init__(self, model: PairModel, sentences: Sentences) -> None:
        self.model = model
        self.traits = model.scorer.traits
        self.sentences = sentences
        self._index = _native.PairIndex()
        self._additive = self.traits.pair_columns != PLAIN_COLUMNS
        self._values: FloatArray = np.empty(0)
        self._statistics: NDArray[Any] = np.zeros((0, len(self.traits.pair_columns)), np.uint16)

    def __len__(self) -> int:
        """How many distinct pairs have been scored."""
        return len(self._index)

    def values(
        self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1, progress: Progress = silent
    ) -> FloatArray:
        """Value k compares sentence `hypotheses[k]` with sentence `references[k]`."""
        slots = self._slots(hypotheses, references, jobs, progress)
        return self._values[slots]

    def statistics(
        self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1, progress: Progress = silent
    ) -> NDArray[Any]:
        """(pairs, columns): what the scorer sums over pairs (`PairModel.statistics_indexed`), in a small
        number type.
        """
        slots = self._slots(hypotheses, references, jobs, progress)
        if not self._additive:
            values = self._values[slots]
            there = ~np.isnan(values)  # a judge may have no verdict: neither a value nor a pair
            return np.column_stack([np.where(there, values, 0.0), there])
        return self._statistics[slots]

    def bounds(self, hypotheses: IntArray, references: IntArray, *, jobs: int = 1) -> FloatArray | None:
        """What `values` cannot exceed, where the scorer has a quick way to say so."""
        self.model.prepare()
        return self.model.bounds_indexed(**self._pairs(hypotheses, references), jobs=jobs)

    def _slots(self, hypotheses: IntArray, references: IntArray, jobs: int, progress: Progress) -> IntArray:
        """Where the pairs stand in the table; those that are new are scored first."""
        if self.traits.symmetric and not self._additive:  # the statistics of (b, a) are others
            hypotheses, references = np.minimum(hypotheses, references), np.maximum(hypotheses, references)
        slots: IntArray = self._index.add(
            (hypotheses.astype(np.uint64) << np.uint64(32)) | references.astype(np.uint64)
        )
        keys = self._index.keys(len(self._values))  # also those that an interrupted call left unscored
        if len(keys):
            self._score(keys, jobs, progress)
        return slots

    def _score(self, keys: NDArray[np.uint64], jobs: int, progress: Progress) -> None:
        what = f"scoring pairs ({self.model.name})"
        self.model.prepare()
        # a scorer that several threads may call gets a chunk per thread, so that what surrounds its kernel
        # runs on all of them too
        workers = jobs if self.traits.threads and len(keys) > 10_000 else 1
        size = -(-len(keys) // (workers * max(1, round(len(keys) / CHUNK / workers))))
        chunks = [keys[begin : begin + size] for begin in range(0, len(keys), size)]
        values, statistics, done = [self._values], [self._statistics], 0
        progress(what, 0, len(keys))
        with ThreadPoolExecutor(workers) as pool:
            try:
                for chunk, (fresh, counts) in zip(
                    chunks, pool.map(lambda chunk: self._chunk(chunk, jobs // workers), chunks), strict=True
                ):
                    values.append(fresh)
                    statistics.append(counts)
                    done += len(chunk)
                    progress(what, done, len(keys))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        self._statistics = np.concatenate(statistics)
        self._values = np.concatenate(values)

    def _chunk(self, keys: NDArray[np.uint64], jobs: int) -> tuple[FloatArray, NDArray[Any]]:
        """Values and, where the scorer has them, statistics."""
        pairs = self._pairs(
            (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        )
        if not self._additive:
            return self.model.values_indexed(**pairs, jobs=jobs), self._statistics
        values, statistics = self.model.stored_indexed(**pairs, jobs=jobs)
        return values, _small(statistics)

    def _pairs(self, hypotheses: IntArray, references: IntArray) -> dict[str, Any]:
        ours, candidate_index = self._used(hypotheses)
        theirs, reference_index = self._used(references)
        indices = {"candidate_index": candidate_index, "reference_index": reference_index}
        return {"candidates": ours, "references": theirs, **indices}

    def _used(self, numbers: IntArray) -> tuple[list[str], IntArray]:
        """The sentences that occur, and `numbers` as indices into them."""
        there = np.zeros(len(self.sentences.texts), dtype=bool)
        there[numbers] = True
        used = np.flatnonzero(there)
        return [self.sentences.texts[k] for k in used], (np.cumsum(there) - 1)[numbers]


def _small(statistics: NDArray[Any]) -> NDArray[Any]:
    """Counts in two bytes each where they fit."""
    if statistics.dtype == np.uint16:
        return statistics
    short = np.empty(statistics.shape, dtype=np.uint16)
    for begin in range(0, len(short), 8192):  # block by block: what the processor's cache holds
        block = statistics[begin : begin + 8192]
        short[begin : begin + 8192] = block
        if not np.array_equal(short[begin : begin + 8192], block):
            return statistics
    return short


def pair_table(context: Context, scorer: PairScorer, fitted_on: tuple[str, ...] = ()) -> PairTable:
    """The run's table of a scorer; one that is fitted has a table per corpus it was fitted to, each sentence
    an item.
    """
    return context.per_run(_pair_table, scorer, fitted_on)


def _pair_table(context: Context, scorer: PairScorer, fitted_on: tuple[str, ...]) -> PairTable:
    own = open_scorer(context, scorer)
    fitted = own.fit([[text] for text in fitted_on]) if fitted_on else own
    return PairTable(fitted, sentences_for(context, scorer))

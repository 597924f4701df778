"""The PairScorer seam: how alike are two sentences?

A scorer is a value: its options never change, and `fit` gives another scorer that has learnt from references.
Its properties are declared (`symmetric`, `range`, `raw_text`, `learns`, `pair_columns`, `fits_per_video`),
never guessed. Everything is built on one call: distinct sentences in two lists, and two index arrays that say
which pairs are wanted (`score_indexed`). `pairs`, `matrix`, `statistics` and `aggregate` check what they are
given and are made from it. Roles are keyword-only everywhere, because swapping them gives another number:
METEOR weighs recall.

A scorer is also a metric of whole documents: the text of each (its captions joined by a blank) against its
references' texts.
"""

from __future__ import annotations

import copy
import importlib
from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict, TypeVar

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import UsageError
from ..metrics import Metric
from ..options import ScorerTokenizer, Tokenizer
from ..progress import Progress, silent
from .arguments import check_groups, check_jobs, read_sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from ..context import Context
    from ..join import Task
    from ..scores import Rows, Signature

Self = TypeVar("Self", bound="PairScorer")
#: what the option `tokenizer` of a scorer says
TOKENIZER_OPTION = "how sentences become words; run: as the run does, and ptb in a call of the scorer alone"
#: the statistics of a pair whose value is simply averaged
PLAIN_COLUMNS = ("value", "pairs")
_SIDES: tuple[Literal["candidates"], Literal["references"]] = ("candidates", "references")


class IndexedPairs(TypedDict):
    """Pair k is `candidates[candidate_index[k]]` and `references[reference_index[k]]`."""

    candidates: Sequence[str]
    references: Sequence[str]
    candidate_index: IntArray
    reference_index: IntArray


class PairGroups(TypedDict):
    """Pairs of `sentences` in groups: group g owns the pairs pair_bounds[g]:pair_bounds[g+1] and learns from
    the references item_index[item_bounds[g]:item_bounds[g+1]]."""

    sentences: Sequence[str]
    candidate_index: IntArray
    reference_index: IntArray
    pair_bounds: IntArray
    item_index: IntArray
    item_bounds: IntArray


class PairScorer(Metric):
    """Scores pairs of sentences, and documents by their texts; see the module."""

    #: f(a, b) == f(b, a)
    symmetric: ClassVar[bool] = False
    #: smallest and largest value a pair can get
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    #: whether several threads may call it at once
    threads: ClassVar[bool] = False
    #: whether numbers depend on what `fit` has seen
    learns: ClassVar[bool] = False
    #: whether a pair may have no value (NaN): a judge's verdict that cannot be read
    may_be_missing: ClassVar[bool] = False
    #: whether it is made for English alone; captions in another language are warned of
    english: ClassVar[bool] = False
    #: whether the value of a pair depends on the pairs beside it: it is scored by `score_groups` then
    fits_per_video: ClassVar[bool] = False
    #: whether a sentence without words matches nothing, so that its pairs are 0 and never scored
    needs_words: ClassVar[bool] = True
    #: how several references of one candidate become one value, where the measure has no rule of its own
    over_references: ClassVar[Literal["max", "mean"]] = "max"

    #: where a model runs and who hears of its progress; `bind` sets them
    _device = "cpu"
    _progress: Progress = staticmethod(silent)
    #: who cuts sentences into words (`tokenized_by`); the scorers that count words have it as an option
    tokenizer: ScorerTokenizer
    #: whether sentences come as tokens: those of a run do
    _tokenised = False

    @classmethod
    def _from_text(cls, text: str) -> PairScorer:
        found: PairScorer = importlib.import_module("storymeter.registry").scorer(text)
        return found

    @property
    def device(self) -> str:
        """Where a model of this scorer runs: the device of the run."""
        return self._device

    @property
    def raw_text(self) -> bool:
        """Whether it reads sentences as they were written: a language model has a tokeniser of its own."""
        return getattr(self, "tokenizer", "run") != "run"

    def tokenized_by(self, outer: Tokenizer) -> Tokenizer:
        """Who cuts its sentences into words, wherever it stands: its own tokenizer where it has one, else the
        one of what is around it; nobody (`none`) where it reads text as it was written.
        """
        own = self._own_tokenizer
        return outer if own == "run" else own

    @property
    def _own_tokenizer(self) -> ScorerTokenizer:
        return getattr(self, "tokenizer", "none" if self.raw_text else "run")

    def for_tokens(self: Self) -> Self:
        """The same scorer for sentences that were cut into tokens already, as those of a run are."""
        return self._with(_tokenised=True)

    @property
    def pair_columns(self) -> tuple[str, ...]:
        """The additive statistics of a pair. Measures whose corpus value is no mean (BLEU, METEOR) have
        others.
        """
        return PLAIN_COLUMNS

    def bind(self: Self, *, device: str = "cpu", progress: Progress = silent) -> Self:
        """The same scorer, whose model runs on `device` and which reports its progress."""
        return self._with(_device=device, _progress=progress)

    def _with(self: Self, **hidden: object) -> Self:
        """The same scorer on its device, with these values of attributes that are no options."""
        bound = copy.copy(self)  # of its options alone: see `Options.__getstate__`
        kept = {"_device": self._device, "_progress": self._progress, "_tokenised": self._tokenised}
        bound.__dict__.update({**kept, **hidden})
        return bound

    def within(self: Self, context: Context) -> Self:
        """The same scorer with whatever else of a run it needs: a judge its budget. Most need nothing."""
        return self

    def fit(self: Self, references: Sequence[Sequence[str]]) -> Self:
        """The scorer after learning from the whole reference corpus, one list per item (idf). Most learn
        nothing.
        """
        return self

    def prepare(self) -> None:
        """Do now what the first score would have to wait for (compile tables, load a model). Most need
        nothing.
        """

    def depends_on(self) -> dict[str, object]:
        """What else the numbers depend on, for the signature: the hash of a model's weights, say."""
        return {}

    @abstractmethod
    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        """Value k compares `candidates[candidate_index[k]]` with `references[reference_index[k]]`. Each
        sentence of the two lists is analysed once, whatever the number of pairs."""

    def has_words(self, text: str) -> bool:
        """Whether a sentence, as the scorer reads it, holds any word."""
        return bool(text) and not text.isspace()

    def values_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """`score_indexed`, and 0 for a pair one of whose sentences has no words: it matches nothing."""
        if not self.needs_words:
            return self.score_indexed(jobs=jobs, **pairs)
        ours, theirs = (
            np.fromiter(map(self.has_words, pairs[side]), dtype=bool, count=len(pairs[side]))
            for side in _SIDES
        )
        if ours.all() and theirs.all():
            return self.score_indexed(jobs=jobs, **pairs)
        keep = np.flatnonzero(ours[pairs["candidate_index"]] & theirs[pairs["reference_index"]])
        out = np.zeros(len(pairs["candidate_index"]))
        if len(keep):
            chosen: IndexedPairs = {
                **pairs,
                "candidate_index": pairs["candidate_index"][keep],
                "reference_index": pairs["reference_index"][keep],
            }
            out[keep] = self.checked_values(self.score_indexed(jobs=jobs, **chosen), len(keep))
        return out

    def statistics_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """(pairs, pair_columns): what may be summed over pairs and then given to `value_of`."""
        values = self._checked_values(jobs, **pairs)
        return np.column_stack([values, np.ones(len(values))])

    def stored_indexed(
        self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]
    ) -> tuple[FloatArray, NDArray[Any]]:
        """Value and additive statistics of each pair, the latter in any number type that holds them."""
        rows = self.statistics_indexed(jobs=jobs, **pairs)
        return self.value_of(rows), rows

    def bounds_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray | None:
        """What the values of `score_indexed` cannot exceed, found much quicker; None where there is no such
        way.
        """
        return None

    def value_of(self, sums: FloatArray) -> FloatArray:
        """Summed statistics, shape (..., pair_columns), to values of shape (...)."""
        return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))

    def score_groups(self, *, jobs: int = 1, **groups: Unpack[PairGroups]) -> FloatArray:
        """Pairs in groups, each scored by what the scorer learns from that group alone."""
        sentences = groups["sentences"]
        bounds, of_items = groups["pair_bounds"], groups["item_bounds"]
        out = np.zeros(len(groups["candidate_index"]))
        for g in range(len(bounds) - 1):
            at = slice(bounds[g], bounds[g + 1])
            if at.start < at.stop:
                items = groups["item_index"][of_items[g] : of_items[g + 1]]
                out[at] = self.fit([[sentences[k]] for k in items.tolist()]).score_indexed(
                    candidates=[sentences[k] for k in groups["candidate_index"][at].tolist()],
                    references=[sentences[k] for k in groups["reference_index"][at].tolist()],
                    candidate_index=np.arange(at.stop - at.start),
                    reference_index=np.arange(at.stop - at.start),
                    jobs=jobs,
                )
            if g % 256 == 0:
                self._progress(f"scoring videos ({self.name})", g, len(bounds) - 1)
        return out

    # What is called from outside: arguments are checked and tokenised here, the same for all scorers.

    def matrix(self, *, candidates: Sequence[str], references: Sequence[str], jobs: int = 1) -> FloatArray:
        """(candidates, references): every sentence against every other."""
        ours, theirs = self._read(candidates, "candidates"), self._read(references, "references")
        return self._matrix(ours, theirs, check_jobs(jobs))

    def pairs(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """One value per candidate, which has one or more references; 0 where it has none."""
        return self._pairs(*self._read_groups(candidates, references), check_jobs(jobs))

    def statistics(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """(candidates, pair_columns): the additive statistics of candidates with one or more references
        each.
        """
        return self._statistics(*self._read_groups(candidates, references), check_jobs(jobs))

    def aggregate(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> float:
        """The value of the whole list as one corpus."""
        rows = self.statistics(candidates=candidates, references=references, jobs=jobs)
        return float(self.value_of(rows.sum(axis=0)))

    # What a scorer with rules of its own overrides; sentences have been checked and tokenised.

    def _checked_values(self, jobs: int, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """What `values_indexed` gives, which may be of somebody's own and give anything."""
        return self.checked_values(self.values_indexed(jobs=jobs, **pairs), len(pairs["candidate_index"]))

    def checked_values(self, values: FloatArray, wanted: int) -> FloatArray:
        """One real number for each of so many pairs; a foreign scorer's within its range."""
        values = self._numbers(values)
        if values.shape != (wanted,):
            raise UsageError(
                f"{self._gave()} values of shape {values.shape} for {wanted:,} pairs.",
                hint="score_indexed gives one number per pair.",
            )
        if not self.own:
            from ..plugins import check_range

            check_range(self, values)
        return values

    def _matrix(self, candidates: list[str], references: list[str], jobs: int) -> FloatArray:
        shape = (len(candidates), len(references))
        c, r = np.indices(shape).reshape(2, -1)
        values = self._checked_values(
            jobs,
            candidates=candidates,
            references=references,
            candidate_index=c.astype(np.int64),
            reference_index=r.astype(np.int64),
        )
        return values.reshape(shape)

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        flat = list(chain.from_iterable(references))
        sizes = np.array([len(group) for group in references], dtype=np.int64)
        values = self._checked_values(
            jobs,
            candidates=candidates,
            references=flat,
            candidate_index=np.repeat(np.arange(len(candidates), dtype=np.int64), sizes),
            reference_index=np.arange(len(flat), dtype=np.int64),
        )
        out = np.zeros(len(candidates))
        filled = np.flatnonzero(sizes)
        starts = (np.cumsum(sizes) - sizes)[filled]
        out[filled] = (
            np.maximum.reduceat(values, starts)
            if self.over_references == "max"
            else np.add.reduceat(values, starts) / sizes[filled]
        )
        return out

    def _statistics(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        values = self._pairs(candidates, references, jobs)
        return np.column_stack([values, np.ones(len(values))])

    # As a metric of whole documents.

    def unshardable_reason(self) -> str:
        if hasattr(self, "needs_whole"):  # see Metric
            return super().unshardable_reason()
        if self.learns:
            return "it is fitted to the references of all documents"
        return "pairs are scored in batches across documents" if getattr(self, "batch", 0) else ""

    @property
    def columns(self) -> tuple[str, ...]:
        return ("value", "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        from .sentences import texts_of  # late: one score of sentence pairs needs no documents

        texts = texts_of(context, task, self.tokenized_by(context.tokenizer))
        scorer = open_scorer(context, self).fit([*texts.references, *texts.unscored])
        return scorer.statistics(candidates=texts.candidates, references=texts.references, jobs=context.jobs)

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": self.value_of(sums)}

    def signature(self, context: Context) -> Signature:
        tok = self.tokenized_by(context.tokenizer)
        return super().signature(context).add(tok=tok, **open_scorer(context, self).signature_fields())

    def signature_fields(self) -> dict[str, object]:
        """What the signature of the metric of documents says beside its name."""
        return {"references": self.over_references, **self.depends_on()}

    def _read(self, sentences: Sequence[str], role: str, *, warn: bool = True) -> list[str]:
        """Sentences given in Python, checked and tokenised as the metric of documents does."""
        tokenizer = "none" if self._tokenised else self._own_tokenizer
        return read_sentences(sentences, role, tokenizer, self.name if warn else "")

    def _read_groups(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[list[str]]]:
        check_groups(candidates, references)
        flat = iter(self._read(list(chain.from_iterable(references)), "references"))
        groups = [list(islice(flat, len(group))) for group in references]
        return self._read(candidates, "candidates"), groups


def open_scorer(context: Context, scorer: Self) -> Self:
    """The run's own copy of a scorer, on its device, with what it has read so far."""
    found: Self = context.per_run(_bound_copy, scorer)
    return found


def _bound_copy(context: Context, scorer: Self) -> Self:
    bound = scorer.bind(device=context.device, progress=context.progress)
    return bound.for_tokens().within(context)


class ModelScorer(PairScorer):
    """A scorer by a model or another program: it reads sentences as they were written, and takes its time."""

    raw_text: ClassVar[bool] = True
    slow: ClassVar[bool] = True
    uses_device: ClassVar[bool] = True

    def has_words(self, text: str) -> bool:
        from ..text.tokenizers import has_words

        return has_words(text)

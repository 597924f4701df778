"""`PairModel`: a scorer at work. Options are on the scorer (`storymeter.pairs.scorer`); all that changes is
here: where a model runs, who gets its progress, what was read, which references it was fitted to.

It is given pairs of sentences by index (`IndexedPairs`), or sentences from Python, which are checked and
split into tokens as `storymeter score` does."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import numpy as np

from .. import _native
from ..arrays import AnyArray, FloatArray, IntArray
from ..errors import StorymeterWarning, UsageError, many
from ..options import ScorerTokenizer, Tokenizer
from ..progress import Progress, silent

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

    from ..context import Settings
else:  # for type checkers alone; `typing` has it from Python 3.11 on
    Unpack = dict

Self = TypeVar("Self", bound="PairModel")
#: the first scorer in a program that tokenised raw sentences: the one that says so
_WARNED: list[str] = []
#: the statistics of a pair whose value is simply averaged
PLAIN_COLUMNS = ("value", "pairs")


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


def read_sentences(
    sentences: Sequence[str], role: str, tokenizer: ScorerTokenizer, warn: str = ""
) -> list[str]:
    """A list of strings, tokenised; `run` is the tokenizer of a run without options. `warn` names the scorer
    in the warning that raw sentences are tokenised."""
    _check_listed(sentences, role)
    listed = list(sentences)
    if set(map(type, listed)) - {str}:
        wrong = next((k for k, each in enumerate(listed) if not isinstance(each, str)), None)
        if wrong is not None:
            what = type(listed[wrong]).__name__
            raise UsageError(f"{role}[{wrong}] is a {what}, not a string.", hint="Sentences are strings.")
    if tokenizer == "none":
        return listed
    tokens = _tokenised(listed, "ptb" if tokenizer == "run" else tokenizer)
    if tokenizer == "run" and warn and tokens != listed and not _WARNED:
        # until version 0.1 these calls took sentences for tokens, and gave another number
        _WARNED.append(warn)
        warnings.warn(
            f"{warn}: sentences given to pairs(), matrix(), statistics(), aggregate() and fit() are tokenised"
            " now (ptb), as `storymeter score` does; earlier versions took them as they were, so that this"
            " number has changed. For text that is tokenised already write tokenizer='none'.",
            StorymeterWarning,
            stacklevel=6,
        )
    return tokens


def check_groups(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """One list of references per candidate."""
    _check_listed(candidates, "candidates")
    if isinstance(references, str) or str in set(map(type, references)):
        where = next((k for k, group in enumerate(references) if isinstance(group, str)), 0)
        raise UsageError(
            f"The references of candidate {where} are a string, not a list of strings.",
            hint="Write references=[[first, second], …]: one list per candidate.",
        )
    if len(candidates) != len(references):
        raise UsageError(
            f"{many(len(candidates), 'candidate')}, but {many(len(references), 'list')} of references.",
            hint="Give one list of references per candidate.",
        )


def _check_listed(sentences: object, role: str) -> None:
    if isinstance(sentences, str):
        raise UsageError(f"{role} are one string, not a list of strings.", hint=f"Write {role}=[text, …].")


def check_jobs(jobs: int) -> int:
    if not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"jobs cannot be {jobs!r}.", hint="It is the number of threads, from 1.")
    return jobs


def _tokenised(lines: list[str], tokenizer: Tokenizer) -> list[str]:
    """`text.tokenizers.tokenize`; ptb without that module, unless a line holds a lone surrogate."""
    if tokenizer == "ptb":
        distinct = list(dict.fromkeys(lines))
        with suppress(UnicodeEncodeError, RuntimeError):
            tokens = _native.ptb_tokenize(distinct, False, os.cpu_count() or 1, True) if distinct else []
            found = dict(zip(distinct, tokens, strict=True))
            return [found[line] for line in lines]
    from ..text.tokenizers import tokenize

    return tokenize(lines, tokenizer)


def own_tokenizer(scorer: Any) -> ScorerTokenizer:
    """The tokenizer of its options; `none` where it reads text as it was written, else `run`."""
    if hasattr(type(scorer), "tokenizer"):
        found: ScorerTokenizer = scorer.tokenizer
        return found
    return "none" if scorer.traits.raw_text else "run"


def tokenized_by(scorer: Any, outer: Tokenizer) -> Tokenizer:
    """Who cuts its sentences into words, wherever it stands: its own tokenizer where it has one, else the one
    of what is around it; nobody (`none`) where it reads text as it was written."""
    own = own_tokenizer(scorer)
    return outer if own == "run" else own


def value_of(scorer: Any, sums: FloatArray) -> FloatArray:
    """Summed statistics, shape (..., pair_columns), to values of shape (...)."""
    if hasattr(type(scorer), "value_of"):
        from ..plugins import checked_values

        return checked_values(scorer, type(scorer).value_of(scorer, sums), sums)
    if hasattr(type(scorer), "_value_of"):
        ours: FloatArray = scorer._value_of(sums)
        return ours
    return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0))


class PairModel(ABC):
    """A scorer at work: it knows where its model runs, and keeps what it has read and was fitted to.

    A subclass defines `score_indexed`; the methods below it are overridden where a measure has rules of its
    own. `pairs`, `matrix`, `statistics` and `aggregate` check what they are given and tokenise it.
    """

    #: where its model runs
    device: str = "cpu"

    def __init__(self, scorer: Any, settings: Settings | None = None, *, tokenised: bool = False) -> None:
        self.scorer = scorer
        self.name = str(scorer.name)
        self.settings = settings
        self.tokenised = tokenised
        self.progress: Progress = silent
        if settings is not None:
            self.device, self.progress = settings.device, settings.progress
        self._learnt: Sequence[Sequence[str]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process opens its model again, and is fitted to the same references."""
        return _reopened, (self.scorer, self.settings, self.tokenised, self._learnt)

    # What a measure defines.

    @abstractmethod
    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """Value k compares `candidates[candidate_index[k]]` with `references[reference_index[k]]`. Each
        sentence of the two lists is analysed once, whatever the number of pairs."""

    def fit(self: Self, references: Sequence[Sequence[str]]) -> Self:
        """A model that has learnt from these references, one list per item; most learn nothing."""
        return self

    def prepare(self) -> None:  # noqa: B027  # most need nothing
        """Do now what the first score would have to wait for (compile tables, load a model)."""

    def depends_on(self) -> dict[str, object]:
        """What else the numbers depend on, for the signature: the hash of a model's weights, say."""
        return {}

    def has_words(self, text: str) -> bool:
        """Whether a sentence, as the scorer reads it, holds any word."""
        if not self.scorer.traits.raw_text:
            return bool(text) and not text.isspace()
        from ..text.tokenizers import has_words

        return has_words(text)

    def statistics_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """(pairs, pair_columns): what may be summed over pairs and then given to `value_of`."""
        values = self.values_indexed(jobs=jobs, **pairs)
        return np.column_stack([values, np.ones(len(values))])

    def stored_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> tuple[FloatArray, AnyArray]:
        """Value and additive statistics of each pair, the latter in any number type that holds them."""
        from ..plugins import checked_statistics

        values = self.values_indexed(jobs=jobs, **pairs)
        rows = self.statistics_indexed(jobs=jobs, **pairs)
        return values, checked_statistics(self.scorer, rows, len(values))

    def bounds_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray | None:
        """What the values of `score_indexed` cannot exceed, found much quicker; None where nobody knows."""
        return None

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
                self.progress(f"scoring videos ({self.name})", g, len(bounds) - 1)
        return out

    def _matrix(self, candidates: list[str], references: list[str], jobs: int) -> FloatArray:
        shape = (len(candidates), len(references))
        c, r = np.indices(shape).reshape(2, -1)
        values = self.values_indexed(
            jobs=jobs,
            candidates=candidates,
            references=references,
            candidate_index=c.astype(np.int64),
            reference_index=r.astype(np.int64),
        )
        return values.reshape(shape)

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        flat = list(chain.from_iterable(references))
        sizes = np.array([len(group) for group in references], dtype=np.int64)
        values = self.values_indexed(
            jobs=jobs,
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
            if self.scorer.traits.over_references == "max"
            else np.add.reduceat(values, starts) / sizes[filled]
        )
        return out

    def _statistics(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        traits = self.scorer.traits
        if traits.pair_columns == PLAIN_COLUMNS:
            values = self._pairs(candidates, references, jobs)
            return np.column_stack([values, np.ones(len(values))])
        if traits.over_references == "mean":
            raise UsageError(
                f"{self.name}: over_references = 'mean' has no meaning for the statistics"
                f" {', '.join(traits.pair_columns)}, which are those of one pair.",
                hint="Write over_references = 'max': the best reference gives the statistics.",
            )
        return np.asarray(
            self._best_rows(partial(self.stored_indexed, jobs=jobs), candidates, references), np.float64
        )

    def _best_rows(
        self,
        compare: Callable[..., tuple[FloatArray, AnyArray]],
        candidates: list[str],
        references: list[list[str]],
    ) -> AnyArray:
        """The statistics of each candidate with the first of its best references, an empty one where it has
        none; `compare` gives values and statistics of pairs."""
        groups = [group or [""] for group in references]
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        owner = np.repeat(np.arange(len(groups), dtype=np.int64), sizes)
        flat = list(chain.from_iterable(groups))
        values, rows = compare(
            candidates=candidates,
            references=flat,
            candidate_index=owner,
            reference_index=np.arange(len(flat), dtype=np.int64),
        )
        values = np.where(np.isnan(values), -np.inf, values)  # of a pair that has no value
        best = np.maximum.reduceat(values, np.cumsum(sizes) - sizes)
        among_best = np.flatnonzero(values == best[owner])
        first = among_best[np.unique(owner[among_best], return_index=True)[1]]
        return rows[first]

    # What is called.

    def values_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """`score_indexed`, checked, and 0 for a pair one of whose sentences has no words: it matches
        nothing."""
        c, r = pairs["candidate_index"], pairs["reference_index"]
        if not self.scorer.traits.needs_words:
            return self._checked(self.score_indexed(jobs=jobs, **pairs), len(c))
        ours = np.array([self.has_words(text) for text in pairs["candidates"]], dtype=bool)
        theirs = np.array([self.has_words(text) for text in pairs["references"]], dtype=bool)
        if ours.all() and theirs.all():
            return self._checked(self.score_indexed(jobs=jobs, **pairs), len(c))
        keep = np.flatnonzero(ours[c] & theirs[r])
        out = np.zeros(len(c))
        if len(keep):
            chosen: IndexedPairs = {**pairs, "candidate_index": c[keep], "reference_index": r[keep]}
            out[keep] = self._checked(self.score_indexed(jobs=jobs, **chosen), len(keep))
        return out

    def _checked(self, values: FloatArray, wanted: int) -> FloatArray:
        """One number for each of so many pairs."""
        if values.shape != (wanted,):
            raise UsageError(
                f"{self._gave()} values of shape {values.shape} for {wanted:,} pairs.",
                hint="score_indexed gives one number per pair.",
            )
        return values

    def _gave(self) -> str:
        return f"{self.name} gave"

    def value_of(self, sums: FloatArray) -> FloatArray:
        """Summed statistics, shape (..., pair_columns), to values of shape (...)."""
        return value_of(self.scorer, sums)

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
        """(candidates, pair_columns): the additive statistics of candidates with one or more references."""
        return self._statistics(*self._read_groups(candidates, references), check_jobs(jobs))

    def aggregate(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> float:
        """The value of the whole list as one corpus: `PairScorer.corpus` gives it with interval and
        signature."""
        rows = self.statistics(candidates=candidates, references=references, jobs=jobs)
        return float(self.value_of(rows.sum(axis=0)))

    def _read(self, sentences: Sequence[str], role: str, *, warn: bool = True) -> list[str]:
        """Sentences given in Python, checked and tokenised as the metric of documents does."""
        tokenizer: ScorerTokenizer = "none" if self.tokenised else own_tokenizer(self.scorer)
        if tokenizer == "run" and self.settings is not None and self.settings.tokenizer != "ptb":
            tokenizer = self.settings.tokenizer
        return read_sentences(sentences, role, tokenizer, self.name if warn else "")

    def _read_groups(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[list[str]]]:
        check_groups(candidates, references)
        flat = iter(self._read(list(chain.from_iterable(references)), "references"))
        groups = [list(islice(flat, len(group))) for group in references]
        return self._read(candidates, "candidates"), groups


def _reopened(
    scorer: Any, settings: Settings | None, tokenised: bool, learnt: Sequence[Sequence[str]] | None
) -> PairModel:
    model: PairModel = scorer.open(settings, tokenised=tokenised)
    return model if learnt is None else model.fit(learnt)

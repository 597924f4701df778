"""METEOR 1.5 for English, without Java: the same 23 statistics and the same double as the original.

    P = matched hypothesis words / hypothesis words, R = matched reference words / reference words,
        words weighted by δ (content) and 1 − δ (function), matches by their module (exact, stem, synonym,
        paraphrase)
    Fmean = 1 / ((1 − α)/P + α/R)
    frag = chunks / mean number of matched words       (0 where both sentences match completely in one chunk)
    score = Fmean · (1 − γ · frag^β)

Denkowski and Lavie, "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT
2014. The parameters of a `task`: `rank` (the default, and what captioning reports), `adq` and `hter`. Visual
storytelling reports `hter` without normalisation; on the same text that is about 35 where captioning's
setting is about 14: never compare the two.

Of several references the first with the best score counts. The corpus score (`aggregate`) is not the mean of
the scores: it is the score of the summed statistics, in which the chunk of a completely matched pair is not
counted.

Choices where the original's pipe would break or the wrapper around it cleans: `|||` is taken out of a
candidate and double blanks become single ones (once, from left to right); `|||` in a reference separates
references; line ends inside a text are white space; a candidate without references is compared with an empty
one. Up to 4,096 words (and 8 million candidate matches) alignments are the original's; beyond, sentences are
aligned in windows of 16 words, the n-th with the n-th along the best path, so that no text takes long.

METEOR's word lists are compiled once into one file that every later start maps into memory (`load`). It lies
in `STORYMETER_CACHE`, by default the user's cache directory (55 MB). Every start checks version, size and a
checksum of all bytes, which takes some milliseconds; a file that fails is made anew by `meteor_compile`. This
module imports little: programs that score by METEOR start with it.

>>> meteor = Meteor()
>>> candidate, reference = "a man is walking down the street", "a man walks down the road"
>>> meteor.pairs(candidates=[candidate], references=[[reference]]).tolist()
[0.424941253014049]
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Literal, NamedTuple, TypeVar, cast, get_args

import numpy as np

from .. import _native
from ..arrays import AnyArray, FloatArray, IntArray
from ..cache import METEOR_DATA as DATA, cache_folder
from ..errors import UsageError
from ..measure import Named, TrainingData, measure
from ..options import UNSPACED, ScorerTokenizer, option
from ..progress import Progress, silent
from .model import IndexedPairs, PairModel, Unpack, tokenized_by
from .scorer import TOKENIZER_OPTION, PairScorer, Traits

Result = TypeVar("Result")
#: texts of up to so many characters have counts that two bytes hold
LONGEST_SMALL = 10_000
#: what may match two words, in the order in which METEOR tries them
Module = Literal["exact", "stem", "synonym", "paraphrase"]
MODULES: tuple[Module, ...] = get_args(Module)


class Span(NamedTuple):
    """Words `start`, `start + 1`, … of a sentence, `length` in all; the first word is number 0."""

    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + self.length


class WordMatch(NamedTuple):
    """A word (or, for paraphrases, a phrase) of either side, and the module of METEOR that matched them."""

    candidate: Span
    reference: Span
    by: Module


@dataclass(frozen=True, slots=True)
class MeteorAlignment:
    """The words of both sides as METEOR saw them (normalised, lower-cased), whether each is a function word,
    and the matches in the order of the candidate. No word is in two matches."""

    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    candidate_function: tuple[bool, ...]
    reference_function: tuple[bool, ...]
    matches: tuple[WordMatch, ...]

    @property
    def chunks(self) -> int:
        """The fewest runs of matches that are adjacent and in the same order on both sides."""
        starts = {(match.candidate.start, match.reference.start) for match in self.matches}
        return sum((match.candidate.end, match.reference.end) not in starts for match in self.matches)


#: the names of the 23 statistics; "test" is the candidate
STATISTICS = (
    "test_length",
    "reference_length",
    "test_function_words",
    "reference_function_words",
    *(
        f"{module}_{side}_{kind}"
        for module in MODULES
        for kind in ("content", "function")
        for side in ("test", "reference")
    ),
    "chunks",
    "test_matches",
    "reference_matches",
)


_loaded: dict[tuple[str, str], _native.MeteorTables] = {}


def load(progress: Progress = silent) -> _native.MeteorTables:
    """The tables, mapped; compiled first where there is no sound file yet. Once per process."""
    data, folder = key = os.environ.get(DATA, ""), cache_folder()
    if key not in _loaded:
        name = f"meteor-{_native.METEOR_TABLE_VERSION}"
        if data:  # a folder of the user's gets a file of its own, and another one when it changes
            from .meteor_compile import fingerprint

            name += f"-{fingerprint()}"
        path = os.path.join(folder, f"{name}.table")
        tables = mapped(path)
        if tables is None:
            from .meteor_compile import compile_into

            tables = compile_into(path, mapped, progress)
        _loaded[key] = tables
    return _loaded[key]


def mapped(path: str | os.PathLike[str]) -> _native.MeteorTables | None:
    """The tables in this file, or None where it is absent or not sound."""
    try:
        with open(path, "rb") as file:
            return _native.MeteorTables(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # TableError and an empty file are ValueErrors
        return None


class MeteorModel(PairModel):
    """METEOR at work."""

    scorer: Meteor

    def prepare(self) -> None:
        load(self.progress)

    @property
    def _normalizes(self) -> bool:
        """METEOR's normalisation cuts text without blanks into single characters: the words of a tokenizer
        for such text (ja, zh) are not normalised."""
        outer = "ptb" if self.settings is None else self.settings.tokenizer
        return self.scorer.normalize and tokenized_by(self.scorer, outer) not in UNSPACED

    def depends_on(self) -> dict[str, object]:
        kept: dict[str, object] = {} if self._normalizes == self.scorer.normalize else {"normalize": False}
        # what the tables were made from: the first digits of its SHA-256
        return {"data": str(load().source)[:12], **kept}

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return self._compare(**pairs, jobs=jobs, statistics=False)[0]

    def statistics_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """(pairs, 23): the additive form of the statistics (see `additive`); `value_of` one row is the pair's
        score.
        """
        return additive(self._compare(**pairs, jobs=jobs, statistics=True)[1])

    def stored_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> tuple[FloatArray, AnyArray]:
        return self._compare(**pairs, jobs=jobs, statistics=True, small=True)

    def bounds_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """The score if every word that can be matched at all were matched, and all of them in one chunk."""
        return self._call(_native.meteor_bounds, **pairs, jobs=jobs)

    def segment_statistics(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> IntArray:
        """(candidates, 23): what the original prints, against the first reference with the best score."""
        return self._segments(*self._read_groups(candidates, references), jobs)

    def score_of_statistics(self, statistics: AnyArray) -> FloatArray:
        """(..., 23) to (...): the score of each row."""
        return score_of_statistics(statistics, self.scorer.task)

    def aggregate_of_statistics(self, statistics: AnyArray) -> float:
        """(pairs, 23) to the corpus score."""
        return float(self.score_of_statistics(additive(statistics).sum(axis=0)))

    def align(self, *, candidate: str, reference: str) -> MeteorAlignment:
        """The matched words behind the score of one pair."""
        from ..text.script import well_formed

        for role, text in (("candidate", candidate), ("reference", reference)):
            if not isinstance(text, str):
                raise UsageError(
                    f"{role} is a {type(text).__name__}, not a string.",
                    hint="align() compares two sentences.",
                )
        test, ref = well_formed(self._read([candidate, reference], "texts", warn=False))
        (words, function), (theirs, their_function), matches = _native.meteor_align(
            load(), test, ref, self.scorer.task, self._normalizes
        )
        found = (WordMatch(Span(i, n), Span(j, m), MODULES[module]) for i, n, j, m, module in matches)
        return MeteorAlignment(words, theirs, function, their_function, tuple(found))

    def _statistics(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        return additive(self._segments(candidates, references, jobs))

    def _segments(self, candidates: list[str], references: list[list[str]], jobs: int) -> IntArray:
        found: IntArray = self._best_rows(
            partial(self._compare, jobs=jobs, statistics=True), candidates, references
        )
        return found

    def _compare(
        self,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int,
        *,
        statistics: bool,
        small: bool = False,
    ) -> tuple[FloatArray, IntArray]:
        """Scores and, where wanted, the 23 statistics; `small`: in their additive form, in two bytes each."""
        narrow = small and max(map(len, chain(candidates, references)), default=0) <= LONGEST_SMALL
        scores, rows = self._call(
            _native.meteor_compare,
            candidates,
            references,
            candidate_index,
            reference_index,
            jobs,
            want_statistics=statistics,
            small=narrow,
        )
        return scores, additive(rows).astype(np.int64) if small and not narrow else rows

    def _call(
        self,
        kernel: Callable[..., Result],
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int,
        **wanted: bool,
    ) -> Result:
        """The kernel's answer; lone surrogates are taken out where there are any."""
        which = [np.ascontiguousarray(index, dtype=np.int64) for index in (candidate_index, reference_index)]
        options = (*which, self.scorer.task, self._normalizes, jobs)
        try:
            return kernel(load(), list(candidates), list(references), *options, **wanted)
        except UnicodeEncodeError:
            from ..text.script import well_formed

            return kernel(load(), well_formed(candidates), well_formed(references), *options, **wanted)


@measure(
    Named("meteor", "words, stems, synonyms and paraphrases, aligned: METEOR 1.5"), papers=("denkowski2014",)
)
@dataclass(frozen=True)
class Meteor(PairScorer):
    """See the module. Texts are sentences; `tokenizer="none"` is for tokens joined by blanks.

    Of documents (`corpus`) the value is the corpus score; the part `mean` is the mean of the documents'
    scores, which some papers report instead."""

    task: Literal["rank", "adq", "hter"] = option(
        "rank", "the parameters: captioning reports rank, stories hter"
    )
    normalize: bool = option(True, "whether punctuation and numbers are normalised first")
    tokenizer: ScorerTokenizer = option("run", TOKENIZER_OPTION)

    #: of references with equal scores the first one gives the statistics, as in the original
    traits = Traits(
        threads=True,
        english=True,
        ordered=True,
        pair_columns=STATISTICS,
        trained_on=TrainingData("weights tuned by its authors on WMT judgements"),
    )
    _model = MeteorModel  # documents: `documents.MeteorText`, which sums statistics

    def align(self, *, candidate: str, reference: str) -> MeteorAlignment:
        """The matched words behind the score of one pair.

        >>> found = Meteor().align(candidate="A man walked past", reference="a man is walking by")
        >>> found.candidate, found.reference
        (('a', 'man', 'walked', 'past'), ('a', 'man', 'is', 'walking', 'by'))
        >>> for match in found.matches[2:]:
        ...     ours, theirs = match.candidate.start, match.reference.start
        ...     print(found.candidate[ours], found.reference[theirs], match.by)
        walked walking stem
        past by synonym
        >>> found.chunks
        2
        """
        return cast(MeteorModel, self._alone).align(candidate=candidate, reference=reference)

    def _value_of(self, sums: FloatArray) -> FloatArray:
        return score_of_statistics(sums, self.task)


def score_of_statistics(statistics: AnyArray, task: str) -> FloatArray:
    """(..., 23) to (...): the score of each row."""
    rows = np.ascontiguousarray(statistics, dtype=np.float64)
    scores = _native.meteor_score_statistics(rows.reshape(-1, len(STATISTICS)), task)
    return scores.reshape(rows.shape[:-1])


def additive(statistics: AnyArray) -> FloatArray:
    """Rows whose sum the corpus score is made from: the chunk of a completely matched pair is not counted. A
    row that is scored alone gives the same value in this form: without a chunk as with its one there is no
    fragmentation."""
    rows = np.array(statistics, dtype=np.float64)
    perfect = (rows[:, 21] == rows[:, 0]) & (rows[:, 22] == rows[:, 1]) & (rows[:, 20] == 1)
    rows[perfect, 20] = 0.0
    return rows

"""The kernels as type checkers see them: one block per kernel, arrays as numpy sees them. What is positional
only has no names in the module.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

_Bytes = NDArray[np.uint8]
_Ids = NDArray[np.uint32]
_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]
_Keys = NDArray[np.uint64]
_Singles = NDArray[np.float32]
_Doubles = NDArray[np.float64]

abi: int

# dense: segments in time. Problem k has the candidates [candidate_from[k], candidate_to[k]) and the
# references likewise
def overlaps(
    candidate_start: _Doubles,
    candidate_end: _Doubles,
    reference_start: _Doubles,
    reference_end: _Doubles,
    candidate_from: _Longs,
    candidate_to: _Longs,
    reference_from: _Longs,
    reference_to: _Longs,
    epsilon: float,
    least: float,
    strict: bool,
    jobs: int,
    /,
) -> tuple[_Longs, _Ints, _Ints, _Doubles]:
    """Offset of each problem, then reference, candidate and IoU of every pair that overlaps."""

def nearest(
    candidate_start: _Doubles,
    candidate_end: _Doubles,
    reference_start: _Doubles,
    reference_end: _Doubles,
    candidate_from: _Longs,
    candidate_to: _Longs,
    reference_from: _Longs,
    reference_to: _Longs,
    epsilon: float,
    jobs: int,
    /,
) -> tuple[_Doubles, _Doubles, _Doubles, _Doubles]:
    """Best IoU of each candidate and of each reference, then least distance of each."""

def match(weights: _Doubles, /) -> tuple[float, _Longs, _Longs]:
    """The best matching in order: its weight, rows, columns."""

def match_many(
    row_from: _Longs,
    row_to: _Longs,
    column_from: _Longs,
    column_to: _Longs,
    offset: _Longs,
    row: _Ints,
    column: _Ints,
    weight: _Doubles,
    jobs: int,
    /,
) -> tuple[_Doubles, _Longs, _Longs]:
    """The same for many sparse problems: weights, offsets, chosen entries."""

def open_many(
    row_from: _Longs,
    row_to: _Longs,
    column_from: _Longs,
    column_to: _Longs,
    offset: _Longs,
    row: _Ints,
    column: _Ints,
    weight: _Doubles,
    known: _Bytes,
    which: _Longs,
    most: int,
    jobs: int,
    /,
) -> _Longs:
    """Entries of these problems that are not known and could still be part of a best matching, the `most`
    best of each column.
    """

class PairIndex:
    """Numbers for distinct 64-bit keys, in order of appearance."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(self, keys: _Keys, /) -> _Longs: ...
    def keys(self, begin: int, /) -> _Keys: ...

# json: facts about a JSON text that a decoder does not tell
def json_facts(data: bytes) -> tuple[int, bool]: ...

# meteor
METEOR_TABLE_VERSION: int

class TableError(ValueError): ...
class SourceError(ValueError): ...

class MeteorTables:
    def __init__(self, buffer: Buffer) -> None: ...
    @property
    def source(self) -> str: ...
    @property
    def words(self) -> int: ...

class MeteorCompiler:
    def __init__(self) -> None: ...
    def paraphrases(self, piece: Buffer, /) -> None: ...
    def function_words(self, file: Buffer, /) -> None: ...
    def prefixes(self, file: Buffer, /) -> None: ...
    def synsets(self, file: Buffer, /) -> None: ...
    def exceptions(self, file: Buffer, /) -> None: ...
    def finish(self, source_digest: str) -> _Bytes: ...

def meteor_compare(
    tables: MeteorTables,
    candidates: list[str],
    references: list[str],
    candidate_index: _Longs,
    reference_index: _Longs,
    task: str,
    normalize: bool,
    threads: int,
    want_statistics: bool,
    beam: int = 40,
    small: bool = False,
) -> tuple[_Doubles, _Longs]: ...
def meteor_bounds(
    tables: MeteorTables,
    candidates: list[str],
    references: list[str],
    candidate_index: _Longs,
    reference_index: _Longs,
    task: str,
    normalize: bool,
    threads: int,
) -> _Doubles: ...
def meteor_align(
    tables: MeteorTables, candidate: str, reference: str, task: str, normalize: bool
) -> tuple[
    tuple[tuple[str, ...], tuple[bool, ...]],
    tuple[tuple[str, ...], tuple[bool, ...]],
    list[tuple[int, int, int, int, int]],
]:
    """Words and whether they are function words, of both sides; matches as (start and length in the
    candidate, start and length in the reference, module), by candidate.
    """

def meteor_score_statistics(rows: _Doubles, task: str) -> _Doubles: ...
def meteor_normalize(tables: MeteorTables, line: str) -> str: ...
def porter2(word: str) -> str: ...

# n-grams: sentences are numbers of an index; line k has the references [bounds[k], bounds[k + 1])
class NgramIndex:
    @staticmethod
    def of(lines: Sequence[str], orders: int = 4, base: NgramIndex | None = None) -> NgramIndex: ...
    @property
    def sentences(self) -> int: ...
    def ids(self) -> _Ids: ...
    def gram_hashes(self) -> _Keys: ...

def bleu_statistics(
    index: NgramIndex, candidates: _Ids, references: _Ids, bounds: _Longs, threads: int = 1
) -> _Doubles: ...
def self_bleu_statistics(
    index: NgramIndex, sentences: _Ids, bounds: _Longs, threads: int = 1
) -> _Doubles: ...
def rouge_l(
    index: NgramIndex, candidates: _Ids, references: _Ids, bounds: _Longs, threads: int = 1
) -> _Doubles: ...
def gram_counts(index: NgramIndex, sentences: _Ids) -> _Doubles: ...
def item_frequencies(index: NgramIndex, references: _Ids, bounds: _Longs) -> _Doubles: ...

class CiderModel:
    def __init__(self, index: NgramIndex, references: _Ids, bounds: _Longs) -> None: ...
    @staticmethod
    def of_frequencies(index: NgramIndex, items: int, frequencies: _Doubles) -> CiderModel: ...
    def score(
        self,
        index: NgramIndex,
        candidates: _Ids,
        references: _Ids,
        bounds: _Longs,
        clip: bool,
        sigma: float,
        threads: int = 1,
    ) -> _Doubles: ...

def cider_by_group(
    index: NgramIndex,
    candidates: _Ids,
    references: _Ids,
    pair_bounds: _Longs,
    items: _Ids,
    item_bounds: _Longs,
    clip: bool,
    sigma: float,
    threads: int = 1,
) -> _Doubles: ...

# rewards: `each` samples per item; item k has references[bounds[k]:bounds[k + 1]], or what was fitted as
# items[k]. BLEU gives rows of statistics, flat.
class FittedReferences:
    def __init__(self, references: list[str], bounds: Sequence[int]) -> None: ...
    def bleu(self, samples: list[str], each: int, items: Sequence[int], threads: int = 1) -> _Doubles: ...
    def bleu_of(
        self, samples: list[str], each: int, references: list[str], bounds: Sequence[int], threads: int = 1
    ) -> _Doubles: ...

class FittedCider:
    def __init__(self, references: list[str], bounds: Sequence[int], sigma: float) -> None: ...
    def score(self, samples: list[str], each: int, items: Sequence[int], threads: int = 1) -> _Doubles: ...
    def score_of(
        self, samples: list[str], each: int, references: list[str], bounds: Sequence[int], threads: int = 1
    ) -> _Doubles: ...

# ptb: tokens of each line, lower-cased, joined by one blank
def ptb_tokenize(
    lines: Sequence[str], punctuation: bool, threads: int, newline: bool = True
) -> list[str]: ...

# stats: fills out (columns, 4) with concordant minus discordant pairs, pairs tied in the column, pairs tied
# on both sides, distinct values
def concordance(
    fixed: _Ints, fixed_levels: int, columns: _Ints, levels: int, out: _Longs, threads: int = 1
) -> None: ...

# the same of two columns that change places: two rows of out per row of swaps, which holds a bit per unit
def concordance_swapped(
    fixed: _Ints,
    fixed_levels: int,
    first: _Ints,
    second: _Ints,
    unit: _Ints,
    swaps: _Bytes,
    levels: int,
    out: _Longs,
    threads: int = 1,
) -> None: ...

# fills out (columns, 2) with the sum of fixed times mean rank, and of squared mean ranks
def rank_products(fixed: _Doubles, columns: _Ints, levels: int, out: _Doubles, threads: int = 1) -> None: ...
def rank_products_swapped(
    fixed: _Doubles,
    first: _Ints,
    second: _Ints,
    unit: _Ints,
    swaps: _Bytes,
    levels: int,
    out: _Doubles,
    threads: int = 1,
) -> None: ...

# story: redundancy of stories; fills out (stories, 2) with the means over sentences and over n-grams
def story_redundancy(
    words: _Ints, sentences: _Longs, stories: _Longs, n: int, pairs: bool, threads: int, out: _Doubles
) -> None: ...

# vectors: each fills out, one value (greedy_matching: precision and recall) per pair
def dot_indexed(
    a: _Singles, b: _Singles, ia: _Longs, ib: _Longs, out: _Doubles, threads: int = 1
) -> None: ...
def greedy_matching(
    candidates: _Singles,
    candidate_offset: _Longs,
    candidate_weight: _Doubles,
    references: _Singles,
    reference_offset: _Longs,
    reference_weight: _Doubles,
    candidate_index: _Longs,
    reference_index: _Longs,
    out: _Doubles,
    threads: int = 1,
) -> None: ...
def align_and_penalise(
    similarities: _Singles,
    candidate_offset: _Longs,
    candidate_word: _Ints,
    candidate_weight: _Singles,
    reference_offset: _Longs,
    reference_word: _Ints,
    reference_weight: _Singles,
    candidate_index: _Longs,
    reference_index: _Longs,
    weak_below: float,
    weak: float,
    opposite: float,
    out: _Doubles,
    threads: int = 1,
) -> None: ...

"""Which words of two sentences METEOR holds to be the same, and why: the alignment behind one score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .. import _native
from .meteor import MODULES, Module


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


def align(
    tables: _native.MeteorTables, candidate: str, reference: str, task: str, normalize: bool
) -> MeteorAlignment:
    """The alignment that gives the score of the pair; both texts are valid Unicode."""
    (words, function), (reference_words, reference_function), matches = _native.meteor_align(
        tables, candidate, reference, task, normalize
    )
    return MeteorAlignment(
        words,
        reference_words,
        function,
        reference_function,
        tuple(WordMatch(Span(i, n), Span(j, m), MODULES[module]) for i, n, j, m, module in matches),
    )

"""`pycocoevalcap` without Java: the same modules, classes, results and assertions.

Numbers equal the original's to 1e-9, SPICE aside (`spice.spice` says why). Knowingly different:

- a call that fails an assertion says what is wrong, and the next call works (the original's METEOR then
  hangs);
- a line break of any kind inside a caption is white space; there, all but a plain newline push every later
  caption one place on, so that captions meet other images' references;
- a lone surrogate is read as U+FFFD; there it is an error;
- scorers may be called from several threads, and `CiderScorer.compute_score` twice.

What every scorer is called with stands here: two dictionaries, checked as the original checks them.
"""

import copy
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ...errors import first_few

G = TypeVar("G", bound="Gathered")


class Items(NamedTuple):
    """Candidate k and its references, in the order of `gts`."""

    ids: list[Hashable]
    candidates: list[str]
    references: list[list[str]]

    @property
    def jobs(self) -> int:
        """Threads cost more than they give for a few sentences."""
        return min(os.cpu_count() or 1, 1 + len(self.candidates) // 256)


def items(gts: Mapping[Any, Any], res: Mapping[Any, Any], *, lists: bool = True) -> Items:
    """`gts[id]`: a list of strings; `res[id]`: a list of one string. With `lists=False` (METEOR) any sequence
    will do. What is asserted in the original raises AssertionError here too."""
    if gts.keys() != res.keys():
        ours, theirs = [i for i in res if i not in gts], [i for i in gts if i not in res]
        raise AssertionError(
            f"gts and res have different ids: {len(theirs):,} only in gts ({first_few(theirs)}),"
            f" {len(ours):,} only in res ({first_few(ours)})."
        )
    candidates, references = [], []
    for i, group in gts.items():
        said = res[i]
        if (lists and type(said) is not list) or len(said) != 1:
            raise AssertionError(f"res[{i!r}] must be a list of exactly one caption, not {_short(said)}.")
        if lists and (type(group) is not list or not group):
            raise AssertionError(f"gts[{i!r}] must be a list of one caption or more, not {_short(group)}.")
        candidates.append(text(said[0], f"res[{i!r}][0]"))
        references.append([text(line, f"gts[{i!r}][{k}]") for k, line in enumerate(group)])
    return Items(list(gts), candidates, references)


def text(value: object, where: str) -> str:
    if isinstance(value, str):
        return value
    hint = " Pass the captions through PTBTokenizer().tokenize first." if isinstance(value, Mapping) else ""
    raise TypeError(f"{where} is not a string but {_short(value)}.{hint}")


def texts(values: Sequence[object], where: str) -> list[str]:
    return [text(value, f"{where}[{k}]") for k, value in enumerate(values)]


class Gathered:
    """Candidates with their references, gathered one by one: `scorer += (candidate, references)`."""

    def __init__(self, test: str | None, refs: Sequence[str] | None) -> None:
        self._tests: list[str] = []
        self._references: list[list[str]] = []
        self.cook_append(test, refs)

    def gather(self: G, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]) -> G:
        """The captions of two dictionaries by id, checked."""
        found = items(gts, res)
        self._tests, self._references = found.candidates, found.references
        return self

    def _forget(self) -> None:
        """There are other items now: whatever was counted of them is counted again."""

    def cook_append(self, test: str | None, refs: Sequence[str] | None) -> None:
        if refs is not None and test is not None:
            self._references.append(texts(refs, "references"))
            self._tests.append(text(test, "the candidate"))
        self._forget()

    def __iadd__(self: G, other: Any) -> G:
        """`scorer += (candidate, references)`, or another scorer's items."""
        if isinstance(other, tuple):
            self.cook_append(*other)
            return self
        self._tests += other._tests
        self._references += other._references
        self._forget()
        return self

    def copy(self: G) -> G:
        other = copy.copy(self)
        other._tests, other._references = list(self._tests), list(self._references)
        return other

    def size(self) -> int:
        return len(self._tests)


def _short(value: object) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 60 else shown[:57] + '...'}"

"""Batches of sentences for the n-gram kernels: each distinct sentence is analysed once, items point at it by
number.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import UsageError
from ..join import Task
from ..metric import Setting, Tokenizer
from ..names import Name
from ..text.tokens import document_texts, tokenize
from .base import IntArray

Numbers = NDArray[np.uint32]


class Batch:
    """Items for the kernels: `candidates[i]` against `references[bounds[i]:bounds[i+1]]`, numbers of an
    index.
    """

    def __init__(self, index: Any, candidates: Numbers, references: Numbers, bounds: IntArray) -> None:
        self.index, self.candidates, self.references, self.bounds = index, candidates, references, bounds

    @classmethod
    def of_groups(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[Sequence[str]],
        tokenizer: Tokenizer = "none",
        orders: int = 4,
        base: Any = None,
    ) -> Batch:
        """One candidate per item, with its own references."""
        if len(candidates) != len(references):
            raise UsageError(
                f"There are {len(candidates):,} candidates but {len(references):,} lists of references.",
                hint="Give one list of references per candidate.",
            )
        flat = list(chain.from_iterable(references))
        index, ids = analyse([*candidates, *flat], tokenizer=tokenizer, orders=orders, base=base)
        return cls(index, ids[: len(candidates)], ids[len(candidates) :], bounds_of(references))

    @classmethod
    def of_index(
        cls,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        tokenizer: Tokenizer = "none",
        orders: int = 4,
        base: Any = None,
    ) -> Batch:
        """One pair per item, picked from two lists of distinct sentences."""
        index, ids = analyse([*candidates, *references], tokenizer=tokenizer, orders=orders, base=base)
        ours, theirs = ids[: len(candidates)], ids[len(candidates) :]
        return cls(
            index,
            ours[candidate_index],
            theirs[reference_index],
            np.arange(len(candidate_index) + 1, dtype=np.int64),
        )

    @classmethod
    def of_task(cls, task: Task, setting: Setting) -> Batch:
        """The documents of a task; the batch stays on the run's workbench for the metrics that follow."""
        texts = document_texts(task, setting)
        kept = setting.shared.get("n-gram batch")
        if kept is None or kept[0] is not texts:
            kept = (texts, cls.of_groups(candidates=texts.candidates, references=texts.references))
            setting.shared["n-gram batch"] = kept
        batch: Batch = kept[1]
        return batch

    def arguments(self) -> tuple[Any, Numbers, Numbers, IntArray]:
        return self.index, self.candidates, self.references, self.bounds


def analyse(
    lines: Sequence[str], *, tokenizer: Tokenizer = "none", orders: int = 4, base: Any = None
) -> tuple[Any, Numbers]:
    """An index of these lines, and the number of each line in it."""
    index = _native.NgramIndex.of(tokenize(lines, tokenizer), orders=orders, base=base)
    return index, index.ids()


def bounds_of(groups: Sequence[Sequence[object]]) -> IntArray:
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)


def printed(word: str, defaults: dict[str, object], **options: object) -> str:
    """A name that parses back to the same thing: only options that differ from their default are written."""
    return str(Name(word, {key: _text(value) for key, value in options.items() if value != defaults[key]}))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).removesuffix(".0")

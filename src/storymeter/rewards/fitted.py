"""CIDEr-D and BLEU as rewards: fitted once on the references, then a few microseconds a caption.

Self-critical sequence training (Rennie et al., CVPR 2017) scores every sample of every step against the
references of its video:

    reward = CiderD.fit({"v_1": ["a man runs", "a man is running"], "v_2": ["two dogs play"]})
    reward(["a man", "dogs"], ids=["v_1", "v_2"])                  # one sample each: shape (2,)
    reward([["a man", "a dog"], ["dogs", "two dogs"]], ids=["v_1", "v_2"])      # k samples each: shape (2, k)

A fitted reward never changes: any number of threads may call it, it runs outside Python's lock, and the same
samples get the same values in any batch, order and number of `jobs`. `save` and `load` keep it in a file.

CIDEr-D's idf is that of the fitted corpus, also for samples that come with `references=` of their own. BLEU
is sentence BLEU with the smoothing of the usual implementation (`pairs.bleu`: coco). Captions are tokens
joined by blanks, words or numbers of a vocabulary; `tokenizer="ptb"` tokenises both sides.

>>> reward = CiderD.fit({"v_1": ["a man runs", "a man is running"], "v_2": ["two dogs play"]})
>>> reward(["a man runs", "two dogs"], ids=["v_1", "v_2"]).round(4)
array([4.965 , 3.7565])
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import msgspec

from .. import _native
from ..arrays import FloatArray
from ..errors import DataError, UsageError, first_few
from ..files import atomic
from ..options import Tokenizer
from ..pairs.bleu import ORDERS, bleu, columns, of_order
from ..text.script import well_formed
from ..text.tokenizers import tokenize

Samples = Sequence[str] | Sequence[Sequence[str]]
Kernel = Callable[..., FloatArray]
R = TypeVar("R", bound="Reward")
SIGMA = 6.0


class _File(msgspec.Struct, tag="storymeter reward 1"):
    """What a saved reward holds."""

    kind: str
    options: dict[str, Any]
    ids: list[str | int]
    references: list[list[str]]


class Reward(ABC):
    """A fitted reward: `CiderD.fit(…)` or `Bleu.fit(…)`."""

    kind: ClassVar[str]

    def __init__(self, references: Mapping[Any, Sequence[str]], options: dict[str, Any]) -> None:
        self.options = options
        self._references = {i: list(group) for i, group in references.items()}
        _check(self._references)
        self._place = {i: k for k, i in enumerate(self._references)}
        lines = self._tokens(list(chain.from_iterable(self._references.values())))
        self._of_items, self._of_references = self._fit(lines, _bounds(self._references.values()))

    def _tokens(self, lines: list[str]) -> list[str]:
        tokenizer = self.options["tokenizer"]
        try:
            return well_formed(lines) if tokenizer == "none" else tokenize(lines, tokenizer)
        except TypeError:
            wrong = [k for k, line in enumerate(lines) if not isinstance(line, str)]
            if not wrong:
                raise
            raise UsageError(
                f"Captions are texts, not {type(lines[wrong[0]]).__name__} ({len(wrong):,} of"
                f" {len(lines):,}, the first is number {wrong[0] + 1:,}).",
                hint="Join tokens, or indices of a vocabulary, by spaces.",
            ) from None

    def __len__(self) -> int:
        return len(self._references)

    def __reduce__(self) -> tuple[type[Reward], tuple[dict[Any, list[str]], dict[str, Any]]]:
        """Pickles as references and options: the compiled tables are made again."""
        return type(self), (self._references, self.options)

    def __call__(
        self,
        samples: Samples,
        *,
        ids: Sequence[Hashable] | None = None,
        references: Sequence[Sequence[str]] | None = None,
        jobs: int = 1,
    ) -> FloatArray:
        """The reward of each sample, in the shape of `samples`. The references are those that were fitted for
        `ids`, or `references` (one list per entry of `samples`); with neither, entry k belongs to item k."""
        nested = len(samples) > 0 and not isinstance(samples[0], str)
        flat = cast("list[str]", list(chain.from_iterable(samples) if nested else samples))
        each = len(samples[0]) if nested else 1
        if nested and any(len(group) != each for group in samples):
            raise UsageError(
                "The items have different numbers of samples.", hint="Give each item equally many."
            )
        if references is None:
            which = self._which(ids, len(samples))
            found = self._of_items(self._tokens(flat), each, which, jobs)
        elif len(references) == len(samples):
            own = self._tokens(list(chain.from_iterable(references)))
            found = self._of_references(self._tokens(flat), each, own, _bounds(references), jobs)
        else:
            raise UsageError(f"There are {len(samples):,} items but {len(references):,} lists of references.")
        values = self._values(found)
        return values.reshape(len(samples), each) if nested else values

    def _which(self, ids: Sequence[Hashable] | None, items: int) -> list[int]:
        """The numbers of the fitted items."""
        if ids is None:
            if items != len(self):
                raise UsageError(
                    f"There are {items:,} samples for {len(self):,} fitted items.",
                    hint="Give the items they belong to: ids=[...].",
                )
            return list(range(items))
        if len(ids) != items:
            raise UsageError(f"There are {items:,} samples but {len(ids):,} ids.")
        unknown = [i for i in ids if i not in self._place]
        if unknown:
            raise DataError(
                f"{len(unknown):,} of {len(ids):,} ids were not fitted: {first_few(unknown)}",
                hint="Fit the reward on all items, or give references=.",
            )
        return [self._place[i] for i in ids]

    @abstractmethod
    def _fit(self, lines: list[str], bounds: list[int]) -> tuple[Kernel, Kernel]:
        """Learns the references lines[bounds[k]:bounds[k + 1]] of each item k. Gives two kernels: one for
        `each` samples of each of these items, called as (samples, each, items, jobs), and one for samples
        with references of their own: (samples, each, references, bounds, jobs)."""

    def _values(self, found: FloatArray) -> FloatArray:
        """What a kernel gives, as rewards."""
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Into one file; `load` gives an equal reward."""
        wrong = [i for i in self._references if not isinstance(i, str | int)]
        if wrong:
            raise UsageError(f"Ids in a file are strings or whole numbers, not {first_few(wrong)}.")
        content = _File(self.kind, self.options, list(self._references), list(self._references.values()))
        with atomic(Path(path)) as file:
            file.write(msgspec.msgpack.encode(content))

    @classmethod
    def load(cls: type[R], path: str | os.PathLike[str]) -> R:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise DataError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from None
        try:
            found = msgspec.msgpack.decode(content, type=_File)
        except msgspec.DecodeError as error:
            raise DataError(f"{os.fspath(path)} is not a saved reward ({error}).") from None
        if found.kind != cls.kind:
            raise UsageError(
                f"{os.fspath(path)} holds a reward of kind {found.kind}, not {cls.kind}.",
                hint=f"Load it with {found.kind}.load.",
            )
        return cls(dict(zip(found.ids, found.references, strict=True)), found.options)


class CiderD(Reward):
    """CIDEr-D (Vedantam et al., CVPR 2015) with the idf of the fitted corpus; 0 to 10."""

    kind = "CiderD"

    @classmethod
    def fit(
        cls, references: Mapping[Any, Sequence[str]], *, sigma: float = SIGMA, tokenizer: Tokenizer = "none"
    ) -> CiderD:
        """`references`: for each item its captions."""
        if not 0 < sigma < float("inf"):
            raise UsageError(
                f"CIDEr-D's sigma is a number above 0, not {sigma}.", hint="The usual value is 6."
            )
        return cls(references, {"sigma": float(sigma), "tokenizer": tokenizer})

    def _fit(self, lines: list[str], bounds: list[int]) -> tuple[Kernel, Kernel]:
        fitted = _native.FittedCider(lines, bounds, self.options["sigma"])
        return fitted.score, fitted.score_of


class Bleu(Reward):
    """Sentence BLEU-n (Papineni et al., ACL 2002), smoothed as the usual implementation does; 0 to 1."""

    kind = "Bleu"

    @classmethod
    def fit(
        cls, references: Mapping[Any, Sequence[str]], *, n: int = ORDERS, tokenizer: Tokenizer = "none"
    ) -> Bleu:
        """`references`: for each item its captions."""
        if not 1 <= n <= ORDERS:
            raise UsageError(f"BLEU counts n-grams of 1 to {ORDERS} words, not {n}.")
        return cls(references, {"n": n, "tokenizer": tokenizer})

    def _fit(self, lines: list[str], bounds: list[int]) -> tuple[Kernel, Kernel]:
        fitted = _native.FittedReferences(lines, bounds)
        return fitted.bleu, fitted.bleu_of

    def _values(self, found: FloatArray) -> FloatArray:
        n = self.options["n"]
        return bleu(of_order(found.reshape(-1, len(columns(ORDERS))), n), n, "coco")


def _bounds(groups: Iterable[Sequence[object]]) -> list[int]:
    """Where each group begins in the list of all, and where the last one ends."""
    return [0, *accumulate(map(len, groups))]


def _check(references: Mapping[Any, Sequence[str]]) -> None:
    wrong = [
        i for i, group in references.items() if not group or not all(isinstance(line, str) for line in group)
    ]
    if not references or wrong:
        what = (
            f"{len(wrong):,} of {len(references):,} items have none: {first_few(wrong)}"
            if wrong
            else "none given"
        )
        raise UsageError(f"A reward needs references ({what}).", hint="Give {id: [caption, ...]}.")

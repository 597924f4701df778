"""Lots that only the holder of the private key can draw again.

Everything in a campaign that raters must not guess is drawn from one seed of 128 random bits, kept in the
first line of the private key and nowhere else. A generator's bits are the hash of (seed, purpose, count), so
that the lots seen on the pages (which texts, in which order) tell nothing of those that are not: the state of
an ordinary generator can be solved for from enough of what it gave. The same seed gives the same lots.

>>> drawn("design", "a").random() == drawn("design", "a").random() != drawn("practice", "a").random()
True
"""

import hashlib
import itertools
import operator
import random
import secrets
import struct
from collections.abc import Iterator
from typing import Any

#: hexadecimal digits of a secret seed
DIGITS = 32
#: words of 64 bits that are made at once
_BLOCK = 256


def new_seed() -> str:
    """128 bits of the operating system's randomness."""
    return secrets.token_hex(DIGITS // 2)


def rehearsed(seed: str) -> bool:
    """Whether somebody chose this seed (`--seed`), so that it can be guessed."""
    return len(seed) < DIGITS


def drawn(purpose: str, seed: str | int) -> random.Random:
    """The lots of one purpose; lots of different purposes are independent."""
    return _Lots(f"storymeter {purpose} {seed}")


class _Lots(random.Random):
    """`random.Random` over SHAKE-256 in counter mode: each lot takes 64 bits."""

    def __init__(self, name: str) -> None:
        words = _words(hashlib.blake2b(name.encode()).digest())
        self._next = words.__next__
        # the same as `random` below without a call of Python's: a design draws thousands of lots for each HIT
        halves = map(operator.rshift, words, itertools.repeat(11))
        quick = map(operator.mul, halves, itertools.repeat(2.0**-53)).__next__
        self.random = quick  # type: ignore[method-assign]
        super().__init__()

    def seed(self, *_: Any, **__: Any) -> None:
        """Nothing to do: the key was given once and for all."""

    def getrandbits(self, k: int, /) -> int:
        if k <= 64:
            return self._next() >> (64 - k) if k else 0
        return self._next() << (k - 64) | self.getrandbits(k - 64)

    def random(self) -> float:
        return (self._next() >> 11) * 2.0**-53


def _words(key: bytes) -> Iterator[int]:
    def block(count: int) -> tuple[int, ...]:
        made = hashlib.shake_256(key + count.to_bytes(8, "big")).digest(8 * _BLOCK)
        return struct.unpack(f">{_BLOCK}Q", made)

    return itertools.chain.from_iterable(map(block, itertools.count()))

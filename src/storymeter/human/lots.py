"""Lots that only the holder of the private key can draw again.

Everything in a campaign that raters must not guess is drawn from one seed of 128 random bits, kept in the
first line of the private key and nowhere else. A generator's bits are the hash of (seed, purpose, count), so
that the lots seen on the pages (which texts, in which order) tell nothing of those that are not: the state of
an ordinary generator can be solved for from enough of what it gave. The same seed gives the same lots.

>>> drawn("design", "a").random() == drawn("design", "a").random() != drawn("practice", "a").random()
True
"""

from __future__ import annotations

import hashlib
import random
import secrets
from typing import Any

#: hexadecimal digits of a secret seed
DIGITS = 32
_BLOCK = 64


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
    """`random.Random` over BLAKE2b in counter mode."""

    def __init__(self, name: str) -> None:
        self._key = hashlib.blake2b(name.encode()).digest()
        self._count = self._bits = self._left = 0
        super().__init__()

    def seed(self, *_: Any, **__: Any) -> None:
        """Nothing to do: the key was given once and for all."""

    def getrandbits(self, k: int, /) -> int:
        while self._left < k:
            block = hashlib.blake2b(self._count.to_bytes(8, "big"), key=self._key).digest()
            self._bits = self._bits << 8 * _BLOCK | int.from_bytes(block, "big")
            self._left += 8 * _BLOCK
            self._count += 1
        self._left -= k
        bits, self._bits = self._bits >> self._left, self._bits & ((1 << self._left) - 1)
        return bits

    def random(self) -> float:
        return self.getrandbits(53) / 2**53

"""Bounded least-recently-used cache.

>>> known = LruCache(2)
>>> known.put("a", 1), known.put("b", 2), known.get("a"), known.put("c", 3)
(1, 2, 1, 3)
>>> known.get("a"), known.get("b")
(1, None)
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """At most `most` values; the one that was not asked for longest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        value = self._known.get(key)
        if value is not None:
            try:
                self._known.move_to_end(key)
            except KeyError:  # another thread has just let it go
                return value
        return value

    def put(self, key: K, value: V) -> V:
        self._known[key] = value
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return value

    def forget(self, key: K) -> None:
        self._known.pop(key, None)

"""From the store's writer, which is a thread, back to the requests that wait: all results of one transaction
in one step."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Arrivals:
    """What `asyncio.wrap_future` does, for many futures that are done at once: the event loop is woken once
    for a group, not once for each."""

    def __init__(self) -> None:
        self._ready: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()

    def of(self, future: Future[T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()

        def arrived(done: Future[T]) -> None:
            self._ready.append((waiting, done))
            if len(self._ready) == 1:  # else the loop has been woken, and has not come to the end of them yet
                loop.call_soon_threadsafe(self._deliver)

        future.add_done_callback(arrived)
        return waiting

    def _deliver(self) -> None:
        while self._ready:
            waiting, done = self._ready.popleft()
            if waiting.done():  # nobody waits any more
                continue
            error = done.exception()
            if error is not None:
                waiting.set_exception(error)
            else:
                waiting.set_result(done.result())

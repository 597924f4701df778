"""One thread writes. Whatever waits when it is free goes into one transaction (group commit), and nobody
hears "saved" before that transaction is on the disk.

So a hundred raters who press Next at once cost one disk flush, not a hundred, and writers never meet each
other's locks. An operation is a function of the connection and must be repeatable: if a group fails, each of
its members is tried again alone, so that one bad request spoils nobody else's."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import sqlalchemy as sa

from .engines import StoreError

T = TypeVar("T")
Operation = Callable[[sa.Connection], Any]
#: many answers in one go: the same order out as in
Together = Callable[[sa.Connection, Sequence[Any]], Sequence[Any]]


class Desk:
    #: the most that one transaction takes on
    GROUP = 512

    def __init__(self, engine: sa.Engine, together: Together) -> None:
        self._engine = engine
        self._together = together
        self._waiting: queue.SimpleQueue[tuple[Any, bool, Future[Any]] | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="storymeter-desk", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[sa.Connection], T]) -> Future[T]:
        """Run a repeatable function of the connection; the future is done once its transaction is durable."""
        return self._put(operation, False)

    def answer(self, request: Any) -> Future[Any]:
        """An answer, dealt with together with all others that wait."""
        return self._put(request, True)

    def _put(self, what: Any, is_answer: bool) -> Future[Any]:
        future: Future[Any] = Future()
        if self._closed:
            future.set_exception(
                StoreError("The server is shutting down.", hint="Send it again in a moment.")
            )
        else:
            self._waiting.put((what, is_answer, future))
        return future

    def close(self) -> None:
        """Finish what waits, then stop."""
        if not self._closed:
            self._closed = True
            self._waiting.put(None)
            self._thread.join(timeout=30)

    def _run(self) -> None:
        while True:
            group = [self._waiting.get()]
            while len(group) < self.GROUP:
                try:
                    group.append(self._waiting.get_nowait())
                except queue.Empty:
                    break
            jobs = [job for job in group if job is not None]
            if jobs:
                self._serve(jobs)
            if len(jobs) < len(group):
                return

    def _serve(self, jobs: list[tuple[Any, bool, Future[Any]]]) -> None:
        try:
            results = self._transaction(jobs)
        except Exception as error:
            if len(jobs) == 1:
                jobs[0][2].set_exception(error)
            else:
                self._one_by_one(jobs)
            return
        for (_, _, future), result in zip(jobs, results, strict=True):
            future.set_result(result)

    def _one_by_one(self, jobs: list[tuple[Any, bool, Future[Any]]]) -> None:
        """Find the one that spoiled the group. Two failures of the database in a row mean the database: the
        rest need not wait for it.
        """
        trouble: list[StoreError] = []
        for job in jobs:
            if len(trouble) == 2:
                job[2].set_exception(trouble[0])
                continue
            self._serve([job])
            error = job[2].exception()
            trouble = [*trouble, error] if isinstance(error, StoreError) else []

    def _transaction(self, jobs: list[tuple[Any, bool, Future[Any]]]) -> list[Any]:
        results: list[Any] = [None] * len(jobs)
        answers = [place for place, (_, is_answer, _) in enumerate(jobs) if is_answer]
        try:
            with self._engine.begin() as connection:
                for place, (operation, is_answer, _) in enumerate(jobs):
                    if not is_answer:
                        results[place] = operation(connection)
                if answers:
                    for place, result in zip(
                        answers, self._together(connection, [jobs[p][0] for p in answers]), strict=True
                    ):
                        results[place] = result
        except (
            sa.exc.OperationalError,
            sa.exc.InterfaceError,
            sa.exc.TimeoutError,
            sa.exc.InternalError,
        ) as error:
            raise StoreError.of(error) from error
        return results

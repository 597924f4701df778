"""One thread writes. Whatever waits when it is free goes into one transaction (group commit), and nobody
hears "saved" before that transaction is on the disk.

So a hundred raters who press Next at once cost one disk flush, not a hundred, and writers never meet each
other's locks. An operation is a function of the connection and must be repeatable: if a group fails, each of
its members is tried again alone, so that one bad request spoils nobody else's; and if two servers on one
PostgreSQL meet at a constraint, the loser looks again at what the winner left."""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from .engines import TROUBLE, Database, StoreError, store_error

T = TypeVar("T")
#: many answers in one go: the same order out as in
Together = Callable[[sa.Connection, Sequence[Any]], Sequence[Any]]


class _Job(NamedTuple):
    #: a function of the connection, or an answer
    what: Any
    is_answer: bool
    future: Future[Any]


class Writer:
    #: the most that one transaction takes on
    GROUP = 512
    #: how often an operation looks again after it met another server at a constraint
    ATTEMPTS = 5

    def __init__(self, database: Database, together: Together) -> None:
        self._database = database
        self._together = together
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="storymeter-writer", daemon=True)
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
            self._waiting.put(_Job(what, is_answer, future))
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

    def _serve(self, jobs: list[_Job]) -> None:
        for attempt in range(self.ATTEMPTS):
            try:
                results = self._transaction(jobs)
            except Exception as error:
                if len(jobs) > 1:
                    self._one_by_one(jobs)
                elif isinstance(error, sa.exc.IntegrityError) and attempt < self.ATTEMPTS - 1:
                    continue
                else:
                    jobs[0].future.set_exception(error)
                return
            for job, result in zip(jobs, results, strict=True):
                job.future.set_result(result)
            return

    def _one_by_one(self, jobs: list[_Job]) -> None:
        """Find the one that spoiled the group. Two failures of the database in a row mean the database: the
        rest need not wait for it.
        """
        trouble: list[StoreError] = []
        for job in jobs:
            if len(trouble) == 2:
                job.future.set_exception(trouble[0])
                continue
            self._serve([job])
            error = job.future.exception()
            trouble = [*trouble, error] if isinstance(error, StoreError) else []

    def _transaction(self, jobs: list[_Job]) -> list[Any]:
        results: list[Any] = [None] * len(jobs)
        answers = [place for place, job in enumerate(jobs) if job.is_answer]
        try:
            with self._database.writer.begin() as connection:
                for place, job in enumerate(jobs):
                    if not job.is_answer:
                        results[place] = job.what(connection)
                if answers:
                    decided = self._together(connection, [jobs[place].what for place in answers])
                    for place, result in zip(answers, decided, strict=True):
                        results[place] = result
        except TROUBLE as error:
            raise store_error(error) from error
        self._database.check()
        return results

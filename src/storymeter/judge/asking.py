"""Gets marks for questions: what is known is looked up, the rest is asked side by side, and every answer is
on the disk before the next question goes out.

A reply without a mark is asked again, with the reply and a reminder behind it; a verdict that has none in
the end is missing (NaN) and counted. An error ends the run only after what was under way has been answered
and kept.

Answers are kept in one SQLite file, each committed as soon as it is there. The key of an answer is the hash
of all that it may depend on (engine, endpoint, model, prompt and captions as they were sent, parameters,
which sample). With it are kept the mark, the reply, the model as the server names it, the tokens and the
time. A run that was killed, or asked for again, sends only what is not there; no key of an endpoint ever
is."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..cache import cache_folder
from ..context import Budget
from ..errors import DataError, StorymeterError
from ..progress import Progress
from .endpoint import Endpoint, RefusedError
from .local import Local
from .prompt import Prompt, Scale, Shown, message

#: who answers: an endpoint, or a model in this process
Engine = Endpoint | Local
#: how often a reply without a mark is asked again
AGAIN = 2
#: so many requests in a row that are refused end the run
REFUSALS = 20
#: guesses for the estimate before a run: characters of a token, and tokens of a picture
CHARACTERS, PICTURE_TOKENS = 4, 800


class Question(NamedTuple):
    candidate: str
    references: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()


@dataclass
class Tally:
    """What is known of the answers that were used so far."""

    models: set[str] = field(default_factory=set)
    first: str = ""
    last: str = ""
    verdicts: int = 0
    missing: int = 0
    expected: int = 0
    parsed: int = 0
    #: why a verdict is missing, the first of them
    reason: str = ""

    def add(self, answer: Answer) -> None:
        self.models.add(answer.model)
        day = answer.time[:10]
        self.first, self.last = min(self.first or day, day), max(self.last, day)
        self.expected, self.parsed = self.expected + answer.expected, self.parsed + (not answer.expected)

    def miss(self, reason: str) -> None:
        self.reason = self.reason or reason


@dataclass(frozen=True)
class Asking:
    """`identity` is all that answers depend on beside the question; `open_engine` is called only where
    something has to be asked."""

    prompt: Prompt
    scale: Scale
    parameters: dict[str, Any]
    samples: int
    identity: dict[str, Any]
    where: str
    open_engine: Callable[[], Engine]
    answers: Answers
    budget: Budget
    tally: Tally
    progress: Progress

    @cached_property
    def _opening(self) -> list[dict[str, str]]:
        return self.prompt.opening(self.scale)

    def marks(self, questions: Sequence[Question]) -> FloatArray:
        """The mark of each question on [0, 1], NaN where it is missing; each distinct question is asked
        once."""
        marks = np.full((len(questions), self.samples), np.nan)
        waiting: dict[bytes, list[tuple[int, int]]] = {}
        sizes: dict[bytes, int] = {}
        for k, sample, key, size in self._keys(questions):
            known = self.answers.get(key)
            if known is not None:
                marks[k, sample] = known.mark
                if not self.budget.counting:
                    self.tally.add(known)
                continue
            sizes[key] = size
            waiting.setdefault(key, []).append((k, sample))
        longest = int(self.parameters["max_tokens"])
        if self.budget.counting:
            self.budget.count(self.where, sizes, longest)
            return np.full(len(questions), 0.5)
        if waiting:
            self.budget.open(self.where, len(waiting), sum(sizes.values()), longest * len(waiting))
            _run_apart(lambda: self._ask_all(questions, waiting, marks))
        counts = np.sum(~np.isnan(marks), axis=1)
        means = np.nansum(marks, axis=1) / np.maximum(counts, 1)
        self.tally.verdicts += len(questions)
        self.tally.missing += int((counts == 0).sum())
        return np.where(counts > 0, self.scale.unit(means), np.nan)

    def _keys(self, questions: Sequence[Question]) -> Iterator[tuple[int, int, bytes, int]]:
        """Question, sample, the key of its answer, and about how many tokens it has."""
        before = sum(len(turn["content"]) for turn in self._opening)
        start = hashlib.sha256(msgspec.json.encode(self.identity, order="deterministic"))
        for k, question in enumerate(questions):
            text = self.prompt.question(question.candidate, question.references, self.scale)
            data = text.encode()
            content = start.copy()
            content.update(len(data).to_bytes(8, "big") + data)
            for each in question.shown:
                content.update(each.digest())
            size = (before + len(data)) // CHARACTERS + PICTURE_TOKENS * sum(
                max(1, len(each.times)) for each in question.shown
            )
            for sample in range(self.samples):
                own = content.copy()
                own.update(sample.to_bytes(4, "big"))
                yield k, sample, own.digest(), size

    async def _ask_all(
        self, questions: Sequence[Question], waiting: dict[bytes, list[tuple[int, int]]], marks: FloatArray
    ) -> None:
        work = iter(waiting.items())
        errors: list[BaseException] = []
        speed = _Speed(self.progress, self.where, len(waiting))
        refused = 0
        async with self.open_engine() as engine:

            async def worker() -> None:
                nonlocal refused
                for key, places in work:
                    k, sample = places[0]
                    try:
                        answer = await self._verdict(engine, questions[k], sample)
                        refused = 0
                    except RefusedError as error:
                        refused += 1
                        answer = None
                        self.tally.miss(f"the endpoint refuses a request ({error})")
                        if refused == min(REFUSALS, len(waiting)):
                            errors.append(DataError(f"The judge refuses every request: {error}."))
                    except (StorymeterError, asyncio.CancelledError) as error:
                        errors.append(error)
                        answer = None
                    if answer is not None:
                        self.answers.put(key, answer)
                        self.tally.add(answer)
                        for place in places:
                            marks[place] = answer.mark
                        speed.step(answer)
                    if errors:
                        engine.ending = True
                        return

            await asyncio.gather(*(worker() for _ in range(min(engine.parallel, len(waiting)))))
        if errors:
            raise self._ended(errors[0], speed.done, len(waiting))

    def _ended(self, error: BaseException, done: int, total: int) -> BaseException:
        if not isinstance(error, DataError):
            return error
        return DataError(
            f"{error.message} {done:,} of {total:,} new answers were received.",
            hint=error.hint
            or "Is the prompt or a caption too long for the model, or a parameter unknown to it?",
        )

    async def _verdict(self, engine: Engine, question: Question, sample: int) -> Answer | None:
        """The answer, or None where no reply held a mark."""
        text = self.prompt.question(question.candidate, question.references, self.scale)
        # pictures are decoded beside the loop, so that other requests go on
        last = await asyncio.to_thread(message, text, question.shown) if question.shown else message(text)
        asked = messages = [*self._opening, last]
        parameters = dict(self.parameters)
        if parameters["temperature"] > 0:
            parameters["seed"] = sample + self.samples * int(self.identity["trial"])
        for _ in range(1 + AGAIN):
            reply = await engine.ask(messages, parameters)
            self.budget.tokens_in += reply.tokens_in
            self.budget.tokens_out += reply.tokens_out
            mark = self.scale.expected(reply.tokens) if reply.tokens else None
            parsed = self.scale.mark(reply.text)
            if parsed is not None:
                return Answer(
                    parsed if mark is None else mark,
                    mark is not None,
                    reply.text[:REPLY],
                    reply.model,
                    reply.tokens_in,
                    reply.tokens_out,
                    datetime.now(timezone.utc).isoformat(timespec="seconds"),
                )
            said = reply.text.strip()[:200]
            messages = [
                *asked,
                {"role": "assistant", "content": said or "…"},
                {"role": "user", "content": self.scale.sentence},
            ]
        self.tally.miss(f"no mark in the reply {' '.join(said.split())[:60]!r}")
        return None


class _Speed:
    """Progress with the tokens of a second."""

    def __init__(self, progress: Progress, where: str, total: int) -> None:
        self.progress, self.what, self.total = progress, f"asking {where}", total
        self.done = self.tokens = 0
        self.began = self.shown = time.monotonic()
        progress(self.what, 0, total)

    def step(self, answer: Answer) -> None:
        self.done += 1
        self.tokens += answer.tokens_in + answer.tokens_out
        now = time.monotonic()
        if now - self.shown > 0.2 or self.done == self.total:
            self.shown = now
            rate = self.tokens / max(now - self.began, 1e-9)
            self.progress(f"{self.what}\t{rate:,.0f} tokens/s", self.done, self.total)


def _run_apart(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs a coroutine in a thread with a loop of its own: a notebook has one running already. Ctrl-C
    cancels it."""
    error: list[BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(work())

    def run() -> None:
        try:
            loop.run_until_complete(task)
        except BaseException as caught:
            error.append(caught)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    thread = threading.Thread(target=run, name="judge", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        if not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)
        thread.join(10)
        raise
    if error:
        raise error[0]


_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, mark REAL NOT NULL, expected INTEGER NOT NULL, reply TEXT NOT NULL,
    model TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, time TEXT NOT NULL
) WITHOUT ROWID
"""
#: how much of a reply is kept
REPLY = 500


class Answer(NamedTuple):
    """`mark` is on the scale; `expected` says whether it is an expected value over token probabilities."""

    mark: float
    expected: bool
    reply: str
    model: str
    tokens_in: int
    tokens_out: int
    time: str


def _folder() -> Path:
    return Path(cache_folder(), "judge")


class Answers:
    """The file of answers; safe for several processes at once, used by one thread at a time."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or _folder() / "answers-1.sqlite"
        with self._said():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._keep_private()
            self._file = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)

    def _keep_private(self) -> None:
        """Captions stand in replies: the file is for its owner alone, as are those that SQLite puts beside
        it, which get its rights. Files of earlier versions, and the folder where it is the cache's own, are
        made so.
        """
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with contextlib.suppress(PermissionError):  # another's file that this user may write to
            for file in (self.path, *(Path(f"{self.path}{end}") for end in ("-wal", "-shm"))):
                if file.exists():
                    file.chmod(0o600)
            if self.path.parent == _folder():
                self.path.parent.chmod(0o700)

    def get(self, key: bytes) -> Answer | None:
        with self._said():
            row = self._file.execute(
                "SELECT mark, expected, reply, model, tokens_in, tokens_out, time FROM answers WHERE key = ?",
                (key,),
            ).fetchone()
        return None if row is None else Answer(row[0], bool(row[1]), *row[2:])

    def put(self, key: bytes, answer: Answer) -> None:
        with self._said():
            self._file.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (key, *answer)
            )

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"The judge's answers in {self.path} cannot be used: {error}.",
                hint="Move the file away, or set STORYMETER_CACHE to another folder.",
            ) from None
        except OSError as error:
            raise DataError(
                f"The judge's answers cannot be kept in {self.path.parent}: {error.strerror}.",
                hint="Set STORYMETER_CACHE to a folder that you may write to.",
            ) from None

"""From questions to marks: what is known is looked up, the rest is asked side by side, and every answer is
on the disk before the next question goes out.

A reply without a mark is asked again, with the reply and a reminder behind it; a verdict that has none in
the end is missing (NaN) and counted. An error ends the run only after what was under way has been answered
and kept."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..context import Budget
from ..errors import DataError, StorymeterError
from ..progress import Progress
from .answers import REPLY, Answer, Answers
from .endpoint import RefusedError, Reply
from .pictures import Shown, message
from .prompt import Prompt
from .scales import Scale

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


class Engine(Protocol):
    """Who answers: an endpoint, or a model in this process."""

    parallel: int
    ending: bool

    async def __aenter__(self) -> Engine: ...

    async def __aexit__(self, *error: Any) -> None: ...

    async def ask(self, messages: Sequence[dict[str, Any]], parameters: dict[str, Any]) -> Reply: ...


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

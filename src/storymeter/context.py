"""Settings of a run (`Settings`), and data that its metrics share (`Context`).

A context is its settings and two memos. `per_run` keeps what holds for all systems: numbered sentences,
tables of scored pairs, opened models. `per_task` keeps what one task gives: its texts, n-grams and tracks.
The context knows none of these things: the room that owns one offers a function that takes a context, such
as `pairs.sentences.pair_table(context, scorer)` or `dense.tracks.tracks_of(context, task)`.
"""

from __future__ import annotations

import contextlib
import importlib
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from .errors import DataError, UsageError, suggest
from .options import UNSPACED, Tokenizer
from .progress import Progress, silent
from .protocol import PAPER, Protocol, get as get_protocol

if TYPE_CHECKING:
    from .arrays import KeyArray
    from .join import Task
    from .scores import CorpusCounts

T = TypeVar("T")
#: what was made on first use, by the function that made it and its arguments
Memo = dict[Hashable, object]
#: tasks whose texts and tracks are kept: the one at hand, its paragraphs, and one more
KEPT_TASKS = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is about to be sent; tokens are guessed from characters, so about right and no more."""

    where: str
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None = None

    def __str__(self) -> str:
        cost = "" if self.cost is None else f", about {self.cost:,.2f} in the currency of --token-price"
        return (
            f"{self.requests:,} requests to {self.where}, about {self.tokens_in:,} tokens in and at most"
            f" {self.tokens_out:,} out{cost}"
        )


@dataclass
class Budget:
    """Shared by all judges of a run. `price` is that of a million tokens in and out; `ask` gets the estimate
    and says whether to go on."""

    max_requests: int | None = None
    deadline: float | None = None
    price: tuple[float, float] | None = None
    ask: Callable[[Estimate], bool] | None = None
    #: requests that were sent, retries among them, and the tokens of their replies as the server counts them
    sent: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    _agreed: int = 0
    #: whether the requests of a whole command were announced
    _announced: bool = False
    #: who is asked, key of a request -> tokens in and out, while requests are counted and not sent
    _counted: dict[tuple[str, bytes], tuple[int, int]] | None = field(default=None, repr=False)
    _began: float | None = field(default=None, repr=False)

    def open(self, where: str, requests: int, tokens_in: int, tokens_out: int) -> None:
        """Before a batch: raises where it cannot be paid, or somebody says no."""
        if self._began is None:
            self._began = time.monotonic()
        if self.max_requests is not None and self.sent + requests > self.max_requests:
            raise UsageError(
                f"The judge needs {requests:,} more requests after {self.sent:,}, and --max-requests allows"
                f" {self.max_requests:,} in all; none of them was sent.",
                hint="Raise --max-requests, or score fewer documents; earlier answers are kept.",
            )
        # asked once, and again when a run grows to more than twice what was agreed to
        if self.ask is not None and self.sent + requests > 2 * self._agreed:
            cost = self.cost(tokens_in, tokens_out)
            if not self.ask(Estimate(where, requests, tokens_in, tokens_out, cost)):
                raise UsageError("Nothing was sent to the judge.", hint="Score without it, or answer yes.")
            self._agreed = self.sent + requests

    @property
    def counting(self) -> bool:
        """Whether requests are counted, and not sent."""
        return self._counted is not None

    def count(self, where: str, requests: Mapping[bytes, int], tokens_out: int) -> None:
        """Requests that would be sent now, by their keys, with the tokens of each; one key is sent once."""
        if self._counted is not None:
            for key, tokens in requests.items():
                self._counted[where, key] = (tokens, tokens_out)

    def counted(self, rehearse: Callable[[], object]) -> dict[tuple[str, bytes], tuple[int, int]]:
        """What `rehearse` would send: who is asked and the key of each request, with its tokens in and out.
        None is sent.
        """
        found: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._counted = found
        try:
            rehearse()
        finally:
            self._counted = None
        return found

    def lent(self) -> Budget:
        """For a process that asks nobody. Its requests were announced; it has all of the limits that are left
        here, and its own clock.
        """
        requests = None if self.max_requests is None else self.max_requests - self.sent
        deadline = None if self.deadline is None else self.left()
        return Budget(requests, deadline, self.price)

    def add(self, sent: Sequence[int]) -> None:
        """What another process sent: requests, tokens in, tokens out."""
        self.sent, self.tokens_in, self.tokens_out = (
            mine + theirs for mine, theirs in zip(self.spent, sent, strict=True)
        )

    @property
    def spent(self) -> tuple[int, int, int]:
        return self.sent, self.tokens_in, self.tokens_out

    @contextlib.contextmanager
    def announced(self, rehearse: Callable[[], object]) -> Iterator[None]:
        """One estimate for all that is sent within. `rehearse` does the same work while requests are only
        counted (each answer is then the middle of its scale), so that the estimate is known before the first
        request. Within another `announced` nothing happens.
        """
        if self._announced or self.counting:
            yield
            return
        if counted := self.counted(rehearse):
            tokens = [sum(column) for column in zip(*counted.values(), strict=True)]
            self.open(" and ".join(dict.fromkeys(where for where, _ in counted)), len(counted), *tokens)
        self._announced = True
        try:
            yield
        finally:
            self._announced = False

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        if self.price is None:
            return None
        return (tokens_in * self.price[0] + tokens_out * self.price[1]) / 1e6

    def spend(self) -> None:
        """Before each request."""
        if self.max_requests is not None and self.sent >= self.max_requests:
            raise DataError(
                f"--max-requests {self.max_requests:,} is used up: some requests had to be repeated.",
                hint="Answers received so far are kept; run the same command again to continue.",
            )
        if self.left() <= 0:
            raise self.late()
        self.sent += 1

    def left(self) -> float:
        """Seconds until the deadline."""
        if self.deadline is None or self._began is None:
            return float("inf")
        return self.deadline - (time.monotonic() - self._began)

    def late(self) -> DataError:
        return DataError(
            f"The deadline of {self.deadline:g} s has passed.",
            hint="Answers received so far are kept; run the same command again to continue.",
        )


@dataclass(frozen=True)
class Settings:
    """The settings of a run; a protocol may be given by its name."""

    protocol: Protocol = PAPER
    tokenizer: Tokenizer = "ptb"
    jobs: int = 1
    seed: int = 0
    device: str = "cpu"
    images: str | None = None
    videos: str | None = None
    budget: Budget = field(default_factory=Budget)
    progress: Progress = field(default=silent, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.protocol, str):
            object.__setattr__(self, "protocol", get_protocol(self.protocol))
        for name, least in (("jobs", 1), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise UsageError(f"{name} cannot be {value!r}.", hint=f"It is a whole number from {least}.")
        if self.tokenizer not in get_args(Tokenizer):
            raise UsageError(
                f"There is no tokenizer {self.tokenizer!r}.",
                hint=suggest(str(self.tokenizer), get_args(Tokenizer)),
            )
        if self.protocol.ascii == "strip" and self.tokenizer in UNSPACED:
            raise UsageError(
                f"The protocol {self.protocol} replaces every character above U+007F by a space"
                f" (ascii=strip), and the tokenizer {self.tokenizer} is for text of such characters: nothing"
                " would be left of the captions.",
                hint=f"Keep them with --protocol {self.protocol}+ascii=keep, or choose a protocol that does,"
                " such as paper.",
            )


@dataclass(frozen=True, eq=False)
class Context(Settings):
    """The settings of a run, and what its metrics have worked out so far; see the module."""

    #: who knows how often each n-gram occurs in the whole corpus, where the documents are a part of it
    frequencies: Callable[[KeyArray], CorpusCounts] | None = None
    _run: Memo = field(default_factory=dict, repr=False)
    _tasks: OrderedDict[Task, Memo] = field(default_factory=OrderedDict, repr=False)

    def settings(self) -> dict[str, Any]:
        """What `Context(**settings)` makes again, without what was worked out."""
        return {each.name: getattr(self, each.name) for each in fields(Settings)}

    def per_run(self, make: Callable[..., T], *arguments: object) -> T:
        """`make(context, *arguments)`, called once in a run."""
        return self._once(self._run, make, arguments)

    def per_task(self, make: Callable[..., T], task: Task, *arguments: object) -> T:
        """`make(context, task, *arguments)`, called once for a task; the last few tasks are remembered."""
        memo = self._tasks.setdefault(task, {})
        self._tasks.move_to_end(task)
        while len(self._tasks) > KEPT_TASKS:
            self._tasks.popitem(last=False)
        return self._once(memo, make, (task, *arguments))

    def with_tokenizer(self, tokenizer: Tokenizer) -> Context:
        """This context for text that another tokenizer splits; it shares no result with this one."""
        if tokenizer == self.tokenizer:
            return self
        inner = self.per_run(_inner, tokenizer)
        return replace(inner, frequencies=self.frequencies)

    def _once(self, memo: Memo, make: Callable[..., T], arguments: tuple[object, ...]) -> T:
        key = (make, *map(_hashable, arguments))
        if key not in memo:
            memo[key] = make(self, *arguments)
        return cast(T, memo[key])

    def texts(self, task: Task, tokenizer: Tokenizer | None = None) -> Any:
        """The texts of a task: `storymeter.pairs.texts_of(context, task)`, which plug-ins called here."""
        warnings.warn(
            "context.texts(task) is now storymeter.pairs.texts_of(context, task).",
            DeprecationWarning,
            stacklevel=2,
        )
        return importlib.import_module("storymeter.pairs").texts_of(self, task, tokenizer)


def _inner(context: Context, tokenizer: Tokenizer) -> Context:
    return Context(**{**context.settings(), "tokenizer": tokenizer})


class _Itself:
    """A key for a value without a hash, such as a scorer of the user's own: equal to itself alone."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _hashable(value: object) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return _Itself(value)
    return value

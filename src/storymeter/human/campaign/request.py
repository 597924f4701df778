"""The options of a new campaign, the choice of its videos, and lots that only the holder of the private key
can draw again.

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
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...captions import Corpus
from ...errors import UsageError, first_few, many
from ..analysis.span_records import KINDS

#: how many HITs show each system caption, unless somebody asks for another number
OVERLAP = 3
#: hexadecimal digits of a secret seed
DIGITS = 32
#: words of 64 bits that are made at once
_BLOCK = 256


class Layout(msgspec.Struct, frozen=True):
    """How a HIT is made up; the four counts are per block."""

    blocks: int = 10
    system: int = 7
    degraded: int = 1
    repeat: int = 1
    human: int = 1
    control_base: Literal["human", "system"] = "human"

    @property
    def block(self) -> int:
        return self.system + self.degraded + self.repeat + self.human

    @property
    def size(self) -> int:
        return self.blocks * self.block

    @property
    def distance(self) -> tuple[int, int]:
        """How far apart the members of a pair stand, at least and at most."""
        far = self.blocks // 2 * self.block
        return far - self.block + 1, far + self.block - 1

    def check(self) -> None:
        counts = (self.system, self.degraded, self.repeat, self.human)
        if self.blocks < 2 or self.blocks % 2 or min(counts) < 0 or not self.block:
            raise UsageError(
                f"A HIT of {self.blocks} blocks of {'/'.join(map(str, counts))} cannot be laid out.",
                hint=(
                    "Blocks come in pairs: give an even number, two or more, and counts that are not"
                    " negative."
                ),
            )
        originals = self.repeat + (self.degraded if self.control_base == "system" else 0)
        if originals > self.system:
            raise UsageError(
                f"Each block has {self.system} system captions, but the paired block has {originals} control"
                " items that each need one of them as their original.",
                hint="Ask for more system captions per block or for fewer controls.",
            )
        if self.control_base == "human" and self.degraded > self.human:
            raise UsageError(
                f"{self.degraded} degraded captions per block need as many human captions; the layout has"
                f" {self.human}.",
                hint="Raise --human-per-block, or use --control-base system.",
            )


class Platform(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where raters come from. Prolific's completion code is the study's own, from its settings page."""

    name: Literal["local", "mturk", "prolific"] = "local"
    completion_code: str = ""
    #: the file of the campaign with the public keys of Prolific: visits that it did not sign are refused
    keys: str = ""
    #: the study on Prolific that signed visits must be of; none: any
    study: str = ""


class Practice(msgspec.Struct, frozen=True):
    """A warming-up item: the answer should fall between `low` and `high`, and `feedback` says why."""

    item: str
    caption: str
    low: int
    high: int
    feedback: str


class Question(msgspec.Struct, frozen=True):
    """A test question about a clip: `answer` counts the options from 0."""

    item: str
    question: str
    options: tuple[str, ...]
    answer: int


class RaterTerms(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What raters work under; asked for, and then kept in campaign.json."""

    language: str = "en"
    #: how many raters each HIT gets, and how many HITs one rater may do
    raters_per_hit: int = 1
    hits_per_rater: int = 1
    #: how much of a clip's length must pass between its start and the answer, by the server's clock (0: only
    #: that it ended)
    watch: float = 0.9
    #: whether raters may pause a clip
    pause: bool = True
    lease_minutes: float = 120.0
    platform: Platform = Platform()
    currency: str = "USD"
    contact: str = ""
    #: the address under which raters reach the server
    public_url: str = ""


class Selection(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The videos of a campaign where they are not all: asked for, and then kept in campaign.json."""

    #: drawn at random
    videos: int | None = None
    #: in seconds, both limits included
    duration: tuple[float, float] | None = None
    max_captions: int | None = None
    #: how many videos have captions of everybody, and how many of these fulfil the conditions
    captioned: int = 0
    suitable: int = 0

    def __str__(self) -> str:
        limits = ["{:g} to {:g} seconds".format(*self.duration)] if self.duration else []
        limits += [f"at most {many(self.max_captions, 'caption')}"] if self.max_captions else []
        return ", ".join(limits)


class CampaignRequest(RaterTerms, frozen=True, kw_only=True):
    task: str = "da"
    systems: Sequence[Corpus] = ()
    human: Corpus | None = None
    clips: Path
    selection: Selection | None = None
    #: pay per HIT, and the platform's fee as a share of it; None: what `hourly` makes of the time that a HIT
    #: takes, and the platform's usual fee
    price: float | None = None
    fee: float | None = None
    #: pay per hour below which there is a warning; None: 8 in USD, EUR, GBP and CHF
    hourly: float | None = None
    hits: int | None = None
    #: how many HITs show each caption, where `hits` does not say how many there are
    overlap: int = OVERLAP
    #: None: the study's own
    layout: Layout | None = None
    per_hit: int | None = None
    #: preference, survey: items of a HIT that are shown a second time; None: the study's own
    repeat_per_hit: int | None = None
    #: preference: controls of a HIT, where HITs are added to those there are; None: the study's own
    controls: int | None = None
    #: Prolific's public keys (a JWKS), with which it signs whom it sends
    platform_key: Path | None = None
    #: for rehearsals: a chosen seed can be guessed, and with it the private key
    seed: int | None = None
    merge_identical: bool = False
    questions: Sequence[Question] = ()
    #: spans: what an error may be about
    kinds: tuple[str, ...] = KINDS
    practice: int = 0
    title: str = ""
    #: where a campaign is extended: systems that are new, and how often each caption (comparison, sequence)
    #: was shown before
    added: tuple[str, ...] = ()
    shown: Mapping[Any, int] = {}


def select(options: CampaignRequest, seed: str) -> tuple[CampaignRequest, Selection]:
    """The request for the selected videos alone. Lengths and numbers of captions are those of the human
    captions, else of the systems' (then of each of them); only videos that everybody has captions of are
    drawn.
    """
    wanted = options.selection or Selection()
    files = [*options.systems, *([options.human] if options.human else [])]
    counted = [options.human.by_id()] if options.human else [system.by_id() for system in options.systems]
    everybody = set.intersection(*({one.id for one in file if one.text.strip()} for file in files))
    lengths = {one.id: one.duration for file in files for one in file if one.duration is not None}
    if wanted.duration and not lengths:
        raise UsageError(
            "No file states how long the videos are, so that --duration cannot choose any.",
            hint="Give references with durations as --human, or leave out --duration.",
        )
    low, high = wanted.duration or (0.0, float("inf"))

    def suits(item: str) -> bool:
        most = max(len(one.captions) for by in counted for one in by[item])
        few = wanted.max_captions is None or most <= wanted.max_captions
        return few and (wanted.duration is None or low <= lengths.get(item, -1.0) <= high)

    found = sorted(filter(suits, everybody))
    if len(found) < (wanted.videos or 1):
        fewer = [f"--videos {len(found)}"] if found else []
        limits = {"--duration": wanted.duration, "--max-captions": wanted.max_captions}
        given = [name for name, value in limits.items() if value is not None]
        wider = [f"wider limits ({' or '.join(given)})"] if given else []
        raise UsageError(
            f"Of {many(len(everybody), 'video')} with captions of everybody, {len(found):,} fit"
            f"{f' ({wanted})' if str(wanted) else ''}; {wanted.videos:,} are wanted."
            if wanted.videos
            else f"None of {many(len(everybody), 'video')} with captions of everybody fits ({wanted}).",
            hint=f"Use {' or '.join([*fewer, *wider]) or 'files about the same videos'}.",
        )
    chosen = set(found if wanted.videos is None else drawn("videos", seed).sample(found, wanted.videos))
    kept = [of_videos(file, chosen) for file in files]
    return (
        msgspec.structs.replace(
            options, systems=kept[: len(options.systems)], human=kept[-1] if options.human else None
        ),
        msgspec.structs.replace(wanted, captioned=len(everybody), suitable=len(found)),
    )


def of_videos(corpus: Corpus, chosen: Collection[str]) -> Corpus:
    """The captions of these videos."""
    return msgspec.structs.replace(corpus, documents=tuple(one for one in corpus if one.id in chosen))


def seconds(given: str | tuple[float, float]) -> tuple[float, float]:
    """The limits of a length in seconds.

    >>> seconds("90-180")
    (90.0, 180.0)
    """
    try:
        low, high = given.replace("–", "-").split("-") if isinstance(given, str) else given
        limits = float(low), float(high)
    except ValueError:
        limits = 0.0, -1.0
    if not 0 <= limits[0] <= limits[1] < float("inf"):
        raise UsageError(
            f"{given!r} is no length of videos.", hint="Give seconds from … to …: --duration 90-180"
        )
    return limits


def caption_problems(options: CampaignRequest) -> tuple[list[str], list[str]]:
    problems, warnings = [], []
    for corpus in [*options.systems, *([options.human] if options.human else [])]:
        empty = [d.id for d in corpus if not d.text.strip()]
        if empty:
            problems.append(f"{corpus.name}: {len(empty):,} empty captions: {first_few(empty)}")
        several = [item for item, documents in corpus.by_id().items() if len(documents) > 1]
        if several:
            warnings.append(
                f"{corpus.name}: {len(several):,} videos have several captions; the first of each is shown:"
                f" {first_few(several)}"
            )
    everyone = {corpus.name: {d.id for d in corpus} for corpus in options.systems}
    union = set().union(*everyone.values()) if everyone else set()
    for name, ids in everyone.items():
        if union - ids:
            warnings.append(
                f"{name}: no caption for {len(union - ids):,} of {len(union):,} videos:"
                f" {first_few(sorted(union - ids))}"
            )
    return problems, warnings


def lacking(systems: Sequence[Corpus], shown: Container[str]) -> dict[str, tuple[str, ...]]:
    """By system, the items it has no caption of, of those that can be shown and that others have."""
    have = {one.name: {d.id for d in one if d.text.strip() and d.id in shown} for one in systems}
    everything = set().union(*have.values()) if have else set()
    return {name: tuple(sorted(everything - ids)) for name, ids in have.items() if everything - ids}


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

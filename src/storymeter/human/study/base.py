"""The base class of kinds of study: one class that says everything the rest of the human wing must not know.

    design       which items stand in which HIT, with controls drawn from the private seed
    page_data    what a rater sees of an item; order: in which order
    validate_answer    which answers fit
    judgements   what an answer says, as `Rating` records
    verdicts     which raters can be believed so far
    analyse, standings    what all answers say; which system is ahead so far
    true_quality, reply    how a simulated rater answers

Server, store, export, dashboard and bots ask these questions of a `Study` and know no kind by name."""

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from ...captions import Document, Rating
from ...progress import Progress, silent
from ...text.script import dense
from ..analysis.span_records import KINDS
from ..campaign.clips import Clip
from ..campaign.request import CampaignRequest, Layout, Practice, Question

#: words per second that nobody reads faster than; usual are four
FASTEST, USUAL = 12.0, 4.0
#: the least that a look at a picture takes, in seconds
LOOK = 0.5


class Design(msgspec.Struct):
    key: list[Any]
    #: the clips and pictures that can be shown
    files: dict[str, Clip]
    practice: tuple[Practice, ...] = ()
    layout: Layout | None = None
    problems: list[str] = []
    warnings: list[str] = []


class ControlResult(NamedTuple):
    """What controls say of a rater so far. `accepted` is None where nothing can be said."""

    accepted: bool | None = None
    reason: str = ""
    pairs: int = 0
    high: float | None = None
    low: float | None = None
    p: float | None = None
    flags: tuple[str, ...] = ()
    tests: int = 0
    tests_right: float | None = None


class Standings(NamedTuple):
    """Where one system stands so far."""

    criterion: str
    system: str
    value: float
    low: float | None
    high: float | None
    items: int
    ratings: int


class SimulatedRater(Protocol):
    """What a simulated rater brings along (`storymeter.human.rehearsal`)."""

    rng: random.Random

    @property
    def attentive(self) -> bool:
        """Whether it looks at clips and answers questions about them."""

    def level(self, text: str | Sequence[str]) -> float:
        """What it thinks of a text, 0-100."""

    def truth_of(self, text: str | Sequence[str]) -> float:
        """The true quality of a text, 0-100."""


class Study(ABC):
    name: ClassVar[str]
    #: the class of its lines in the private key
    line: ClassVar[type]
    #: whether a clip must be played before an answer counts
    plays: ClassVar[bool] = True
    #: what the files are called
    media_word: ClassVar[str] = "clips"
    #: what a difference between two systems is stated in
    difference_unit: ClassVar[str] = "points"
    #: how a HIT is made up, where HITs have blocks
    layout: ClassVar[Layout | None] = None
    #: seconds that an answer takes beside watching and reading
    answering: ClassVar[float] = 6.0
    #: files for other tools, beside JSON Lines and CSV
    formats: ClassVar[tuple[str, ...]] = ()
    #: the criteria of its records; none: any that no other study has
    criteria: ClassVar[tuple[str, ...]] = ()
    #: whether it gives every caption a score from 0 to 100, which z-scores and clusters are made of
    scored: ClassVar[bool] = False
    #: whether its answers are scores alone, which tables of other tools hold, too
    plain: ClassVar[bool] = False
    #: whether it compares stories, so that a list of sentences in a file is one
    stories: ClassVar[bool] = False
    #: what `standings` gives
    standing_word: ClassVar[str] = "mean"
    #: what its answers are called in a sentence
    title: ClassVar[str]
    #: the options of `human analyse` that its analysis takes
    options: ClassVar[frozenset[str]]
    #: what the dashboard shows of a verdict
    columns: ClassVar[tuple[str, ...]] = ("tests", "accepted")

    # --- before ---

    @abstractmethod
    def design(self, options: CampaignRequest, seed: str, progress: Progress = silent) -> Design: ...

    def media(self, line: Any) -> tuple[str, ...]:
        """The names of the clips or pictures of a place."""
        return (line.item,)

    @abstractmethod
    def page_data(self, line: Any) -> dict[str, Any]:
        """What the page shows of a place: nothing of what stands behind it."""

    def practice_page(self, item: Practice, options: CampaignRequest) -> dict[str, Any]:
        return {"caption": item.caption}

    def meanings(self, options: CampaignRequest) -> tuple[str, ...]:
        """The kinds of errors that the instructions explain."""
        return ()

    @abstractmethod
    def captions(self, line: Any) -> Iterator[tuple[str, Document]]:
        """Whose captions a place shows as they were written, without damage."""

    def per_hit(self, hit: Sequence[Any]) -> int | None:
        """How many items a HIT has, where the organiser may choose."""
        return None

    def repeats(self, hit: Sequence[Any]) -> int:
        """How many items of a HIT its last places repeat, where the organiser may choose."""
        return 0

    @abstractmethod
    def display_counts(self, key: Iterable[Any]) -> Mapping[Any, int]:
        """How often each caption (comparison, sequence) stands in these HITs, beside controls."""

    @abstractmethod
    def is_control(self, line: Any) -> bool:
        """Whether a rater is tested at this place."""

    def kinds_of(self, key: Iterable[Any]) -> tuple[str, ...]:
        """What errors may be about in a study of error spans."""
        return KINDS

    def questions(self, key: Iterable[Any]) -> tuple[Question, ...]:
        """The test questions of a key."""
        return ()

    def described(
        self, key: Sequence[Any], layout: Layout | None, systems: Sequence[str], raters: int
    ) -> list[tuple[str, str]]:
        """Lines of the plan that only this kind of study has."""
        return []

    @abstractmethod
    def missing_controls(self, key: Iterable[Any]) -> str:
        """What to say where nothing in the campaign tells attentive raters from others; else nothing."""

    # --- at work ---

    @abstractmethod
    def texts(self, payload: Mapping[str, Any]) -> Iterable[str]:
        """What is to be read of a place."""

    def minimum_seconds(self, payload: Mapping[str, Any], seconds: Sequence[float]) -> float:
        """The least time, in seconds, in which a place can be seen and read. A text may be read while the
        clip plays.
        """
        read = reading_seconds(self.texts(payload), FASTEST)
        return max(read, sum(seconds)) if self.plays else read + LOOK * len(seconds)

    def order(
        self, size: int, layout: Layout | None, rng: random.Random, repeats: int = 0
    ) -> list[int] | None:
        """The places of a HIT in the order in which one rater sees them. The last `repeats` places repeat
        the first ones, half a HIT later.
        """
        rest = iter(rng.sample(range(repeats, size - repeats), size - 2 * repeats))
        later = size - size // 2
        first = dict(zip(rng.sample(range(size // 2), repeats), range(repeats), strict=True))
        again = {place + later: size - repeats + number for place, number in first.items()}
        fixed = first | again
        return [fixed[place] if place in fixed else next(rest) for place in range(size)]

    @abstractmethod
    def validate_answer(self, payload: Mapping[str, Any], answer: Any) -> str | None:
        """The answer as it is stored (the same text for the same answer), or None where it does not fit."""

    # --- afterwards ---

    @abstractmethod
    def judgements(self, line: Any, answer: Any, common: dict[str, Any]) -> Iterator[Rating]:
        """What an answer says; `common` are the fields that all its records share."""

    @abstractmethod
    def verdicts(self, records: Sequence[Rating]) -> dict[str, ControlResult]: ...

    def included(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        """Whose answers the analysis uses, and why the others' not: by all that it asks of a rater, where
        `verdicts` are those of the controls alone."""
        return self.verdicts(records)

    @abstractmethod
    def analyse(
        self, records: Sequence[Rating], *, faithful: float | None, minimum: int, **options: Any
    ) -> Any:
        """All that the answers say. `faithful`: the share of test questions that a rater must get right;
        `minimum`: the raters that an item needs; the rest goes to `storymeter.human.analysis.assessment`."""

    def standings(self, records: Sequence[Rating]) -> list[Standings]:
        """How the systems stand, by criterion, best first: means over items, without raters whom the controls
        speak against."""
        return means(records, self.verdicts(records))

    # --- rehearsal ---

    @abstractmethod
    def true_quality(
        self, line: Any, systems: Mapping[str, float]
    ) -> Iterator[tuple[str | Sequence[str], float]]:
        """The true quality, 0-100, of the texts of a place, where each system has its own."""

    @abstractmethod
    def reply(self, item: Mapping[str, Any], bot: SimulatedRater, secret: Any) -> dict[str, Any]:
        """A simulated rater's answer. `secret` is the line of the private key with the same texts: what an
        attentive rater would see.
        """


def means(records: Sequence[Rating], verdicts: Mapping[str, ControlResult]) -> list[Standings]:
    """Mean value and 95 % interval of each system, by criterion, over items."""
    import numpy as np

    from ..analysis.scores import t_interval

    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    for one in records:
        if verdicts.get(one.rater, ControlResult()).accepted is False or one.kind == "test":
            continue
        for system, value in _credits(one):
            cells.setdefault((one.criterion, system), {}).setdefault(one.item, []).append(value)
    rows = []
    for (criterion, system), items in cells.items():
        found = np.array([sum(values) / len(values) for values in items.values()])
        low, high = t_interval(found) or (None, None)
        count = sum(map(len, items.values()))
        rows.append(Standings(criterion, system, float(found.mean()), low, high, len(found), count))
    return sorted(rows, key=lambda row: (row.criterion, -row.value))


def _credits(one: Rating) -> list[tuple[str, float]]:
    """Whom a judgement speaks of: one author, or both sides of a comparison."""
    if "against" in one.meta:
        return [(one.system, -one.value), (one.meta["against"], one.value)]
    return [(one.system, one.value)]


def fit(answer: Any, kind: type[Any]) -> Any:
    """The answer as this struct, or None."""
    try:
        return msgspec.convert(answer, kind)
    except msgspec.ValidationError:
        return None


def reading_seconds(texts: Iterable[str], speed: float) -> float:
    """How long reading takes at so many words a second. In scripts without blanks two characters count as a
    word.

    >>> reading_seconds(["a man runs", "twice"], 4.0)
    1.0
    >>> reading_seconds(["犬が走っている"], 3.5)
    1.0
    """
    words = 0.0
    for text in texts:
        if text.isascii():
            words += len(text.split())
            continue
        letters = sum(dense(letter) for letter in text)
        words += letters / 2 + sum(1 for word in text.split() if not all(map(dense, word)))
        if letters and letters < len(text) and " " not in text.strip():
            words -= 1  # mixed, but without blanks: its letters are counted already
    return words / speed


# Results of the control items per rater: control pairs, test questions and control stories.


TEST = "test"


def by_pairs(records: Sequence[Rating]) -> dict[str, ControlResult]:
    """The worker test and the flags of every rater, by `storymeter.human.analysis.quality`. Only the control
    pairs decide here: about whom to pay, and about work that is not finished, the gate of the repeats is too
    sharp. Who has answered no pair yet has no verdict."""
    from ..analysis.quality import assess
    from ..ratings import from_records

    if not records:
        return {}
    return {
        w.id: ControlResult(
            w.accepted if w.pairs else None, w.reason, w.pairs, w.mean_high, w.mean_low, w.p, w.flags
        )
        for w in assess(from_records(records), gates="control").workers
    }


def by_gates(records: Sequence[Rating], doubted: Mapping[str, str] | None = None) -> dict[str, ControlResult]:
    """What the analysis says of every rater: by control pairs, repeats and agreement with the others."""
    from ..analysis.quality import assess
    from ..ratings import from_records

    if not records:
        return {}
    return {
        w.id: ControlResult(w.accepted if w.pairs else None, w.reason, w.pairs)
        for w in assess(from_records(records), doubted=doubted).workers
    }


def least_right(tests: int) -> int:
    """How many test questions and control stories a rater must get right: so many that who finds each one
    with probability 1/2 would reach them in at most 5 of 100 cases, and at least four in five; all of fewer
    than five. One slip in eight then costs nobody the work.

    >>> [least_right(n) for n in (2, 5, 7, 8, 10, 16, 40)]
    [2, 5, 7, 7, 9, 13, 32]
    """
    enough = next(
        (k for k in range(tests) if sum(math.comb(tests, j) for j in range(k, tests + 1)) <= 0.05 * 2**tests),
        tests,
    )
    return tests if tests < 5 else max(enough, math.ceil(0.8 * tests))


def by_tests(records: Sequence[Rating], share: float | None = None) -> dict[str, ControlResult]:
    """How many test questions and control stories each rater got right, and whether that is enough:
    `least_right`, or the share that is asked for.
    """
    found: dict[str, list[float]] = {}
    for record in records:
        answers = found.setdefault(record.rater, [])
        if record.criterion == TEST:
            answers.append(record.value)
    return {rater: _tested(answers, share) for rater, answers in found.items()}


def _tested(answers: Sequence[float], share: float | None) -> ControlResult:
    if not answers:
        return ControlResult(None, "no test question answered")
    right = sum(answers) / len(answers)
    said = f"{sum(answers):.0f} of {len(answers)} test questions right"
    enough = sum(answers) >= least_right(len(answers)) if share is None else right >= share
    return ControlResult(enough, said, tests=len(answers), tests_right=right)

"""What a run works with: its settings, and what one metric has worked out that the next one needs too.

One of each kind: the sentences of a tokenizer, the pair table of a scorer, and per task its texts, n-grams,
tracks and paragraphs. Everything is made on first use, so that a run pays only for what its metrics ask."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import UsageError
from ..join import Task
from ..judge.budget import Budget
from ..metric import Progress, Tokenizer, silent
from ..protocol import Protocol
from ..protocol import get as get_protocol

if TYPE_CHECKING:
    from ..dense.tracks import Tracks
    from ..pairs.base import PairScorer
    from ..pairs.ngrams import NgramBatch
    from ..pairs.table import PairTable, Sentences
    from ..story.grounding import PictureStore
    from ..story.sight import Sight

T = TypeVar("T")
Scorer = TypeVar("Scorer", bound="PairScorer")
#: what was made on first use, by what it is
Made = dict[Hashable, Any]
#: tasks whose texts and tracks are kept: the one at hand, its paragraphs, and one more
KEPT_TASKS = 3


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of each document of a task, of each of its references, and of the references of documents that
    are not scored.
    """

    candidates: list[str]
    references: list[list[str]]
    unscored: list[list[str]]


class Workbench:
    """The settings of a run as attributes, and the members that hold its work."""

    def __init__(
        self,
        *,
        protocol: str | Protocol = "paper",
        tokenizer: Tokenizer = "ptb",
        jobs: int = 1,
        seed: int = 0,
        device: str = "cpu",
        images: str | None = None,
        videos: str | None = None,
        budget: Budget | None = None,
        progress: Progress = silent,
    ) -> None:
        from ..text.tokens import check_strip, check_tokenizer

        check_tokenizer(tokenizer)
        if not isinstance(jobs, int) or jobs < 1 or not isinstance(seed, int) or seed < 0:
            raise UsageError(
                f"jobs ({jobs!r}) and seed ({seed!r}) are whole numbers.", hint="jobs from 1, seed from 0."
            )
        self.protocol = get_protocol(protocol) if isinstance(protocol, str) else protocol
        if self.protocol.ascii == "strip":
            check_strip(tokenizer, str(self.protocol))
        self.tokenizer: Tokenizer = tokenizer
        self.jobs, self.seed, self.device = jobs, seed, device
        self.images, self.videos, self.progress = images, videos, progress
        self.budget = budget or Budget()
        self._made: Made = {}
        self._scorers: Made = {}
        self._tasks: OrderedDict[int, tuple[Task, Made]] = OrderedDict()

    def settings(self) -> dict[str, Any]:
        """What `Workbench(**settings)` makes again, without what was worked out."""
        keys = ("protocol", "tokenizer", "jobs", "seed", "device", "images", "videos", "budget", "progress")
        return {key: getattr(self, key) for key in keys}

    def reading(self, tokenizer: Tokenizer) -> Workbench:
        """A workbench like this one whose sentences are cut by another tokenizer."""
        if tokenizer == self.tokenizer:
            return self
        settings = {**self.settings(), "tokenizer": tokenizer}
        return _once(self._made, ("reading", tokenizer), lambda: Workbench(**settings))

    def sentences(self, tokenizer: Tokenizer | None = None, *, scorer: PairScorer | None = None) -> Sentences:
        """The sentences of the run, cut by its tokenizer, by another, or as this scorer wants them."""
        from ..pairs.table import Sentences

        tokenizer = tokenizer or self.tokenizer
        if scorer is not None:
            tokenizer = scorer.tokenized_by(self.tokenizer)
        strip = self.protocol.ascii == "strip"
        return _once(self._made, ("sentences", tokenizer), lambda: Sentences(tokenizer, strip=strip))

    def adopt(self, scorers: Made) -> None:
        """Use these scorers, and add to them: models stay loaded from one workbench to the next."""
        self._scorers = scorers

    def scorer(self, scorer: Scorer) -> Scorer:
        """The run's own copy of a scorer, on its device, with what it has read so far."""

        def bound() -> Scorer:
            return scorer.bind(device=self.device, progress=self.progress).for_tokens().within(self)

        return _once(self._scorers, _key(scorer), bound)

    def pairs(self, scorer: PairScorer, learnt_from: tuple[str, ...] = ()) -> PairTable:
        """The run's table of what a scorer said of pairs; one that learns has a table per corpus it learnt
        from, each sentence an item."""
        from ..pairs.table import PairTable

        def table() -> PairTable:
            own = self.scorer(scorer)
            fitted = own.fit([[text] for text in learnt_from]) if learnt_from else own
            return PairTable(fitted, self.sentences(scorer=scorer))

        digest = hashlib.sha256("\n".join(learnt_from).encode("utf-8", "surrogatepass")).hexdigest()
        return _once(self._made, ("pairs", _key(scorer), digest), table)

    def texts(self, task: Task, tokenizer: Tokenizer | None = None) -> Texts:
        """What corpus metrics compare: the captions of a document joined by a blank, cut by the run's
        tokenizer or by another.
        """
        tokenizer = tokenizer or self.tokenizer

        def texts() -> Texts:
            documents = [document.text for document in task.candidates]
            groups = [*task.references, *task.unscored]
            alternatives = [document.text for group in groups for document in group]
            tokens = self.sentences(tokenizer).tokens([*documents, *alternatives])
            rest = iter(tokens[len(documents) :])
            against = [[next(rest) for _ in group] for group in groups]
            return Texts(tokens[: len(documents)], against[: len(documents)], against[len(documents) :])

        return _once(self._work(task), ("texts", tokenizer), texts)

    def ngrams(self, task: Task, tokenizer: Tokenizer | None = None) -> NgramBatch:
        """The texts of a task for the n-gram kernels."""
        from ..pairs.ngrams import NgramBatch

        tokenizer = tokenizer or self.tokenizer

        def ngrams() -> NgramBatch:
            texts = self.texts(task, tokenizer)
            return NgramBatch.of_groups(
                candidates=texts.candidates, references=texts.references, unscored=texts.unscored
            )

        return _once(self._work(task), ("ngrams", tokenizer), ngrams)

    def tracks(self, task: Task) -> Tracks:
        """A task's timed captions as arrays."""
        from ..dense.tracks import Tracks

        return _once(self._work(task), "tracks", lambda: Tracks(task, self.protocol, self.jobs))

    def paragraphs(self, task: Task) -> Task:
        """The task with the captions of each document joined in time order."""
        from ..dense.paragraph import paragraphs

        kind = self.protocol.paragraph
        return _once(self._work(task), "paragraphs", lambda: paragraphs(task, kind))

    def pictures(self, model: str, regions: str, metric: str) -> PictureStore:
        """Vectors of the pictures of the run, for all metrics that look at them in the same way."""
        from ..story.grounding import PictureStore

        images = self.images
        if images is None:
            raise UsageError(
                f"{metric} needs pictures, and none were given.",
                hint="Give their folder: --images FOLDER (images= in Python).",
            )
        key = ("pictures", model, regions)
        return _once(self._made, key, lambda: PictureStore.of(images, model, regions, self.device))

    def sight(self, model: str, metric: str) -> Sight:
        """A CLIP and the pictures or videos of the run, for all metrics that ask the same model."""
        from ..story.sight import Sight

        def sight() -> Sight:
            return Sight.of(model, self.images, self.videos, self.device, metric)

        return _once(self._made, ("sight", model), sight)

    def _work(self, task: Task) -> Made:
        """What was worked out for one task, which is kept with it: no other has its id meanwhile."""
        _, made = self._tasks.setdefault(id(task), (task, {}))
        self._tasks.move_to_end(id(task))
        while len(self._tasks) > KEPT_TASKS:
            self._tasks.popitem(last=False)
        return made


def _once(made: Made, key: Hashable, make: Callable[[], T]) -> T:
    if key not in made:
        made[key] = make()
    return cast(T, made[key])


def _key(scorer: PairScorer) -> Hashable:
    """A scorer of somebody's own may have no hash: then it is known by itself alone."""
    try:
        hash(scorer)
    except TypeError:
        return id(scorer)
    return scorer

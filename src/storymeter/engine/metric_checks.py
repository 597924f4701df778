"""What is wrong with a metric or scorer of one's own: each check on a few small documents, each failure one
sentence with the line.

>>> from storymeter.engine import check_metric
>>> [found.check for found in check_metric("rouge_l") if not found.holds]
[]
"""

from __future__ import annotations

import contextlib
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..captions import Caption, Corpus, Document
from ..context import Budget
from ..errors import StorymeterError, StorymeterWarning
from ..join import Task
from ..measure import trait
from ..metrics import Metric
from ..options import parse
from ..pairs.documents import TextMetric
from ..pairs.scorer import PairScorer, open_scorer
from ..pairs.sentences import sentences_for
from ..plugins import foreign_parts, is_foreign, line_of, place
from ..registry import as_metric, metric as get_metric, shadowed
from .run import Run

_TEXTS = (
    (
        "A man cracks two eggs into a bowl.",
        "He whisks them with a fork.",
        "Somebody breaks eggs.",
        "He stirs.",
    ),
    ("A red car drives along the coast.", "It stops at a beach.", "A car follows the sea.", "It parks."),
    ("Two girls throw a frisbee.", "A dog catches it.", "Girls play with a disc.", "Their dog jumps for it."),
    ("Someone is painting a fence white.", "Then it rains.", "A fence is painted.", "Rain washes it off."),
    ("A band plays on a small stage.", "The crowd claps.", "Musicians perform.", "People applaud."),
)
#: of equal numbers
CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class MetricCheck:
    check: str
    holds: bool
    #: what is wrong, or what was seen
    because: str = ""


class _WrongError(Exception):
    """A check that fails, with its sentence."""


def check_metric(metric: str | Metric | PairScorer, *, budget: Budget | None = None) -> list[MetricCheck]:
    """Checks a metric or scorer on a few small documents; one result for each property.

    metric: the metric or scorer, or its name.
    budget: what a judge in it may be asked.
    """
    made = get_metric(metric) if isinstance(metric, str) else as_metric(metric)
    checks = _Checks(made, budget or Budget())

    def rehearse(run: Run, judges: Sequence[Metric]) -> None:
        for _, check in checks.listed():
            with contextlib.suppress(_WrongError, StorymeterError):
                check()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StorymeterWarning)  # of these documents, not of the metric
        with checks.run().announced([made], rehearse):
            return [*_answers(checks)]


def assert_metric(metric: str | Metric | PairScorer) -> None:
    """For pytest: fails with every sentence of `check_metric` that does not hold.

    metric: a metric, or its name.
    """
    failed = [f"{found.check}: {found.because}" for found in check_metric(metric) if not found.holds]
    if failed:
        raise AssertionError("\n".join(failed))


def _answers(checks: _Checks) -> Iterator[MetricCheck]:
    for title, check in checks.listed():
        holds, because = False, ""
        try:
            holds, because = True, check() or ""
        except _WrongError as wrong:
            because = str(wrong)
        except StorymeterError as error:
            because = error.message
        except Exception as error:  # whatever a plug-in's class raises
            where = line_of(error, foreign_parts(checks.metric)[1])
            because = f"{type(error).__name__}: {error}{where}."
        yield MetricCheck(title, holds, because)
        if title in ("scores", "the same twice") and not holds:
            return  # the others would say the same


def _corpora() -> tuple[Corpus, list[Corpus]]:
    def corpus(name: str, first: int) -> Corpus:
        return Corpus(
            tuple(
                Document(f"v{k}", (Caption(texts[first], 0, 4), Caption(texts[first + 1], 4, 9)), 10.0)
                for k, texts in enumerate(_TEXTS)
            ),
            name,
        )

    return corpus("candidates", 0), [corpus("annotator_1", 2), corpus("annotator_2", 1)]


def _documents(name: str, text: str) -> Corpus:
    return Corpus((Document("v0", (Caption(text),)),), name)


def _of(metric: Metric) -> str:
    kind = type(metric._named_measure)
    return place(vars(kind).get("rows", kind))


def _watched(scorer: PairScorer, reads: list[str]) -> PairScorer:
    """A copy that notes when its methods ask where to run."""

    def device(self: PairScorer) -> str:
        reads.append("device")
        return "cpu"

    kind = type(scorer)
    watching = property(device, lambda self, value: None)
    made: PairScorer = object.__new__(
        type(kind.__name__, (kind,), {"device": watching, "__module__": kind.__module__})
    )
    for key, value in vars(scorer).items():
        object.__setattr__(made, key, value)
    return made


@dataclass(frozen=True)
class _Checks:
    """The checks of one metric; each raises `_WrongError`, or gives what was seen."""

    metric: Metric
    budget: Budget

    def listed(self) -> Iterator[tuple[str, Callable[[], str | None]]]:
        yield "scores", self._scores
        yield "name", self._name
        yield "a text without words", self._wordless
        yield "the same twice", self._twice
        yield "any number of threads", self._threads
        yield "any order of documents", self._order
        yield "shards", self._alone
        yield "pickling", self._pickled
        if is_foreign(self._inner):
            yield "device", self._device
        if isinstance(self._inner, PairScorer):
            yield "symmetry", partial(self._symmetry, self._inner)
            yield "any batch of pairs", partial(self._batches, self._inner)
            if isinstance(self.metric, TextMetric):
                yield "pairs and corpus", partial(self._corpus_of_a_pair, self._inner)

    def run(self, jobs: int = 1) -> Run:
        return Run(_corpora()[1], jobs=jobs, budget=self.budget)

    def _task(self) -> Task:
        return self.run().task(_corpora()[0])

    def _rows(self, task: Task, jobs: int = 1, metric: Metric | None = None) -> FloatArray:
        score = self.run(jobs).score_task(task, [metric or self.metric])[0]
        return np.asarray(score.rows, dtype=float)

    @property
    def _inner(self) -> Any:
        """The scorer, also within a metric such as SODA; else the metric."""
        held = getattr(self.metric, "scorer", None)
        return held if isinstance(held, PairScorer) else self.metric._named_measure

    @cached_property
    def _reads_device(self) -> bool:
        """Whether a scorer looks at `self.device`; before it has loaded its model, where it may look once."""
        reads: list[str] = []
        with contextlib.suppress(Exception):  # which is that of `scores`
            watched = _watched(self._inner, reads)
            open_scorer(self.run().context, watched).matrix(candidates=_TEXTS[0][:2], references=_TEXTS[1])
        return bool(reads)

    def _device(self) -> str:
        inner = self._inner
        if not trait(inner, "uses_device", False):
            return "declared: --device has no effect on it"
        if isinstance(inner, PairScorer) and not self._reads_device:
            raise _WrongError(
                "it declares uses_device = True and never reads self.device, so that --device would have no"
                f" effect, without a word: load the model there ({place(type(inner))})."
            )
        return "declared: it runs on --device"

    def _scores(self) -> str:
        """Keys, shapes, finite real numbers, the declared range and a vectorised `combine` are checked with
        every first score (`plugins`)."""
        if isinstance(self._inner, PairScorer) and is_foreign(self._inner):
            bool(self._reads_device)  # found out now, before its model is loaded
        score = self.run().score(_corpora()[0], [self.metric], 100).systems[0].scores[0]
        if score.interval is None or not np.isfinite([score.value, *score.interval]).all():
            raise _WrongError(
                f"its value is {score.value} with the interval {score.interval} ({_of(self.metric)})."
            )
        if not self.metric.own and self.metric.percent and abs(score.value) > 1:
            raise _WrongError(
                f"its value is {score.value:g}, and tables print it times 100: write percent = False"
                f" ({place(type(self.metric._named_measure))})."
            )
        return f"{score.value:.4g}"

    def _name(self) -> str:
        word = parse(self.metric.name).word
        if unused := shadowed(word):
            raise _WrongError(unused[0])
        try:
            again = get_metric(self.metric.name)
        except StorymeterError:
            return f"{word}: not installed as a plug-in; used as an object"
        known = type(again._named_measure)
        if known is not type(self.metric._named_measure):
            raise _WrongError(f"{word!r} is the name of {known.__name__} ({place(known)}): choose another.")
        if not (again == self.metric or again.name == self.metric.name):
            where = place(type(self.metric._named_measure))
            raise _WrongError(f"its name {self.metric.name!r} reads back as {again.name!r} ({where}).")
        return self.metric.name

    def _wordless(self) -> None:
        candidates = _corpora()[0]
        odd = [Document("v0", (Caption("", 0, 4), Caption("...", 4, 9)), 10.0), Document("v1", (), 10.0)]
        _ = self.run().score(Corpus((*odd, *candidates.documents[2:]), "odd"), [self.metric], 0)

    def _same(self, ours: FloatArray, theirs: FloatArray, sentence: str) -> None:
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-6, atol=CLOSE, equal_nan=True):
            moved = float(np.nanmax(np.abs(ours - theirs))) if ours.shape == theirs.shape else float("nan")
            raise _WrongError(f"{sentence} (by {moved:.3g} at most; {_of(self.metric)}).")

    def _twice(self) -> None:
        task = self._task()
        first, again = self._rows(task), self._rows(task)
        self._same(
            first, again, "the same documents get other numbers when they are scored again: use the seed"
        )

    def _threads(self) -> None:
        task = self._task()
        self._same(self._rows(task), self._rows(task, 4), "the number of threads changes the numbers")

    def _order(self) -> None:
        task = self._task()
        turned = task.part(slice(None, None, -1))
        self._same(
            self._rows(task),
            self._rows(turned)[::-1],
            "another order of the documents changes their numbers",
        )

    def _alone(self) -> str:
        reason = self.metric.unshardable_reason()
        if reason or self.metric.needs_corpus_counts:
            return f"declared: {reason or 'it needs counts of the whole corpus'}"
        task = self._task()
        alone = [self._rows(task.part(slice(k, k + 1)))[0] for k in range(len(task))]
        self._same(
            self._rows(task),
            np.array(alone),
            "a document scored alone has other numbers than among others, so that shards would change the"
            " score: define unshardable_reason(self), which returns why",
        )
        return ""

    def _pickled(self) -> None:
        try:
            again = pickle.loads(pickle.dumps(self.metric))  # noqa: S301  # pickled by ourselves, just now
        except Exception as error:
            raise _WrongError(
                f"it cannot be pickled, so that no other process can score by it: {type(error).__name__}:"
                f" {error} ({place(type(self.metric._named_measure))})."
            ) from error
        task = self._task()
        self._same(
            self._rows(task),
            self._rows(task, metric=again),
            "its copy in another process gives other numbers",
        )

    def _symmetry(self, scorer: PairScorer) -> str:
        texts = [text for texts in _TEXTS for text in texts[:3]]
        fitted = open_scorer(self.run().context, scorer).fit([[text] for text in texts])
        there = fitted.matrix(candidates=texts, references=texts)
        equal = bool(np.allclose(there, there.T, rtol=1e-6, atol=CLOSE, equal_nan=True))
        symmetric = scorer.traits.symmetric
        if symmetric and not equal:
            raise _WrongError(
                "it declares symmetric = True, but f(a, b) is not f(b, a): pairs would be scored in one"
                f" direction alone ({place(type(scorer))})."
            )
        return "declared" if symmetric else ""

    def _batches(self, scorer: PairScorer) -> str:
        if scorer.traits.learns or scorer.traits.fits_per_video:
            return "declared: it is fitted"
        ours, theirs = [texts[0] for texts in _TEXTS], [text for texts in _TEXTS for text in texts[2:]]
        bound = open_scorer(self.run().context, scorer)
        whole = bound.matrix(candidates=ours, references=theirs)
        for c, r in ((0, 0), (1, 2), (2, 4), (3, 6), (4, 8), (1, 9)):
            one = bound.matrix(candidates=[ours[c]], references=[theirs[r]])[0, 0]
            if not np.isclose(one, whole[c, r], rtol=1e-4, atol=1e-6, equal_nan=True):
                raise _WrongError(
                    f"a pair has {whole[c, r]:.6g} among others and {one:.6g} alone: its value must not"
                    f" depend on the pairs beside it, or declare fits_per_video ({place(type(scorer))})."
                )
        return ""

    def _corpus_of_a_pair(self, scorer: PairScorer) -> str:
        if scorer.traits.learns or scorer.traits.fits_per_video:
            return "declared: it is fitted"
        if scorer.traits.asks:
            return "not checked: each pair is a request"
        if own := [name for name in ("rows", "combine") if hasattr(type(scorer), name)]:
            return f"declared: {' and '.join(own)} of its own"
        for first, _, second, _ in _TEXTS:
            ours, theirs = (_documents(name, text) for name, text in (("mine", first), ("people", second)))
            run = Run(theirs, jobs=1, budget=self.budget)
            words = sentences_for(run.context, scorer).tokens([first, second])
            pair = open_scorer(run.context, scorer).pairs(candidates=words[:1], references=[words[1:]])[0]
            corpus = run.score(ours, [self.metric], 0).systems[0].scores[0].value
            if not np.isclose(pair, corpus, rtol=1e-6, atol=CLOSE, equal_nan=True):
                raise _WrongError(
                    f"a pair has {pair:.6g} by pairs() and {corpus:.6g} by corpus() of it alone:"
                    f" score_indexed and value_of(statistics_indexed) must agree ({place(type(scorer))})."
                )
        return ""

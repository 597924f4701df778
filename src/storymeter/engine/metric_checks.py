"""What is wrong with a metric or scorer of one's own: each check on a few small documents, each failure one
sentence with the line.

>>> from storymeter.engine import check_metric
>>> [found.check for found in check_metric("rouge_l") if not found.holds]
[]
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..captions import Caption, Corpus, Document
from ..errors import StorymeterError, StorymeterWarning
from ..join import Task
from ..metrics import Metric
from ..options import parse
from ..pairs.documents import TextMetric
from ..pairs.scorer import PairScorer, open_scorer
from ..plugins import line_of, place
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


def check_metric(metric: str | Metric | PairScorer) -> list[MetricCheck]:
    """Checks a metric or scorer on a few small documents; one result for each property.

    metric: the metric or scorer, or its name.
    """
    made = get_metric(metric) if isinstance(metric, str) else as_metric(metric)
    found = []
    for title, check in _checks(made):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", StorymeterWarning)  # of these documents, not of the metric
                found.append(MetricCheck(title, True, check() or ""))
        except _WrongError as wrong:
            found.append(MetricCheck(title, False, str(wrong)))
        except StorymeterError as error:
            found.append(MetricCheck(title, False, error.message))
        except Exception as error:  # whatever a stranger's class raises
            found.append(MetricCheck(title, False, f"{type(error).__name__}: {error}{line_of(error)}."))
        if title in ("scores", "the same twice") and not found[-1].holds:
            return found  # the others would say the same
    return found


def assert_metric(metric: str | Metric | PairScorer) -> None:
    """For pytest: fails with every sentence of `check_metric` that does not hold.

    metric: a metric, or its name.
    """
    failed = [f"{found.check}: {found.because}" for found in check_metric(metric) if not found.holds]
    if failed:
        raise AssertionError("\n".join(failed))


def _checks(metric: Metric) -> Iterator[tuple[str, Callable[[], str | None]]]:
    yield "scores", lambda: _scores(metric)
    yield "name", lambda: _name(metric)
    yield "a text without words", lambda: _wordless(metric)
    yield "the same twice", lambda: _twice(metric)
    yield "any number of threads", lambda: _threads(metric)
    yield "any order of documents", lambda: _order(metric)
    yield "shards", lambda: _alone(metric)
    yield "pickling", lambda: _pickled(metric)
    if isinstance(metric, TextMetric):
        yield "symmetry", lambda: _symmetry(metric.scorer)
        yield "any batch of pairs", lambda: _batches(metric.scorer)


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


def _task(run: Run) -> Task:
    return run.task(_corpora()[0])


def _run(jobs: int = 1) -> Run:
    return Run(_corpora()[1], jobs=jobs)


def _rows(metric: Metric, task: Task, jobs: int = 1) -> FloatArray:
    return np.asarray(_run(jobs).score_task(task, [metric])[0].rows, dtype=float)


def _scores(metric: Metric) -> str:
    """Keys, shapes, finite real numbers, the declared range and a vectorised `combine` are checked with every
    first score (`plugins`)."""
    score = _run().score(_corpora()[0], [metric], 100).systems[0].scores[0]
    if score.interval is None or not np.isfinite([score.value, *score.interval]).all():
        raise _WrongError(f"its value is {score.value} with the interval {score.interval} ({_of(metric)}).")
    if not metric.own and metric.percent and abs(score.value) > 1:
        raise _WrongError(
            f"its value is {score.value:g}, and tables print it times 100: write percent = False"
            f" ({place(type(metric._bearer))})."
        )
    return f"{score.value:.4g}"


def _of(metric: Metric) -> str:
    kind = type(metric._bearer)
    return place(vars(kind).get("rows", kind))


def _name(metric: Metric) -> str:
    word = parse(metric.name).word
    if unused := shadowed(word):
        raise _WrongError(unused[0])
    try:
        again = get_metric(metric.name)
    except StorymeterError:
        return f"{word}: not installed as a plug-in; used as an object"
    known = type(again._bearer)
    if known is not type(metric._bearer):
        raise _WrongError(f"{word!r} is the name of {known.__name__} ({place(known)}): choose another.")
    if not (again == metric or again.name == metric.name):
        where = place(type(metric._bearer))
        raise _WrongError(f"its name {metric.name!r} reads back as {again.name!r} ({where}).")
    return metric.name


def _wordless(metric: Metric) -> None:
    candidates, references = _corpora()
    odd = [Document("v0", (Caption("", 0, 4), Caption("...", 4, 9)), 10.0), Document("v1", (), 10.0)]
    _ = Run(references, jobs=1).score(Corpus((*odd, *candidates.documents[2:]), "odd"), [metric], 0)


def _same(metric: Metric, ours: FloatArray, theirs: FloatArray, sentence: str) -> None:
    if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-6, atol=CLOSE, equal_nan=True):
        moved = float(np.nanmax(np.abs(ours - theirs))) if ours.shape == theirs.shape else float("nan")
        raise _WrongError(f"{sentence} (by {moved:.3g} at most; {_of(metric)}).")


def _twice(metric: Metric) -> None:
    task = _task(_run())
    first, again = _rows(metric, task), _rows(metric, task)
    _same(
        metric, first, again, "the same documents get other numbers when they are scored again: use the seed"
    )


def _threads(metric: Metric) -> None:
    task = _task(_run())
    _same(metric, _rows(metric, task), _rows(metric, task, 4), "the number of threads changes the numbers")


def _order(metric: Metric) -> None:
    task = _task(_run())
    turned = task.part(slice(None, None, -1))
    _same(
        metric,
        _rows(metric, task),
        _rows(metric, turned)[::-1],
        "another order of the documents changes their numbers",
    )


def _alone(metric: Metric) -> str:
    reason = metric.unshardable_reason()
    if reason or metric.needs_corpus_counts:
        return f"declared: {reason or 'it needs counts of the whole corpus'}"
    task = _task(_run())
    alone = [_rows(metric, task.part(slice(k, k + 1)))[0] for k in range(len(task))]
    _same(
        metric,
        _rows(metric, task),
        np.array(alone),
        "a document scored alone has other numbers than among others, so that shards would change the score:"
        " define unshardable_reason(self), which returns why",
    )
    return ""


def _pickled(metric: Metric) -> None:
    try:
        again = pickle.loads(pickle.dumps(metric))  # noqa: S301  # pickled by ourselves, just now
    except Exception as error:
        raise _WrongError(
            f"it cannot be pickled, so that no other process can score by it: {type(error).__name__}: {error}"
            f" ({place(type(metric._bearer))})."
        ) from error
    task = _task(_run())
    _same(metric, _rows(metric, task), _rows(again, task), "its copy in another process gives other numbers")


def _symmetry(scorer: PairScorer) -> str:
    texts = [text for texts in _TEXTS for text in texts[:3]]
    fitted = scorer.fit([[text] for text in texts])
    there = fitted.matrix(candidates=texts, references=texts)
    equal = bool(np.allclose(there, there.T, rtol=1e-6, atol=CLOSE, equal_nan=True))
    symmetric = scorer.traits.symmetric
    if symmetric and not equal:
        raise _WrongError(
            "it declares symmetric = True, but f(a, b) is not f(b, a): pairs would be scored in one direction"
            f" alone ({place(type(scorer))})."
        )
    return "declared" if symmetric else ""


def _batches(scorer: PairScorer) -> str:
    if scorer.traits.learns or scorer.traits.fits_per_video:
        return "declared: it is fitted"
    ours, theirs = [texts[0] for texts in _TEXTS], [text for texts in _TEXTS for text in texts[2:]]
    bound = open_scorer(_run().context, scorer)
    whole = bound.matrix(candidates=ours, references=theirs)
    for c, r in ((0, 0), (1, 2), (2, 4), (3, 6), (4, 8), (1, 9)):
        one = bound.matrix(candidates=[ours[c]], references=[theirs[r]])[0, 0]
        if not np.isclose(one, whole[c, r], rtol=1e-4, atol=1e-6, equal_nan=True):
            raise _WrongError(
                f"a pair has {whole[c, r]:.6g} among others and {one:.6g} alone: its value must not"
                f" depend on the pairs beside it, or declare fits_per_video ({place(type(scorer))})."
            )
    return ""

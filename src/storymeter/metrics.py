"""Metrics: a document (with its references) becomes a row of additive statistics; summed rows become
a score.

Corpus BLEU's row holds n-gram counts, SODA's holds P, R, F and a 1. Because only sums matter, per-document
output, bootstrap intervals, paired tests, sharding and resumed runs all merely re-sum rows.

A metric is a subclass of `Metric` with three things: `columns` (names of the statistics), `rows` (documents
to statistics) and `combine` (sums to values, vectorised over leading axes so that a thousand resamples are
one call). One whose value is the mean of document values is a `MeanMetric` with `document_values` alone. What
rows need beside the documents (tokens, pairs, tracks, vectors, the protocol, threads) is on the run's
`Context`."""

from __future__ import annotations

import importlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from . import __version__, plugins
from .arrays import FloatArray, beyond
from .context import Context
from .errors import UsageError, first_few
from .join import Task
from .measure import Measure, TrainingData, heading_of, is_own, trained_by_default
from .options import with_bound
from .protocol import Protocol
from .scores import CorpusCounts, Rows, Score, Signature


class Metric(Measure, ABC):
    """Scores documents: rows of additive statistics, and a value from their sums; see the module."""

    _own = True
    #: what an option of this type takes, in errors
    _example: ClassVar[str] = "a metric, such as 'soda_c' or Soda('c')"
    #: whether the metric can say anything without references (stories, counts) or not.
    needs_references: ClassVar[bool] = True
    #: whether tables print the value as a percentage, as the field does.
    percent: ClassVar[bool] = True
    #: whether it runs a model on the device of the run; a scorer finds it in `self.device`
    uses_device: ClassVar[bool] = False
    #: whether a higher value is a better text; None where neither is (a count).
    higher_is_better: ClassVar[bool | None] = True
    #: parts that stand in columns of their own beside the value, in the table of systems
    shown_parts: ClassVar[tuple[str, ...]] = ()

    @property
    def slow(self) -> bool:
        """Whether a model or another program reads every sentence: a run scores by all else first."""
        return bool(getattr(_traits(self), "slow", False))

    @property
    def own(self) -> bool:
        """Whether it is a part of Storymeter, and not of a plug-in or a program of the user's."""
        return is_own(type(self))

    @property
    def stand_in(self) -> str:
        """What works in place of the original's engine, which is not packaged; '' where nothing does."""
        return ""

    @property
    def heading(self) -> str:
        """The name above a column of values, with the engine where it is not the original's."""
        return heading_of(self._named_measure)

    @property
    def trained_on(self) -> TrainingData:
        """What was used to train or tune it, and the measures in its options."""
        return trained_by_default(self)

    @property
    def origin(self) -> str | None:
        """Distribution, version and hash of what is foreign in it (`plugins.origin`); None of our own."""
        if self.own and getattr(self, "scorer", None) is None and getattr(self, "metric", None) is None:
            return None
        return plugins.origin(self)

    @property
    def ordered(self) -> bool:
        """Whether the order of a document's references can change the number: the signature states it."""
        return False

    @classmethod
    def _from_text(cls, text: str) -> Metric:
        found: Metric = importlib.import_module("storymeter.registry").metric(text)
        return found

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the statistics, in the order of the columns of `rows`."""

    @abstractmethod
    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        """(documents, columns): the additive statistics of each document of the task, in its order."""

    @abstractmethod
    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        """Summed rows, shape (..., columns), to values of shape (...) by name: the key `value` is required,
        others are parts beside it."""

    def under(self, protocol: Protocol) -> Metric:
        """This metric bound to a protocol. A metric whose columns or values follow from the protocol (its
        thresholds, say) declares the field `protocol: Protocol = bound(PAPER)`; others stay as they are.
        """
        if "protocol" not in getattr(type(self), "__dataclass_fields__", {}):
            return self
        return with_bound(self, protocol=protocol)

    def knowing(self, **facts: Any) -> Metric:
        """A copy with these attributes: deprecated, declare a field by `options.bound` instead."""
        warnings.warn("Metric.knowing: declare a field by storymeter.options.bound.", DeprecationWarning, 2)
        return with_bound(self, **facts)

    def unshardable_reason(self) -> str:
        """Why the row of a document cannot be found without the other documents; '' where it can, and a
        corpus may be scored in shards.
        """
        older = getattr(self, "needs_whole", None)  # an earlier name, which plug-ins may define
        if older is not None:
            return str(older())
        traits: Any = _traits(self)
        if traits is None or not traits.learns or traits.fits_per_video:
            return ""
        name = getattr(self, "scorer").name  # noqa: B009  # a metric need not have one
        return f"{name} is fitted to the references of all documents"

    @property
    def compares_documents(self) -> bool:
        """Whether a row depends on the other documents of its system (how it differs from them, or how rare
        their words are), so that several systems must not be scored together.
        """
        return False

    @property
    def needs_corpus_counts(self) -> bool:
        """Whether rows depend on counts of the whole corpus: `corpus_counts` gives those of a part, and
        `Context.frequencies` looks up their sums.
        """
        return False

    def corpus_counts(self, task: Task, context: Context) -> CorpusCounts | None:
        """The counts of a part of the corpus; None where rows need no such thing."""
        return None

    def signature(self, context: Context) -> Signature:
        """States what a number of this metric depends on in a run: its name and options, tokenizer, protocol,
        version and plug-in. Subclasses add what else theirs depends on."""
        return Signature.of(
            metric=self.name,
            tok=context.tokenizer,
            protocol=context.protocol,
            version=__version__,
            plugin=self.origin,
        )

    def corpus(self, *, candidates: Any, references: Any = None, **settings: Any) -> Score:
        """The score of a whole corpus, with its interval and signature.

        metric("cider").corpus(candidates=["a dog runs", …], references=[["the dog runs", "a dog"], …])

        candidates, references: texts in lists, or whatever else `storymeter.evaluate` takes.
        settings: its other arguments (protocol, tokenizer, resamples, seed, jobs …).
        """
        evaluate = importlib.import_module("storymeter.engine.run").evaluate
        results = evaluate(candidates, references, [self], **settings)
        if len(results.systems) > 1:
            raise UsageError(
                "corpus() scores one system.", hint="Score several with storymeter.evaluate(candidates, …)."
            )
        score: Score = results.systems[0].scores[0]
        return score

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        """What the signature must say of the documents that were scored together, where the value of one
        depends on the others beyond its references.
        """
        return {}

    def remarks(self, scores: Mapping[str, Score]) -> list[str]:
        """What a reader of the table must know of these scores, by system: whole sentences."""
        return []

    def by_document(self, rows: FloatArray) -> FloatArray:
        """The value of each document by itself."""
        return np.asarray(self.combine(rows)["value"], dtype=np.float64)

    def score(self, task: Task, context: Context) -> Score:
        """Scores the documents of a task in a run: rows, their sum, its value and the signature."""
        metric = self.under(context.protocol)
        rows = metric.checked_rows(task, context)
        signature = metric.signature(context).add(**metric.corpus_fields(task, context))
        return metric.score_of_rows(rows, task.ids, signature)

    def score_of_rows(self, rows: Rows, ids: Sequence[str], signature: Signature) -> Score:
        """Makes the score of rows that were computed before, one per document id."""
        values = {key: float(value) for key, value in self.combine(rows.values.sum(axis=0)).items()}
        if not self.own:
            plugins.check_value(self, values["value"], len(rows.values))
        return Score(
            self.name,
            values.pop("value"),
            values,
            len(rows.values),
            signature,
            tuple(ids),
            self.columns,
            rows.values,
            alignment=rows.alignment,
            as_percent=self.percent,
            higher_is_better=self.higher_is_better,
        )

    def _numbers(self, values: object) -> FloatArray:
        if isinstance(values, np.ndarray) and values.dtype == np.float64:
            return values
        return plugins.real_numbers(values, self._gave())

    def _gave(self) -> str:
        methods = ("document_values", "rows")
        return plugins.gave(self, next(method for method in methods if hasattr(self, method)))

    def checked_rows(self, task: Task, context: Context) -> Rows:
        """The rows; of a foreign metric `combine` is checked, which intervals and tests rest on."""
        rows = self.checked(self.rows(task, context), task)
        if not self.own:
            plugins.check_combine(self, rows.values)
            self._check_range(rows.values, task)
        return rows

    def _check_range(self, rows: FloatArray, task: Task) -> None:
        """The values of documents against `range`, where a foreign metric declares one."""
        declared = getattr(type(self), "range", None)
        if not (isinstance(declared, tuple) and len(declared) == 2):  # it may be an option of this name
            return
        low, high = declared
        values = self.by_document(rows)
        outside = beyond(values, low, high)
        if len(outside):
            raise UsageError(
                f"{self._gave()} {values[outside[0]]:g} for {task.ids[outside[0]]!r}, outside of its declared"
                f" range {low:g} to {high:g}.",
                hint="Declare it in the class, range = (low, high); percent = False prints it unscaled.",
            )

    def checked(self, rows: Rows | FloatArray, task: Task) -> Rows:
        """Returns the rows if there is one per document with a finite number per column; raises `UsageError`
        otherwise."""
        found = rows if isinstance(rows, Rows) else Rows(self._numbers(rows))
        if found.values.shape != (len(task), len(self.columns)):
            raise UsageError(
                f"{self._gave()} rows of shape {found.values.shape} for {len(task):,} documents and"
                f" {len(self.columns)} columns.",
                hint="rows(task, context) gives one row per document and one column per name in `columns`.",
            )
        wrong = np.flatnonzero(~np.isfinite(found.values).all(axis=1))
        if len(wrong):
            raise UsageError(
                f"{self._gave()} no number for {len(wrong):,} of {len(task):,} documents:"
                f" {first_few(task.ids[k] for k in wrong)}",
                hint="A document that cannot be scored must still have a value, or be left out.",
            )
        return found


def _traits(metric: Metric) -> object:
    """The traits of the scorer that a metric holds, if it holds one."""
    return getattr(getattr(metric, "scorer", None), "traits", None)


class MeanMetric(Metric):
    """A metric whose corpus value is the mean of document values: write `document_values`, and `parts` where
    there are several; the rows follow.

    Each part is a column, and the last column counts the documents.
    """

    _own = True
    #: the parts in order; the first is the value itself.
    parts: ClassVar[tuple[str, ...]] = ("value",)

    @abstractmethod
    def document_values(self, task: Task, context: Context) -> FloatArray:
        """(documents, parts), or (documents,) where the value is all."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.parts, "documents")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        values = self._numbers(self.document_values(task, context))
        if values.ndim == 1 and len(self.parts) == 1:
            values = values[:, None]
        if values.shape != (len(task), len(self.parts)):
            several = values.shape[1:] != (1,)
            seen = f"values of shape {values.shape}" if several else f"{len(values):,} values"
            columns = f" and {len(self.parts)} parts" if several else ""
            raise UsageError(
                f"{self._gave()} {seen} for {len(task):,} documents{columns}.",
                hint="document_values(task, context) gives one row per document and one column per name in"
                " `parts`; a list of numbers where there is one part.",
            )
        return np.column_stack([values, np.ones(len(values))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        count = np.maximum(sums[..., -1], 1.0)
        return {part: sums[..., k] / count for k, part in enumerate(self.parts)}

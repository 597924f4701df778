"""Metric scores beside human scores: one row per human judgement, missing stays missing.

At segment level a row is a judgement of one caption (system, item); several rows may speak of the same
caption. At system level both sides are averaged over a system's rows.

Values per caption come from any metric of the registry: `Metric.rows`, combined document by document. All
captions that people judged are scored as one corpus, each a document of its own with its references: so does
every tool that made the published figures, and CIDEr's idf then comes from the references of all of them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, chain, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import LARGEST, FloatArray, IntArray
from ..captions import Caption, Corpus, Document
from ..engine.results import Results, document_values
from ..engine.run import MetricLike, Run
from ..errors import DataError, StorymeterError, first_few
from ..join import Coverage, Task
from ..measure import trait
from ..metrics import Metric
from ..pairs.documents import TextMetric
from ..registry import metric as get_metric
from ..scores import Score, Signature, diff, short_hash
from ..stats.ties import settled

Key = tuple[str, str]


def pooled(candidates: Mapping[Key, str], references: Mapping[Key, Sequence[str]]) -> Task:
    """One document per caption."""
    return captions_task(("\t".join(key), text, references.get(key, ())) for key, text in candidates.items())


def captions_task(rows: Iterable[tuple[str, str, Sequence[str]]]) -> Task:
    """(id, caption, references) as documents."""
    return documents_task(
        (key, Document(key, (Caption(text),)), [Document(key, (Caption(one),)) for one in against])
        for key, text, against in rows
    )


def documents_task(rows: Iterable[tuple[str, Document, Sequence[Document]]]) -> Task:
    """(id, document, references) in order of ids, so that nothing depends on the order of a file."""
    listed = sorted(rows, key=lambda row: row[0])
    return Task(
        "pooled",
        tuple(key for key, _, _ in listed),
        tuple(document for _, document, _ in listed),
        tuple(tuple(against) for _, _, against in listed),
        Coverage(len(listed)),
    )


def pooled_documents(systems: Sequence[Corpus], references: Sequence[Corpus], wanted: set[Key]) -> Task:
    """The same for whole documents (dense captions, stories): those that people judged and that have a
    reference.
    """
    known = Corpus(tuple(chain.from_iterable(references))).by_id()
    return documents_task(
        (f"{corpus.name}\t{document.id}", document, known.get(document.id, ()))
        for corpus in systems
        for document in corpus
        if (corpus.name, document.id) in wanted and (not references or document.id in known)
    )


@dataclass(frozen=True, slots=True)
class MetricValues:
    """What a metric says of captions, and what is known of it; scores from a file have no signature."""

    values: Mapping[Key, float]
    signature: str = ""
    higher_is_better: bool | None = True
    #: what each caption adds, where a system's own value is not the mean over captions (BLEU, METEOR)
    rows: Mapping[Key, FloatArray] | None = None
    #: summed rows, shape (..., columns), to values
    combine: Callable[[FloatArray], FloatArray] | None = None
    #: whether published tables average it over captions all the same (METEOR)
    averaged: bool = False


def values_of(
    task: Task, metrics: Sequence[MetricLike], run: Run, *, skip_missing: bool = False, apart: bool = False
) -> tuple[dict[str, MetricValues], dict[str, str]]:
    """Values by metric, and the metrics that could not run with the reason (`skip_missing`). `apart`: every
    system is scored by itself, as `storymeter score` does it, so that idf is that of its own documents.
    """
    keys = [(system, item) for system, _, item in (i.partition("\t") for i in task.ids)]
    found: dict[str, MetricValues] = {}
    skipped: dict[str, str] = {}
    with run.announced(
        _known(metrics), lambda dry, judges: values_of(task, judges, dry, skip_missing=True, apart=apart)
    ):
        for done, asked in enumerate(metrics):
            run.context.progress("metrics", done, len(metrics))
            try:
                ((name, metric),) = run.resolve_metrics(asked, task=task).items()
                parts = _by_system(task) if apart or metric.compares_documents else [task]
                score = _joined([run.score_task(part, asked)[0] for part in parts])
            except StorymeterError as error:
                if not skip_missing:
                    raise
                skipped[str(asked)] = error.message
                continue
            found[name] = _of_score(metric, score, keys)
    run.context.progress("metrics", len(metrics), len(metrics))
    return found, skipped


def _by_system(task: Task) -> list[Task]:
    """The documents of each system by themselves, in the order of the task."""
    sizes = [len([*same]) for _, same in groupby(task.ids, key=lambda id: id.partition("\t")[0])]
    bounds = [0, *accumulate(sizes)]
    return [task.part(slice(*pair)) for pair in pairwise(bounds)]


def _joined(scores: Sequence[Score]) -> Score:
    """The rows of several scores of one metric below each other; what was counted in the documents of each
    (`stories:8#…`) has one hash in the signature.
    """
    if len(scores) == 1:
        return scores[0]
    rows = [one.rows for one in scores if one.rows is not None]
    kept = [dict(one.signature.fields) for one in scores]
    counted = {key for each in kept[1:] for key in diff(scores[0].signature, Signature.of(each))}
    hashes = {key: f"#{short_hash([each.get(key) for each in kept])}" for key in counted}
    return replace(scores[0], rows=np.concatenate(rows), signature=scores[0].signature.add(**hashes))


def _known(metrics: Sequence[MetricLike]) -> list[MetricLike]:
    """Those that can be built; the others are reported where they are scored."""

    def builds(asked: MetricLike) -> bool:
        try:
            return not isinstance(asked, str) or bool(get_metric(asked))
        except StorymeterError:
            return False

    return [asked for asked in metrics if builds(asked)]


def values_of_results(results: Results, *, systems: bool = False) -> dict[str, MetricValues]:
    """Those of a run that is there already: by document, or (`systems`) by system alone."""
    results = results if systems else results.with_formulas()
    found = {}
    for k, score in enumerate(results.systems[0].scores):
        values: dict[Key, float] = {}
        rows: dict[Key, FloatArray] = {}
        for system in results.systems:
            if systems:
                values[system.name, ""] = system.scores[k].value
            else:
                keys = [(system.name, item) for item in system.scores[k].ids]
                one = _of_score(results.metrics[k], system.scores[k], keys)
                values |= one.values
                rows |= one.rows or {}
        metric = results.metrics[k]
        # fitted to the references of each system's own documents, not to those of all systems
        learns = trait(getattr(metric, "scorer", metric), "learns", False)
        fitted = {"fitted": "system"} if learns and not systems else {}
        signature = str(score.signature.add(**fitted))
        found[score.metric] = described(metric, values, signature, score.higher_is_better, rows)
    return found


def _of_score(metric: Metric, score: Score, keys: Sequence[Key]) -> MetricValues:
    """By caption; with the rows, where the captions of a system together have another value than their
    mean."""
    each = document_values(metric, score)
    rows: dict[Key, FloatArray] = {}
    if score.rows is not None and len(score.rows):
        code = np.unique(np.array([system for system, _ in keys]), return_inverse=True)[1].reshape(-1)
        there = ~np.isnan(each)
        for k in np.unique(code[there]):
            mine = there & (code == k)
            own = float(_value_of(metric, score.rows[mine].sum(axis=0)))
            if not math.isclose(own, float(each[mine].mean()), rel_tol=1e-9, abs_tol=1e-12):
                rows = dict(zip(keys, np.asarray(score.rows, dtype=float), strict=True))
                break
    values = dict(zip(keys, each.tolist(), strict=True))
    return described(metric, values, str(score.signature), score.higher_is_better, rows)


def described(
    metric: Metric,
    values: Mapping[Key, float],
    signature: str,
    higher_is_better: bool | None,
    rows: Mapping[Key, FloatArray],
) -> MetricValues:
    """Values with what is known of their metric. Published tables average sentence scorers over captions,
    unless their level is the corpus."""
    averaged = isinstance(metric, TextMetric) and getattr(metric.scorer, "level", "") != "corpus"
    combine = partial(_value_of, metric) if rows else None
    return MetricValues(values, signature, higher_is_better, rows or None, combine, averaged)


def _value_of(metric: Metric, sums: FloatArray) -> FloatArray:
    # a table of sums, as intervals ask for: that much is checked of plug-ins
    table = sums.reshape(-1, sums.shape[-1]) if sums.ndim > 2 else sums
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(metric.combine(table)["value"], dtype=float).reshape(sums.shape[:-1])


def values_of_file(known: Mapping[str, Mapping[Key, float]]) -> dict[str, MetricValues]:
    """Scores that were read: a name of ours brings its direction, any other counts as it is."""

    def higher(name: str) -> bool | None:
        try:
            return get_metric(name).higher_is_better
        except StorymeterError:
            return True

    return {name: MetricValues(values, "", higher(name)) for name, values in known.items()}


class Judgement(NamedTuple):
    system: str
    item: str
    value: float


class Additive(NamedTuple):
    #: one per judgement
    rows: FloatArray
    combine: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Scores:
    systems: tuple[str, ...]
    items: tuple[str, ...]
    system: IntArray
    item: IntArray
    human: FloatArray
    #: metric -> one value per row, NaN where there is none
    metrics: Mapping[str, FloatArray]
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    #: "raw" (0-100), "z", or "" where the human scale is something else
    scale: str = ""
    #: metrics of which less is better
    lower_is_better: frozenset[str] = frozenset()
    #: metrics whose value of a system is not the mean over its rows: what each row adds, and the formula
    additive: Mapping[str, Additive] = field(default_factory=dict)
    #: the same of metrics that published tables average over captions (METEOR): used where it is asked for
    averaged: Mapping[str, Additive] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.human)

    def rows_of(self, *metrics: str) -> NDArray[np.bool_]:
        """The rows on which all these metrics have a value."""
        return np.asarray(~np.isnan(np.stack([self.metrics[m] for m in metrics])).any(axis=0))

    def caption(self) -> IntArray:
        """A number per (system, item): rows of one caption share it."""
        return self.system * len(self.items) + self.item

    def matrix(self, values: FloatArray) -> FloatArray:
        """(systems, items): means over the rows of a caption, NaN where there is none."""
        shape = (len(self.systems), len(self.items))
        return _means(values, self.caption(), shape[0] * shape[1]).reshape(shape)

    def by_system(self, values: FloatArray) -> FloatArray:
        """The mean over each system's rows; NaN where it has none. What differs by rounding is equal."""
        return _means(values, self.system, len(self.systems))

    def own(self, metric: str, use: NDArray[np.bool_]) -> FloatArray:
        """A metric's own value of each system over these rows: corpus BLEU, not the mean of caption BLEU."""
        known = self.additive.get(metric)
        if known is None:
            return self.by_system(np.where(use, self.metrics[metric], np.nan))
        sums = np.zeros((len(self.systems), known.rows.shape[1]))
        np.add.at(sums, self.system[use], known.rows[use])
        there = np.bincount(self.system[use], minlength=len(self.systems)) > 0
        return settled(np.where(there, known.combine(sums), np.nan))

    def sign(self, metric: str) -> int:
        return -1 if metric in self.lower_is_better else 1


def _means(values: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """Of the values of each group, NaN left out."""
    known = ~np.isnan(values)
    count = np.bincount(group[known], minlength=groups)
    with np.errstate(invalid="ignore"):
        means, sizes = (
            np.bincount(group[known], weights=each, minlength=groups) / count
            for each in (values[known], np.abs(values[known]))
        )
    return settled(means, sizes)


def tabulate(judgements: Sequence[Judgement], *, scale: str = "", notes: Sequence[str] = ()) -> Scores:
    """Human judgements as rows, sorted by system and item so that the order of a file never changes a
    number.
    """
    if not judgements:
        raise DataError("There is no human judgement.", hint="Check the file given with --human.")
    listed = sorted(judgements)
    systems, items = sorted({j.system for j in listed}), sorted({j.item for j in listed})
    place, spot = {s: k for k, s in enumerate(systems)}, {i: k for k, i in enumerate(items)}
    human = np.array([j.value for j in listed], dtype=float)
    known = np.abs(human) < LARGEST
    said = (
        [*notes, f"{int((~known).sum()):,} human scores are not usable numbers and were left out."]
        if not known.all()
        else list(notes)
    )
    system = np.array([place[j.system] for j in listed], dtype=np.int64)[known]
    item = np.array([spot[j.item] for j in listed], dtype=np.int64)[known]
    return Scores(tuple(systems), tuple(items), system, item, human[known], {}, {}, tuple(said), scale)


def join_scores(scores: Scores, values: Mapping[str, MetricValues]) -> Scores:
    """Metric values by (system, item) beside the human rows. What has no partner is counted and said."""
    notes = list(scores.notes)
    found = {}
    additive, averaged = dict(scores.additive), dict(scores.averaged)
    wanted = [(scores.systems[s], scores.items[i]) for s, i in zip(scores.system, scores.item, strict=True)]
    for metric, entry in values.items():
        known = entry.values
        column = np.array([known.get(key, np.nan) for key in wanted], dtype=float)
        column[~(np.abs(column) < LARGEST)] = np.nan
        lacking = int(np.isnan(column).sum())
        if lacking == len(column):
            mine, theirs = sorted(set(wanted)), sorted(known)
            raise DataError(
                f"No score of {metric!r} can be joined with a human score: the metric scores are for"
                f" {first_few(theirs, limit=2)}, the human scores for"
                f" {first_few(mine, limit=2)} (system, item).",
                hint=(
                    "The name of a system is its file name without suffix; the item is the document id. Use"
                    " the same names in both files."
                ),
            )
        if lacking:
            notes.append(
                f"{metric}: {lacking:,} of {len(column):,} human judgements have no score and are left out."
            )
        judged = set(wanted)
        extra = sum(key not in judged for key in known)
        if extra:
            notes.append(f"{metric}: {extra:,} scored captions have no human judgement and are left out.")
        found[metric] = column
        if entry.rows is not None and entry.combine is not None:
            empty = np.zeros_like(next(iter(entry.rows.values())))
            rows = np.stack([entry.rows.get(key, empty) for key in wanted])
            (averaged if entry.averaged else additive)[metric] = Additive(rows, entry.combine)
    return replace(
        scores,
        metrics={**scores.metrics, **found},
        signatures={**scores.signatures, **{m: e.signature for m, e in values.items() if e.signature}},
        lower_is_better=scores.lower_is_better
        | {m for m, e in values.items() if e.higher_is_better is False},
        notes=tuple(dict.fromkeys(notes)),
        additive=additive,
        averaged=averaged,
    )

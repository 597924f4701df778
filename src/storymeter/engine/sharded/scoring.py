"""One shard, scored by the code that scores a corpus on one machine; what is kept of it are sums.

Before it scores a part of a corpus, CIDEr must know of the whole in how many items each n-gram stands. First
pass: each shard counts its own references, in ranges of hashes. Second: each range is added up over all
shards. Then a worker that scores a shard looks its own n-grams up, range by range; no process holds the table
of the corpus. What occurs once weighs as much as what never does (ln max(1, df) = 0), and is left out: in
captions that is most of it.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, zip_longest
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray, IntArray, KeyArray
from ...captions import Corpus
from ...context import Context
from ...errors import DataError, StorymeterError, UsageError, first_few
from ...join import Task, join
from ...measure import asks_anyone
from ...metrics import Metric
from ...plugins import failures_named, place
from ...scores import CorpusCounts
from ...stats.paired import win_tie_loss
from ...stats.poisson import ExactSums, document_keys, resampled
from ..provenance import hash_sum, input_fields, order_of_references
from ..results import Tally
from ..run import Run
from ..storage import WORK
from .inputs import Job
from .partitioning import ShardReader

#: bytes of counts that a worker keeps from shard to shard
KEPT = 128 << 20


def counted(shard: int) -> str:
    return f"{WORK}/counts/{shard:06d}"


def totals(range: int) -> str:
    return f"{WORK}/totals/{range:06d}"


def count_shard(job: Job, reader: ShardReader, shard: int) -> None:
    """The counts of one shard's references, for each metric that wants some."""
    references = [reader.corpus(len(job.systems) + k, shard) for k in range(len(job.references))]
    policy = replace(job.conditions.protocol, missing="zero")  # every document of the references counts
    chunks: list[tuple[int, bytes]] = []
    items: list[int] = []
    task = join(candidates=Corpus((), "nothing"), references=references, protocol=policy, part=True)
    context = Context(**{**job.settings, "protocol": policy, "tokenizer": job.conditions.tokenizer})
    for which, name in enumerate(job.counted()):
        found = job.metrics[name].corpus_counts(task, context) or CorpusCounts(0, *_summed([], []))
        items.append(found.items)
        order = np.argsort(found.keys)
        keys, counts = found.keys[order], found.counts[order].astype(np.uint32)
        for r, at in _cut(keys, job.ranges):
            chunks.append((_part(which, r, job.ranges), keys[at].tobytes() + counts[at].tobytes()))
    job.folder.put_chunks(counted(shard), chunks, about=lambda: items)


def add_range(job: Job, range: int) -> None:
    """The counts of one range of hashes, summed over all shards."""
    out: list[tuple[int, bytes, bytes]] = []
    indexes = [job.folder.index(counted(shard)) for shard in np.arange(job.shards).tolist()]
    for which, _ in enumerate(job.counted()):
        keys, counts, items = [], [], 0
        for shard, (index, about) in enumerate(indexes):
            items += about[which]
            for data in job.folder.chunks(counted(shard), index, _part(which, range, job.ranges)):
                size = len(data) // 12
                keys.append(np.frombuffer(data, np.uint64, size))
                counts.append(np.frombuffer(data, np.uint32, size, 8 * size))
        known, total = _summed(keys, counts)
        often = total > 1
        out.append((items, known[often].tobytes(), total[often].astype(np.uint32).tobytes()))
    job.folder.put(totals(range), msgspec.msgpack.encode(out))


class CorpusLookup:
    """Counts of the whole corpus for a worker: ranges are read when they are asked for, and some are kept."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._kept: OrderedDict[int, list[tuple[int, KeyArray, NDArray[np.uint32]]]] = OrderedDict()
        self._size = 0

    def find(self, which: int, keys: KeyArray) -> CorpusCounts:
        """Counts by key; 0 where a key occurs once or never."""
        order = np.argsort(keys)
        ordered = keys[order]
        counts: IntArray = np.zeros(len(keys), dtype=np.int64)
        items = self._range(0)[which][0]
        for r, at in _cut(ordered, self.job.ranges):
            _, known, totals = self._range(r)[which]
            if len(known):
                place = np.minimum(np.searchsorted(known, ordered[at]), len(known) - 1)
                counts[order[at]] = np.where(known[place] == ordered[at], totals[place], 0)
        return CorpusCounts(items, keys, counts)

    def _range(self, r: int) -> list[tuple[int, KeyArray, NDArray[np.uint32]]]:
        if r not in self._kept:
            data = self.job.folder.needed(totals(r), totals(r))
            entries = msgspec.msgpack.decode(data, type=list[tuple[int, bytes, bytes]])
            self._kept[r] = [
                (items, np.frombuffer(keys, np.uint64), np.frombuffer(counts, np.uint32))
                for items, keys, counts in entries
            ]
            self._size += len(data)
            while self._size > KEPT and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= sum(keys.nbytes + counts.nbytes for _, keys, counts in dropped)
        return self._kept[r]


def _part(which: int, range: int, ranges: int) -> int:
    return which * ranges + range


def _cut(ordered: KeyArray, ranges: int) -> list[tuple[int, slice]]:
    """Where each range begins and ends in ascending keys; empty ones are left out."""
    bounds = [np.uint64(-(-(r << 64) // ranges)) for r in range(1, ranges)]
    at = [0, *np.searchsorted(ordered, np.array(bounds, dtype=np.uint64)).tolist(), len(ordered)]
    return [(r, slice(at[r], at[r + 1])) for r in range(ranges) if at[r] < at[r + 1]]


def _summed(keys: list[KeyArray], counts: list[NDArray[np.uint32]]) -> tuple[KeyArray, IntArray]:
    if not keys:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    every, each = np.concatenate(keys), np.concatenate(counts).astype(np.int64)
    order = np.argsort(every, kind="stable")
    every, each = every[order], each[order]
    begins = np.flatnonzero(np.r_[True, every[1:] != every[:-1]])
    return every[begins], np.add.reduceat(each, begins)


#: ids of missing, extra and empty documents that are kept as examples, and of the most different ones
NAMED, MOST = 20, 20


def scored(shard: int) -> str:
    return f"{WORK}/shards/{shard:06d}"


class SystemSums(msgspec.Struct):
    """Of one system in one shard: (column, digit) and 64-bit sums for each, all metrics side by side."""

    n: int
    matched: int
    counts: tuple[int, int, int]
    named: tuple[list[str], list[str], list[str]]
    #: says which documents there are, and which captions: sums of hashes, so that shards add up
    documents: int
    captions: int
    signatures: list[str]
    places: list[tuple[int, int]]
    sums: bytes

    def exact(self) -> ExactSums:
        if not self.places:
            return ExactSums()
        rows = np.frombuffer(self.sums, dtype="<i8").reshape(len(self.places), -1)
        return ExactSums(dict(zip(self.places, rows, strict=True)))


class ShardSums(msgspec.Struct):
    #: the names of the columns of each metric, in the order in which they stand side by side
    columns: list[tuple[str, ...]]
    systems: list[SystemSums]
    #: of each reference corpus
    references: list[int]
    #: [pair of systems][metric]
    tallies: list[list[Tally]]
    #: `order_of_references` of the shard's documents
    order: int


class Worker:
    """An actor of Ray: models that a metric loads stay from shard to shard."""

    def __init__(self, job: Job, columns: list[tuple[str, ...]]) -> None:
        """`columns` are those that the driver knows: a metric that has others here is refused."""
        self.job, self.columns = job, columns
        #: bound again: a metric of somebody's own may keep what it takes from the protocol in attributes that
        #: are not sent
        self.metrics = {name: metric.under(job.conditions.protocol) for name, metric in job.metrics.items()}
        self.reader = ShardReader(job)
        self.lookup = CorpusLookup(job)

    def ready(self) -> None:
        """Answers when the worker is there."""

    def work(self, step: str, number: int) -> StorymeterError | list[int] | dict[str, list[int]] | None:
        """`score` gives what judges were sent, `ask` what they will be sent at most. An error that a user
        should read comes back as a value: raised, Ray would wrap it in its own with a traceback.
        """
        try:
            if step == "count":
                count_shard(self.job, self.reader, number)
            elif step == "add":
                add_range(self.job, number)
            elif step == "ask":
                return self.requests(number)
            else:
                return self.score(number)
        except StorymeterError as error:
            return error
        return None

    def _read(self, shard: int) -> tuple[Run, list[Corpus]]:
        """A run against the references of a shard, and the systems; what it has read is given up with it."""
        job, first = self.job, len(self.job.systems)
        references = [self.reader.corpus(first + k, shard) for k in range(len(job.references))]
        run = Run(references, **{**job.settings, **job.conditions.settings})
        return run, [self.reader.corpus(k, shard) for k in range(first)]

    def requests(self, shard: int) -> dict[str, list[int]]:
        """Who will be asked: how many requests, tokens in and out."""
        run, systems = self._read(shard)
        judges = {name: metric for name, metric in self.metrics.items() if asks_anyone(metric)}

        def rehearse() -> None:
            for corpus in systems:
                task = self._task(corpus, run)
                for metric in judges.values():
                    if len(task):
                        metric.rows(task, run.context)

        found: dict[str, list[int]] = {}
        for (where, _), tokens in run.context.budget.counted(rehearse).items():
            known = found.setdefault(where, [0, 0, 0])
            found[where] = [known[0] + 1, known[1] + tokens[0], known[2] + tokens[1]]
        return found

    def _task(self, corpus: Corpus, run: Run) -> Task:
        return join(candidates=corpus, references=run.references, protocol=run.context.protocol, part=True)

    def score(self, shard: int) -> list[int]:
        job = self.job
        columns = [tuple(metric.columns) for metric in self.metrics.values()]
        check_columns(list(self.metrics), columns, self.columns, f"the worker of shard {shard}")
        run, systems = self._read(shard)
        references, before = run.references, run.context.budget.spent
        rows, sums = [], []
        for corpus in systems:
            task = self._task(corpus, run)
            found, signatures = self._rows(corpus, task, run)
            rows.append((task.ids, found))
            sums.append(self._sums(corpus, task, np.hstack(found), signatures))
        tallies = [
            [
                tally(metric, (rows[a][0], rows[a][1][m]), (rows[b][0], rows[b][1][m]))
                for m, metric in enumerate(self.metrics.values())
            ]
            for a, b in combinations(range(len(systems)), 2)
        ]
        order = order_of_references(references)
        result = ShardSums(columns, sums, [_captions(corpus) for corpus in references], tallies, order)
        job.folder.put(scored(shard), msgspec.msgpack.encode(result, enc_hook=str))
        return [now - then for now, then in zip(run.context.budget.spent, before, strict=True)]

    def _rows(self, corpus: Corpus, task: Task, run: Run) -> tuple[list[Any], list[str]]:
        rows, signatures = [], []
        asked = self.job.counted()
        for name, metric in self.metrics.items():
            context = run.context
            if metric.needs_corpus_counts:
                context = replace(context, frequencies=partial(self.lookup.find, asked.index(name)))
            if len(task):
                with failures_named(name, metric):
                    found = metric.checked_rows(task, context).values
                    _check_alone(name, metric, task, found, context)
            else:
                found = np.zeros((0, len(metric.columns)))
            rows.append(found)
            signed = metric.signature(run.context).add(**input_fields(corpus, run.references, metric))
            if metric.unshardable_reason():  # the shard is the whole corpus
                signed = signed.add(**metric.corpus_fields(task, run.context))
            signed = signed.add(sample=f"{self.job.sample:g}" if self.job.sample < 1.0 else None)
            signatures.append(str(signed))
        return rows, signatures

    def _sums(self, corpus: Corpus, task: Task, rows: Any, signatures: list[str]) -> SystemSums:
        conditions = self.job.conditions
        keys = document_keys(task.ids)
        exact = resampled(keys, rows, conditions.resamples, conditions.seed)
        named = task.coverage
        sums = b"".join(digits.astype("<i8").tobytes() for digits in exact.digits.values())
        return SystemSums(
            len(task),
            named.matched,
            named.sizes,
            (list(named.missing[:NAMED]), list(named.extra[:NAMED]), list(named.empty[:NAMED])),
            int(keys.sum(dtype=np.uint64)),
            _captions(corpus),
            signatures,
            list(exact.digits),
            sums,
        )


def check_columns(
    names: Sequence[str], found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], where: str
) -> None:
    """Sums stand side by side without names: a metric with other columns would spoil those beside it."""
    for name, ours, theirs in zip_longest(names, found, wanted):
        if ours is None or theirs is None or tuple(ours) != tuple(theirs):
            raise DataError(
                f"The columns of {name} in {where} are not those of the run: {_listed(ours)} instead of"
                f" {_listed(theirs)}.",
                hint="Check that every node has this version of Storymeter and of the plug-ins, and score"
                " again in a new folder.",
            )


def _listed(columns: Sequence[str] | None) -> str:
    return "none" if columns is None else first_few(tuple(columns), limit=4)


def tally(metric: Metric, a: tuple[tuple[str, ...], Any], b: tuple[tuple[str, ...], Any]) -> Tally:
    """On how many documents of a shard A is better, and where the two differ most."""
    if not len(a[0]) or not len(b[0]):
        return Tally(0, 0, 0, [])
    values_a, values_b = (metric.by_document(rows) for _, rows in (a, b))
    ids = a[0]
    if ids != b[0]:
        place = {id: k for k, id in enumerate(b[0])}
        both = [(k, place[id]) for k, id in enumerate(ids) if id in place]
        ids = tuple(ids[k] for k, _ in both)
        values_a, values_b = values_a[[k for k, _ in both]], values_b[[k for _, k in both]]
    there = np.flatnonzero(~np.isnan([values_a, values_b]).any(axis=0))  # a judge may have no verdict
    ids = tuple(ids[k] for k in there)
    values_a, values_b = np.nan_to_num(values_a[there]), np.nan_to_num(values_b[there])
    sign = -1.0 if metric.higher_is_better is False else 1.0
    wins, ties, losses = win_tie_loss(sign * values_a, sign * values_b)
    order = np.argsort(-np.abs(values_a - values_b), kind="stable")[:MOST]
    most = [(ids[k], float(values_a[k]), float(values_b[k])) for k in order if values_a[k] != values_b[k]]
    return Tally(wins, ties, losses, most)


def _captions(corpus: Corpus) -> int:
    """A sum over documents, so that neither their order nor the cut matters."""
    return hash_sum((document.id, document.captions, document.duration) for document in corpus)


def _check_alone(name: str, metric: Any, task: Task, rows: FloatArray, context: Context) -> None:
    """Whether a foreign metric or scorer gives the first and the last document of a shard alone what it gives
    them among others.
    """
    if metric.origin is None or len(task) < 2 or metric.unshardable_reason() or metric.needs_corpus_counts:
        return
    for k in (0, len(task) - 1):
        one = task.part(slice(k, k + 1))
        fresh = type(context)(**context.settings())  # which knows no pair that was scored among others
        alone = metric.checked(metric.rows(one, fresh), one)
        if not np.allclose(alone.values[0], rows[k], rtol=1e-4, atol=1e-6):
            where = place(type(getattr(metric, "scorer", metric)))
            raise UsageError(
                f"{name} ({where}) gives {task.ids[k]!r} other numbers alone than among other documents, so"
                " that its score would depend on the shards.",
                hint="Score without shards, or define unshardable_reason(self), which says why.",
            )

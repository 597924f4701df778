"""What a metric must know of the whole corpus before it scores a part of it: in how many items each n-gram
stands (CIDEr).

First pass: each shard counts its own references, in ranges of hashes. Second: each range is added up over all
shards. Then a worker that scores a shard looks its own n-grams up, range by range; no process holds the table
of the corpus. What occurs once weighs as much as what never does (ln max(1, df) = 0), and is left out: in
captions that is most of it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...arrays import IntArray, KeyArray
from ...captions import Corpus
from ...context import Context
from ...join import join
from ...scores import CorpusCounts
from .inputs import WORK, Job
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

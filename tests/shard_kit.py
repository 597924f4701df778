"""A run in shards without Ray: the steps of `engine.sharded.run`, with a job that was pickled as for a
worker."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import storymeter
from storymeter.captions import Corpus
from storymeter.engine import Results
from storymeter.engine.sharded.merging import merged_shards
from storymeter.engine.sharded.partitioning import _cut
from storymeter.engine.sharded.run import make_job
from storymeter.engine.sharded.scoring import Worker
from storymeter.errors import StorymeterError
from storymeter.metrics import Metric


def write_folder(folder: Path, corpus: Corpus, parts: int = 2) -> str:
    """The corpus as JSON Lines in several files, one folder."""
    folder.mkdir(parents=True)
    whole = folder.parent / f"{folder.name}.jsonl"
    storymeter.write(corpus, whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    whole.unlink()
    for k in range(parts):
        part = lines[len(lines) * k // parts : len(lines) * (k + 1) // parts]
        if part:
            (folder / f"part-{k}.jsonl").write_bytes(b"".join(part))
    return str(folder)


def score_in_shards(
    candidates: Sequence[str],
    references: Sequence[str],
    metrics: str | Sequence[str | Metric],
    folder: Path,
    *,
    shards: int = 3,
    resamples: int = 0,
    **settings: Any,
) -> Results:
    job = make_job(candidates, references, metrics, str(folder), shards, None, resamples, {}, settings)
    sent, columns = pickle.loads(pickle.dumps((job, job.columns())))
    for k in range(len(job.slices)):
        error = _cut(sent, {"slice": k})["error"]
        assert not error, error
    worker = Worker(sent, columns)
    steps = [("count", sent.shards), ("add", sent.ranges)] if sent.counted() else []
    for step, count in [*steps, ("score", sent.shards)]:
        for number in range(count):
            found = worker.work(step, number)
            if isinstance(found, StorymeterError):
                raise found
    return merged_shards(job)

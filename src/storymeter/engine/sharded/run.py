"""A run in shards from its first step to its last; the same command goes on where the last one stopped.

    results = score_shards(["mine/*.parquet"], ["people/*.parquet"], ["soda_c", "cider"], save="run")

Every step writes files that are whole or not there (`engine.storage`). A worker or a node that dies costs
what it had not finished; so does the driver. A shard that keeps failing is named at the end, the others are
finished and kept, and there is no result: numbers of some of the documents would be wrong ones."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from ...context import Budget
from ...errors import DataError, StorymeterError, UsageError
from ...measure import asks_anyone
from ...metrics import Metric
from ...progress import Progress, silent
from ..cluster import Failure, connected, each_on_workers
from ..results import AUTO, Conditions, Resamples, Results
from ..run import MetricLike, Run, cores
from ..storage import RESULT, WORK, Folder
from ..suitability import captions_without_words, cautions, warn
from .inputs import Job, distinct, find, preview, slices
from .merging import merged_shards
from .partitioning import cut_all
from .scoring import Worker

#: captions, of systems and references together, in one shard
CAPTIONS = 200_000


def score_shards(
    candidates: Sequence[str],
    references: Sequence[str],
    metrics: MetricLike | Sequence[MetricLike],
    *,
    cluster: str = "local",
    save: str | None = None,
    shards: int | None = None,
    sample: float | None = None,
    resamples: Resamples = AUTO,
    workers: int | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Results:
    """Systems and references are patterns or folders, one each. `shards` and `workers` never change a number;
    `sample` is a share of the documents, drawn by a hash of their ids. `settings` are those of a `Run`.
    Resamples are drawn here for the intervals and for all later tests.

    candidates: systems, a pattern of files or a folder each.
    references: annotators, likewise.
    metrics: names or metrics.
    cluster: `local`, `auto`, or the address of a Ray cluster.
    save: the folder of the run, which goes on where it was interrupted.
    shards: into how many parts the corpus is cut; it never changes a number.
    sample: a share of the documents, drawn by a hash of their ids.
    resamples: of the intervals and of all later tests.
    workers: tasks at the same time; it never changes a number.
    reading: how the files are read: format, id_map, columns …
    progress: called with what is being done, how much is done, and of how much.
    settings: those of a `Run`.
    """
    drawn = enough_resamples(len(candidates)) if resamples == AUTO else int(resamples)
    with ExitStack() as stack:
        if save is None:
            save = stack.enter_context(tempfile.TemporaryDirectory(prefix="storymeter-"))
        job = make_job(candidates, references, metrics, save, shards, sample, drawn, reading or {}, settings)
        stack.enter_context(_only_driver(save))
        _claim(job)
        with connected(cluster, workers or cores()) as ray:
            cut_all(job, progress)
            failures = _steps(ray, job, progress, settings.get("budget") or Budget())
        if failures:
            raise _failed(job, failures)
        results = merged_shards(job)
        with tempfile.TemporaryDirectory() as here, job.folder.writing(RESULT) as file:
            results.save(Path(here) / RESULT)
            file.write((Path(here) / RESULT).read_bytes())
        job.folder.remove(WORK)
        return results


def enough_resamples(systems: int) -> int:
    """So many that the smallest p of a comparison of these systems, after Holm's correction, is a tenth of
    the significance level, in thousands; ten thousand at most.

    >>> [enough_resamples(systems) for systems in (1, 3, 5, 10, 30)]
    [1000, 1000, 2000, 9000, 10000]
    """
    pairs = systems * (systems - 1) // 2
    return min(10_000, max(1, -(-200 * pairs // 1000)) * 1000)


def make_job(
    candidates: Sequence[str],
    references: Sequence[str],
    metrics: MetricLike | Sequence[MetricLike],
    save: str,
    shards: int | None,
    sample: float | None,
    resamples: int,
    reading: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Job:
    systems = distinct([find(text) for text in candidates], candidates)
    against = [find(text) for text in references]
    run = Run(**{**settings, "jobs": 1})
    built = _splittable(run, metrics, bool(against), sample)
    context = run.context
    listed, captions = slices([*systems, *against])
    first = (
        [preview(source, reading.get("columns") or {}) for source in systems],
        [preview(source, reading.get("reference_columns") or {}) for source in against],
        built,
    )
    warn(cautions(*first, tokenizer=context.tokenizer, language=run.language, preview=True))
    warn(captions_without_words(*first, protocol=context.protocol, tokenizer=context.tokenizer, preview=True))
    if shards is None:
        shards = max(1, -(-round(captions * (sample or 1.0)) // CAPTIONS))
    if any(metric.unshardable_reason() for metric in built.values()):
        shards = 1
    if any("sequence" in str(reading.get(key) or "") for key in ("id_map", "reference_id_map")):
        raise UsageError(
            "--id-map sequence needs whole documents.", hint="Write the ids that it gives into the files."
        )
    return Job(
        Folder(save),
        tuple(systems),
        tuple(against),
        tuple(listed),
        built,
        Conditions(context.protocol, context.tokenizer, context.seed, resamples),
        shards,
        1.0 if sample is None else sample,
        {
            **{
                key: value
                for key, value in context.settings().items()
                if key in ("device", "images", "videos")
            },
            "jobs": 1,
            "budget": context.budget.lent(),
        },
        {key: value for key, value in reading.items() if value},
    )


def _splittable(
    run: Run, metrics: MetricLike | Sequence[MetricLike], against: bool, sample: float | None
) -> dict[str, Metric]:
    built = run.resolve_metrics(metrics, referenced=against)
    whole = {
        name: metric.unshardable_reason() for name, metric in built.items() if metric.unshardable_reason()
    }
    if whole and sample is None:
        said = "; ".join(f"{name}: {reason}" for name, reason in whole.items())
        raise UsageError(
            f"Not every metric can be computed in shards. {said}.",
            hint="Leave it out, or score a sample of the documents as one shard: --sample 0.01",
        )
    return built


@contextmanager
def _only_driver(save: str) -> Iterator[None]:
    """A second driver would begin where the first one is, and lose its files when that one ends. The lock
    goes with its process; object stores have none (docs/scale.md)."""
    if "://" in save:
        yield
        return
    import filelock

    lock = filelock.FileLock(Path(save) / ".lock", timeout=0)
    try:
        Path(save).mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout:
        raise UsageError(
            f"Another process is writing the run in {save}.",
            hint="Wait until it ends, or name another folder.",
        ) from None
    except OSError as error:
        raise DataError(
            f"{save} cannot be written: {error}.", hint="Choose a folder that all nodes can write."
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # while it is held, so that nobody takes a lock that is about to go
            Path(lock.lock_file).unlink()
        lock.release()


def _claim(job: Job) -> None:
    """The folder belongs to one job at a time."""
    fingerprint = job.fingerprint().encode()
    known = job.folder.get(f"{WORK}/job")
    if known not in (None, fingerprint):
        raise UsageError(
            f"{job.folder.where} holds an unfinished run of other files, metrics or settings.",
            hint="Finish it with the command that began it, remove it, or name another folder.",
        )
    job.folder.remove(RESULT)
    job.folder.remove(f"{WORK}/failed")
    if known is None:
        job.folder.put(f"{WORK}/job", fingerprint)


def _steps(ray: Any, job: Job, progress: Progress, budget: Budget) -> list[Failure]:
    """Count, add, score: each step leaves out what is there. What judges will be sent is counted first, shard
    by shard, and announced."""
    steps: list[tuple[str, str, list[int]]] = []
    if job.counted():
        steps.append(("count", "counting n-grams", _lacking(job, "counts", ".index", job.shards)))
        steps.append(("add", "adding counts", _lacking(job, "totals", "", job.ranges)))
    todo = _lacking(job, "shards", "", job.shards)
    if any(map(asks_anyone, job.metrics.values())):
        steps.append(("ask", "counting requests to judges", todo))
    steps.append(("score", "scoring shards", todo))
    units = {step: [(step, number) for number in todo] for step, _, todo in steps}
    failures: list[Failure] = []
    if not any(units.values()):
        return failures
    requests: dict[str, list[int]] = {}

    def keep(unit: tuple[str, int], found: Any) -> None:
        if unit[0] == "score":
            budget.add(found)
        for where, counts in (found if unit[0] == "ask" else {}).items():
            known = requests.setdefault(where, [0, 0, 0])
            requests[where] = [a + b for a, b in zip(known, counts, strict=True)]

    with each_on_workers(ray, Worker, job, job.columns()) as each:
        for step, what, _ in steps:
            found = each(units[step], lambda done, total, what=what: progress(what, done, total), keep=keep)
            failures += found
            if found and step != "score":  # without all counts no shard can be scored
                break
            if step == "ask" and requests:
                budget.open(
                    " and ".join(requests), *(sum(part) for part in zip(*requests.values(), strict=True))
                )
    return failures


def _lacking(job: Job, folder: str, ending: str, count: int) -> list[int]:
    there = job.folder.names(f"{WORK}/{folder}")
    return [k for k in range(count) if f"{k:06d}{ending}" not in there]


def _failed(job: Job, failures: list[Failure]) -> StorymeterError:
    """Named here, and in the folder for whoever loads it."""
    done = job.shards - len(_lacking(job, "shards", "", job.shards))
    named = [f"shard {failure.unit[1]} ({_STEPS[failure.unit[0]]}): {failure.reason}" for failure in failures]
    more = f"\n  … and {len(named) - 5:,} more" if len(named) > 5 else ""
    said = (
        f"{len(named):,} of {job.shards:,} shards failed, {done:,} are scored, and there is no result:\n  "
        + "\n  ".join(named[:5])
        + more
    )
    job.folder.put(f"{WORK}/failed", msgspec.msgpack.encode(said))
    return DataError(said, hint="Correct the cause and run the same command again: finished shards are kept.")


_STEPS = {
    "count": "counting",
    "add": "adding counts",
    "ask": "counting requests to judges",
    "score": "scoring",
}

"""Work on many machines: workers of a Ray cluster that load their models once, and units of work for them.

A unit is a shard of a corpus (`engine.sharded`) or a whole system (`Run.score(…, cluster=…)`); it is
computed there by the code that computes it here, so the numbers are the same bytes. A unit whose worker or
node dies is given to another worker; one that keeps failing is named, and the others go on. Needs the part
`ray`; the other machines need Storymeter in the same version, and METEOR's data or models that a metric
wants.

    evaluate(..., cluster="local")             the cores of this machine
    evaluate(..., cluster="auto")              the cluster that RAY_ADDRESS or `ray start` on this machine
                                               names
    evaluate(..., cluster="ray://head:10001")  any other
"""

import logging
import os
import pickle
import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol as Interface

from ..captions import Corpus
from ..context import Context
from ..errors import DataError, MissingPartError, StorymeterError, UsageError
from ..metrics import Metric
from ..progress import silent
from .results import SystemResult

#: how often a unit is tried: a machine may die under it, but not again and again
ATTEMPTS = 4
#: workers that may fail to start, one after the other, before we give up
STARTS = 8
#: shared memory of a cluster on this machine: units pass through files, not through it
_SHARED = 128 << 20
Unit = tuple[str, int]
Each = Callable[..., "list[Failure]"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit that could not be done, and why."""

    unit: Unit
    reason: str
    #: what the code said of the data; None where workers died
    error: StorymeterError | None = None


class Scoring(Interface):
    """What a `Run` offers to the cluster, which makes one on each worker."""

    references: list[Corpus]
    context: Context

    def system(self, corpus: Corpus, metrics: dict[str, Metric], resamples: int) -> SystemResult: ...


def score_systems(
    cluster: str, systems: Sequence[Corpus], metrics: Mapping[str, Metric], run: Scoring, resamples: int
) -> list[SystemResult]:
    """`Run.score` of each system, each on any node."""
    budget = run.context.budget
    own = {"progress": silent, "jobs": 1, "budget": budget.lent()}
    settings = {**run.context.settings(), **own}
    results: list[Any] = [None] * len(systems)

    def keep(unit: Unit, found: Any) -> None:
        results[unit[1]], spent = found
        budget.add(spent)

    with connected(cluster, run.context.jobs) as ray:
        shared = (type(run), run.references, settings, dict(metrics), resamples)
        with each_on_workers(ray, SystemWorker, *shared) as each:
            failures = each(
                [("system", k) for k in range(len(systems))],
                lambda done, total: run.context.progress("scoring on the cluster", done, total),
                keep=keep,
                given=lambda unit: (systems[unit[1]],),
            )
    for failure in failures:
        raise failure.error or DataError(
            f"{systems[failure.unit[1]].name!r} could not be scored on the cluster: {failure.reason}",
            hint=(
                "Check that every node has this version of Storymeter and enough memory, or leave"
                " --cluster out."
            ),
        )
    return results


class SystemWorker:
    """Scores whole systems that fit into memory."""

    def __init__(
        self,
        make: Callable[..., Scoring],
        references: list[Corpus],
        settings: dict[str, Any],
        metrics: dict[str, Metric],
        resamples: int,
    ) -> None:
        self.resamples, self.run = resamples, make(references, **settings)
        self.metrics = {name: metric.under(self.run.context.protocol) for name, metric in metrics.items()}

    def ready(self) -> None:
        """Answers when the worker is there."""

    def work(
        self, step: str, number: int, system: Corpus
    ) -> tuple[SystemResult, list[int]] | StorymeterError:
        """The result, and what judges were sent. An error that a user should read comes back as a value:
        raised, Ray would wrap it in its own with a traceback.
        """
        before = self.run.context.budget.spent
        try:
            found = self.run.system(system, self.metrics, self.resamples)
            after = self.run.context.budget.spent
            return found, [now - then for now, then in zip(after, before, strict=True)]
        except StorymeterError as error:
            return error


@contextmanager
def each_on_workers(ray: Any, worker: type, *shared: Any) -> Iterator[Each]:
    """A function that has units done by workers, one per core; `shared` is sent once per node."""
    try:
        common = [ray.put(value) for value in shared]
    except (
        TypeError,
        AttributeError,
        pickle.PicklingError,
    ) as error:  # a metric of the caller's own that holds a lock, an open file
        raise UsageError(
            f"Not everything can be sent to the cluster: {_lines(error)[0]}",
            hint="Name metrics by their names, or leave cluster= out.",
        ) from error
    pool = _Pool(ray, lambda: ray.remote(worker).options(num_cpus=1).remote(*common))
    try:
        yield pool.each
    finally:
        pool.close()


class _Pool:
    """Workers that are starting, idle or busy. A unit goes only to a worker that has answered, so that one
    whose node is gone keeps nobody waiting."""

    def __init__(self, ray: Any, start: Callable[[], Any]) -> None:
        self.ray, self._start = ray, start
        self._starting: dict[Any, Any] = {}
        self._busy: dict[Any, tuple[Any, Unit]] = {}
        self._idle: list[Any] = []
        self._failed_starts = 0

    def each(
        self,
        units: Sequence[Unit],
        progress: Callable[[int, int], None],
        *,
        keep: Callable[[Unit, Any], None] = lambda unit, found: None,
        given: Callable[[Unit], tuple[Any, ...]] = lambda unit: (),
    ) -> list[Failure]:
        """Every unit done, or named among the failures; `given` is sent along with a unit."""
        waiting, attempts = deque(units), dict.fromkeys(units, 0)
        failures: list[Failure] = []
        done = 0
        while waiting or self._busy:
            self._fill(len(waiting) + len(self._busy))
            while waiting and self._idle:
                worker, unit = self._idle.pop(), waiting.popleft()
                self._busy[worker.work.remote(*unit, *given(unit))] = (worker, unit)
            ready, _ = self.ray.wait([*self._busy, *self._starting], num_returns=1)
            if ready[0] in self._starting:
                self._started(ready[0])
                continue
            worker, unit = self._busy.pop(ready[0])
            found, reason, alive = self._answer(ready[0])
            if alive:
                self._idle.append(worker)
            if isinstance(found, StorymeterError):
                failures.append(Failure(unit, str(found), found))
            elif not reason:
                keep(unit, found)
            else:
                attempts[unit] += 1
                if attempts[unit] < ATTEMPTS:
                    waiting.append(unit)
                    continue
                failures.append(Failure(unit, f"{reason} ({ATTEMPTS} attempts)"))
            done += 1
            progress(done, len(units))
        return failures

    def _fill(self, wanted: int) -> None:
        """As many workers as the cluster has cores and there are units."""
        cores = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        while len(self._starting) + len(self._busy) + len(self._idle) < min(cores, wanted):
            worker = self._start()
            self._starting[worker.ready.remote()] = worker

    def _started(self, reference: Any) -> None:
        worker = self._starting.pop(reference)
        try:
            self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            self._failed_starts += 1
            if self._failed_starts >= STARTS:
                raise DataError(
                    f"No worker started on the cluster: {_lines(error)[-1]}",
                    hint="Check that every node has this version of Storymeter and enough memory.",
                ) from None
            return
        self._failed_starts = 0
        self._idle.append(worker)

    def _answer(self, reference: Any) -> tuple[Any, str, bool]:
        """What came of a unit, why nothing did, and whether its worker lives."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference), "", True
        except errors.RayActorError:
            return None, "its worker died", False
        except errors.RayTaskError as error:
            return None, _lines(error)[-1], True
        except errors.RayError as error:
            return None, _lines(error)[-1], False

    def close(self) -> None:
        for worker in [*self._starting.values(), *self._idle, *(worker for worker, _ in self._busy.values())]:
            with suppress(Exception):
                self.ray.kill(worker)


@contextmanager
def connected(cluster: str, workers: int) -> Iterator[Any]:
    """Ray, on this machine with so many workers, or at an address; a connection of the caller's own is used
    and left.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingPartError.extra("A cluster", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    here: dict[str, Any] = {
        "address": "local",
        "_node_ip_address": "127.0.0.1",
        "include_dashboard": False,
        "num_cpus": workers,
        "object_store_memory": _SHARED,
    }
    try:
        _check_address(cluster)
        ray.init(
            **(here if cluster == "local" else {"address": cluster}),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(
            f"There is no cluster at {cluster!r}: {_lines(error)[0]}",
            hint="Start one with 'ray start --head', or use --cluster local for the cores of this machine.",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _lines(error: Exception) -> list[str]:
    return str(error).strip().splitlines() or [type(error).__name__]


def _check_address(cluster: str) -> None:
    """Does anyone listen at host:port? Ray itself would ask for several minutes."""
    host, colon, port = cluster.removeprefix("ray://").rpartition(":")
    if colon and not (port.isascii() and port.isdigit()):
        raise ValueError(f"{port!r} is no port")
    if colon:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()

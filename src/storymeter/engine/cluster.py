"""Many systems on many machines: each system is one task of a Ray cluster.

A system is scored there by the function that scores it here, from the same corpora and metrics, so the
numbers are the same bytes wherever they were computed. The references travel once per node. Needs the part
`ray`; the other machines need Storymeter in the same version, and METEOR's data or models that a metric
wants.

    evaluate(..., cluster="local")             one Ray process per core of this machine
    evaluate(..., cluster="auto")              the cluster that RAY_ADDRESS or `ray start` on this machine
                                               names
    evaluate(..., cluster="ray://head:10001")  any other
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..captions import Corpus
from ..errors import DataError, MissingPartError, StorymeterError, UsageError
from ..metric import Metric, Progress, silent
from .results import SystemResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .run import Run

Result = TypeVar("Result")


def score_systems(
    cluster: str, systems: Sequence[Corpus], metrics: Mapping[str, Metric], run: Run, resamples: int
) -> list[SystemResult]:
    """`Run.score` of each system, each on any node."""
    # each node has the whole budget, and nobody to ask
    settings = {**run.bench.settings(), "progress": silent, "budget": replace(run.bench.budget, ask=None)}
    shared = (run.references, settings, dict(metrics), resamples)
    return _each(cluster, _scored, systems, *shared, progress=run.bench.progress)


def _scored(
    corpus: Corpus,
    references: list[Corpus],
    settings: dict[str, Any],
    metrics: dict[str, Metric],
    resamples: int,
) -> SystemResult:
    from .run import Run

    run = Run(references, **settings)
    built = {name: metric.under(run.bench.protocol) for name, metric in metrics.items()}
    return run.system(corpus, built, resamples)


def _each(
    cluster: str, work: Callable[..., Result], items: Sequence[Any], *shared: Any, progress: Progress
) -> list[Result]:
    """`[work(item, *shared) for item in items]`, each on any node; `shared` is sent once. The first error of
    a task is raised here.
    """
    with _connected(cluster) as ray:
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
        task = ray.remote(max_retries=1)(_answer)
        waiting = [task.remote(work, item, *common) for item in items]
        place = {reference: k for k, reference in enumerate(waiting)}
        results: list[Any] = [None] * len(items)
        while waiting:
            ready, waiting = ray.wait(waiting)
            try:
                results[place[ready[0]]] = ray.get(ready[0])
            except ray.exceptions.RayError as error:
                raise DataError(
                    f"A task failed on the cluster: {_lines(error)[-1]}",
                    hint=(
                        "Check that every node has this version of Storymeter and enough memory, or leave"
                        " --cluster out."
                    ),
                ) from error
            if isinstance(results[place[ready[0]]], StorymeterError):
                raise results[place[ready[0]]]
            progress("scoring on the cluster", len(items) - len(waiting), len(items))
    return results


def _answer(work: Callable[..., Result], item: Any, *shared: Any) -> Result | StorymeterError:
    """An error that a user should read comes back as a value: raised, Ray would wrap it in its own with a
    traceback.
    """
    try:
        return work(item, *shared)
    except StorymeterError as error:
        return error


@contextmanager
def _connected(cluster: str) -> Iterator[Any]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingPartError.extra("A cluster", "ray") from None
    if ray.is_initialized():  # the caller's own connection: use it, leave it
        yield ray
        return
    here: dict[str, Any] = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False}
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

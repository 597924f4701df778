"""A worker, a raylet and the driver are killed in the middle of a run in shards, on a real Ray: the numbers
stay the same, and nothing is scored twice but what was unfinished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="the part 'ray' is not installed")
pytest.importorskip("pyarrow", reason="the part 'ray' brings it")
if sys.platform == "win32":
    pytest.skip("processes are killed by signals", allow_module_level=True)

import ray
from ray.cluster_utils import Cluster

import storymeter
from storymeter.arrays import FloatArray
from storymeter.captions import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.engine import Run, score_shards
from storymeter.errors import DataError
from storymeter.join import Task
from storymeter.metrics import MeanMetric, Metric

SHARDS, PATIENCE = 8, 900.0
pytestmark = pytest.mark.timeout(1800)  # the limit is for a hang, not for a busy machine


def corpus(name: str, words: str) -> Corpus:
    return Corpus(
        tuple(Document(f"v{k}", (Caption(f"{words} {k % 5} on the road"),)) for k in range(48)), name
    )


MINE, PEOPLE = corpus("mine", "a dog runs"), corpus("people", "the dog is running")


class Slow(MeanMetric):
    """Takes its time, and writes down which process scored which documents, before and after. The document
    `poison` kills, while there is a file `poisoned` beside the log."""

    name = "slow"

    def __init__(self, log: Path, seconds: float = 0.4, poison: str = "") -> None:
        self.log, self.seconds, self.poison = log, seconds, poison

    def document_values(self, task: Task, bench: Context) -> FloatArray:
        import numpy as np

        lengths = np.array([float(len(document.text)) for document in task.candidates])
        if len(task.ids) < 3:  # a few documents alone: the check that others do not matter
            return lengths
        self._note("begin", task)
        time.sleep(self.seconds)
        if self.poison in task.ids and (self.log.parent / "poisoned").exists():
            raise RuntimeError("poisoned")
        self._note("end", task)
        return lengths

    def _note(self, what: str, task: Task) -> None:
        with self.log.open("a") as file:
            file.write(f"{what} {os.getpid()} {task.ids[0]}\n")


def entries(log: Path, what: str) -> list[tuple[int, str]]:
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [(int(pid), shard) for kind, pid, shard in lines if kind == what]


def when(condition: Callable[[], bool], act: Callable[[], None]) -> threading.Thread:
    """Acts once the condition holds, while the run goes on in this thread."""

    def wait() -> None:
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    folder = tmp_path_factory.mktemp("killed")
    for each in (MINE, PEOPLE):
        (folder / each.name).mkdir()
        storymeter.write(each, folder / each.name / "1.jsonl")
    return [str(folder / "mine")], [str(folder / "people")]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    log = tmp_path_factory.mktemp("here") / "log"
    scores = Run(PEOPLE).score(MINE, ["cider", Slow(log, 0.0)], 0).systems[0].scores
    return {score.metric: score.value for score in scores}


def check(results: storymeter.Results, expected: dict[str, float]) -> None:
    found = {score.metric: score.value for score in results.systems[0].scores}
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.fixture(scope="module")
def cluster() -> object:
    """Two nodes of one core each."""
    head = {
        "num_cpus": 1,
        "object_store_memory": 100 << 20,
        "include_dashboard": False,
        # a process costs seconds: none is started before anyone asks for it, and an idle one is kept
        "_system_config": {"prestart_worker_first_driver": False, "num_workers_soft_limit": 8},
    }
    found = Cluster(initialize_head=True, connect=True, head_node_args=head)
    yield found
    ray.shutdown()
    found.shutdown()  # type: ignore[no-untyped-call]


DRIVER = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
import ray, test_shards_killed
from test_shards_killed import SHARDS, Slow
ray.cloudpickle.register_pickle_by_value(test_shards_killed)  # workers do not see this folder
from storymeter.engine.sharded.run import score_shards
score_shards({candidates!r}, {references!r}, ["cider", Slow(Path({log!r}), 0.5)],
             shards=SHARDS, save={saved!r}, resamples=50, cluster={cluster!r})
"""


def running(pid: int) -> bool:
    """A dead process that nobody has asked for yet (Z) is not running; there may be nobody who asks."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2] if Path("/proc/1").exists() else ""
    except (ProcessLookupError, FileNotFoundError):
        return False
    return not state.startswith("Z")


def test_the_driver_is_killed(
    cluster: Cluster, files: tuple[list[str], list[str]], expected: dict[str, float], tmp_path: Path
) -> None:
    """And with it its workers, which Ray ends; the run goes on with another driver."""
    log, saved = tmp_path / "log", tmp_path / "run"
    script = DRIVER.format(
        tests=str(Path(__file__).parent),
        candidates=files[0],
        references=files[1],
        log=str(log),
        saved=str(saved),
        cluster=cluster.address,
    )
    with (tmp_path / "err").open("wb") as err:
        driver = subprocess.Popen([sys.executable, "-c", script], stdout=err, stderr=err)
        end = time.monotonic() + PATIENCE
        while len(entries(log, "end")) < 3 and driver.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        driver.kill()
        driver.wait()
    assert log.exists(), (tmp_path / "err").read_text()
    with pytest.raises(DataError, match="is not complete"):
        storymeter.load(saved)
    workers = {pid for pid, _ in entries(log, "begin")}
    while any(map(running, workers)) and time.monotonic() < end:  # it may finish the shard at hand
        time.sleep(0.1)
    shards = saved / "work" / "shards"
    there = {path.name: path.stat().st_mtime_ns for path in shards.iterdir() if path.suffix != ".tmp"}
    assert 2 <= len(there) < SHARDS
    log.unlink()
    asked: list[str | Metric] = ["cider", Slow(log, 0.0)]
    check(score_shards(*files, asked, shards=SHARDS, save=str(saved), resamples=50), expected)
    assert len(entries(log, "end")) == SHARDS - len(there)
    check(storymeter.load(saved), expected)


def test_a_worker_and_then_its_node_are_killed(
    cluster: Cluster, files: tuple[list[str], list[str]], expected: dict[str, float], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    node = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
    killed: list[int] = []

    def kill_worker() -> None:
        """In the middle of a shard: the worker is stopped first, so that it cannot end it meanwhile."""
        end = time.monotonic() + PATIENCE
        while not killed and time.monotonic() < end:
            worker = entries(log, "begin")[-1]
            os.kill(worker[0], signal.SIGSTOP)
            time.sleep(0.05)
            if worker in entries(log, "end"):
                os.kill(worker[0], signal.SIGCONT)
            else:
                os.kill(worker[0], signal.SIGKILL)
                killed.append(worker[0])

    def kill_raylet() -> None:
        cluster.remove_node(node, allow_graceful=False)

    threads = [
        when(lambda: len(entries(log, "end")) >= 2, kill_worker),
        when(lambda: bool(killed) and len(entries(log, "end")) >= 4, kill_raylet),
    ]
    results = score_shards(
        *files, ["cider", Slow(log)], shards=SHARDS, save=str(tmp_path / "run"), resamples=50
    )
    for thread in threads:
        thread.join()
    check(results, expected)
    assert len(killed) == 1
    done = Counter(shard for _, shard in entries(log, "end"))
    assert len(done) == SHARDS
    # a worker that was killed between its last note and its file is rare, and the only way to more than one
    assert sum(done.values()) <= SHARDS + 2
    assert len(entries(log, "begin")) > SHARDS

    again = score_shards(
        *files, ["cider", Slow(log, 0.0)], shards=SHARDS, save=str(tmp_path / "one"), resamples=50
    )  # on the node that is left
    check(again, expected)
    written = [(tmp_path / name / "run.smr").read_bytes() for name in ("run", "one")]
    assert written[0] == written[1]


def test_a_shard_that_keeps_failing_is_named_and_done_later(
    cluster: Cluster, files: tuple[list[str], list[str]], expected: dict[str, float], tmp_path: Path
) -> None:
    log, saved = tmp_path / "log", tmp_path / "run"
    (tmp_path / "poisoned").touch()
    asked: list[str | Metric] = ["cider", Slow(log, 0.0, poison="v7")]
    with pytest.raises(
        DataError,
        match=r"1 of 8 shards failed, 7 are scored(.|\n)*RuntimeError: poisoned \(test_shards",
    ):
        score_shards(*files, asked, shards=SHARDS, save=str(saved), resamples=50)
    with pytest.raises(DataError, match="1 of 8 shards failed"):
        storymeter.load(saved)
    (tmp_path / "poisoned").unlink()
    log.unlink()
    check(score_shards(*files, asked, shards=SHARDS, save=str(saved), resamples=50), expected)
    assert len(entries(log, "end")) == 1

"""Scores from a real Ray cluster on this machine are the bytes of scores without one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from storymeter import StorymeterError, evaluate
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine.workbench import Workbench
from storymeter.errors import DataError, MissingPartError, UsageError
from storymeter.join import Task
from storymeter.metric import FloatArray, MeanMetric

METRICS = ["cider", "bleu_2", "soda_c(scorer=rouge_l)"]


def corpus(name: str, *texts: str) -> Corpus:
    return Corpus(
        tuple(
            Document(f"v{k}", (Caption(text, 0.0, 2.0), Caption("they leave", 3.0, 5.0)), 6.0)
            for k, text in enumerate(texts)
        ),
        name,
    )


SYSTEMS = [
    corpus("a", "a dog runs fast", "two men cook rice"),
    corpus("b", "a cat sleeps", "a man cooks"),
    corpus("c", "dogs", "rice"),
]
REFERENCES = corpus("people", "the dog is running", "two men are cooking rice")


def test_no_cluster_there() -> None:
    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    with pytest.raises(DataError, match=r"no cluster at '127\.0\.0\.1:1'"):
        evaluate(candidates=SYSTEMS, references=REFERENCES, metrics="bleu_1", cluster="127.0.0.1:1")
    with pytest.raises(DataError, match=r"no cluster at 'head:door': 'door' is no port"):
        evaluate(candidates=SYSTEMS, references=REFERENCES, metrics="bleu_1", cluster="head:door")


def test_without_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPartError, match="ray"):
        evaluate(candidates=SYSTEMS, references=REFERENCES, metrics="bleu_1", cluster="local")


@pytest.mark.usefixtures("ray")
def test_same_bytes_in_the_order_given() -> None:
    here = evaluate(candidates=SYSTEMS, references=REFERENCES, metrics=METRICS, seed=3)
    there = evaluate(candidates=SYSTEMS, references=REFERENCES, metrics=METRICS, seed=3, cluster="local")
    assert [s.name for s in there.systems] == ["a", "b", "c"]
    for mine, theirs in zip(here.systems, there.systems, strict=True):
        assert mine.coverage == theirs.coverage
        for x, y in zip(mine.scores, theirs.scores, strict=True):
            assert (x.value, x.interval, x.parts, str(x.signature)) == (
                y.value,
                y.interval,
                y.parts,
                str(y.signature),
            )
            assert x.rows is not None
            assert y.rows is not None
            assert x.rows.tobytes() == y.rows.tobytes()


@pytest.mark.usefixtures("ray")
def test_a_metric_of_the_callers_own_is_sent_along() -> None:
    class Letters(MeanMetric):
        """Not the `words` that the registry knows."""

        name = "words"

        def document_values(self, task: Task, setting: Workbench) -> FloatArray:
            return np.array([[len(document.text)] for document in task.candidates], dtype=float)

    here, there = (
        evaluate(candidates=SYSTEMS, references=REFERENCES, metrics=[Letters()], cluster=cluster)
        for cluster in (None, "local")
    )
    assert here["c", "words"].value == there["c", "words"].value == len("dogs they leave")
    unsendable = Letters()
    unsendable.lock = threading.Lock()
    with pytest.raises(UsageError, match="sent to the cluster"):
        evaluate(candidates=SYSTEMS, references=REFERENCES, metrics=unsendable, cluster="local")


@pytest.mark.usefixtures("ray")
def test_progress_counts_systems() -> None:
    seen: list[tuple[int, int]] = []
    evaluate(
        candidates=SYSTEMS,
        references=REFERENCES,
        metrics="bleu_1",
        cluster="local",
        progress=lambda _, done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.usefixtures("ray")
def test_an_error_over_there_reads_as_it_does_here() -> None:
    stranger = Corpus((Document("elsewhere", (Caption("a dog", 0.0, 1.0),)),), "stranger")
    messages = []
    for cluster in (None, "local"):
        with pytest.raises(StorymeterError) as error:
            evaluate(
                candidates=stranger, references=REFERENCES, metrics="soda_c(scorer=rouge_l)", cluster=cluster
            )
        messages.append((type(error.value), str(error.value)))
    assert messages[0] == messages[1]


@pytest.mark.usefixtures("ray")
def test_command_line(run: Callable[..., tuple[int, str, str]], examples: Path) -> None:
    names = ("good.json", "padded.json", "reference_1.json")
    good, padded, reference = (str(examples / "videos" / name) for name in names)
    options = ["-m", "soda_c(scorer=rouge_l)", "--format", "json"]
    arguments = ["score", good, padded, "-r", reference, *options]
    here, there = run(*arguments), run(*arguments, "--cluster", "local")
    assert here == there
    assert here[0] == 0

"""check_metric: the metrics of the documents pass, broken ones get a right sentence with the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import storymeter
from storymeter.arrays import FloatArray
from storymeter.engine import assert_metric, check_metric
from storymeter.join import Task
from storymeter.measure import NOT_STATED
from storymeter.meta.overall_ranking import Contest, Figure, Outcome, standings

ROOT = Path(__file__).parents[3]
Verb = Callable[..., tuple[int, str, str]]


class Sums(storymeter.Metric):
    name = "sums"
    columns = ("words", "documents")  # type: ignore[assignment]
    percent = False

    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        words = [sum(len(c.text) for c in document.captions) for document in task.candidates]
        return np.column_stack([words, np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": sums[..., 0] / sums[..., 1]}


class NotVectorised(Sums):
    def combine(self, sums: FloatArray) -> Any:
        return {"value": sums[0] / sums[1]}


class LooksAtOthers(Sums):
    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        rows = super().rows(task, context)
        return rows / np.array([rows[:, 0].max(), 1.0])


class Random(Sums):
    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        return super().rows(task, context) + np.random.default_rng().random((len(task), 2))


class Unpicklable(Sums):
    def __init__(self) -> None:
        self.key = lambda text: len(text)


class DividesByWords(storymeter.MeanMetric):
    name = "divides"

    def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
        return np.array([1 / len("".join(c.text for c in d.captions)) for d in task.candidates])


class OneSided(storymeter.PairScorer):
    name = "one_sided"
    symmetric = True
    wide: ClassVar[float] = 1.0

    def score_indexed(
        self, *, candidates: Any, references: Any, candidate_index: Any, reference_index: Any, jobs: int = 1
    ) -> FloatArray:
        ours, theirs = [len(text) for text in candidates], [len(text) for text in references]
        pairs = zip(candidate_index, reference_index, strict=True)
        return self.wide * np.array([ours[c] / (ours[c] + 2 * theirs[r]) for c, r in pairs])


class TooWide(OneSided):
    wide = 50.0


@pytest.mark.parametrize(
    ("metric", "check", "said"),
    [
        (NotVectorised(), "scores", r"combine \(test_check_metric.py, line \d+\) is not vectorised"),
        (LooksAtOthers(), "shards", r"unshardable_reason.*test_check_metric.py, line \d+"),
        (Random(), "the same twice", r"other numbers when they are scored again"),
        (Unpicklable(), "pickling", r"cannot be pickled.*test_check_metric.py, line \d+"),
        (DividesByWords(), "a text without words", r"ZeroDivisionError.*line \d+"),
        (OneSided(), "symmetry", r"symmetric = True, but f\(a, b\) is not f\(b, a\)"),
        (TooWide(), "scores", r"outside of its declared range 0 to 1"),
    ],
)
def test_each_fault_has_its_sentence(metric: storymeter.Metric, check: str, said: str) -> None:
    found = {one.check: one for one in check_metric(metric)}
    assert not found[check].holds
    assert re.search(said, found[check].because), found[check].because
    with pytest.raises(AssertionError, match=check):
        assert_metric(metric)


def test_our_own_and_a_right_one_pass() -> None:
    for metric in (Sums(), "rouge_l", "soda_c", "cider", "bleu_4"):
        assert_metric(metric)


def test_on_the_command_line(run: Verb) -> None:
    code, out, _ = run("check-metric", "rouge_l", "--format", "json")
    assert code == 0 and '"check": "symmetry"' in out
    code, _, err = run("check-metric", "nothing_like_it")
    assert code != 0 and "There is no metric" in err


def test_the_scorer_with_a_model_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```py\n(.*?)```", (ROOT / "docs/plugins.md").read_text(), re.S)
    run = storymeter.Run(references=storymeter.read("examples/videos/reference_1.json"))
    systems = [storymeter.read("examples/videos/good.json")]
    names: dict[str, Any] = {"run": run, "systems": systems, "storymeter": storymeter, "__name__": "docs"}
    exec(compile(block, "plugins.md", "exec"), names)
    found = [one for one in check_metric(names["Vectors"]()) if not one.holds]
    assert [one.check for one in found] in ([], ["pickling"])  # a class of no module cannot be pickled


def test_a_device_that_nobody_looks_at_is_warned_of() -> None:
    class Deaf(Sums):
        name = "deaf"

    with pytest.warns(storymeter.errors.StorymeterWarning, match="--device cuda has no effect on deaf"):
        storymeter.evaluate(["a dog"], [["a dog"]], [Deaf()], device="cuda")


def test_who_does_not_state_its_training_data_wins_nothing() -> None:
    assert Sums().trained_on.what == NOT_STATED
    assert (
        storymeter.metric("judge(model=small,endpoint=http://127.0.0.1:1/v1)").trained_on.what == NOT_STATED
    )
    assert storymeter.metric("rouge_l").trained_on.what == "nothing"
    figures = {"of_a_plugin": Figure(0.9, None), "rouge_l": Figure(0.4, None)}
    contest = Contest("flickr8k-expert", "t", "pearson", figures, [Outcome("of_a_plugin", "rouge_l", 0.0001)])
    found = {one.metric: one for one in standings([contest])}
    assert (found["of_a_plugin"].wins, found["rouge_l"].losses) == (0, 0)
    assert found["rouge_l"].uncounted == (("of_a_plugin", "flickr8k-expert"),)

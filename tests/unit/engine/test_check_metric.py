"""check_metric: the metrics of the documents pass, broken ones get a right sentence with the line."""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import storymeter
from storymeter import registry
from storymeter.arrays import FloatArray
from storymeter.dense import Soda
from storymeter.engine import assert_metric, check_metric
from storymeter.errors import UsageError
from storymeter.join import Task
from storymeter.measure import NOT_STATED
from storymeter.pairs import ModelScorer

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


class BestOfBatch(OneSided):
    """Its best pair has 1: the check compared only pairs that share no word."""

    name = "best_of_batch"
    symmetric = False

    def score_indexed(self, **pairs: Any) -> FloatArray:
        values = super().score_indexed(**pairs)
        return values / values.max()


class OtherSums(OneSided):
    """Its statistics are not those of its values."""

    name = "other_sums"
    symmetric = False
    pair_columns = ("ours", "theirs")

    def statistics_indexed(self, *, candidates: Any, references: Any, **pairs: Any) -> Any:
        c, r = pairs["candidate_index"], pairs["reference_index"]
        return np.array([[len(candidates[i]), len(references[k])] for i, k in zip(c, r, strict=True)])

    def value_of(self, sums: FloatArray) -> FloatArray:
        return sums[..., 0] / np.maximum(sums[..., 0] + sums[..., 1], 1)


class SameSums(OtherSums):
    name = "same_sums"

    def value_of(self, sums: FloatArray) -> FloatArray:
        return sums[..., 0] / np.maximum(sums[..., 0] + 2 * sums[..., 1], 1)


class Few(storymeter.MeanMetric):
    name = "few"

    def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
        return np.ones(3)


class OtherArguments(storymeter.PairScorer):
    name = "other_arguments"

    def score_indexed(self, candidates: Any, references: Any) -> Any:  # type: ignore[override]
        return [1.0]


class FewPairs(OneSided):
    name = "few_pairs"

    def score_indexed(self, **pairs: Any) -> FloatArray:
        return super().score_indexed(**pairs)[:-1]


class Forgets(OneSided):
    """Its `fit` returns nothing; it was scored as if it had learnt."""

    name = "forgets"
    learns = True

    def fit(self, references: Any) -> Any:
        return None


class Cpu(ModelScorer):
    """Its device stands in its code."""

    name = "cpu_alone"

    def score_indexed(self, *, candidates: Any, references: Any, **pairs: Any) -> Any:
        return np.full(len(pairs["candidate_index"]), 0.5)


class Gpu(Cpu):
    name = "looks_once"
    loaded: ClassVar[list[str]] = []

    def score_indexed(self, **pairs: Any) -> Any:
        if not self.loaded:
            self.loaded.append(self.device)
        return super().score_indexed(**pairs)


class NoNumpy(Cpu):
    """Its values fail outside of its code, in what reads them."""

    name = "no_numpy"

    def score_indexed(self, **pairs: Any) -> Any:
        class Values:
            def __array__(self, *arguments: Any, **options: Any) -> Any:
                raise RuntimeError("call detach() first")

        return Values()


class InLibrary(Cpu):
    name = "in_library"

    def score_indexed(self, **pairs: Any) -> Any:
        return statistics.mean([])


@pytest.mark.parametrize(
    ("metric", "check", "said"),
    [
        (Cpu(), "device", r"never reads self.device.*test_check_metric.py, line \d+"),
        (InLibrary(), "scores", r"StatisticsError.*\(test_check_metric.py, line \d+, in score_indexed"),
        (Few(), "scores", r"few \(test_check_metric.py, line \d+\) gave 3 values for 5 documents"),
        (FewPairs(), "scores", r"few_pairs \(test_check_metric.py, line \d+\) gave values of shape \(9,\)"),
        (Forgets(), "scores", r"forgets \(test_check_metric.py, line \d+\) gave NoneType"),
        (OtherArguments(), "scores", r"unexpected keyword.*\(test_check_metric.py, line \d+\)"),
        (NotVectorised(), "scores", r"combine \(test_check_metric.py, line \d+\) is not vectorised"),
        (LooksAtOthers(), "shards", r"unshardable_reason.*test_check_metric.py, line \d+"),
        (Random(), "the same twice", r"other numbers when they are scored again"),
        (Unpicklable(), "pickling", r"cannot be pickled.*test_check_metric.py, line \d+"),
        (DividesByWords(), "a text without words", r"ZeroDivisionError.*line \d+"),
        (OneSided(), "symmetry", r"symmetric = True, but f\(a, b\) is not f\(b, a\)"),
        (BestOfBatch(), "any batch of pairs", r"among others and 1 alone.*test_check_metric.py, line \d+"),
        (TooWide(), "scores", r"outside of its declared range 0 to 1"),
        (OtherSums(), "pairs and corpus", r"by pairs\(\) and .* by corpus\(\) of it alone.*line \d+"),
    ],
)
def test_each_fault_has_its_sentence(metric: storymeter.Metric, check: str, said: str) -> None:
    found = {one.check: one for one in check_metric(metric)}
    assert not found[check].holds
    assert re.search(said, found[check].because), found[check].because
    with pytest.raises(AssertionError, match=check):
        assert_metric(metric)


def test_a_model_that_is_loaded_once_reads_its_device() -> None:
    (found,) = [one for one in check_metric(Gpu()) if one.check == "device"]
    assert found.holds and Gpu.loaded == ["cpu"]
    (found,) = [one for one in check_metric(Sums()) if one.check == "device"]
    assert found.holds and "no effect" in found.because


def test_a_failure_has_the_line_of_the_plugin_and_not_of_a_library() -> None:
    said = r"call detach\(\) first.*test_check_metric.py, line \d+, in __array__"
    with pytest.raises(UsageError, match=said):
        storymeter.evaluate(["a dog"], [["a dog"]], [NoNumpy()])


def test_a_scorer_within_a_metric_is_checked() -> None:
    """`soda_c(scorer=mine)` passed where `mine` failed."""
    found = {one.check: one for one in check_metric(Soda("c", scorer=OneSided()))}
    assert not found["symmetry"].holds and "test_check_metric.py, line" in found["symmetry"].because
    assert found["any batch of pairs"].holds and "no effect" in found["device"].because


def test_one_cause_is_one_sentence() -> None:
    """What gives other numbers each time failed five checks."""
    assert [one.check for one in check_metric(Random()) if not one.holds] == ["the same twice"]


class Abstract(storymeter.MeanMetric):
    name = "abstract"


def test_plugins_that_cannot_be_made_or_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that lacks a method was "a bug in Storymeter"; of one called `meteor` ours was checked."""
    points = [
        EntryPoint(name, f"{__name__}:{made}", "storymeter.metrics")
        for name, made in (("abstract", "Abstract"), ("rouge_l", "Sums"))
    ]
    monkeypatch.setattr(registry, "_plugins", lambda what: tuple(points))
    with pytest.raises(UsageError, match=r"check_metric.py, line \d+\) cannot be made: .*document_values"):
        check_metric("abstract")
    found = {one.check: one for one in check_metric("rouge_l")}
    assert not found["name"].holds and "is not used. Register it under another" in found["name"].because


def test_our_own_and_a_right_one_pass() -> None:
    for metric in (Sums(), SameSums(), "meteor", "rouge_l", "soda_c", "cider", "bleu_4"):
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


def test_training_data_is_stated_or_said_not_to_be() -> None:
    assert Sums().trained_on.what == NOT_STATED
    assert (
        storymeter.metric("judge(model=small,endpoint=http://127.0.0.1:1/v1)").trained_on.what == NOT_STATED
    )
    assert storymeter.metric("rouge_l").trained_on.what == "nothing"


def test_the_package_of_the_documents_is_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its two files as they stand in docs/plugins.md, found by their entry points."""
    page = (ROOT / "docs/plugins.md").read_text()
    (project,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (module,) = re.findall(r"```python\n((?:(?!```).)*class Shared.*?)```", page, re.S)
    (tmp_path / "my_metrics.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    tomllib = pytest.importorskip("tomllib", reason="Python 3.11 reads TOML")
    groups = tomllib.loads(project)["project"]["entry-points"]
    points = [EntryPoint(*item, group) for group, listed in groups.items() for item in listed.items()]
    monkeypatch.setattr(registry, "_plugins", lambda what: tuple(points))
    for name in ("text_length", "text_length(unit=letters)", "shared_words", "soda_c(scorer=shared_words)"):
        assert_metric(name)
    sys.modules.pop("my_metrics")

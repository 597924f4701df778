"""Marks, families of tests and the number of resamples."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from storymeter import Corpus, Document, evaluate
from storymeter.arrays import FloatArray
from storymeter.captions import Caption
from storymeter.engine import Comparison, Results
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.metrics import MeanMetric
from storymeter.report import present, render, write_report
from storymeter.report.full.build import report_page
from storymeter.report.full.findings import Findings
from storymeter.report.full.sections import verdict
from storymeter.report.marks import marks


class Number(MeanMetric):
    """The number that a caption consists of, plus one of its own."""

    def __init__(self, name: str, add: float = 0.0) -> None:
        self.name, self.add = name, add

    name = ""
    needs_references = False

    def document_values(self, task: object, bench: object) -> FloatArray:
        texts = [document.text for document in task.candidates]  # type: ignore[attr-defined]
        return np.array([float(text) for text in texts]) + self.add


def system(name: str, values: FloatArray) -> Corpus:
    documents = [Document(f"v{k:03}", (Caption(repr(float(v))),)) for k, v in enumerate(values)]
    return Corpus(tuple(documents), name)


def scored(systems: dict[str, FloatArray], metrics: int = 1) -> Results:
    corpora = [system(name, values) for name, values in systems.items()]
    return evaluate(candidates=corpora, metrics=[Number(f"m{k}") for k in range(metrics)])


@pytest.fixture(scope="module")
def four() -> Results:
    """Four systems, nine metrics: one far behind, one hardly behind."""
    draw = np.random.default_rng(0)
    base = draw.normal(0.3, 0.1, 200)
    worse = [base - 0.19, base + draw.normal(0, 0.05, 200) - 0.002, base - 0.05 + draw.normal(0, 0.02, 200)]
    return scored({"best": base, **{f"s{k}": each for k, each in enumerate(worse)}}, metrics=9)


def test_a_system_far_behind_is_never_called_level(four: Results) -> None:
    """Holm over 54 tests of 1,000 resamples made every p 1, and every system a †."""
    tests = four.compare()
    table = present(four, comparisons=tests).tables("table", None)[0]
    for column in range(1, 10):
        assert [row[column].mark for row in table.rows] == ["", "", "†", ""]
    assert marks(four, tests)[0] == ["best", "worse", "level", "worse"]
    assert "Holm over the 6 comparisons of one metric" in table.note
    assert {c.tests for c in tests} == {6}
    assert min(6 / (c.resamples + 1) for c in tests) <= 0.005
    said = verdict(Findings("t", four, tests))
    assert "ties with s1" in " ".join(said) and "s0" not in " ".join(said)


def test_the_same_pair_has_the_same_p_whatever_stands_beside_it(four: Results) -> None:
    """One metric alone, all metrics, JSON of the scores and JSON of the comparison."""
    every = four.compare()
    alone = four.only("m4").compare()
    beside = [c for c in every if c.metric == "m4"]
    assert [(c.p_permutation, c.p_holm, c.interval) for c in alone] == [
        (c.p_permutation, c.p_holm, c.interval) for c in beside
    ]
    scores = json.loads(render(present(four, comparisons=every), "json"))
    assert scores["comparisons"] == json.loads(render(present(every), "json"))["comparisons"]
    assert scores["marks"]["m4"] == {"best": "best", "s0": "worse", "s1": "level", "s2": "worse"}


def test_a_metric_with_options_has_its_daggers() -> None:
    """Marks were looked up by the full name, not by the one it was asked by."""
    texts = ["a man rides a horse", "a dog runs on grass", "two women cook", "a boy swims"] * 3
    said = [text.replace("a ", "the ") for text in texts]
    corpora = [
        Corpus(tuple(Document(f"v{k}", (Caption(t),)) for k, t in enumerate(each)), name)
        for name, each in (("one", said), ("two", [*said[:-1], "a boy"]), ("people", texts))
    ]
    results = evaluate(candidates=corpora[:2], references=corpora[2], metrics=["meteor(task=rank)"])
    tests = results.compare()
    assert tests[0].p_holm >= 0.05
    assert sorted(marks(results, tests)[0]) == ["best", "level"]


@pytest.mark.parametrize(("n", "systems", "needed"), [(5, 2, 6), (6, 3, 7), (10, 10, 11)])
def test_too_few_documents_are_said_and_never_marked_level(n: int, systems: int, needed: int) -> None:
    """The smallest p of n documents is 2^(1 - n), whatever the difference."""
    base = np.linspace(0.01, 0.02, n)
    results = scored({f"s{k}": base + (0.9 if k == 0 else 0.01 * k) for k in range(systems)})
    tests = results.compare()
    assert min(c.p_permutation for c in tests) == 2.0 ** (1 - n)
    table = present(results, comparisons=tests).tables("table", None)[0]
    assert "†" not in table.render("table")
    assert "n too small to tell" in table.note and f"{needed} documents would do" in table.note
    assert marks(results, tests)[0] == ["best", *["unknown"] * (systems - 1)]
    assert "n too small to tell" in present(tests).tables("table", None)[0].note
    assert "too few documents" in verdict(Findings("t", results, tests))[0]


def test_enough_documents_earn_the_mark() -> None:
    base = np.linspace(0.01, 0.02, 6)
    results = scored({"a": base + 0.9, "b": base})
    (test,) = results.compare()
    assert test.p_holm == 2.0**-5 and test.resamples == 64
    assert marks(results, [test])[0] == ["best", "worse"]


def test_a_fixed_number_of_resamples_is_kept(four: Results) -> None:
    assert {c.resamples for c in four.only("m0").compare(resamples=200)} == {200}


def test_simultaneous_intervals_are_wider_than_single_ones(four: Results) -> None:
    for c in four.only("m0").compare():
        assert c.interval[0] <= c.interval_single[0] < c.interval_single[1] <= c.interval[1]
        assert c.interval != c.interval_single or c.interval[1] - c.interval[0] < 1e-12
    (pair,) = scored({"a": np.arange(9.0), "b": np.arange(9.0) ** 1.1}).compare()
    assert pair.interval == pair.interval_single


def test_equal_systems_rarely_lose_their_dagger() -> None:
    """Ten equal systems, per metric: at most 5 in 100 tables call one of them worse."""
    draw = np.random.default_rng(3)
    found = []
    for _ in range(20):
        base = draw.lognormal(size=30)
        results = scored({f"s{k}": base + draw.normal(0, 1, 30) for k in range(5)})
        found.append("worse" in marks(results, results.compare())[0])
    assert sum(found) <= 3


def test_chance_does_not_decide_a_mark() -> None:
    """Two seeds agree on every mark where p is near the limit: more is drawn there."""
    draw = np.random.default_rng(11)
    base = draw.normal(size=40)
    ahead = draw.normal(0, 1, 40)
    near = scored({"a": base + ahead - ahead.mean() + 0.284, "b": base})
    first, second = (near.compare(seed=seed)[0] for seed in (1, 2))
    assert 0.03 < first.p_permutation < 0.07 and first.resamples > 2048
    assert abs(first.p_permutation - second.p_permutation) < 0.005


def test_detectable_falls_with_the_root_of_the_documents() -> None:
    draw = np.random.default_rng(5)

    def detectable(n: int) -> float:
        tests: list[Comparison] = scored({"a": draw.normal(size=n), "b": draw.normal(size=n)}).compare()
        return tests[0].detectable

    assert detectable(400) / detectable(100) == pytest.approx(0.5, rel=0.2)
    assert np.isnan(detectable(5))  # no difference can be significant


def test_the_documents_that_a_difference_needs_find_it() -> None:
    draw = np.random.default_rng(9)
    pilot = scored({"a": draw.normal(size=60), "b": draw.normal(size=60)})
    (test,) = pilot.compare(difference=0.5 * 100)
    assert test.documents_for is not None and 45 < test.documents_for < 100  # 2 * 2.8**2 / .5**2 = 63
    few = scored({"a": np.arange(8.0), "b": np.arange(8.0) ** 1.1}).compare(difference=100.0 * 100)[0]
    assert few.documents_for == 6  # with five no p is below .05
    with pytest.raises(UsageError, match="above 0"):
        pilot.compare(difference=0)


def test_intervals_of_few_documents_are_called_rough() -> None:
    few, many = (scored({"a": np.arange(float(n)), "b": np.arange(n) + 1.0}) for n in (12, 40))
    assert "rough" in present(few, comparisons=few.compare()).tables("table", None)[0].note
    assert "rough" not in present(many, comparisons=many.compare()).tables("table", None)[0].note


def test_one_document_has_a_report(tmp_path: Path) -> None:
    one = ["a dog runs on the grass"]
    results = evaluate({"a": one, "b": ["a dog"]}, one, metrics=["rouge_l"], resamples=0)
    write_report(results, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "There are too few documents or resamples to tell" in page
    assert "?: one document has no test: no difference can be significant." in page


def test_a_mark_that_skewed_differences_make_is_called_so() -> None:
    """Equal means in the population; a few documents gain much, and the sample has too few of them."""
    draw = np.random.default_rng(1)
    said = "Skewed differences (m0): some that are significant here are not by p bootstrap"
    named = 0
    for _ in range(40):
        results = scored({"a": np.zeros(14), "b": np.exp(1.5 * draw.normal(size=14)) - np.exp(1.125)})
        (test,) = results.compare()
        note = present(results, comparisons=[test]).tables("table", None)[0].note
        wrong = test.p_holm < 0.05 <= test.p_bootstrap
        assert (said in note) is (wrong and abs(test.skewness) >= 1)
        named += said in note
    assert named > 2


def test_systems_that_differ_on_few_documents_are_not_level_without_a_word() -> None:
    """Four documents of a hundred: no difference on them, however large, could be significant."""
    base = np.linspace(0, 1, 100)
    few, many = base.copy(), base.copy()
    few[:4] -= 0.9
    many[:60] += np.resize([0.5, -0.5], 60)
    for values, differ in ((few, True), (many, False), (base, False)):
        results = scored({"a": base, "b": values})
        table = present(results, comparisons=results.compare()).tables("table", None)[0]
        assert ("Few documents differ (m0): the tests find little." in table.note) is differ


def test_one_common_document_is_said_as_one() -> None:
    one = evaluate({"a": {"v1": ["x"]}, "b": {"v1": ["y"]}}, {"v1": ["x"]}, metrics=["rouge_l"], resamples=0)
    with pytest.raises(DataError, match="on 1 common document; a paired test"):
        one.compare()


def test_intervals_that_a_few_documents_decide_are_called_rough() -> None:
    """Percentile intervals of 40 such documents hold in less than 93 of 100 test sets."""
    draw = np.random.default_rng(3)
    skewed = {"a": np.exp(1.5 * draw.normal(size=40)), "b": np.exp(1.5 * draw.normal(size=40))}
    results = scored(skewed)
    said = f"Intervals of {results.systems[0].scores[0].metric} are rough: a few documents decide them."
    comparisons = results.compare()
    assert said in present(results, comparisons=comparisons).tables("table", None)[0].note
    assert said in report_page(Findings("t", results, comparisons))
    assert "p permutation; their intervals are rough." in present(comparisons).tables("table", None)[0].note
    plain = scored({"a": draw.normal(size=40), "b": draw.normal(size=40)})
    assert "rough" not in present(plain, comparisons=plain.compare()).tables("table", None)[0].note


def test_one_document_has_no_best_without_a_word() -> None:
    systems = {"a": ["a dog runs on the grass"], "b": ["a dog"]}
    one = ["a dog runs on the grass"]
    results = evaluate(systems, one, metrics=["rouge_l"], resamples=0)
    table = present(results).tables("table", None)[0]
    assert marks(results, ()) == [["best", "unknown"]]
    assert "one document has no test" in table.note


@pytest.mark.parametrize("name", ["cider", "paragraph_cider", "cider(variant=plain)"])
def test_cider_of_one_document_warns(name: str) -> None:
    with pytest.warns(StorymeterWarning, match="of one document is 0"):
        evaluate(["a dog runs"], ["a dog runs"], metrics=[name], resamples=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(["a dog runs", "a cat"], ["a dog runs", "a cat"], metrics=[name], resamples=0)
        evaluate(["a dog runs"], ["a dog runs"], metrics=["rouge_l"], resamples=0)

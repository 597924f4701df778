from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import storymeter
from storymeter import compare
from storymeter.context import Context
from storymeter.errors import DataError, UsageError
from storymeter.join import Task
from storymeter.metrics import FloatArray, MeanMetric
from storymeter.report import present, render


class SharedWords(MeanMetric):
    """The share of the reference's words that the candidate has: a stand-in that needs nothing."""

    @property
    def name(self) -> str:
        return "words"

    def document_values(self, task: Task, setting: Context) -> FloatArray:
        def share(candidate: str, reference: str) -> float:
            wanted = set(reference.lower().split())
            return len(wanted & set(candidate.lower().split())) / max(1, len(wanted))

        return np.array(
            [[share(c.text, r[0].text)] for c, r in zip(task.candidates, task.references, strict=True)]
        )


@pytest.fixture(scope="module")
def report(examples: Path) -> storymeter.Results:
    videos = examples / "videos"
    return storymeter.evaluate(
        candidates=[storymeter.read(videos / f"{s}.json") for s in ("good", "padded", "disordered")],
        references=storymeter.read(videos / "reference_1.json"),
        metrics=[SharedWords(), "captions"],
    )


def test_value_is_the_mean_of_the_documents(report) -> None:
    score = report["good", "words"]
    assert score.value == pytest.approx(score.rows[:, 0].mean())
    assert score.interval[0] < score.value < score.interval[1]
    assert "annotators:1" in str(score.signature)
    with pytest.raises(KeyError):
        report["good", "nothing"]


def test_metrics_are_found_by_any_name_that_means_the_same() -> None:
    found = _small("spice(rules)", "meteor(task=rank)", "meteor")
    assert [score.metric for score in found.systems[0].scores] == ["spice", "meteor(task=rank)", "meteor"]
    for name in ("spice", "spice(engine=rules)", "spice(rules)"):
        assert found["one", name] is found.systems[0].scores[0]
        assert [score.metric for score in found.only(name).systems[0].scores] == ["spice"]
        assert found.by_document("one", name) == {"a": 1.0, "b": 1.0}
    both = found.only("meteor", "meteor(task=rank)")
    assert [score.metric for score in both.systems[0].scores] == ["meteor(task=rank)", "meteor"]
    for call in (found.only, lambda name: found["one", name], lambda name: found.by_document("one", name)):
        with pytest.raises(KeyError, match="no metric 'METEOR'; there are"):
            call("METEOR")


def _small(*metrics: str) -> storymeter.Results:
    texts = {"a": "a dog runs", "b": "a man eats a cake"}
    return storymeter.evaluate({"one": texts}, {key: [text] for key, text in texts.items()}, metrics)


def test_one_system_is_not_compared() -> None:
    with pytest.raises(UsageError, match="There is one system") as caught:
        _small("words").compare()
    assert "evaluate({name: candidates" in caught.value.hint


def test_wrong_arguments_of_a_run_are_named(report) -> None:
    with pytest.raises(UsageError, match="metrics cannot be a dict") as caught:
        storymeter.evaluate({"a": "a dog"}, {"a": ["a dog"]}, {"m": SharedWords()})
    assert "metrics=[" in caught.value.hint
    with pytest.raises(UsageError, match="resamples cannot be True"):
        storymeter.evaluate({"a": "a dog"}, {"a": ["a dog"]}, "words", resamples=True)
    with pytest.raises(UsageError, match="resamples cannot be True"):
        report.compare(resamples=True)


def test_json_has_the_fixed_shape(report) -> None:
    out = json.loads(render(present(report), "json"))
    assert out["schema"] == 1
    assert [s["name"] for s in out["systems"]] == ["good", "padded", "disordered"]
    assert set(out["systems"][0]["scores"][0]) == {"metric", "value", "parts", "interval", "n", "signature"}


def test_tables_print_percentages_where_the_field_does(report) -> None:
    rows = present(report, long=True).tables("table", None)[0].rows
    assert rows[0][2].text == f"{100 * report['good', 'words'].value:.2f}"
    assert rows[1][2].text == f"{report['good', 'captions'].value:.2f}"
    assert "12 documents have a reference, 0 missing" in present(report).notes[0]


def test_comparison_finds_the_padded_system_longer(report) -> None:
    found = compare(report, resamples=199, seed=3)
    assert len(found) == 6
    longer = next(c for c in found if (c.metric, c.a, c.b) == ("captions", "good", "padded"))
    assert (longer.wins, longer.losses, longer.n) == (0, 12, 12)
    assert longer.p_permutation == 1 / 200
    assert longer.p_holm >= longer.p_permutation > 0
    assert longer.interval[1] < 0 and len(longer.most_different) == 5
    assert json.loads(render(present(found), "json"))["comparisons"][0]["metric"] == "words"
    assert "win/tie/loss" in render(present(found), "latex")
    _, documents = present([c for c in found if c.metric == "captions"]).tables("table", None)
    assert documents.rows[0][2] == longer.most_different[0].document


def test_same_seed_same_bytes(report) -> None:
    assert render(present(compare(report, resamples=99, seed=1)), "json") == render(
        present(compare(report, resamples=99, seed=1)), "json"
    )


def test_references_are_asked_for_when_needed(examples: Path) -> None:
    system = storymeter.read(examples / "videos" / "good.json")
    with pytest.raises(UsageError, match="needs references"):
        storymeter.evaluate(candidates=system, metrics=[SharedWords()])
    with pytest.raises(UsageError, match="nothing to score"):
        storymeter.evaluate(candidates=[], metrics=["captions"])
    with pytest.raises(DataError, match="No reference matched"):
        storymeter.evaluate(
            candidates=system,
            references=storymeter.Corpus((storymeter.Document("other"),), "r"),
            metrics=["captions"],
        )


def test_wrong_arguments_are_wrong_usage(examples: Path) -> None:
    path = examples / "videos" / "good.json"
    system = storymeter.read(path)
    one = storymeter.evaluate(candidates=system, metrics="words", resamples=0)
    assert one["good", "words"].n == 12
    for wrong in (
        {"candidates": "a dog runs"},
        {"candidates": 3},
        {"candidates": [path, 3]},
        {"candidates": [["a dog", "a cat"]]},
        {"references": 3},
        {"references": [system, "a dog"]},
        {"metrics": []},
        {"metrics": [3]},
        {"seed": -1},
        {"resamples": -1},
    ):
        with pytest.raises(UsageError):
            storymeter.evaluate(**{"candidates": system, "metrics": ["words"], **wrong})


def test_paths_and_named_systems_are_the_corpora_that_they_hold(examples: Path) -> None:
    path = examples / "videos" / "good.json"
    system = storymeter.read(path)
    expected = storymeter.evaluate(candidates=system, references=system, metrics=["soda_c"], resamples=0)
    for given in (str(path), path, {"good": system}):
        found = storymeter.evaluate(candidates=given, references=str(path), metrics=["soda_c"], resamples=0)
        assert render(present(found), "json") == render(present(expected), "json")


def test_a_printed_result_says_which_documents_are_not_there() -> None:
    """Half of the number is that a document is missing, which no other line of Python says."""
    texts = {"a": "a man rides a horse", "b": "two dogs run", "c": "a cat sleeps"}
    some = {"a": texts["a"], "z": "a bird sings"}
    partial = storymeter.evaluate(some, texts, "meteor", resamples=0)
    said = "1 document has a reference, 2 missing"
    assert f"{said}, 1 extra" in repr(partial)
    assert said in partial._repr_html_() and "2 missing (each counts 0" in partial._repr_html_()
    whole = storymeter.evaluate(texts, texts, "meteor", resamples=0)
    assert "missing" not in repr(whole) and "missing" not in whole._repr_html_()

"""Metrics and scorers of the user's own that give odd things, and odd arguments of a run from Python."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import storymeter
from storymeter import Caption, Corpus, Document, MeanMetric, Metric, PairScorer, Run
from storymeter.errors import UsageError


def corpus(name: str, *texts: str) -> Corpus:
    return Corpus(tuple(Document(f"v{k}", (Caption(text),)) for k, text in enumerate(texts)), name)


PEOPLE = corpus("people", "the dog is running", "two men cook rice", "a cat sits")
MINE = corpus("mine", "a dog runs", "men are cooking", "a cat")
YOURS = corpus("yours", "the dog is running", "a man eats", "a bird")


class Own(MeanMetric):
    name = "own"

    def __init__(self, values: object, name: str = "own") -> None:
        self.values, self.name = values, name

    def document_values(self, task, bench):
        return self.values() if callable(self.values) else self.values


class Words(MeanMetric):
    """The name and the columns of one of ours."""

    name, percent, parts = "words", False, ("value",)

    def document_values(self, task, bench):
        return np.full(len(task), 7.0)


class Longest(Metric):
    """The columns of a mean, but no mean."""

    name, percent, columns = "captions", False, ("value", "documents")

    def rows(self, task, bench):
        return np.array([[len(document.text), 1.0] for document in task.candidates])

    def combine(self, sums):
        return {"value": np.sqrt(sums[..., 0])}


class Listed(PairScorer):
    name = "listed"

    def __init__(self, values: object) -> None:
        self.values = values

    def score_indexed(self, *, candidates, references, candidate_index, reference_index, jobs=1):
        return self.values


@pytest.mark.parametrize(
    "metric, said",
    [
        (Own(["x", "y", "z"]), "gave no numbers"),
        (Own([1.0, None, 2.0]), "gave no number for 1 of 3 documents: v1"),
        (Own([1.0, np.inf, 2.0]), "gave no number for 1 of 3 documents: v1"),
        (Own([1.0, 2.0]), "gave 2 values for 3 documents"),
        (Own([[1.0], [2.0, 3.0], []]), "gave no numbers"),
        (Own(lambda: 1 / 0), "own, a metric of your own or of a plug-in, failed: ZeroDivisionError"),
        (Listed([1.0]), "gave values of shape (1,) for 3 pairs"),
        (Listed(["x"] * 3), "gave no numbers"),
        (Listed([np.nan] * 3), "gave no number for 3 of 3 pairs"),
        (Words, "Words is a class"),
        (None, "A metric cannot be NoneType"),
        (["bleu_4"], "A metric cannot be list"),
    ],
)
def test_what_is_wrong_with_a_metric_is_said(metric: object, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        Run(PEOPLE).score(MINE, [metric], resamples=0)


def test_a_list_of_numbers_will_do() -> None:
    assert Run(PEOPLE).score(MINE, Own([1, 2, 3]), resamples=0)["mine", "own"].value == 2
    assert Listed([1, 0, 1]).matrix(candidates=["a"], references=["b", "c", "d"]).tolist() == [[1, 0, 1]]


def test_two_metrics_of_one_name_are_not_mixed_up() -> None:
    with pytest.raises(UsageError, match="Two metrics are called 'words'"):
        Run(PEOPLE).score(MINE, [Words(), "words"], resamples=0)
    assert len(Run(PEOPLE).score(MINE, [Words(), Words()], resamples=0).metrics) == 1


def test_two_systems_of_one_name_are_not_mixed_up() -> None:
    with pytest.raises(UsageError, match="Several systems are called 'mine'"):
        Run(PEOPLE).score([MINE, MINE], "bleu_4", resamples=0)


@pytest.mark.parametrize("own", [Words(), Longest()], ids=["mean", "no mean"])
def test_a_saved_metric_named_like_ours_keeps_its_own_formula(own: Metric, tmp_path: Path) -> None:
    results = Run(PEOPLE).score([MINE, YOURS], own, resamples=50)
    results.save(tmp_path / "run.smr")
    again = storymeter.load(tmp_path / "run.smr", metrics=[own])
    assert again.compare() == results.compare()
    alone = storymeter.load(tmp_path / "run.smr")
    if isinstance(own, MeanMetric):
        assert alone.compare() == results.compare()
    else:
        with pytest.raises(UsageError, match="is not known here"):
            alone.compare()


def test_odd_arguments() -> None:
    assert Run(None).score(MINE, "words", resamples=0)["mine", "words"].n == 3
    both = Run(PEOPLE).score(MINE, "bleu_1, bleu_2(smoothing=floor,level=sentence)", resamples=0)
    assert [metric.name for metric in both.metrics] == ["bleu_1", "bleu_2(smoothing=floor,level=sentence)"]
    with pytest.raises(UsageError, match="There is no metric to score by"):
        Run(PEOPLE).score(MINE, [], resamples=0)
    with pytest.raises(UsageError, match="references must be corpora, not int"):
        Run(3)


def test_what_is_not_there_is_named() -> None:
    results = Run(PEOPLE).score([MINE, YOURS], ["bleu_1", "rouge_l"], resamples=0)
    with pytest.raises(KeyError, match="no system 'theirs'; there are mine, yours"):
        results["theirs", "bleu_1"]
    with pytest.raises(KeyError, match="no metric 'blue'; there are bleu_1, rouge_l"):
        results["mine", "blue"]
    with pytest.raises(KeyError, match=re.escape("write results[system, metric]")):
        results["mine"]


def test_star_import_gives_the_public_names() -> None:
    code = "from storymeter import *; from storymeter.pairs import *; print(Run, Metric, Meteor, load)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

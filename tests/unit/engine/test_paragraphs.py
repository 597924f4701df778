"""Metrics of whole documents on timed captions say that they compare paragraphs; others say nothing."""

from __future__ import annotations

import warnings

import pytest

from storymeter import Caption, evaluate
from storymeter.errors import StorymeterWarning

MINE = {"v": [Caption("a dog runs", 0.0, 5.0), Caption("it jumps", 5.0, 9.0)]}
THEIRS = {"v": [Caption("the dog runs", 0.0, 4.0), Caption("it jumps high", 5.0, 9.0)]}


@pytest.mark.parametrize("name", ["meteor", "cider", "bleu_4", "rouge_l"])
def test_timed_captions_are_joined_and_it_is_said(name: str) -> None:
    with pytest.warns(
        StorymeterWarning, match=rf"{name} compares whole paragraphs.*anet\(scorer={name}\).*soda_c"
    ):
        results = evaluate(MINE, THEIRS, [name, "soda_c"], resamples=0)
    assert results[name].signature.get("compares") == "paragraphs"
    assert results["soda_c"].signature.get("compares") == ""


def test_it_is_said_once() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        evaluate({"a": MINE, "b": MINE}, THEIRS, ["meteor", "cider"], resamples=0)
    assert len([each for each in said if "whole paragraphs" in str(each.message)]) == 1


def test_single_captions_and_metrics_that_mean_it_are_quiet() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(["a dog", "cats"], [["the dog", "dogs"], ["cats"]], ["meteor", "cider"], resamples=0)
        evaluate(MINE, THEIRS, ["anet(scorer=meteor)", "soda_c", "paragraph_meteor"], resamples=0)

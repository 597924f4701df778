from __future__ import annotations

import doctest
import math

import pytest

from storymeter import evaluate
from storymeter.captions import Caption, Corpus, Document
from storymeter.dense import counts


def corpus(*documents: Document, name: str = "mine") -> Corpus:
    return Corpus(documents, name)


def value(metric: str, candidates: Corpus, **kwargs: object) -> float:
    return evaluate(candidates=candidates, metrics=[metric], **kwargs).systems[0].scores[0].value


TWO = corpus(
    Document("a", (Caption("A dog , it runs !", 0, 4), Caption("It jumps.", 2, 6)), duration=8),
    Document("b", (Caption("x", 0, 5),), duration=10),
)


def test_counts_of_a_small_corpus() -> None:
    assert value("captions", TWO) == pytest.approx(1.5)
    assert value("words", TWO) == pytest.approx((4 + 2 + 1) / 3)
    assert value("coverage", TWO) == pytest.approx((6 / 8 + 5 / 10) / 2)
    assert value("overlap", TWO) == pytest.approx((2 / 6 + 0) / 2)


def test_a_missing_video_is_covered_by_nothing() -> None:
    references = corpus(
        Document("a", (Caption("r", 0, 8),), 8),
        Document("b", (Caption("r", 0, 1),), 10),
        Document("c", (Caption("r", 0, 1),), 10),
        name="refs",
    )
    assert value("coverage", TWO, references=references) == pytest.approx((6 / 8 + 5 / 10 + 0) / 3)
    assert value("overlap", TWO, references=references) == pytest.approx((2 / 6) / 2)


def test_bad_times_count_as_no_time() -> None:
    odd = corpus(
        Document(
            "a", (Caption("x", math.nan, 4), Caption("y", 5, 3), Caption("z"), Caption("w", 0, 2)), duration=4
        )
    )
    assert value("coverage", odd) == 0.5
    assert value("overlap", odd) == 0.0
    assert value("coverage", corpus(Document("a"))) == 0.0


def test_docstring() -> None:
    assert doctest.testmod(counts).failed == 0


def test_time_outside_the_video_is_not_covered() -> None:
    past = corpus(Document("a", (Caption("x", 0, 5), Caption("y", 10, 15)), duration=10))
    assert value("coverage", past) == 0.5
    before = corpus(Document("a", (Caption("x", -5, 5), Caption("y", 8, 30)), duration=10))
    assert value("coverage", before) == pytest.approx(0.7)

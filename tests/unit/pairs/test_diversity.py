from __future__ import annotations

import pytest

import storymeter
from storymeter import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.join import join
from storymeter.registry import metric
from storymeter.scores import Score


def score(name: str, *documents: list[str]) -> Score:
    corpus = Corpus(
        tuple(Document(str(k), tuple(Caption(c) for c in captions)) for k, captions in enumerate(documents)),
        "mine",
    )
    return metric(name).score(join(candidates=corpus), Context(tokenizer="none"))


def test_self_bleu_over_the_corpus_and_within_a_document() -> None:
    assert score("self_bleu(n=1,smoothing=none)", ["a b", "a c"], ["a b"]).value == pytest.approx(
        (1 + 0.5 + 1) / 3
    )
    assert score(
        "self_bleu(n=1,smoothing=none,within=document)", ["a b", "a c"], ["a b"]
    ).value == pytest.approx(0.5)


def test_a_submission_that_says_one_thing_has_self_bleu_one() -> None:
    assert score("self_bleu", *[["a man is seen speaking to the camera"]] * 5).value == pytest.approx(
        1.0, abs=1e-8
    )


def test_counts_need_two_of_the_others_not_one_twice() -> None:
    """The caption that has most of a word is measured against the second."""
    assert score("self_bleu(n=1,smoothing=none)", ["a a", "a x"]).value == pytest.approx(0.5)


def test_what_cannot_be_compared_is_left_out() -> None:
    assert score("self_bleu(within=document)", ["a"], ["b"]).value == 0.0
    assert score("distinct_1", ["a a"], [], [""]).value == 0.5
    assert score("repetition_4", ["a a a a a"], ["a b c"]).value == 0.5


def test_captions_of_a_document_are_one_text_for_distinct_and_repetition() -> None:
    assert score("distinct_2", ["a b", "a b"]).value == pytest.approx(2 / 4)
    assert score("repetition_4", ["a b c d", "a b c d"]).value == pytest.approx(1 / 5)


def test_no_references_are_needed_and_lower_is_better() -> None:
    mine = Corpus((Document("v", (Caption("a dog runs"), Caption("a dog sits"))),), "mine")
    report = storymeter.evaluate(
        candidates=mine, metrics=["self_bleu", "distinct_1", "distinct_2", "repetition_4"]
    )
    assert [s.metric for s in report.systems[0].scores] == [
        "self_bleu",
        "distinct_1",
        "distinct_2",
        "repetition_4",
    ]
    assert metric("self_bleu").higher_is_better is False
    assert metric("repetition_4").higher_is_better is False
    assert metric("distinct_1").higher_is_better is True

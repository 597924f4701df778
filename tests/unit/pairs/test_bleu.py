from __future__ import annotations

import math
import random

import numpy as np
import pytest

from storymeter import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.errors import UsageError
from storymeter.join import join
from storymeter.pairs import Bleu, TextMetric, bleu, sentences
from storymeter.registry import metric, scorer


def one(candidate: str, *references: str, n: int = 4, smoothing: str = "none") -> float:
    return float(Bleu(n, smoothing=smoothing).pairs(candidates=[candidate], references=[list(references)])[0])


def test_papinenis_seven_times_the() -> None:
    """Papineni et al. 2002, example 2: modified unigram precision 2/7."""
    statistics = (
        Bleu(1)
        .open()
        .statistics(
            candidates=["the the the the the the the"],
            references=[["the cat is on the mat", "there is a cat on the mat"]],
        )
    )
    assert statistics.tolist() == [[2, 7, 7, 7]]


def test_brevity_penalty_takes_the_closest_reference_and_the_shorter_of_two() -> None:
    assert one("a b c", "a b c d", n=1) == pytest.approx(math.exp(1 - 4 / 3))
    assert one("a b c", "a b c d", "a b", n=1) == 1.0
    assert one("a b c", "a b c d e", "x y", n=1) == 1.0


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        ("none", 0.0),
        ("add-one", (2 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25),
        ("floor", (2 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** 0.25),
        ("exp", (2 / 4 * 1 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** 0.25),
    ],
)
def test_smoothing_by_hand(smoothing: str, expected: float) -> None:
    assert one("a b x y", "a b c d", smoothing=smoothing) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("none", "method0"), ("floor", "method1"), ("add-one", "method2"), ("exp", "method3")],
)
def test_smoothing_agrees_with_nltk(ours: str, theirs: str) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score")
    draw = random.Random(11)
    function = getattr(nltk.SmoothingFunction(), theirs)
    for _ in range(200):
        candidate = draw.choices("abcd", k=draw.randint(4 if ours == "add-one" else 1, 12))
        references = [draw.choices("abcd", k=draw.randint(4, 12)) for _ in range(draw.randint(1, 3))]
        if ours == "none" and not one(" ".join(candidate), *(" ".join(r) for r in references)):
            continue  # nltk puts the smallest float where there is no match
        expected = nltk.sentence_bleu(references, candidate, smoothing_function=function)
        assert one(" ".join(candidate), *(" ".join(r) for r in references), smoothing=ours) == pytest.approx(
            expected, abs=1e-12
        )


def test_aggregate_is_corpus_bleu_not_the_mean() -> None:
    text = {"candidates": ["a b", "c"], "references": [["a b"], ["x"]]}
    assert Bleu(1, smoothing="none").open().aggregate(**text) == pytest.approx(2 / 3)
    assert Bleu(1, smoothing="none").pairs(**text).tolist() == [1.0, 0.0]


def test_corpus_and_sentence_level_metrics() -> None:
    mine = Corpus((Document("1", (Caption("a"), Caption("b"))), Document("2", (Caption("c"),))), "mine")
    theirs = Corpus(
        (Document("1", (Caption("a b"),)), Document("2", (Caption("x"),)), Document("3", (Caption("y z"),))),
        "theirs",
    )
    task, setting = join(candidates=mine, references=[theirs]), Context(tokenizer="none")
    corpus = metric("bleu_1(smoothing=none)").score(task, setting)
    assert corpus.columns == bleu.columns(1) == ("matches_1", "ngrams_1", "words", "reference_words")
    assert corpus.rows is not None
    assert corpus.rows.tolist() == [
        [2, 2, 2, 2],
        [0, 1, 1, 1],
        [0, 0, 0, 2],
    ]  # the missing document costs brevity
    assert corpus.value == pytest.approx(2 / 3 * math.exp(1 - 5 / 3))
    assert corpus.parts["precision_1"] == pytest.approx(2 / 3)
    assert corpus.parts["length_ratio"] == pytest.approx(3 / 5)
    sentence = metric("bleu_1(smoothing=none,level=sentence)").score(task, setting)
    assert sentence.value == pytest.approx(1 / 3)
    assert str(corpus.signature) != str(sentence.signature)
    assert sentence.signature.get("smoothing") == "none"


def test_orders_share_one_count_in_a_run() -> None:
    task = join(
        candidates=Corpus((Document("1", (Caption("a b"),)),), "m"),
        references=[Corpus((Document("1", (Caption("a b"),)),), "r")],
    )
    setting = Context(tokenizer="none")
    assert sentences.ngrams_of(setting, task) is sentences.ngrams_of(setting, task)
    counted = sentences.ngrams_of(setting, task).bleu(1)
    assert TextMetric(Bleu(4)).rows(task, setting) is counted


@pytest.mark.parametrize(
    "name", ["bleu_4(smoothing=add-one,level=sentence)", "bleu_1", "bleu_3(smoothing=exp)"]
)
def test_names_parse_and_print_back(name: str) -> None:
    assert metric(name).name == name


def test_scorer_names_and_tokenizer() -> None:
    measure = scorer("bleu_2(smoothing=none,tokenizer=ptb)")
    assert measure.name == "bleu_2(smoothing=none,tokenizer=ptb)"
    assert measure.matrix(candidates=["A dog, running."], references=["a dog running"])[0, 0] == 1.0


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="n cannot be"):
        Bleu(5)
    with pytest.raises(UsageError, match="2 candidates, but 1 list of"):
        Bleu().pairs(candidates=["a", "b"], references=[["a"]])
    with pytest.raises(IndexError):
        Bleu().open().score_indexed(
            candidates=["a"], references=["a"], candidate_index=np.array([1]), reference_index=np.array([0])
        )

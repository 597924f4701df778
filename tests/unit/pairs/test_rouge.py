from __future__ import annotations

import random

import pytest

from storymeter import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.join import join
from storymeter.pairs import RougeL, rouge
from storymeter.registry import metric


def f(p: float, r: float, beta: float = 1.2) -> float:
    return (1 + beta**2) * p * r / (r + beta**2 * p)


def test_lins_example() -> None:
    """Lin 2004, section 3.1: LCS is 3 of 4 words for the one, 2 of 4 for the other."""
    values = RougeL(beta=1.0, tokenizer="none").pairs(
        candidates=["police kill the gunman", "the gunman kill police"],
        references=[["police killed the gunman"]] * 2,
    )
    assert values.tolist() == [0.75, 0.5]


def test_precision_and_recall_have_their_own_best_reference() -> None:
    value = RougeL(tokenizer="none").pairs(candidates=["a b c d"], references=[["a b c x x x x x", "a"]])[0]
    assert value == pytest.approx(f(3 / 4, 1 / 1))


def test_words_stand_between_single_blanks() -> None:
    assert RougeL(tokenizer="none").pairs(candidates=["7\u00a01/2 m"], references=[["7 1/2 m"]])[
        0
    ] == pytest.approx(f(1 / 2, 1 / 3))
    assert RougeL(tokenizer="none").pairs(candidates=["  a"], references=[["a"]])[0] == pytest.approx(
        f(1 / 3, 1)
    )
    assert RougeL(tokenizer="none").pairs(candidates=["  a"], references=[["a"]])[0] == pytest.approx(
        f(1 / 3, 1)
    )
    assert (
        RougeL(tokenizer="none").pairs(candidates=[""], references=[[""]])[0] == 0.0
    )  # no words match nothing
    assert rouge.coco_values([""], [[""]], 1.2)[0] == 1.0  # what the drop-in promises


def test_metric_is_a_mean_and_what_is_missing_earns_nothing() -> None:
    mine = Corpus((Document("1", (Caption("a"), Caption("b"))),), "mine")
    theirs = Corpus((Document("1", (Caption("a b"),)), Document("2", (Caption(""),))), "theirs")
    score = metric("rouge_l").score(join(candidates=mine, references=[theirs]), Context(tokenizer="none"))
    assert (score.value, score.parts["precision"], score.parts["recall"]) == (0.5, 0.5, 0.5)
    assert score.signature.get("beta") == "1.2"


def slow_lcs(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for word in a:
        before = row
        row = [0]
        for k, other in enumerate(b):
            row.append(before[k] + 1 if word == other else max(before[k + 1], row[k]))
    return row[-1]


def test_the_lcs_of_long_texts_is_that_of_the_textbook() -> None:
    """Lengths around the borders of words, of lanes and of blocks; from two words to many."""
    draw = random.Random(3)
    for first, second in (
        (64, 65),
        (128, 300),
        (256, 256),
        (257, 257),
        (260, 1),
        (300, 900),
        (511, 513),
        (512, 520),
        (513, 1030),
        (1024, 600),
    ):
        for words in (2, 5, 400):
            a, b = ([f"w{draw.randrange(words)}" for _ in range(n)] for n in (first, second))
            longest = slow_lcs(a, b)
            value = RougeL(beta=1.0, tokenizer="none").pairs(
                candidates=[" ".join(a)], references=[[" ".join(b)]]
            )[0]
            assert value == pytest.approx(2 * longest / (first + second), abs=1e-12), (first, second, words)

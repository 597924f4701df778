"""Text that nobody should send: no crash, no hang, a defined result."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from storymeter import Caption, Corpus, Document, PairScorer, _native
from storymeter.context import Context
from storymeter.errors import UsageError
from storymeter.join import join
from storymeter.pairs import Bleu, Cider, Meteor, RougeL
from storymeter.registry import metric, scorer

SCORERS: list[PairScorer] = [
    Bleu(4),
    RougeL(tokenizer="none"),
    Cider(),
    Cider(variant="plain"),
    Meteor(),
    Meteor(normalize=False),
]
MEGABYTE = 1_000_000
draw = random.Random(7)

HOSTILE = {
    "nul": "a\0b \0 c",
    "lone surrogate": "a \ud800 b \udfff",
    "one word of a megabyte": "x" * MEGABYTE,
    "a megabyte of words": " ".join(draw.choices(["the", "dog", "runs", "😀", "é"], k=MEGABYTE // 4)),
    "a megabyte of different words": " ".join(map(str, range(MEGABYTE // 7))),
    "one word 100,000 times": " ".join(["word"] * 100_000),
    "blanks": " " * 100_000,
    "right to left": "كلب يركض \u202e dog",
    "two letters in turn": " ".join(draw.choices("ab", k=MEGABYTE // 10)),
    "signs": "'" * 50_000 + "-" * 50_000 + "." * 50_000 + "a." * 50_000,
    "combining": "e" + "\u0301" * 10_000,
    "emoji only": "😀 👍🏽👨\u200d👩\u200d👧 😀",
    "empty": "",
}
#: What repeats itself how much, by PTB tokens: words, distinct words, distinct pairs of words, distinct runs
#: of four.
#: A lone surrogate, a NUL and an emoji are no tokens; neither is the sign that turns the direction of
#: writing.
COUNTS = {
    "nul": (3, 3, 2, 0),
    "lone surrogate": (2, 2, 1, 0),
    "one word of a megabyte": (1, 1, 0, 0),
    "a megabyte of different words": (MEGABYTE // 7, MEGABYTE // 7, MEGABYTE // 7 - 1, MEGABYTE // 7 - 3),
    "one word 100,000 times": (100_000, 1, 1, 1),
    "blanks": (0, 0, 0, 0),
    "right to left": (3, 3, 2, 0),
    "two letters in turn": (MEGABYTE // 10, 2, 4, 16),
    "signs": (2, 2, 1, 0),  # the dashes, and the letters with their dots
    "combining": (1, 1, 0, 0),
    "emoji only": (0, 0, 0, 0),
    "empty": (0, 0, 0, 0),
}


@pytest.mark.parametrize("measure", SCORERS, ids=lambda s: s.name)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_has_a_finite_value_in_little_time(measure: PairScorer, name: str) -> None:
    begin = time.process_time()
    values = measure.pairs(
        candidates=[HOSTILE[name], "a dog runs", HOSTILE[name]],
        references=[["a dog runs", HOSTILE[name]], [HOSTILE[name]], ["the " + HOSTILE[name] + " end"]],
    )
    assert (
        time.process_time() - begin < 20
    )  # about 0.3 s on a quiet machine; a quadratic LCS would take minutes
    assert np.isfinite(values).all()


def _score(name: str, *documents: list[str]) -> float:
    corpus = Corpus(
        tuple(Document(str(k), tuple(Caption(c) for c in captions)) for k, captions in enumerate(documents)),
        "mine",
    )
    begin = time.process_time()
    value = metric(name).score(join(candidates=corpus), Context(tokenizer="ptb", jobs=2)).value
    assert time.process_time() - begin < 20  # well under a second on a quiet machine
    return value


@pytest.mark.parametrize("name", HOSTILE)
def test_the_variety_of_hostile_text_is_what_counting_gives(name: str) -> None:
    distinct_1, distinct_2, repetition = (
        _score(m, [HOSTILE[name]]) for m in ("distinct_1", "distinct_2", "repetition_4")
    )
    alike, mixed = (
        _score("self_bleu", [HOSTILE[name]] * 2, [HOSTILE[name]]),
        _score("self_bleu", [HOSTILE[name], "a dog runs"], ["a dog runs past"]),
    )
    assert 0 <= mixed <= 1
    if name not in COUNTS:
        assert 0 < distinct_1 <= distinct_2 < repetition < 1
        assert alike == pytest.approx(1)
        return
    words, ones, twos, fours = COUNTS[name]
    assert distinct_1 == pytest.approx(ones / max(words, 1), rel=1e-12)
    assert distinct_2 == pytest.approx(twos / max(words, 1), rel=1e-12)
    assert repetition == pytest.approx(1 - fours / (words - 3) if words > 3 else 0, rel=1e-12)
    assert alike == pytest.approx(1 if words > 3 else _score("self_bleu", *[[" ".join("abc"[:words])]] * 3))


def test_the_lcs_of_two_long_shuffled_texts_is_not_quadratic_in_words() -> None:
    a, b = (draw.choices("abcdefgh", k=100_000) for _ in range(2))
    begin = time.process_time()
    value = RougeL(tokenizer="none").matrix(candidates=[" ".join(a)], references=[" ".join(b)])[0, 0]
    assert time.process_time() - begin < 20
    assert 0.3 < value < 0.8


def test_surrogates_are_read_as_the_replacement_character() -> None:
    assert RougeL(tokenizer="none").matrix(candidates=["\ud800"], references=["\ufffd"])[0, 0] == 1.0


@pytest.mark.parametrize("measure", SCORERS, ids=lambda s: s.name)
def test_nothing_in_nothing_out(measure: PairScorer) -> None:
    assert measure.pairs(candidates=[], references=[]).shape == (0,)
    assert measure.matrix(candidates=[], references=["a"]).shape == (0, 1)
    assert measure.matrix(candidates=["a"], references=[]).shape == (1, 0)
    assert measure.pairs(candidates=["a b"], references=[[]])[0] == 0.0
    assert np.isfinite(measure.open().aggregate(candidates=[], references=[]))


@pytest.mark.parametrize(
    "name",
    [
        *("bleu_5", "bleu_4(n=2)", "bleu_4(foo=1)", "bleu_4(smoothing=bar)", "bleu_4(level=word)"),
        *("rouge_l(beta=x)", "rouge_l(beta=nan)", "rouge_l(beta=-1)", "rouge_l(gamma=1)"),
        *("cider(sigma=0)", "cider(sigma=inf)", "cider(variant=x)", "cider_d(variant=plain)"),
        *("cider(idf=corpse)", "self_bleu(n=9)", "self_bleu(within=video)", "distinct_3"),
        *("distinct_1(n=2)", "repetition_4(n=3)"),
    ],
)
def test_wrong_names(name: str) -> None:
    with pytest.raises(UsageError):
        metric(name)


def test_wrong_indices_are_refused_by_the_kernels() -> None:
    index = _native.NgramIndex.of(["a b", "c"])
    number, bounds = np.zeros(1, np.uint32), np.array([0, 1], np.int64)
    with pytest.raises(IndexError):
        _native.bleu_statistics(index, np.array([2], np.uint32), number, bounds)
    for wrong in ([0, 2], [1, 1], [0], [], [0, 1, 1], [0, -1]):
        with pytest.raises(ValueError, match="bounds"):
            _native.rouge_l(index, number, number, np.array(wrong, np.int64))
    with pytest.raises(ValueError, match="bounds"):
        _native.CiderModel(index, number, np.array([], np.int64))
    model = _native.CiderModel(index, number, bounds)
    with pytest.raises(ValueError, match="stand on"):
        model.score(_native.NgramIndex.of(["a"]), number, number, bounds, clip=True, sigma=6.0)
    above = _native.NgramIndex.of(["x"], base=index)
    with pytest.raises(ValueError, match="at most one"):
        _native.NgramIndex.of(["x"], base=above)


def test_many_python_threads_share_one_fitted_scorer() -> None:
    shared = scorer("cider")
    corpus = [[" ".join(draw.choices("abcdefgh", k=8)) for _ in range(3)] for _ in range(200)]
    shared = shared.fit(corpus)
    text = {"candidates": [group[0] for group in corpus], "references": corpus}
    expected = shared.pairs(**text)
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(5):
            if not np.array_equal(shared.pairs(**text, jobs=2), expected):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

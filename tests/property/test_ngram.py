"""What must hold of BLEU, ROUGE-L, CIDEr and the diversity measures whatever the text."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from storymeter import Caption, Corpus, Document, PairScorer
from storymeter.context import Context
from storymeter.join import join
from storymeter.pairs import Bleu, Cider, RougeL
from storymeter.registry import MEASURES, metric, scorer

SCORERS = [
    "bleu_1",
    "bleu_2",
    "bleu_3",
    "bleu_4",
    "bleu_4(smoothing=add-one)",
    "bleu_4(smoothing=none)",
    "bleu_4(smoothing=floor)",
    "bleu_4(smoothing=exp)",
    "rouge_l",
    "rouge_l(beta=0.5)",
    "cider",
    "cider(variant=plain)",
    "cider_d(sigma=2)",
]
METRIC_NAMES = [
    *SCORERS,
    "bleu_4(level=sentence,smoothing=exp)",
    "self_bleu",
    "self_bleu(within=document)",
    "distinct_1",
    "distinct_2",
    "repetition_4",
]

words = st.lists(st.sampled_from(["a", "b", "c", "dd", "é", "😀"]), max_size=14).map(" ".join)
items = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=12)


def split(groups: list[tuple[str, list[str]]]) -> dict[str, list]:
    return {"candidates": [c for c, _ in groups], "references": [r for _, r in groups]}


@pytest.mark.parametrize("name", SCORERS)
@given(groups=items, data=st.data())
@settings(max_examples=20, deadline=None)
def test_scorers(name: str, groups: list[tuple[str, list[str]]], data: st.DataObject) -> None:
    measure = scorer(name).open(tokenised=True)
    values = measure.pairs(**split(groups))
    low, high = measure.scorer.traits.range
    assert np.isfinite(values).all()
    assert (values >= low).all()
    assert (values <= high * (1 + 1e-12)).all()
    # threads change nothing, not even a bit
    many = [(c, r) for _ in range(60) for c, r in groups]
    np.testing.assert_array_equal(
        scorer(name).open(tokenised=True).pairs(**split(many), jobs=1),
        scorer(name).open(tokenised=True).pairs(**split(many), jobs=4),
    )
    # nor does the order of items and of references
    order = data.draw(st.permutations(range(len(groups))))
    turned = [(groups[k][0], data.draw(st.permutations(groups[k][1]))) for k in order]
    np.testing.assert_array_equal(scorer(name).open(tokenised=True).pairs(**split(turned)), values[order])
    # the same number as a matrix, as pairs and by index
    flat = [r for _, group in groups for r in group]
    candidates = [c for c, _ in groups]
    measure = measure.fit([[r] for r in flat])
    matrix = measure.matrix(candidates=candidates, references=flat)
    for column, reference in enumerate(flat):
        np.testing.assert_array_equal(
            matrix[:, column],
            measure.pairs(candidates=candidates, references=[[reference]] * len(candidates)),
        )
    assert scorer(measure.name).name == measure.name


@pytest.mark.parametrize(
    "measure", [Bleu(4), Bleu(4, smoothing="none"), RougeL(), Cider(), Cider(variant="plain")]
)
@given(
    texts=st.lists(
        st.lists(st.integers(0, 50), min_size=4, max_size=20).map(lambda n: " ".join(map(str, n))),
        min_size=2,
        max_size=6,
        unique=True,
    )
)
@settings(max_examples=20, deadline=None)
def test_a_text_is_most_like_itself(measure: PairScorer, texts: list[str]) -> None:
    measure = measure.fit([["nothing", "else"], *[["never said"]] * 3])
    values = measure.matrix(candidates=texts, references=texts)
    assert np.diagonal(values) == pytest.approx(measure.scorer.traits.range[1], rel=1e-8)
    assert (values <= np.diagonal(values)[:, None] + 1e-8).all()


def textbook_lcs(a: list[str], b: list[str]) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


@given(
    a=st.lists(st.sampled_from("abc"), min_size=1, max_size=20),
    b=st.lists(st.sampled_from("abc"), min_size=1, max_size=20),
    stretch=st.integers(1, 40),
)
@settings(max_examples=60, deadline=None)
def test_lcs_is_the_textbook_one_on_both_sides_of_a_machine_word(
    a: list[str], b: list[str], stretch: int
) -> None:
    b = [letter for letter in b for _ in range(stretch)]  # up to 800 words: several blocks of 256
    common = textbook_lcs(a, b)
    p, r = common / len(a), common / len(b)
    expected = 2 * p * r / (p + r) if common else 0.0
    got = RougeL(beta=1.0, tokenizer="none").matrix(candidates=[" ".join(a)], references=[" ".join(b)])[0, 0]
    assert got == pytest.approx(expected, abs=1e-12)


@given(captions=st.lists(words, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_self_bleu_is_bleu_against_the_others(captions: list[str]) -> None:
    corpus = Corpus((Document("v", tuple(Caption(c) for c in captions)),), "mine")
    value = (
        metric("self_bleu(within=document,n=3)")
        .score(join(candidates=corpus), Context(tokenizer="none"))
        .value
    )
    others = [captions[:k] + captions[k + 1 :] for k in range(len(captions))]
    expected = (
        Bleu(3, tokenizer="none").pairs(candidates=captions, references=others).mean()
        if len(captions) > 1
        else 0.0
    )
    assert value == pytest.approx(expected, abs=1e-12)


@given(text=st.lists(st.sampled_from("ab"), max_size=30))
@settings(max_examples=60, deadline=None)
def test_counts_of_grams(text: list[str]) -> None:
    task = join(candidates=Corpus((Document("v", (Caption(" ".join(text)),)),), "mine"))
    value = {
        name: metric(name).score(task, Context(tokenizer="none")).value
        for name in ("distinct_1", "distinct_2", "repetition_4")
    }
    four = Counter(zip(text, text[1:], text[2:], text[3:], strict=False))
    assert value["distinct_1"] == pytest.approx(len(set(text)) / max(len(text), 1))
    assert value["distinct_2"] == pytest.approx(len(set(pairwise(text))) / max(len(text), 1))
    assert value["repetition_4"] == pytest.approx(sum(n - 1 for n in four.values()) / max(four.total(), 1))


@pytest.mark.parametrize("name", METRIC_NAMES)
@given(groups=items)
@settings(max_examples=12, deadline=None)
def test_metrics(name: str, groups: list[tuple[str, list[str]]]) -> None:
    assert name.partition("(")[0] in MEASURES
    mine = [Document(f"{k:02}", (Caption(c), Caption("b a b"))) for k, (c, _) in enumerate(groups)]
    theirs = [
        Document(f"{k:02}", (Caption(r),)) for k, (_, references) in enumerate(groups) for r in references
    ]
    scores = []
    for turn in (1, -1):
        task = join(
            candidates=Corpus(tuple(mine[::turn]), "mine"),
            references=[Corpus(tuple(theirs[::turn]), "theirs")],
        )
        scores.append(metric(name).score(task, Context(tokenizer="none", jobs=1 + (turn < 0))))
    one, other = scores
    assert one.value == other.value  # neither the order of the files nor the number of threads counts
    np.testing.assert_array_equal(one.rows, other.rows)
    assert one.rows is not None
    assert one.rows.shape == (len(groups), len(one.columns))
    assert float(metric(name).combine(one.rows.sum(axis=0))["value"]) == one.value
    many = metric(name).combine(np.stack([one.rows.sum(axis=0), 2 * one.rows.sum(axis=0)]))["value"]
    assert many.shape == (2,)
    assert np.isfinite(many).all()
    assert metric(one.metric).name == one.metric

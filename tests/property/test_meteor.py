"""What must hold for METEOR on any text, whatever the batch around a pair: each value is a matter of its two
sentences alone.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.errors import StorymeterError
from storymeter.pairs import Meteor

try:
    Meteor().open().prepare()
except StorymeterError as missing:
    pytest.skip(str(missing), allow_module_level=True)

# words that are related in every way the measure knows, function words among them, and words that nobody
# knows
WORDS = [
    "a",
    "the",
    "man",
    "men",
    "is",
    "was",
    "walk",
    "walks",
    "walking",
    "stroll",
    "car",
    "automobile",
    "a",
    "the",
    "large",
    "big",
    "number",
    "of",
    "people",
    "many",
    "few",
    "children",
    "kids",
    "playing",
    "plays",
    "soccer",
    "football",
    ".",
    "'s",
    "zyx",
    "é",
    "😀",
]
sentences = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
anything = st.one_of(sentences, st.text(max_size=30))
scorers = st.builds(
    Meteor,
    task=st.sampled_from(["rank", "adq", "hter"]),
    normalize=st.booleans(),
    tokenizer=st.just("none"),
)


def batches(most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(anything, min_size=1, max_size=most)


def alone(meteor: Meteor, candidate: str, reference: str) -> float:
    return float(meteor.pairs(candidates=[candidate], references=[[reference]])[0])


@settings(max_examples=60, deadline=None)
@given(scorers, batches(6), batches(8))
def test_a_matrix_is_its_pairs_with_one_thread_or_three(
    meteor: Meteor, candidates: list[str], references: list[str]
) -> None:
    matrix = meteor.matrix(candidates=candidates, references=references)
    assert matrix.tolist() == [[alone(meteor, c, r) for r in references] for c in candidates]
    assert meteor.matrix(candidates=candidates, references=references, jobs=3).tolist() == matrix.tolist()
    assert ((matrix >= 0) & (matrix <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(scorers, batches(6), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_changes_a_score(meteor: Meteor, texts: list[str], draw: object) -> None:
    order = [k % len(texts) for k in range(2 * len(texts))]
    draw.shuffle(order)
    expected = meteor.matrix(candidates=texts, references=texts)
    shuffled = [texts[k] for k in order]
    assert np.array_equal(
        meteor.matrix(candidates=shuffled, references=shuffled), expected[np.ix_(order, order)]
    )


@settings(max_examples=60, deadline=None)
@given(scorers, sentences.filter(bool))
def test_a_sentence_is_its_own_best_match(meteor: Meteor, text: str) -> None:
    assert alone(meteor, text, text) == pytest.approx(1.0, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(scorers, sentences, st.lists(sentences, min_size=1, max_size=5))
def test_of_several_references_the_best_counts(meteor: Meteor, candidate: str, references: list[str]) -> None:
    together = meteor.pairs(candidates=[candidate], references=[references])[0]
    assert together == max(alone(meteor, candidate, r) for r in references)
    row = meteor.open().segment_statistics(candidates=[candidate], references=[references])
    assert meteor.open().score_of_statistics(row)[0] == together
    assert row[0, 21] <= row[0, 0] and row[0, 22] <= row[0, 1] and row[0, 20] <= row[0, 22]


@settings(max_examples=8, deadline=None)
@given(st.lists(sentences, min_size=70, max_size=150, unique=True), sentences)
def test_crowds_of_any_size_give_the_same(references: list[str], candidate: str) -> None:
    """More references than are indexed at once, and a reference too long to be among them."""
    meteor = Meteor(tokenizer="none")
    references = [*references, " ".join(references) * 8]
    together = meteor.matrix(candidates=[candidate, "a man walks"], references=references)[0]
    assert together.tolist() == [alone(meteor, candidate, r) for r in references]

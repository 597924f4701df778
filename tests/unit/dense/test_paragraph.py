from __future__ import annotations

import doctest

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.dense import paragraph as module
from storymeter.registry import MEASURES, metric

from .toys import corpus, score

MINE = corpus(v=[(5, 9, " it jumps high "), (0, 5, "a dog runs")], w=[(0, 1, "x y z")])
TOLD = corpus("told", v=[(0, 5, "a dog runs"), (5, 9, "it jumps high")], w=[(0, 1, "x y q")])
WRITTEN = Corpus(
    (Document("v", (Caption("a dog runs it jumps high"),)), Document("w", (Caption("x y q"),))), "written"
)


@pytest.mark.parametrize("name", ["paragraph_bleu_4", "paragraph_rouge_l", "paragraph_cider"])
def test_paragraph_references_and_joined_ones_agree(name: str) -> None:
    joined, written = score(name, MINE, TOLD), score(name, MINE, WRITTEN)
    assert joined.value == pytest.approx(written.value)
    inner = name.removeprefix("paragraph_")
    one = Corpus(
        (Document("v", (Caption("a dog runs it jumps high"),)), Document("w", (Caption("x y z"),))), "one"
    )
    assert joined.value == pytest.approx(score(inner, one, WRITTEN).value), (
        "the measure for documents, on the joined text"
    )
    assert joined.value != pytest.approx(score(inner, MINE, WRITTEN).value), (
        "time order counts, not that of the file"
    )


def test_repetition_and_diversity_need_no_references() -> None:
    again = corpus(v=[(0, 1, "a b c d"), (1, 2, "a b c d")])
    assert score("paragraph_repetition_4", again).value == pytest.approx(1 / 5)
    assert score("paragraph_distinct_1", again).value == pytest.approx(4 / 8)
    assert score("paragraph_distinct_2", again).value == pytest.approx(4 / 8)


def test_every_paragraph_name_prints_itself() -> None:
    for name in MEASURES:
        if name.startswith("paragraph_") and name != "paragraph_meteor":
            assert metric(name).name == name
            assert ("metric", name) in score(name, MINE, TOLD).signature.fields


def test_docstring() -> None:
    assert doctest.testmod(module).failed == 0

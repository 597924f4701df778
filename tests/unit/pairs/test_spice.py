"""SPICE by rules: forty captions whose facts were checked by hand, what must not matter, and text that nobody
would write.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from odd_texts import ODD_TEXTS

from storymeter import registry
from storymeter.errors import MissingPartError, UsageError
from storymeter.pairs import Spice, scene_graph, spice
from storymeter.text import words as tagger

pytest.importorskip("HanTa", reason="needs the optional part 'neural'")

#: a caption, and its facts: objects | attributes (object word) | relations (object-relation-object)
_LINES = """\
Two brown dogs run on the wet grass.
    dog, grass | dog 2, dog brown, dog run, grass wet | dog-run on-grass
A man and a woman sit on a wooden bench.
    bench, man, woman | bench wooden, man sit, woman sit | man-sit on-bench, woman-sit on-bench
A girl in a red dress is holding an umbrella.
    dress, girl, umbrella | dress red, girl hold | girl-hold-umbrella, girl-in-dress
The cat sleeps under a small table.
    cat, table | cat sleep, table small | cat-sleep under-table
Three children play football in the park.
    child, football, park | child 3, child play | child-in-park, child-play-football
A boy wearing a green hat jumps over a puddle.
    boy, hat, puddle | boy jump, boy wear, hat green | boy-jump over-puddle, boy-wear-hat
An old man is reading a newspaper.
    man, newspaper | man old, man read | man-read-newspaper
A black horse stands in front of a barn.
    barn, horse | horse black, horse stand | horse-stand in front of-barn
A woman with long blond hair smiles.
    hair, woman | hair blond, hair long, woman smile | woman-with-hair
The ball is red.
    ball | ball red |
The car and the truck are blue.
    car, truck | car blue, truck blue |
A group of people walk across a bridge.
    bridge, person | person group, person walk | person-walk across-bridge
A couple of ducks swim in a pond.
    duck, pond | duck 2, duck swim | duck-swim in-pond
A chef cuts onions and tomatoes.
    chef, onion, tomato | chef cut | chef-cut-onion, chef-cut-tomato
A child is being carried by his father.
    child, father | child carry | child-carry by-father
The dog that is wearing a collar chases a squirrel.
    collar, dog, squirrel | dog chase, dog wear | dog-chase-squirrel, dog-wear-collar
A boy watches a girl riding a bicycle.
    bicycle, boy, girl | boy watch, girl ride | boy-watch-girl, girl-ride-bicycle
A man plays the guitar while a woman sings.
    guitar, man, woman | man play, woman sing | man-play-guitar
There are five birds on a wire.
    bird, wire | bird 5 | bird-on-wire
A tall building next to a river.
    building, river | building tall | building-near-river
A white cup of coffee is on the desk.
    coffee, cup, desk | cup white | cup-of-coffee, cup-on-desk
A cyclist rides down a steep hill.
    cyclist, hill | cyclist ride, hill steep | cyclist-ride down-hill
The woman's hat is yellow.
    hat, woman | hat yellow | woman-have-hat
A child in blue throws a stone into the lake.
    child, lake, stone | child blue, child throw | child-into-lake, child-throw-stone
A snowboarder is flying through the air.
    air, snowboarder | snowboarder fly | snowboarder-fly through-air
People are swimming.
    person | person swim |
A man on a ladder paints a wall.
    ladder, man, wall | man paint | man-on-ladder, man-paint-wall
A small boat on a big lake.
    boat, lake | boat small, lake big | boat-on-lake
A gray elephant with huge ears drinks water.
    ear, elephant, water | ear huge, elephant drink, elephant grey | elephant-drink-water, elephant-with-ear
A soccer player kicks the ball.
    ball, player, soccer | player kick, player soccer | player-kick-ball
A baby crawls on the carpet and laughs.
    baby, carpet | baby crawl, baby laugh | baby-crawl on-carpet
The street is empty.
    street | street empty |
A waiter brings two plates of pasta.
    pasta, plate, waiter | plate 2, waiter bring | plate-of-pasta, waiter-bring-plate
A motorcycle parked beside a fence.
    fence, motorcycle | motorcycle park | motorcycle-park beside-fence
A skateboarder performing a trick on a rail.
    rail, skateboarder, trick | skateboarder perform | skateboarder-on-rail, skateboarder-perform-trick
A dog.
    dog |  |
Women dancing in a large hall.
    hall, woman | hall large, woman dance | woman-dance in-hall
The teacher points at the blackboard as students listen.
    blackboard, student, teacher | student listen, teacher point | teacher-point at-blackboard
A pair of gloves lies on top of a box.
    box, glove | glove 2, glove lie | glove-lie on-box
A fisherman is in a tiny yellow boat.
    boat, fisherman | boat tiny, boat yellow | fisherman-in-boat
12 candles burn on a cake.
    cake, candle | candle 12, candle burn | candle-burn on-cake
A man opens the door. A cat walks out.
    cat, door, man | cat walk, man open | man-open-door
""".splitlines()
CAPTIONS = {
    caption: [part.strip() for part in facts.split("|")]
    for caption, facts in zip(_LINES[::2], _LINES[1::2], strict=True)
}


@pytest.mark.parametrize("caption", CAPTIONS)
def test_facts_of_hand_checked_captions(caption: str) -> None:
    objects, attributes, relations = (
        {piece for piece in part.split(", ") if piece} for part in CAPTIONS[caption]
    )
    graph = scene_graph.scene_graph(caption)
    assert graph.objects == objects
    assert {" ".join(fact) for fact in graph.attributes} == attributes
    assert {"-".join(fact) for fact in graph.relations} == relations


def test_there_are_forty() -> None:
    assert len(CAPTIONS) >= 40


@pytest.mark.parametrize("caption", CAPTIONS)
def test_case_determiners_and_marks_do_not_matter(caption: str) -> None:
    graph = scene_graph.scene_graph(caption)
    assert scene_graph.scene_graph(caption.upper()) == graph
    assert scene_graph.scene_graph(caption.removesuffix(".") + " !") == graph
    assert scene_graph.scene_graph(f'"{caption}"') == graph
    if ". " not in caption and "'s" not in caption:
        words = caption.lower().removesuffix(".").split()
        assert (
            scene_graph.scene_graph(" ".join("the" if word in ("a", "an") else word for word in words))
            == graph
        )
        assert (
            scene_graph.scene_graph(" ".join(word for word in words if word not in ("a", "an", "the")))
            == graph
        )
        assert scene_graph.scene_graph(" , ".join(words)) == graph


def test_equal_captions_are_one_and_strangers_nothing() -> None:
    texts = list(CAPTIONS)
    values = Spice().matrix(candidates=texts, references=texts)
    assert np.allclose(np.diag(values), 1.0)
    assert np.array_equal(values, values.T)
    assert values.min() == 0.0
    assert values.max() <= 1.0
    assert values[texts.index("A dog."), texts.index("The street is empty.")] == 0.0


def test_f1_by_hand() -> None:
    """C: dog, ball, (dog brown), (dog chase), (dog chase ball); R: dog, ball, (dog black), (dog chase), (dog
    chase ball): 4 of 5 both ways.
    """
    scorer = Spice()
    values = scorer.open().by_category(
        candidates=["a brown dog chases a ball"], references=[["a black dog chases a ball"]]
    )[0]
    found = dict(zip(spice.CATEGORIES, values, strict=True))
    assert found["all"] == pytest.approx(0.8)
    assert found["object"] == found["relation"] == 1.0
    assert found["attribute"] == pytest.approx(0.5)
    assert found["colour"] == 0.0
    assert np.isnan(found["size"])
    assert np.isnan(found["cardinality"])


def test_synonyms_match_by_synset() -> None:
    same, other = Spice().pairs(candidates=["a bicycle", "a bicycle"], references=[["a bike"], ["a boat"]])
    assert (same, other) == (1.0, 0.0)


def test_references_are_one_graph() -> None:
    """Facts of two references together are what the candidate is held against: neither alone would give this
    value.
    """
    candidate, one, other = "a dog and a cat", "a dog", "a cat and a bird"
    scorer = Spice()
    both = scorer.pairs(candidates=[candidate], references=[[one, other]])[0]
    assert both == pytest.approx(2 * 1.0 * (2 / 3) / (1.0 + 2 / 3))
    assert both == scorer.pairs(candidates=[candidate], references=[[other, one, one]])[0]
    assert scorer.pairs(candidates=[candidate], references=[[one]])[0] == pytest.approx(2 / 3)


def test_each_caption_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(spice, "scene_graph", lambda text: read.append(text) or scene_graph.scene_graph(text))
    scorer = Spice()
    scorer.matrix(candidates=["a dog", "a cat", "a dog"], references=["a dog", "a bird"])
    scorer.pairs(candidates=["a cat"], references=[["a bird", "a dog"]])
    assert sorted(read) == ["a bird", "a cat", "a dog"]


HOSTILE = [
    # of ten thousand different words two thousand: the tagger works each of them out anew
    *(text[: text.find(" word2000")] if " word2000 " in text else text for text in ODD_TEXTS),
    "’s ’s",
    "the a an",
    "of of of",
    "and and and is is",
    "x" * 50_000,
    "(" * 2_000 + "dog",
    "3 4 5",
    "’" * 99,
    "a\u202edog",
    "-ing ing ing",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_has_a_value(text: str) -> None:
    scorer = Spice()
    values = scorer.pairs(candidates=[text, "a dog runs", text], references=[["a dog runs"], [text], [text]])
    assert np.all((values >= 0.0) & (values <= 1.0))
    assert values[2] in (0.0, 1.0)


def test_nothing_to_compare() -> None:
    scorer = Spice()
    assert scorer.pairs(candidates=["", "a dog"], references=[[""], []]).tolist() == [0.0, 0.0]
    assert scorer.pairs(candidates=[], references=[]).shape == (0,)
    with pytest.raises(UsageError, match="1 candidate, but 0 lists of"):
        scorer.pairs(candidates=["a dog"], references=[])


@pytest.mark.parametrize("name", ["spice", "spice(engine=rules)", "spice(engine=rules,category=colour)"])
def test_names_parse_back(name: str) -> None:
    scorer = registry.scorer(name)
    assert registry.scorer(scorer.name).name == scorer.name
    assert scorer.name.startswith("spice(engine=rules")


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match="cannot be"):
        registry.scorer("spice(engine=magic)")
    with pytest.raises(UsageError, match="cannot be"):
        registry.scorer("spice(category=smell)")


def test_as_a_metric_with_parts() -> None:
    import storymeter
    from storymeter.captions import Caption, Corpus, Document

    def corpus(texts: list[str]) -> Corpus:
        return Corpus(tuple(Document(str(k), (Caption(text),)) for k, text in enumerate(texts)))

    score = (
        storymeter.evaluate(
            candidates=corpus(["a brown dog", "a cat", ""]),
            references=corpus(["a black dog", "a cat", "a cat"]),
            metrics=["spice"],
        )
        .systems[0]
        .scores[0]
    )
    assert score.value == pytest.approx((0.5 + 1.0 + 0.0) / 3)
    assert score.parts["object"] == pytest.approx(2 / 3)
    assert score.parts["colour"] == 0.0
    assert "HanTa" in str(score.signature)


def test_without_the_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    tagger._load.cache_clear()
    try:
        with pytest.raises(MissingPartError, match="neural"):
            Spice().pairs(candidates=["a dog"], references=[["a cat"]])
    finally:
        tagger._load.cache_clear()

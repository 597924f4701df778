from __future__ import annotations

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.errors import DataError, StorymeterError, UsageError, first_few, suggest
from storymeter.join import join
from storymeter.protocol import Protocol, get


def corpus(name: str, **documents: list[str]) -> Corpus:
    return Corpus(
        tuple(Document(i, tuple(Caption(t) for t in texts)) for i, texts in documents.items()), name
    )


def test_records_are_frozen() -> None:
    caption = Caption("a dog", 0.0, 1.0)
    with pytest.raises(AttributeError):
        caption.text = "a cat"
    with pytest.raises(AttributeError):
        Document("v").id = "w"


def test_kind_is_seen_from_the_captions() -> None:
    assert Corpus((Document("v", (Caption("a", 0.0, 1.0),)),)).kind == "dense"
    assert corpus("s", a=["one .", "two ."]).kind == "story"
    assert corpus("c", a=["one ."]).kind == "caption"


def test_join_sorts_ids_and_keeps_every_annotator() -> None:
    task = join(
        candidates=corpus("s", b=["x"], a=["y"]),
        references=[corpus("r1", a=["1"], b=["2"]), corpus("r2", b=["3"])],
    )
    assert task.ids == ("a", "b")
    assert [len(r) for r in task.references] == [1, 2]


@pytest.mark.parametrize(("policy", "ids"), [("zero", ("a", "b")), ("skip", ("a",))])
def test_missing_documents_follow_the_protocol(policy: str, ids: tuple[str, ...]) -> None:
    task = join(
        candidates=corpus("s", a=["x"], z=["extra"]),
        references=[corpus("r", a=["1"], b=["2"])],
        protocol=Protocol().change(missing=policy),
    )
    assert task.ids == ids
    assert (task.coverage.missing, task.coverage.extra) == (("b",), ("z",))


def test_missing_as_error_says_how_many() -> None:
    with pytest.raises(DataError, match=r"1 of 2 reference documents are missing.*b"):
        join(
            candidates=corpus("s", a=["x"]),
            references=[corpus("r", a=["1"], b=["2"])],
            protocol=Protocol().change(missing="error"),
        )


def test_extra_as_error() -> None:
    with pytest.raises(DataError, match="have no reference"):
        join(
            candidates=corpus("s", a=["x"], q=["y"]),
            references=[corpus("r", a=["1"])],
            protocol=Protocol().change(extra="error"),
        )


def test_no_common_id_is_said_and_the_v_prefix_is_recognised() -> None:
    with pytest.raises(DataError, match="No reference matched") as caught:
        join(candidates=corpus("s", v_a=["x"]), references=[corpus("r", a=["1"])])
    assert "--id-map strip-v" in caught.value.hint


def test_a_system_tells_each_story_once() -> None:
    twice = Corpus((Document("a"), Document("a")), "s")
    with pytest.raises(DataError, match="more than once"):
        join(candidates=twice, references=[corpus("r", a=["1"])])


def test_protocol_prints_and_parses() -> None:
    protocol = get("soda-v1+refs=best+tious=0.5/0.7")
    assert protocol.tious == (0.5, 0.7)
    assert get(str(protocol)) == protocol
    for text in (
        "nope",
        "paper+refs=worst",
        "paper+nothing=1",
        "paper+tious=2",
        "paper+tious=",
        "paper+max_proposals=0",
        "paper+max_proposals=x",
    ):
        with pytest.raises(UsageError):
            get(text)


def test_errors_carry_their_exit_code_and_hint() -> None:
    assert (StorymeterError("x").exit_code, UsageError("x").exit_code) == (1, 2)
    assert str(DataError("what", hint="do this")) == "what\ndo this"
    assert first_few(["a", "b"]) == "a, b"
    assert suggest("meteo", ["meteor", "bleu"]) == "Did you mean 'meteor'?"

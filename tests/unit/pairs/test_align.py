"""Align and penalise: small sums by hand over four words in the plane, what must hold for any text, and what
real words do.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from odd_texts import ODD_TEXTS

from storymeter import registry
from storymeter.cache import METEOR_DATA
from storymeter.errors import DataError, MissingPartError, UsageError
from storymeter.pairs import Sts, lexicon, meteor_compile, sts as align

pytest.importorskip("pycocoevalcap", reason="WordNet's synsets are read from it")

WORDS = ["zyx", "zyxwv", "qux", "quxx"]  # no word of WordNet
ALIKE = 0.8  # zyx and zyxwv; all the others stand at right angles


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    path.write_text(
        "zyx 1 0 0 0\nzyxwv .8 .6 0 0\nqux 0 0 1 0\nquxx 0 0 0 2\nman .6 .8 0 0\nwoman .6 .8 0"
        " .1\ndomestic_dog 0 1 0 0\n",
        encoding="utf-8",
    )
    return str(path)


@pytest.fixture(scope="module")
def scorer(vectors: str) -> Sts:
    return Sts(engine="align", vectors=vectors)


def value(scorer: Sts, one: str, other: str) -> float:
    return float(scorer.matrix(candidates=[one], references=[other])[0, 0])


def weights(scorer: Sts, *words: str) -> list[float]:
    return [scorer._alone._aligner.vocabulary.source.weight(word) for word in words]


def test_by_hand(scorer: Sts) -> None:
    assert value(scorer, "zyx", "zyx") == 1.0
    assert value(scorer, "zyx", "zyxwv") == pytest.approx(ALIKE)
    assert value(scorer, "qux", "zyx") == -align.WEAK
    zyx, qux = weights(scorer, "zyx", "qux")
    assert 0 < zyx < qux < 1  # a rarer word weighs more
    there = (zyx * ALIKE - qux * align.WEAK) / (zyx + qux)  # zyx finds zyxwv, qux finds none
    assert value(scorer, "zyx qux", "the zyxwv") == pytest.approx((there + ALIKE) / 2, abs=1e-6)
    assert value(scorer, "zyx zyx the zyx", "zyx") == 1.0  # each word once, no stop words
    assert value(scorer, "the of", "the of") == 1.0  # nothing but stop words: they stay


def test_opposites_and_forms_and_synsets(scorer: Sts) -> None:
    assert value(scorer, "men", "man") == 1.0  # forms of one word
    assert value(scorer, "two", "2") == 1.0
    assert value(scorer, "man", "woman") == -align.OPPOSITE
    assert value(scorer, "women", "man") == -align.OPPOSITE
    both = value(scorer, "man woman", "woman man")  # every word finds itself first
    assert both == 1.0
    car = value(scorer, "car", "automobile")  # no vectors: senses alone
    assert 0 < car <= align.SHARED_SENSES
    assert value(scorer, "unheardofword", "unheardofword") == 1.0


def test_base_forms() -> None:
    assert lexicon.base_forms("running") == ("running", "run")
    assert lexicon.base_forms("men") == ("men", "man") and lexicon.base_forms("went") == ("go",)
    assert lexicon.base_forms("dishes")[0] == "dish" and "stop" in lexicon.base_forms("stopped")
    assert lexicon.base_forms("selfiestick") == ("selfiestick",)


@pytest.mark.parametrize("content", ["man\n1 2\nwalk\nx\n", "man\n1 2\nwalk\n"])
def test_a_damaged_list_of_synsets_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    for name in (*meteor_compile.LISTS, meteor_compile.PARAPHRASES):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.setenv(METEOR_DATA, str(tmp_path))
    lexicon.synsets.cache_clear()
    try:
        with pytest.raises(DataError, match="damaged"):
            lexicon.synsets()
    finally:
        lexicon.synsets.cache_clear()


@given(
    st.lists(
        st.lists(st.sampled_from([*WORDS, "man", "woman", "men", "the", "dog", "😀"]), max_size=6).map(
            " ".join
        ),
        min_size=1,
        max_size=6,
    )
)
def test_what_must_hold(vectors: str, texts: list[str]) -> None:
    scorer = Sts(engine="align", vectors=vectors)
    table = scorer.matrix(candidates=texts, references=texts)
    assert np.allclose(table, table.T, atol=1e-7) and np.all((table >= -align.OPPOSITE) & (table <= 1.0))
    for k, text in enumerate(texts):
        assert table[k, k] == (1.0 if text.replace("😀", "").strip() else 0.0)
    mixed = [" ".join(sorted(text.upper().split())) for text in texts]  # order and case mean nothing
    assert np.array_equal(scorer.matrix(candidates=mixed, references=texts), table)
    assert np.array_equal(scorer.matrix(candidates=texts, references=texts, jobs=3), table)


def test_blocks_change_nothing(vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["zyx qux", "zyxwv", "", "man quxx zyx", "woman qux", "dog", "dogs zyx man woman qux quxx"]
    whole = Sts(engine="align", vectors=vectors).matrix(candidates=texts, references=texts[::-1])
    monkeypatch.setattr(align, "TABLE_SIDE", 3)
    scorer = Sts(engine="align", vectors=vectors)
    assert (
        len(list(scorer._alone._aligner._blocks(scorer._alone._aligner._words_of(texts, lambda *_: None))))
        > 2
    )
    assert np.array_equal(scorer.matrix(candidates=texts, references=texts[::-1]), whole)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_hostile_text_has_a_value(scorer: Sts, text: str) -> None:
    values = scorer.pairs(candidates=[text, "a dog", text, text], references=[["a dog"], [text], [], [text]])
    assert np.all((values >= -0.5) & (values <= 1.0)) and values[2] == 0.0
    assert values[3] == (1.0 if any(letter.isalnum() for letter in text) else 0.0)


def test_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "torn.txt").write_bytes(b"dog 1 2 3\ncat 1 2\n")
    with pytest.raises(DataError, match="3 numbers"):
        Sts(engine="align", vectors=str(tmp_path / "torn.txt")).pairs(
            candidates=["cat"], references=[["dog"]]
        )
    with pytest.raises(DataError, match="There is no file"):
        Sts(engine="align", vectors=str(tmp_path / "none.txt")).pairs(
            candidates=["cat"], references=[["dog"]]
        )
    with pytest.raises(UsageError, match="engine=align"):
        Sts(vectors="file.txt")
    with pytest.raises(UsageError, match="cosine, align"):
        registry.scorer("sts(engine=psychic)")


def test_without_torch(vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from storymeter.models import encoder

    encoder.load_encoder.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPartError, match="neural"):
        Sts(engine="align").pairs(candidates=["a dog"], references=[["a cat"]])
    assert (
        value(Sts(engine="align", vectors=vectors), "zyx", "zyx") == 1.0
    )  # a file of vectors needs none of it


def test_names_and_signature(vectors: str) -> None:
    for name in ("sts", "sts(engine=align)", f"sts(engine=align,vectors={vectors})"):
        assert registry.scorer(name).name == name and registry.metric(name).name == name
    assert registry.scorer(f"sts(engine=align,vectors={vectors})").open().depends_on()["engine"] == "align"


def test_real_words() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    scorer = Sts(engine="align")
    same, other, opposite = (
        value(scorer, "a small dog runs over the grass", text)
        for text in (
            "the puppy ran on a lawn",
            "someone cooks pasta in a kitchen",
            "a big dog runs over the grass",
        )
    )
    assert same > 0.4 > other
    assert opposite < value(scorer, "a small dog runs over the grass", "a dog runs over the grass") < 1.0

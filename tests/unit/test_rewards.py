"""Rewards: the numbers of the scorers, in any batch, shape, order and thread; kept in a file."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.errors import DataError, UsageError
from storymeter.pairs import Bleu as BleuScorer, Cider
from storymeter.rewards import Bleu, CiderD, Reward

WORDS = [*"abcdefgh", "the", "man", "dog", "runs", "red", "ball", "park"]


def sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(0, 12)))


@pytest.fixture(scope="module")
def references() -> dict[str, list[str]]:
    draw = random.Random(7)
    return {f"v_{k}": [sentence(draw) or "a" for _ in range(draw.randint(1, 6))] for k in range(80)}


@pytest.fixture(scope="module")
def samples(references: dict[str, list[str]]) -> list[list[str]]:
    draw = random.Random(8)
    return [[sentence(draw) for _ in range(5)] for _ in references]


def test_equal_to_the_scorers(references: dict[str, list[str]], samples: list[list[str]]) -> None:
    first = [group[0] for group in samples]
    cider = Cider(tokenizer="none").pairs(candidates=first, references=list(references.values()))
    assert CiderD.fit(references)(first, ids=list(references)).tolist() == cider.tolist()
    for n in (1, 4):
        wanted = BleuScorer(n, tokenizer="none").pairs(candidates=first, references=list(references.values()))
        assert Bleu.fit(references, n=n)(first).tolist() == wanted.tolist()


def test_equal_to_the_usual_implementation(references: dict[str, list[str]]) -> None:
    """Batches under a corpus idf, which the usual one gets when it scores the corpus at once."""
    module = pytest.importorskip("pycocoevalcap.cider.cider")
    draw = random.Random(9)
    said = {i: [sentence(draw)] for i in references}
    wanted = dict(zip(references, module.Cider().compute_score(references, said)[1], strict=True))
    reward = CiderD.fit(references)
    for batch in (["v_3"], ["v_9", "v_3", "v_70"], list(reversed(references))):
        got = reward([said[i][0] for i in batch], ids=batch)
        np.testing.assert_allclose(got, [wanted[i] for i in batch], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [CiderD, Bleu])
def test_batch_shape_order_threads(
    kind: type[CiderD] | type[Bleu], references: dict[str, list[str]], samples: list[list[str]]
) -> None:
    reward, ids = kind.fit(references), list(references)
    whole = reward(samples, ids=ids)
    assert whole.shape == (80, 5)
    assert reward(samples).tolist() == whole.tolist()
    assert reward(samples, references=list(references.values())).tolist() == whole.tolist()
    assert reward(samples, ids=ids, jobs=2).tolist() == whole.tolist()
    order = random.Random(1).sample(range(80), 30)
    part = reward([samples[k] for k in order], ids=[ids[k] for k in order])
    assert part.tolist() == whole[order].tolist()
    assert reward([samples[4][2]], ids=[ids[4]])[0] == whole[4, 2]
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(reward, samples[k : k + 3], ids=ids[k : k + 3]) for k in range(0, 78, 3)]
        for k, call in zip(range(0, 78, 3), calls, strict=True):
            assert call.result().tolist() == whole[k : k + 3].tolist()


@pytest.mark.parametrize("kind", [CiderD, Bleu])
def test_saved_and_loaded(
    kind: type[CiderD] | type[Bleu],
    references: dict[str, list[str]],
    samples: list[list[str]],
    tmp_path: Path,
) -> None:
    reward = kind.fit({int(i[2:]): group for i, group in references.items()})
    reward.save(tmp_path / "reward")
    again = kind.load(tmp_path / "reward")
    assert again.options == reward.options
    assert again(samples, ids=range(80)).tolist() == reward(samples, ids=range(80)).tolist()
    other: type[Reward] = Bleu if kind is CiderD else CiderD
    with pytest.raises(UsageError, match="holds a reward of kind"):
        other.load(tmp_path / "reward")


def test_references_that_were_not_fitted_keep_the_idf(references: dict[str, list[str]]) -> None:
    fitted = Cider(tokenizer="none").fit(list(references.values()))
    wanted = fitted.pairs(candidates=["a red dog", "new words"], references=[["a red dog runs"], ["new"]])
    got = CiderD.fit(references)(["a red dog", "new words"], references=[["a red dog runs"], ["new"]])
    assert got.tolist() == wanted.tolist()


words = st.sampled_from(
    ["a", "dog", "a dog", "unusually-long-word", "unusually-long-wore", "né", "犬", "\ud800"]
)
gaps = st.sampled_from([" ", "  ", "\t", "\u3000", "\x1c"])
texts = st.lists(st.tuples(words, gaps), max_size=9).map(lambda parts: "".join(chain.from_iterable(parts)))


@settings(max_examples=150, deadline=None)
@given(
    fitted=st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4),
    own=st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4),
    data=st.data(),
)
def test_the_bits_of_the_scorers_on_odd_texts(
    fitted: list[list[str]], own: list[list[str]], data: st.DataObject
) -> None:
    """Fitted items in any order and more than once, references of their own, words that were never fitted."""
    said = data.draw(st.lists(texts, min_size=len(own), max_size=len(own)))
    which = [data.draw(st.integers(0, len(fitted) - 1)) for _ in own]
    theirs = [fitted[k] for k in which]
    cider, scorer = CiderD.fit(dict(enumerate(fitted))), Cider(tokenizer="none").fit(fitted)
    bleu = Bleu.fit(dict(enumerate(fitted)))
    assert cider(said, ids=which).tolist() == scorer.pairs(candidates=said, references=theirs).tolist()
    assert cider(said, references=own).tolist() == scorer.pairs(candidates=said, references=own).tolist()
    assert (
        bleu(said, ids=which).tolist()
        == BleuScorer(tokenizer="none").pairs(candidates=said, references=theirs).tolist()
    )
    assert (
        bleu(said, references=own).tolist()
        == BleuScorer(tokenizer="none").pairs(candidates=said, references=own).tolist()
    )


def test_many_words_and_many_references() -> None:
    """Past every table's first size."""
    draw = random.Random(3)
    long = [" ".join(f"word{draw.randint(0, 900)}" for _ in range(700)) for _ in range(60)]
    fitted = {0: long[:40], 1: long[40:]}
    said = [long[0], "word1 word2", long[41]]
    wanted = (
        Cider(tokenizer="none")
        .fit(list(fitted.values()))
        .pairs(candidates=said, references=[fitted[0], fitted[0], fitted[1]])
    )
    assert CiderD.fit(fitted)(said, ids=[0, 0, 1]).tolist() == wanted.tolist()


def test_tokenizer() -> None:
    reward = Bleu.fit({0: ["A man, running."]}, tokenizer="ptb")
    assert reward(["a man running"])[0] == Bleu.fit({0: ["a man running"]})(["a man running"])[0]


def test_mistakes_are_explained(tmp_path: Path) -> None:
    reward = CiderD.fit({"x": ["a"], "y": ["b"]})
    with pytest.raises(DataError, match="1 of 2 ids were not fitted: z"):
        reward(["a", "b"], ids=["x", "z"])
    with pytest.raises(UsageError, match="Give the items they belong to"):
        reward(["a"])
    with pytest.raises(UsageError, match="2 samples but 1 ids"):
        reward(["a", "b"], ids=["x"])
    with pytest.raises(UsageError, match="different numbers of samples"):
        reward([["a"], ["b", "c"]])
    with pytest.raises(UsageError, match=r"not int \(1 of 2, the first is number 2\)"):
        reward(["a", 7], ids=["x", "y"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="1 of 2 items have none: q"):
        CiderD.fit({"p": ["a"], "q": []})
    with pytest.raises(UsageError, match="sigma"):
        CiderD.fit({"p": ["a"]}, sigma=0)
    with pytest.raises(UsageError, match="1 to 4"):
        Bleu.fit({"p": ["a"]}, n=5)
    (tmp_path / "no").write_bytes(b"none")
    with pytest.raises(DataError, match="is not a saved reward"):
        CiderD.load(tmp_path / "no")
    with pytest.raises(DataError, match="nowhere"):
        CiderD.load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="whole numbers"):
        CiderD.fit({1.5: ["a"]}).save(tmp_path / "f")

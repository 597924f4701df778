"""A caption without words after stripping and tokenising matches nothing, in any scorer, and is counted."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storymeter import Caption, Corpus, Document, PairScorer, Run
from storymeter.compat.pycocoevalcap.rouge.rouge import Rouge
from storymeter.errors import StorymeterWarning, UsageError
from storymeter.pairs import Meteor, ModelScorer, RougeL
from storymeter.protocol import PRESETS

JAPANESE = ["犬が走る。", "男性が部屋に入る。"]


def corpus(texts: list[str], name: str) -> Corpus:
    captions = tuple(Caption(text, 10.0 * k, 10.0 * k + 9) for k, text in enumerate(texts))
    return Corpus((Document("v", captions),), name)


def values(protocol: str, metrics: list[str], ours: list[str], theirs: list[str]) -> list[float]:
    run = Run(corpus(theirs, "refs"), protocol=protocol, jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [score.value for score in run.score(corpus(ours, "mine"), metrics, 0).systems[0].scores]


METRICS = ["rouge_l", "paragraph_rouge_l", "soda_c(scorer=rouge_l)", "anet(scorer=rouge_l)"]


@pytest.mark.parametrize("protocol", [name for name, p in PRESETS.items() if p.protocol.ascii == "strip"])
def test_stripped_text_scores_nothing(protocol: str) -> None:
    assert values(protocol, METRICS, JAPANESE, ["猫が寝る。", "女性が歌う。"]) == [0.0] * 4
    for tokenizer in ("ja", "zh"):
        with pytest.raises(UsageError, match="nothing would be left") as error:
            Run(corpus(JAPANESE, "refs"), protocol=protocol, tokenizer=tokenizer)
        assert f"{protocol}+ascii=keep" in str(error.value.hint)
        Run(corpus(JAPANESE, "refs"), protocol=f"{protocol}+ascii=keep", tokenizer=tokenizer)
        own = [f"rouge_l(tokenizer={tokenizer})", f"soda_c(scorer=meteor(tokenizer={tokenizer}))"]
        for name in own:
            with pytest.raises(UsageError, match="nothing would be left"):
                values(protocol, [name], JAPANESE, JAPANESE)


def test_punctuation_alone_scores_nothing() -> None:
    assert values("paper", METRICS, ["...", "!"], [".", "?"]) == [0.0] * 4
    mixed = values("paper", ["soda_b(scorer=rouge_l)"], ["a dog", "..."], ["a dog", "."])
    assert mixed == [0.5]  # one of two on both sides


def test_the_drop_in_keeps_the_value_of_coco() -> None:
    assert Rouge().compute_score({1: [""]}, {1: [""]})[0] == 1.0
    assert Rouge().calc_score([""], [""]) == 1.0
    assert RougeL(tokenizer="none").pairs(
        candidates=["", " ", "a  b"], references=[[""], [" "], [""]]
    ).tolist() == [0, 0, 0]


class Ones(PairScorer):
    name = "ones"

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> np.ndarray:
        return np.ones(len(pairs["candidate_index"]))


class Model(ModelScorer, Ones):
    name = "model"


def test_any_scorer() -> None:
    texts = ["a dog", "", " ", "..."]
    matched = Ones().matrix(candidates=texts, references=texts)
    assert matched.sum() == matched[0, 0] == 1  # after ptb nothing is left of the dots
    read = Model().matrix(candidates=texts, references=texts)
    assert read.sum() == read[0, 0] == 1  # a model reads sentences as written: punctuation is no word
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = Run(corpus(["a", "..."], "refs"), jobs=1)
        assert run.score_task(run.task(corpus(["b", "!"], "mine")), [Ones()])[0].value == 1.0


def test_they_are_counted() -> None:
    run = Run(corpus(["A dog runs.", "…"], "refs"), protocol="pdvc", jobs=1)
    with pytest.warns(StorymeterWarning, match="match nothing") as heard:
        run.score(corpus(["犬", "A dog.", "?"], "mine"), ["rouge_l"], 0)
    (said,) = [str(warning.message) for warning in heard if "match nothing" in str(warning.message)]
    assert "2 of 3 captions of 'mine' (v)" in said
    assert "1 of 2 reference captions of 'refs' (v)" in said
    assert "pdvc" in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # where no text is compared there is nothing to say
        run.score(corpus(["...", "A dog."], "mine"), ["soda_d", "localisation", "captions"], 0)


def test_paragraphs_of_letters_are_counted_too() -> None:
    """The protocol keeps other characters, and only its paragraphs drop them."""
    run = Run(corpus(["犬が走る。", "A dog."], "refs"), protocol="vid2seq", jobs=1)
    with pytest.warns(StorymeterWarning, match=r"1 of 2 captions of 'mine'.*letters a to z"):
        run.score(corpus(["12", "A dog."], "mine"), ["paragraph_meteor"], 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.score(corpus(["12", "A dog."], "mine"), ["soda_c", "paragraph_distinct_1"], 0)


def test_meteor_takes_the_words_of_a_tokenizer() -> None:
    pytest.importorskip("fugashi")
    ours, theirs = (
        ["男性が部屋に入り、窓を開けて外を見る。"],
        ["一人の男性が部屋に入り、窓を開けて外を見ている。"],
    )
    found = {}
    for tokenizer in ("ptb", "ja", "zh"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = Run(corpus(theirs, "refs"), tokenizer=tokenizer, jobs=1)
            found[tokenizer] = run.score(corpus(ours, "mine"), ["meteor", "soda_c"], 0).systems[0].scores
    for k in (0, 1):
        assert len({scores[k].value for scores in found.values()}) == 3
        assert "normalize:no" in str(found["ja"][k].signature)
        assert "normalize:no" not in str(found["ptb"][k].signature)
    words = Meteor(tokenizer="ja").pairs(candidates=ours, references=[theirs])
    assert words == pytest.approx(found["ja"][1].parts["precision"])


def test_sharded_runs_count_them_too(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    pytest.importorskip("pyarrow", reason="the part 'parquet' is not installed")
    import shard_kit

    folders = [
        shard_kit.write_folder(tmp_path / name, corpus(texts, name), 1)
        for name, texts in (("mine", ["A dog.", "?"]), ("refs", ["A dog runs."]))
    ]
    with pytest.warns(StorymeterWarning, match="1 of the first 2 captions"):
        found = shard_kit.score_in_shards(folders[:1], folders[1:], "rouge_l", tmp_path / "saved")
    assert 0 < found.systems[0].scores[0].value < 1
    with pytest.raises(UsageError, match="nothing would be left"):
        shard_kit.score_in_shards(
            folders[:1], folders[1:], "rouge_l", tmp_path / "other", protocol="pdvc", tokenizer="ja"
        )

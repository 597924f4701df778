"""facts: what is supported, which words are not, and texts that give trouble."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from part_kit import need

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.pairs import Facts, Sts, facts_reading

need("torch")
need("HanTa")

REFERENCES = ["A man washes a blue car in his yard. Then he dries it with a towel.", "Someone cleans a car."]


def test_words_that_no_reference_supports_are_found() -> None:
    support = dict(Facts().words(candidate="Two men wash a red car.", references=REFERENCES))
    assert list(support) == ["Two", "men", "wash", "a", "red", "car"]
    assert min(support, key=lambda word: support[word]) == "red"
    assert support["red"] < 0.5 < support["wash"] and support["car"] > 0.9


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("A man washes a blue car.", "A man washes a blue horse."),
        ("A man washes a blue car.", "A man sells a blue car."),
        ("A man washes a blue car.", "A man washes a green car."),
        ("A man washes a blue car.", "A man does not wash a blue car."),
        ("A man washes a blue car.", "Five men wash a blue car."),
    ],
)
def test_one_wrong_detail_costs(right: str, wrong: str) -> None:
    a, b = Facts().pairs(candidates=[right, wrong], references=[REFERENCES, REFERENCES])
    assert 1 >= a > b >= 0


def test_what_is_left_out_costs_nothing_and_references_support_together() -> None:
    facts = Facts()
    (short,) = facts.pairs(candidates=["A man washes a car."], references=[REFERENCES])
    (alone,) = facts.pairs(candidates=["A man washes a car."], references=[REFERENCES[1:]])
    (own,) = facts.pairs(candidates=REFERENCES[:1], references=[REFERENCES])
    assert own == pytest.approx(1, abs=1e-5) and short > alone


@pytest.mark.parametrize(
    "text", ["", " ", "🎈🎉", "...", "dog", "x" * 20_000, "dog " * 10_000, "犬が走る。", "a\ud800b"]
)
@pytest.mark.parametrize("side", ["candidate", "reference"])
def test_odd_texts_have_a_defined_result(text: str, side: str) -> None:
    candidate, reference = (text, "a dog runs") if side == "candidate" else ("a dog runs", text)
    facts = Facts()
    (value,) = facts.pairs(candidates=[candidate], references=[[reference]])
    words = facts.words(candidate=candidate, references=[reference])
    assert 0 <= value <= 1
    assert all(0 <= support <= 1 for _, support in words)
    if not any(letter.isalnum() for letter in text):
        assert value == 0
    if text == "dog " * 10_000 and side == "candidate":
        assert len(words) == 10_000


def test_nothing_to_compare_with() -> None:
    facts = Facts()
    assert facts.pairs(candidates=["a dog"], references=[[]]).tolist() == [0.0]
    assert facts.words(candidate="a dog", references=[]) == [("a", 0.0), ("dog", 0.0)]
    assert facts.pairs(candidates=[], references=[]).shape == (0,)


def test_every_way_of_asking_gives_the_same_number() -> None:
    facts, texts = Facts(), ["A man washes a car.", "A dog runs. It barks."]
    one = facts.pairs(candidates=texts, references=[[REFERENCES[0]], [REFERENCES[0]]])
    table = facts.matrix(candidates=texts, references=REFERENCES[:1])
    assert table[:, 0] == pytest.approx(one, abs=1e-6)
    sentences = facts.explain(candidate=texts[1], references=REFERENCES[:1])
    assert [[word.text for word in sentence.words] for sentence in sentences] == [
        ["A", "dog", "runs"],
        ["It", "barks"],
    ]
    text = texts[1]
    assert all(text[word.start : word.end] == word.text for sentence in sentences for word in sentence.words)


def test_as_a_metric_it_counts_what_is_unsupported() -> None:
    def corpus(text: str) -> Corpus:
        return Corpus((Document("v", tuple(map(Caption, text.split("|")))),), "x")

    run = Run(references=[corpus("a man washes a blue car|he dries it")])
    scores = (
        run.score(corpus("a man washes a red car|a horse flies over the sea"), ["facts"]).systems[0].scores
    )
    parts = scores[0].parts
    assert parts["unsupported sentences"] == 0.5 and parts["unsupported things"] == 0.5
    assert parts["unsupported colours"] == 1.0
    assert 0 < parts["unsupported words"] < 1


def test_long_texts_are_read_in_pieces_without_losing_a_word() -> None:
    text = " ".join(f"w{k}" for k in range(1000))
    assert " ".join(facts_reading.sentences_of(text)) == text
    assert " ".join(facts_reading.passages_of(text)) == text
    assert len(facts_reading.passages_of("One two. Three four.")) == 1


def test_joined_models_average_their_cosines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    from transformers import AutoTokenizer, BertConfig, BertModel

    from storymeter.models import load_encoder

    folder = tmp_path / "other"
    tokenizer = AutoTokenizer.from_pretrained(str(load_encoder().path))
    tokenizer.save_pretrained(str(folder))
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(tokenizer), **size)).save_pretrained(str(folder))
    texts = ["a dog runs", "a cat sleeps"]
    tables = [
        Sts(model=model).matrix(candidates=texts, references=texts)
        for model in ("minilm", str(folder), f"minilm+{folder}")
    ]
    assert np.allclose(tables[2], (tables[0] + tables[1]) / 2, atol=1e-5)
    assert np.allclose(tables[0], Sts().matrix(candidates=texts, references=texts), atol=1e-6)

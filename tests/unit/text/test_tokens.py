from __future__ import annotations

import pytest

from storymeter import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.errors import UsageError
from storymeter.join import join
from storymeter.pairs import sentences, texts_of
from storymeter.protocol import get
from storymeter.text import ptb, tokenize, tokenizers


def test_ptb_is_lower_case_without_punctuation() -> None:
    assert tokenize(["A man's dog, it RUNS!", ""], "ptb") == ["a man 's dog it runs", ""]


def test_whitespace_becomes_blanks_one_for_one() -> None:
    assert tokenize(["  A\tdog .\n", "7\u00a01/2"], "whitespace") == ["  A dog . ", "7\u00a01/2"]


def test_none_changes_nothing_but_what_no_encoding_can_carry() -> None:
    assert tokenize([" A\tdog! ", "\ud800x"], "none") == [" A\tdog! ", "\ufffdx"]
    assert tokenize(["\ud800x"], "whitespace") == ["\ufffdx"]
    assert tokenize([], "ptb") == []


def test_unknown_tokenizer() -> None:
    with pytest.raises(UsageError, match="no tokenizer 'ptbb'") as caught:
        tokenize(["a"], "ptbb")
    assert "ptb" in caught.value.hint


def test_each_distinct_line_is_tokenised_once_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = ptb.tokenize_joined

    def counting(lines: list[str], **options: bool) -> list[str]:
        seen.extend(lines)
        return real(lines, **options)

    monkeypatch.setattr(ptb, "tokenize_joined", counting)
    setting = Context()
    assert sentences.sentences_of(setting).tokens(["A dog.", "C", "A dog."]) == ["a dog", "c", "a dog"]
    assert sentences.sentences_of(setting).tokens(["C", "D"]) == ["c", "d"]
    assert seen == ["A dog.", "C", "D"]


def test_texts_of_documents_join_captions_and_stay_on_the_workbench() -> None:
    mine = Corpus((Document("v", (Caption("A dog."), Caption("It runs."))),), "mine")
    theirs = Corpus((Document("v", (Caption("Dogs"),)), Document("v", ())), "theirs")
    task, setting = join(candidates=mine, references=[theirs]), Context()
    texts = texts_of(setting, task)
    assert (texts.candidates, texts.references) == (["a dog it runs"], [["dogs", ""]])
    assert texts_of(setting, task) is texts
    assert texts_of(setting, join(candidates=mine, references=[theirs])) is not texts


def test_protocols_that_strip_see_ascii_only() -> None:
    assert tokenizers.ascii_only("café 😀!") == "caf   !"
    mine = Corpus((Document("v", (Caption("café"),)),), "mine")
    task = join(candidates=mine)
    assert texts_of(Context(protocol=get("anet-2018")), task).candidates == ["caf"]
    assert texts_of(Context(), task).candidates == ["café"]

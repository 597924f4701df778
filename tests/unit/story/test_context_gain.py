"""rovist_c(model=lm): what a sentence tells a language model about the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import MissingPartError, StorymeterError
from storymeter.story.coherence import load


def test_without_the_model_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setenv("STORYMETER_MODELS", str(tmp_path))
    load.cache_clear()
    with pytest.raises(MissingPartError) as caught:
        load("lm")
    assert "storymeter models add lm" in str(caught.value.hint)
    with pytest.raises(StorymeterError):
        load(str(tmp_path / "none.gguf"))


def test_what_follows_helps_and_what_does_not_follow_does_not() -> None:
    pytest.importorskip("gguf")
    try:
        model = load("lm")
    except MissingPartError as error:
        pytest.skip(str(error))
    opened = "The man opened the door."
    pairs = [(opened, "He walked into the room."), (opened, "Bananas grow in Ecuador."), (opened, opened)]
    follows, strange, repeated, empty, unheard = model.probabilities([*pairs, (opened, ""), ("", opened)])
    assert follows > strange + 0.1 and follows < 1
    assert (repeated, empty, unheard) == (0, 0, 0)
    story = Document("s", tuple(map(Caption, (opened, "He walked into the room.", "🎈", "x " * 400))))
    score = Run().score(Corpus((story,), "mine"), "rovist_c(model=lm)", resamples=0).systems[0].scores[0]
    assert 0 < score.value < 1 and "context-gain" in str(score.signature)

"""Protocols that follow other scripts, on small cases worked by hand."""

from __future__ import annotations

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import UsageError
from storymeter.scores import Score

A, B = "a man is walking", "two dogs are playing"


def corpus(name: str, **videos: list[tuple[str, float, float]]) -> Corpus:
    return Corpus(
        tuple(Document(i, tuple(Caption(*c) for c in captions)) for i, captions in videos.items()), name
    )


def score(protocol: str, metric: str, said: Corpus, *truth: Corpus) -> Score:
    run = Run(list(truth), protocol=protocol)
    return run.score_task(run.task(said), metric)[0]


def test_vid2seq_does_not_sort() -> None:
    """Two right captions in the wrong order of the file: their matching would cross, so one of two counts."""
    said = corpus("said", v=[(B, 5, 10), (A, 0, 5)])
    truth = corpus("truth", v=[(A, 0, 5), (B, 5, 10)])
    assert score("vid2seq", "soda_c", said, truth).value == pytest.approx(0.5, abs=1e-7)
    assert score("vidchapters", "soda_c", said, truth).value == pytest.approx(1.0, abs=1e-7)


def test_vid2seq_turns_segments_round() -> None:
    said, truth = corpus("said", v=[(A, 10, 0)]), corpus("truth", v=[(A, 0, 10)])
    assert score("vid2seq", "soda_c", said, truth).value == pytest.approx(1.0, abs=1e-8)
    assert score("vid2seq+reversed=keep", "soda_c", said, truth).value == 0.0
    assert score("vid2seq", "anet(scorer=meteor)", said, truth).value == pytest.approx(1.0, abs=1e-8)


def test_vid2seq_f1_per_video() -> None:
    """v: precision 1, recall 1/2; w: precision 1/2, recall 1. F1 is 2/3 in both; of the means it would be
    3/4.
    """
    said = corpus("said", v=[(A, 0, 5)], w=[(A, 0, 5), (B, 50, 60)])
    truth = corpus("truth", v=[(A, 0, 5), (B, 20, 30)], w=[(A, 0, 5)])
    found = score("vid2seq", "localisation", said, truth)
    assert found.value == pytest.approx(2 / 3)
    assert (found.parts["precision"], found.parts["recall"]) == (0.75, 0.75)
    assert score("anet-2021", "localisation", said, truth).value == pytest.approx(0.75)


def test_vid2seq_unmatched_meets_garbage() -> None:
    """One video is told exactly, the other's caption stands where nothing happens: 1 and 0."""
    said, truth = corpus("s", v=[(A, 0, 5)], w=[(A, 50, 60)]), corpus("t", v=[(A, 0, 5)], w=[(A, 0, 5)])
    assert score("vid2seq", "anet(scorer=meteor)", said, truth).value == pytest.approx(0.5, abs=1e-8)


@pytest.mark.parametrize("protocol", ["pdvc", "vidchapters", "vid2seq"])
def test_each_annotator_by_itself(protocol: str) -> None:
    """The first has one of two videos, and there the caption is right; the second has both, and the other one
    is wrong: (1 + (1 + 0) / 2) / 2. The mean per video would be (1 + 0) / 2."""
    said = corpus("said", v=[(A, 0, 5)], w=[(A, 0, 5)])
    first, second = corpus("first", v=[(A, 0, 5)]), corpus("second", v=[(A, 0, 5)], w=[(B, 20, 25)])
    for truth in ((first, second), (second, first)):
        assert score(protocol, "soda_c", said, *truth).value == pytest.approx(0.75, abs=1e-8)
        assert score(f"{protocol}+refs=mean", "soda_c", said, *truth).value == pytest.approx(0.5, abs=1e-8)
    only_second = score(protocol, "soda_c", corpus("said", w=[(B, 20, 25)], v=[]), first, second)
    assert only_second.value == pytest.approx((0 + 0.5) / 2, abs=1e-8)


def test_missing_videos() -> None:
    said = corpus("said", v=[(A, 0, 5)])
    truth = corpus("truth", v=[(A, 0, 5)], w=[(B, 0, 5)])
    for protocol, story, current in (("pdvc", 1.0, 0.5), ("vidchapters", 1.0, 1.0), ("vid2seq", 0.5, 0.5)):
        assert score(protocol, "soda_c", said, truth).value == pytest.approx(story, abs=1e-8)
        assert score(protocol, "anet(scorer=meteor)", said, truth).value == pytest.approx(current, abs=1e-8)
        assert score(protocol, "localisation", said, truth).value == pytest.approx(current, abs=1e-8)


def test_too_many_annotators_are_said() -> None:
    truth = [corpus(f"t{k}", v=[(A, 0, 5)]) for k in range(9)]
    with pytest.raises(UsageError, match="up to 8 annotators, not 9"):
        score("pdvc", "soda_c", corpus("said", v=[(A, 0, 5)]), *truth)


def test_start_distances_below_their_limit() -> None:
    said, truth = corpus("said", v=[(A, 5, 9)]), corpus("truth", v=[(A, 0, 9)])
    assert score("vidchapters", "start_distance", said, truth).parts["f1_at_5"] == 0.0
    assert score("paper", "start_distance", said, truth).parts["f1_at_5"] == 1.0


def test_timechat_sorts_numbers_as_text() -> None:
    """Caption 10 stands after caption 1; one of the eleven cannot be matched without crossing."""
    events = [(f"{A} number {'very ' * k}", 10.0 * k, 10.0 * k + 8) for k in range(11)]
    said, truth = corpus("said", v=events), corpus("truth", v=events)
    assert score("vidchapters", "soda_c", said, truth).value == pytest.approx(1.0, abs=1e-8)
    assert score("timechat", "soda_c", said, truth).value == pytest.approx(10 / 11, abs=1e-8)
    ten = corpus("ten", v=events[:10])
    assert score("timechat", "soda_c", ten, ten).value == pytest.approx(1.0, abs=1e-8)
    assert score("timechat", "localisation", said, truth).value == 1.0


def test_paragraphs_of_letters() -> None:
    """The order of the file, no tokeniser: can't is two words, cannot one."""
    said = corpus("said", v=[("He can't run", 5, 9), ("It is 2 late!", 0, 5)])
    truth = corpus("truth", v=[("he can t run it is late", 0, 9)])
    assert score("pdvc", "paragraph_rouge_l", said, truth).value == pytest.approx(1.0)
    assert score("paper", "paragraph_rouge_l", said, truth).value < 1.0
    other = corpus("other", v=[("he cannot run", 0, 9)])
    assert score("pdvc", "paragraph_meteor", other, other).value == 1.0
    signature = score("pdvc", "paragraph_meteor", said, truth).signature
    assert "tok:whitespace" in str(signature)
    assert "join:file" in str(signature)

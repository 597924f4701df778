"""The audit's "notices a wrong detail": held by a metric that looks at words, failed by one that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("HanTa")

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import MissingPartError
from storymeter.stress import audit, auditing as audits, details

Verb = Callable[..., tuple[int, str, str]]
COLOURS = ("red", "blue", "green", "yellow", "black", "white")
THINGS = ("car", "boat", "horse", "bike", "chair", "guitar")


def told(k: int) -> str:
    return f"Two men in {COLOURS[k % 6]} shirts are washing a {THINGS[k // 6]}."


MINE = Corpus(tuple(Document(f"v{k:02}", (Caption(told(k), 0, 5),), 9.0) for k in range(36)), "mine")
PEOPLE = Corpus(tuple(Document(f"v{k:02}", (Caption(told(k), 0, 6),), 9.0) for k in range(36)), "people")


def verdicts(names: list[str]) -> dict[str, bool]:
    found = audit(MINE, Run(references=[PEOPLE]), metrics=names)
    return {v.metric: v.holds for v in found.verdicts if v.property == "notices a wrong detail"}


def test_one_notices_and_one_does_not() -> None:
    assert verdicts(["soda_c(scorer=rouge_l)", "localisation"]) == {
        "soda_c(scorer=rouge_l)": True,
        "localisation": False,
    }


def test_the_share_is_what_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound lies between what a metric reaches and a bit more."""
    run = Run(references=[PEOPLE])
    shares = details(MINE, run, metrics=["soda_c(scorer=bleu_1)"], most=audits.PAIRS).accuracy(
        "soda_c(scorer=bleu_1)"
    )
    reached = shares[list(shares)[-1]]
    assert 0.5 < reached < 1  # an exchange of subject and object changes no word
    monkeypatch.setattr(audits, "NOTICES", reached)
    assert verdicts(["soda_c(scorer=bleu_1)"]) == {"soda_c(scorer=bleu_1)": True}
    monkeypatch.setattr(audits, "NOTICES", reached + 0.01)
    assert verdicts(["soda_c(scorer=bleu_1)"]) == {"soda_c(scorer=bleu_1)": False}


def test_too_few_details_say_nothing() -> None:
    few = Corpus(MINE.documents[:2], "mine")
    found = audit(few, Run(references=[PEOPLE]), metrics=["soda_c(scorer=rouge_l)"])
    assert not [v for v in found.verdicts if v.property == "notices a wrong detail"]


def test_in_the_terminal(run: Verb, tmp_path: Path) -> None:
    mine, people = tmp_path / "mine.json", tmp_path / "people.json"
    storymeter.write(MINE, mine, format="activitynet")
    storymeter.write(PEOPLE, people, format="activitynet")
    code, out, err = run("stress", "audit", str(mine), "-r", str(people), "-m", "soda_c(scorer=rouge_l)")
    assert code == 0, err
    assert "notices a wrong detail" in out


def test_a_missing_part_is_said(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property was left out without a word where no tagger is installed."""

    def missing(*_: object, **__: object) -> None:
        raise MissingPartError.extra("A tagger", "neural")

    monkeypatch.setattr("storymeter.stress.auditing.details", missing)
    videos = examples / "videos"
    run = Run(references=[storymeter.read(videos / "reference_1.json")])
    found = audit(storymeter.read(videos / "good.json"), run, metrics=["meteor"], repeats=1)
    (verdict,) = [v for v in found.verdicts if v.property == "notices a wrong detail"]
    assert verdict.answer == "undecided" and "optional part 'neural'" in verdict.because

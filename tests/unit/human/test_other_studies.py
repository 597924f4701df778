"""Preferences and surveys, by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rating_kit import run, write

from storymeter.captions import Rating
from storymeter.human.preference import analyse_preferences, metric_accuracy
from storymeter.human.survey import analyse_survey


def preferences() -> list[Rating]:
    out = []
    for item, answers in {"v1": [2, 1, 1], "v2": [-1, -2, 0], "v3": [1, 2, 2], "v4": [0, 0, 0]}.items():
        out += [
            Rating(item, "a", f"r{k}", float(v), criterion="preference", meta={"against": "b"})
            for k, v in enumerate(answers)
        ]
    out += [
        Rating("v1", "", "liar", 0.0, "test", criterion="test"),
        Rating("v1", "a", "liar", -2.0, criterion="preference", meta={"against": "b"}),
    ]
    out += [
        Rating("v2", "b", "r9", 2.0, criterion="preference", meta={"against": "a"})
    ]  # the other way round: a is better
    return out


def test_preferences_by_hand(tmp_path: Path) -> None:
    (result,) = analyse_preferences(preferences())
    assert (result.a, result.b, result.wins_a, result.wins_b, result.undecided) == ("a", "b", 1, 2, 1)
    assert result.share_b == pytest.approx(2 / 3) and result.p == pytest.approx(1.0)
    assert any("liar" in note for note in result.notes)
    accuracy = metric_accuracy(
        result,
        "m",
        {"v1": 0.1, "v2": 0.5, "v3": 0.3, "v4": 0.2},
        {"v1": 0.4, "v2": 0.1, "v3": 0.3, "v4": 0.9},
    )
    assert (accuracy.accuracy, accuracy.n, accuracy.ties) == (2.5 / 3, 3, 1)
    answer = msgspec.json.decode(run(write(tmp_path / "p.jsonl", preferences()), "--format", "json").stdout)
    assert answer["task"] == "preference" and answer["pairs"][0]["wins_b"] == 2


def survey() -> list[Rating]:
    marks = {"x": (5, 5, 4), "y": (3, 2, 4), "z": (1, 1, 4)}
    records = [
        Rating(item, system, rater, float(v), criterion=c)
        for item in ("s1", "s2")
        for rater in ("r1", "r2")
        for system, vs in marks.items()
        for c, v in zip(("grounded", "coherent", "no_repetition"), vs, strict=True)
    ]
    chosen = {"r1": "x", "r2": "x"}
    return records + [
        Rating(item, s, r, float(chosen[r] == s), criterion="vote")
        for item in ("s1", "s2")
        for r in chosen
        for s in marks
    ]


def test_survey_by_hand(tmp_path: Path) -> None:
    records = survey()
    result = analyse_survey(records)
    assert result.votes == {"x": 4, "y": 0, "z": 0}
    by = {c.criterion: c for c in result.correlations}
    assert by["grounded"].spearman == pytest.approx(0.866, abs=1e-3)
    assert by["no_repetition"].dropped == 2 and math.isnan(by["no_repetition"].pearson)
    assert result.alphas["grounded"] == 1.0
    output = run(write(tmp_path / "s.jsonl", records)).output
    assert "vote share" in output and "nan" not in output
    assert msgspec.json.decode(run(tmp_path / "s.jsonl", "--format", "json").stdout)["task"] == "survey"


@pytest.mark.parametrize(
    ("made", "figure", "explained"),
    [(preferences, "preferences.png", "share B %"), (survey, "criteria.png", "Kendall b")],
)
def test_the_other_studies_have_pages_too(
    tmp_path: Path, made: Callable[[], list[Rating]], figure: str, explained: str
) -> None:
    result = run(
        write(tmp_path / "r.jsonl", made()), "--html", tmp_path / "page.html", "--figures", tmp_path / "f"
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "page.html").read_text()
    assert f"<dt>{explained}</dt>" in text and "<svg" in text and "<img" not in text
    assert "nan" not in re.sub(r"base64,[^\"]*", "", text).lower()
    assert [p.name for p in (tmp_path / "f").iterdir()] == [figure]

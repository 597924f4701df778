"""Preferences and surveys, by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rating_kit import preferences, run, survey, write

from storymeter.captions import Rating
from storymeter.human.analysis.preference import analyse_preferences, metric_accuracy
from storymeter.human.analysis.survey import analyse_survey


def test_preferences_by_hand(tmp_path: Path) -> None:
    (result,) = analyse_preferences(preferences())
    assert (result.a, result.b, result.wins_a, result.wins_b, result.undecided) == ("a", "b", 1, 2, 1)
    assert result.share_b == pytest.approx(2 / 3) and result.p_binomial == pytest.approx(1.0)
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

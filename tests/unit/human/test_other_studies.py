"""Preferences and surveys, by hand."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path

import click
import msgspec
import numpy as np
import pytest
from human_kit import STUDIES
from rating_kit import analyse as analyse_scores, preferences, run, survey, write

import storymeter.human
from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import StorymeterWarning
from storymeter.human.analysis.preference import Preferences, analyse_preferences, metric_accuracy
from storymeter.human.analysis.studies import DEFAULTS
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


def judged(rng: np.random.Generator, raters: int = 8, items: int = 10) -> list[Rating]:
    """Three stories of every sequence, marked and voted for by all raters."""
    out = []
    for rater in range(raters):
        like = rng.normal(0, 0.3, 3)
        for item in range(items):
            level = np.array([4.0, 3.2, 2.5]) + like + rng.normal(0, 0.8, 3)
            for k, name in enumerate("xyz"):
                mark = float(np.clip(round(level[k]), 1, 5))
                common = {"item": f"s{item}", "system": name, "rater": f"r{rater}"}
                out.append(Rating(**common, value=mark, criterion="grounded"))
                out.append(Rating(**common, value=float(level.argmax() == k), criterion="vote"))
    return out


def test_every_mean_and_share_of_a_survey_has_an_interval(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", judged(np.random.default_rng(1)))
    found = analyse_survey(judged(np.random.default_rng(1)))
    for one in found.means:
        assert one.interval is not None and one.interval[0] < one.mean < one.interval[1]
    for name, interval in found.vote_intervals.items():
        assert interval is not None and interval[0] < found.votes[name] / 80 < interval[1]
        assert 0 <= interval[0] < interval[1] <= 1
    shown = run(path).stdout
    x = next(one.interval for one in found.means if one.system == "x")
    assert x is not None and f"[{x[0]:.2f}, {x[1]:.2f}]" in shown and "Means with intervals" in shown
    assert "vote share %" in shown and shown.count("95 %") >= 2
    rows = STUDIES["survey"].standings(judged(np.random.default_rng(1)))
    assert [(r.system, r.value, r.low) for r in rows if r.criterion == "grounded"] == sorted(
        ((m.system, m.mean, m.interval and m.interval[0]) for m in found.means), key=lambda row: -row[1]
    )


def test_intervals_of_a_survey_are_for_other_raters() -> None:
    """Raters who each say the same of every story are so many opinions, however many stories they mark."""
    out = [
        Rating(f"s{item}", system, f"r{k}", float(mark), criterion="grounded")
        for item in range(40)
        for k, marks in enumerate([(5, 1), (5, 2), (1, 5), (2, 4)])
        for system, mark in zip("xy", (m - (item + k) % 2 * (m in (2, 4, 5)) for m in marks), strict=True)
    ]
    intervals = {one.system: one.interval for one in analyse_survey(out).means}
    assert intervals["x"] is not None and intervals["x"][1] - intervals["x"][0] > 3


def test_shares_of_all_and_of_no_votes_have_no_interval_or_a_wide_one() -> None:
    always = [
        Rating(f"s{item}", system, f"r{k}", value, criterion=criterion)
        for item in range(6)
        for k in range(8)
        for system, mark in (("x", 4.0), ("y", 2.0 + (item + k) % 2))
        for criterion, value in (("grounded", mark), ("vote", float(system == "x")))
    ]
    assert analyse_survey(always).vote_intervals == {"x": None, "y": None}


def three_systems(seed: int = 0) -> list[Rating]:
    rng = np.random.default_rng(seed)
    strength = {"a": 0.8, "b": 0.0, "c": -0.8}
    return [
        Rating(
            f"v{item}",
            one,
            f"r{rater}",
            float(np.clip(round(strength[two] - strength[one] + rng.normal(0, 1)), -2, 2)),
            criterion="preference",
            meta={"against": two},
        )
        for rater in range(9)
        for item in range(8)
        for one, two in (("a", "b"), ("c", "a"), ("b", "c"))
    ]


def test_a_preference_study_ranks_all_its_systems(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", three_systems())
    found = storymeter.human.analyse(path)["all"]
    ranking = storymeter.human.rank(path)
    assert isinstance(found, Preferences) and found.ranking is not None and len(found) == 3
    assert [(s.name, s.strength, s.interval) for s in found.ranking.systems] == [
        (s.name, s.strength, s.interval) for s in ranking.systems
    ]
    shown = run(path, "--html", tmp_path / "page.html").stdout
    assert "Systems by pairwise votes" in shown and "win share %" in shown
    assert "Bradley-Terry" in (tmp_path / "page.html").read_text()
    told = msgspec.json.decode(run(path, "--format", "json").stdout)
    assert [one["name"] for one in told["ranking"]["systems"]] == ["a", "b", "c"]
    rows = STUDIES["preference"].standings(three_systems())
    assert [(r.system, r.value) for r in rows] == [(s.name, s.strength) for s in ranking.systems]
    assert {(r.items, r.ratings) for r in rows} == {(8, 144)}


def test_pairs_that_nothing_connects_are_not_ranked() -> None:
    others = [
        msgspec.structs.replace(one, system="c", meta={"against": "d"})
        for one in preferences()
        if "against" in one.meta
    ]
    found = analyse_preferences([*preferences(), *others])
    assert len(found) == 2 and found.ranking is None


def test_options_that_a_kind_of_study_has_no_use_for_are_named(tmp_path: Path) -> None:
    votes = write(tmp_path / "p.jsonl", three_systems())
    asked = ("--alpha", "0.01", "--accept", "all", "--gates", "control", "--robust", "--minimum", "2")
    said = " ".join(run(votes, *asked, "--price", "2", "--replicates", votes).stderr.split())
    assert "--accept, --alpha and --robust do not apply to preference studies and were ignored" in said
    assert "--price and --replicates do not apply to studies without scores of captions" in said
    assert "apply" not in run(votes, "--minimum", "2", "--held", "include", "--splits", "0").stderr
    with pytest.warns(StorymeterWarning, match="^enforce_repeats does not apply to preference studies"):
        storymeter.human.analyse(votes, enforce_repeats=True)
    with pytest.raises(TypeError, match="'aplha'"):
        storymeter.human.analyse(votes, aplha=0.01)
    scores = [
        Rating(f"v{item}", system, f"r{rater}", float(40 + (rater * item) % 30), hit="h")
        for rater in range(3)
        for item in range(9)
        for system in "ab"
    ]
    said = run(write(tmp_path / "s.jsonl", scores), "--faithful", "0.9", "--alpha", "0.01").stderr
    assert "--faithful does not apply to ratings of captions and was ignored." in " ".join(said.split())


def test_kinds_of_studies_state_the_options_that_exist() -> None:
    taken = inspect.signature(analyse_scores).parameters
    assert STUDIES["da"].options == STUDIES["spans"].options == DEFAULTS.keys() & taken.keys()
    assert DEFAULTS.keys() == set().union(*(kind.options for kind in STUDIES.values()))
    of_scores = {name: taken[name].default for name in STUDIES["da"].options - {"splits"}}
    assert of_scores == {name: DEFAULTS[name] for name in of_scores}
    human = cli.get_command(click.Context(cli), "human")
    verb = human.get_command(click.Context(human), "analyse") if isinstance(human, click.Group) else None
    offered = verb.make_context("analyse", ["ratings.csv"]).params if verb is not None else {}
    assert {name: offered[name] for name in DEFAULTS} == DEFAULTS

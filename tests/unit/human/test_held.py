"""Raters on hold: kept, exported, left out of every result, and said so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from human_kit import to_csv
from rating_kit import analyse, campaign, from_records, preferences, read, run, survey, write

from storymeter.captions import Rating
from storymeter.human.analysis.preference import analyse_preferences
from storymeter.human.analysis.survey import analyse_survey
from storymeter.meta.inputs import read_human, read_survey


def held(records: Sequence[Rating], rater: str, reason: str = "clicks, too fast") -> list[Rating]:
    return [
        msgspec.structs.replace(one, meta={**one.meta, "held": reason}) if one.rater == rater else one
        for one in records
    ]


def without(records: Sequence[Rating], rater: str) -> list[Rating]:
    return [one for one in records if one.rater != rater]


def same(one: Any, other: Any) -> None:
    assert (one.systems, one.items) == (other.systems, other.items)
    np.testing.assert_array_equal(one.human, other.human)


@pytest.mark.parametrize("style", ["jsonl", "csv", "slow", "records"])
def test_scores_of_a_rater_on_hold_are_left_out_and_said(tmp_path: Path, style: str) -> None:
    records = campaign()
    given, wanted = held(records, "r2"), analyse(from_records(without(records, "r2")), splits=0)
    path = tmp_path / "ratings"
    if style == "csv":
        path.write_text(to_csv(given))
    else:
        write(path, given)
    if style == "slow":  # a number that came as text is read row by row
        path.write_text(
            path.read_text().replace('"value":', '"value": "', 1).replace(',"kind"', '","kind"', 1)
        )
    table = from_records(given) if style == "records" else read(path)
    found = analyse(table, splits=0)
    assert found.ranking.systems == wanted.ranking.systems
    assert "r2" not in [worker.id for worker in found.quality.workers]
    assert "1 rater is on hold: r2 (clicks, too fast; 110 ratings); left out" in found.notes[0]
    counted = analyse(table, splits=0, held="include")
    assert counted.ranking.systems == analyse(from_records(records), splits=0).ranking.systems
    assert "counted all the same" in counted.notes[0]
    if style != "records":
        same(read_human(path), read_human(write(tmp_path / "w", without(records, "r2"))))


def test_the_command_says_it_and_counts_them_on_request(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", held(campaign(), "r2"))
    shown = run(path, "--splits", 0)
    assert "r2 (clicks, too fast; 110 ratings); left out (--held include" in " ".join(shown.stderr.split())
    asked = msgspec.json.decode(run(path, "--format", "json", "--splits", 0).stdout)
    assert "r2" in asked["notes"][0] and len(asked["workers"]) == 5
    every = msgspec.json.decode(run(path, "--format", "json", "--splits", 0, "--held", "include").stdout)
    assert len(every["workers"]) == 6 and "counted all the same" in every["notes"][0]
    nobody = run(write(tmp_path / "n.jsonl", held([r for r in campaign() if r.rater == "r2"], "r2")))
    assert nobody.exit_code and "Nobody's ratings are left" in nobody.exception.message


def test_preferences_and_surveys_leave_them_out(tmp_path: Path) -> None:
    (found,) = analyse_preferences(held(preferences(), "r0"))
    (wanted,) = analyse_preferences(without(preferences(), "r0"))
    assert (found.wins_a, found.wins_b, found.alpha) == (wanted.wins_a, wanted.wins_b, wanted.alpha)
    assert "r0 (clicks, too fast; 4 ratings); left out" in found.notes[0]
    (every,) = analyse_preferences(held(preferences(), "r0"), held="include")
    assert every.alpha == analyse_preferences(preferences())[0].alpha
    assert analyse_survey(held(survey(), "r1")).means == analyse_survey(without(survey(), "r1")).means
    ours = read_survey(write(tmp_path / "s", held(survey(), "r1")))
    theirs = read_survey(write(tmp_path / "w", without(survey(), "r1")))
    assert ours and theirs and ours.keys() == theirs.keys()
    for criterion, scores in ours.items():
        same(scores, theirs[criterion])
    printed = run(write(tmp_path / "s.jsonl", held(survey(), "r1")))
    assert "r1 (clicks, too fast; 24 ratings); left out" in " ".join(printed.stderr.split())

"""Raters who lean towards a system are found and shown, alone and in groups; nobody is dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from rating_kit import DEGRADED, Ratings, analyse, campaign, from_records, rank, run, write
from rehearsal_kit import crowd, world

from storymeter.human.analysis.influence import influence


def study(seed: int, noise: float = 14.0) -> Ratings:
    return crowd(world(100, 5, seed), ["honest"] * 24, raters_per_hit=1, noise=noise, seed=seed)


def lean(ratings: Ratings, raters: int, system: str, points: float) -> Ratings:
    """The first raters add some points to every caption of a system."""
    wanted = np.zeros(len(ratings), dtype=bool)
    wanted[ratings.credit_row[ratings.credit.codes == ratings.systems.index(system)]] = True
    wanted &= (ratings.rater.codes < raters) & (ratings.kind != DEGRADED)
    return replace(ratings, value=np.where(wanted, np.clip(ratings.value + points, 0, 100), ratings.value))


def test_a_competitor_who_adds_45_points_is_flagged_and_not_dropped() -> None:
    for seed in (11, 12, 13):
        found = analyse(lean(study(seed), 1, "system3", 45.0), splits=0)
        first = found.influence.biases[0]
        assert (first.rater, first.system, first.flagged) == ("w000", "system3", True) and first.bias > 0.5
        assert sum(one.flagged for one in found.influence.biases) == 1
        assert any("w000" in note and "favours system3" in note for note in found.notes)
        if found.quality.workers[0].accepted:
            assert 0 in found.used.rater.codes, "shown, not dropped"


def test_honest_raters_are_not_flagged() -> None:
    flagged = 0
    for seed in range(21, 25):
        found = influence(study(seed, noise=20.0))
        flagged += sum(one.flagged for one in found.biases) + len(found.groups)
    assert flagged <= 1, "of 480 raters and systems"


def test_raters_who_favour_one_system_are_a_group() -> None:
    found = influence(lean(study(31), 4, "system3", 60.0))
    group = next(one for one in found.groups if one.why == "favour system3")
    assert set(group.raters) <= {f"w{k:03d}" for k in range(4)} and len(group.raters) >= 2
    assert group.system == "system3" and group.shift > 0


def test_raters_who_copy_each_other_are_a_group() -> None:
    ratings = study(41)
    values, lots = ratings.value.copy(), np.random.default_rng(1).uniform(0, 100, len(ratings.item))
    copying = (0, 14, 17, 22, 23)  # HITs that share captions
    for rater in copying:
        rows = ratings.rater.codes == rater
        values[rows] = np.rint(lots[ratings.item.codes[rows]])
    found = influence(replace(ratings, value=values))
    copied = [set(one.raters) for one in found.groups if "usual" in one.why]
    assert any(len(group & {f"w{k:03d}" for k in copying}) >= 3 for group in copied)


def test_without_a_rater_is_what_an_analysis_without_the_rater_says() -> None:
    ratings = from_records(campaign(raters=5))
    found = influence(ratings)
    assert found.order == tuple(s.name for s in rank(ratings).systems)
    for one in found.alone:
        keep = np.array([name not in one.raters for name in ratings.rater.names])
        other = rank(ratings.of_raters(keep))
        assert one.order == tuple(s.name for s in other.systems)
        before = {s.name: s.z for s in rank(ratings).systems}
        after = {s.name: s.z for s in other.systems}
        assert abs(one.shift - (before[one.system] - after[one.system])) < 1e-9


def test_the_report_shows_it(tmp_path: Path) -> None:
    records = [
        msgspec.structs.replace(r, value=min(100.0, r.value + 45))
        if r.rater == "r1" and r.system == "worst"
        else r
        for r in campaign(raters=6)
    ]
    path = write(tmp_path / "r.jsonl", records)
    result = run(path, "--accept", "all", "--html", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    assert "Influence" in result.stdout and "r1" in result.stdout
    assert "favours worst" in result.stderr
    told = msgspec.json.decode(run(path, "--accept", "all", "--format", "json").stdout)["influence"]
    assert told["biases"][0]["rater"] == "r1" and told["biases"][0]["flagged"]
    assert len(told["without"]) == 6
    assert "Influence" in (tmp_path / "page.html").read_text()


def two_models(path: Path, dislikes: str, models: tuple[str, ...] = ("model_a", "model_b")) -> Path:
    """A table of another tool: five workers, no control items; one worker gives model_a less."""
    random = np.random.default_rng(3)
    lines = ["worker,clip,model,rating"]
    for worker in ("w1", "w2", "w3", "w4", "w5"):
        for clip in range(20):
            for model in models:
                lower = 2.0 if (worker, model) == (dislikes, "model_a") else 0.0
                mark = int(np.clip(round(random.normal(3.4 - lower, 0.8)), 1, 5))
                lines.append(f"{worker},c{clip},{model},{mark}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_rater_who_dislikes_a_system_is_not_said_to_favour_it(tmp_path: Path) -> None:
    file = two_models(tmp_path / "r.csv", "w4")
    shown = run(file).stdout
    head = shown.split("Influence of single raters")[1].lstrip()
    assert head.split("\n")[0].split() == ["rater", "system", "deviation", "p", "moves", "order"]
    w4 = next(line.split() for line in head.split("\n") if line.split()[:1] == ["w4"])
    found = msgspec.json.decode(run(file, "--format", "json").stdout)["influence"]
    biases = {(one["rater"], one["system"]): one["bias"] for one in found["biases"]}
    assert biases["w4", "model_a"] < -1 and biases["w4", "model_b"] > 1
    assert w4[1] == "model_a" and w4[2] == "(flagged)" and float(w4[3]) < -1
    # "moves" has the sign of what the rater's scores do
    (alone,) = (one for one in found["without"] if one["raters"] == ["w4"])
    assert (alone["shift"] < 0) == (alone["system"] == "model_a")


def test_a_table_from_elsewhere_is_not_said_to_hold_more_than_it_does(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run(two_models(tmp_path / "r.csv", ""), "--html", page)
    said, html = " ".join(result.output.split()), page.read_text()
    assert "do not generalise to other raters" in said and "they hold for other raters" not in said
    assert "significantly beats every system" not in said
    assert "No significant difference between systems was found." in said
    assert "in the same order in" in said and "r can only be 1 or -1" in said and "to 1.000" not in said
    for absent in ("damaged on purpose", "rated how adequately", "Damaged captions", "Far above the line"):
        assert absent not in html
    assert "no rater could be tested" in html
    assert "Control results of each rater" not in said and "Control results of each rater" not in html


def test_a_single_system_beats_none(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run(two_models(tmp_path / "r.csv", "", ("model_a",)), "--html", page)
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "beats every" not in said and "No significant difference" not in said
    assert "Differences between systems" not in said
    assert "Significant differences between systems" not in page.read_text()


def test_a_study_with_controls_and_enough_raters_says_all(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run(write(tmp_path / "r.jsonl", campaign(raters=8)), "--accept", "all", "--html", page)
    said, html = " ".join(result.output.split()), page.read_text()
    assert "they hold for other raters of the same kind" in said and "Control results" in said
    assert "significantly beats every system" in said
    for there in ("damaged on purpose", "rated how adequately", "Damaged captions", "Control results"):
        assert there in html

"""Plans of every kind of study: the power they promise is that of simulated studies."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from human_kit import named
from rating_kit import from_columns, rank

from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.human import analyse, plan
from storymeter.human.analysis.plan import KINDS
from storymeter.human.analysis.power import smallest_difference, story_variances

Spread = tuple[float, float, float]
TRUTH: Spread = (0.4, 0.7, 0.25)


def compared(random: np.random.Generator, lean: float, *, raters: int, each: int, items: int) -> list[Rating]:
    """A rater answers `each` of the items, dealt in turn; answers are whole numbers from -2 to 2."""
    between, within, deviation = TRUTH
    item, liking = random.normal(0, between, items), random.normal(0, deviation, raters)
    rows = []
    for rater in range(raters):
        for k in range(each):
            place = (rater * each + k) % items
            value = lean + item[place] + liking[rater] + random.normal(0, within)
            rows.append((f"v{place}", f"r{rater}", float(np.clip(round(value), -2, 2))))
    return [
        Rating(video, "a", rater, value, criterion="preference", meta={"against": "b"})
        for video, rater, value in rows
    ]


def marked(random: np.random.Generator, lean: float, *, raters: int, each: int, items: int) -> list[Rating]:
    """The same as marks of two stories, whose difference is that answer."""
    return [
        Rating(one.item, system, one.rater, 3 + sign * one.value / 2, criterion="grounded")
        for one in compared(random, lean, raters=raters, each=each, items=items)
        for system, sign in (("a", -1), ("b", 1))
    ]


@pytest.mark.parametrize("task", ["preference", "survey"])
def test_the_spreads_of_a_pilot_are_found(task: str) -> None:
    draw = compared if task == "preference" else marked
    found = story_variances(draw(np.random.default_rng(1), 0.0, raters=300, each=20, items=400))
    # whole numbers add a variance of about 1/12 to the noise
    expected = (0.4, float(np.hypot(0.7, 12**-0.5)), 0.25)
    assert (found.between, found.within, found.deviation) == pytest.approx(expected, abs=0.06)


def test_the_power_of_preferences_is_that_of_simulated_studies() -> None:
    raters, each, items = 24, 10, 60
    spread = story_variances(compared(np.random.default_rng(2), 0.0, raters=400, each=20, items=500))
    smallest = smallest_difference(
        raters * each,
        items,
        raters,
        overlap=raters * each // items,
        between=spread.between,
        within=spread.within,
        deviation=spread.deviation,
        sides=1,
    )
    random, found, null = np.random.default_rng(3), 0, 0
    for _ in range(150):
        for lean in (smallest, 0.0):
            [one] = analyse(compared(random, lean, raters=raters, each=each, items=items))["all"]
            found += one.p < 0.05 and lean > 0
            null += one.p < 0.05 and lean == 0
    assert found / 150 == pytest.approx(0.8, abs=0.1)
    assert null / 150 < 0.11


@pytest.mark.parametrize("task", sorted(KINDS))
def test_every_kind_of_study_has_a_plan_and_a_budget(task: str) -> None:
    scored = named(task).scored
    more = {"simulations": 100} if scored else {}
    said: list[str] = []
    wanted = plan(4, 60, 8 if scored else 0.4, task=task, note=said.append, **more)
    assert wanted.power >= 0.8 and wanted.task == task
    assert wanted.pay is not None and wanted.pay.hourly == pytest.approx(8, rel=0.01)
    assert any("with power 0.8" in line for line in said)
    paid = plan(4, 60, 8 if scored else 0.4, task=task, budget=150, **more)
    assert paid.cost.total <= 150 < paid.cost.total + 1.2 * paid.pay.price  # type: ignore[union-attr]
    small = plan(2, 60, 200 if scored else 3, task=task, budget=10, note=said.append, **more)
    if small.raters < 6:
        assert any("human analyse will note fewer than 6" in line for line in said)


def test_captions_can_be_the_limit() -> None:
    """Seven and a half points cost twice what eight cost, and seven cannot be had, because 60 captions hardly
    show less."""
    said: dict[float, list[str]] = {7.5: [], 8: [], 20: []}
    cost = {d: plan(6, 60, d, note=said[d].append).cost.total for d in said}
    assert cost[7.5] > 2 * cost[8] > 8 * cost[20]
    assert any("captions are the limit" in line and "from 7" in line for line in said[8]), said[8]
    assert not any("limit" in line for line in said[20])
    with pytest.raises(DataError, match="reach a power of only"):
        plan(6, 60, 7)


def test_a_plan_is_by_the_test_of_the_analysis() -> None:
    """What was asked for is what the analysis finds: with the HITs of the plan, its test over raters finds
    the difference as often as was wanted (before, the rank-sum test of the papers did, and it half as
    often)."""
    raters, captions = 0, 0
    for clusters in ("raters", "ranksum"):
        found = plan(6, 1900, 5, clusters=clusters, simulations=100)
        smallest = found.smallest_difference * 32
        assert (smallest <= 5) == (clusters == "raters") and found.clusters == clusters
        if clusters == "raters":
            assert smallest == pytest.approx(5, rel=0.02)
            raters, captions = found.raters, found.captions
    random, wins = np.random.default_rng(5), 0
    each = 12  # of 70 captions of six systems
    for _ in range(60):
        rater = np.repeat(np.arange(raters), 2 * each)
        system = np.tile(np.repeat([0, 1], each), raters)
        item = np.arange(len(rater)) // 2 % captions
        value = random.normal(0, 0.43, (2, captions))[system, item] + 5 / 32 * system
        value = value + random.normal(0, 0.2, (raters, 2))[rater, system] + random.normal(0, 0.76, len(rater))
        columns = {
            "item": [f"v{k}" for k in item.tolist()],
            "system": [f"s{k}" for k in system.tolist()],
            "rater": [f"r{k}" for k in rater.tolist()],
            "value": 60 + 32 * value,
            "position": np.arange(len(rater)),
        }
        wins += len(rank(from_columns(columns), by="raters").clusters) > 1
    assert 0.65 <= wins / 60 <= 0.95


@pytest.mark.parametrize("task", sorted(KINDS))
def test_a_budget_alone(task: str) -> None:
    words = ["human", "plan", "--systems", "5", "--captions", "60", "--budget", "600", "--task", task]
    done = CliRunner().invoke(cli, [*words, "--format", "json"], catch_exceptions=False)
    found = json.loads(done.stdout)
    assert found["power"] == pytest.approx(0.8, abs=1e-3) and 550 < found["cost"]["total"] <= 600
    points = 32 if named(task).scored else 1
    again = plan(5, 60, found["smallest_difference"] * points, task=task, budget=600)
    assert again.power == pytest.approx(0.8, abs=1e-3) and again.hits == found["hits"]
    with pytest.raises(UsageError, match="a budget"):
        plan(5, 60, task=task)


def test_the_hits_of_a_plan_are_those_of_a_study() -> None:
    for name in ("da", "spans"):
        layout = named(name).layout
        assert layout is not None and KINDS[name].per_hit == layout.system * layout.blocks
        assert KINDS[name].share == pytest.approx(layout.system / layout.block)


def test_a_pilot_of_another_kind_and_one_that_is_too_small(tmp_path: Path) -> None:
    votes = compared(np.random.default_rng(4), 0.0, raters=12, each=10, items=20)
    path = tmp_path / "pilot.jsonl"
    path.write_bytes(b"".join(json.dumps(_plain(one)).encode() + b"\n" for one in votes))
    assert plan(3, 60, 0.5, task="preference", pilot=path).power >= 0.8
    words = [
        "human",
        "plan",
        "--systems",
        "3",
        "--captions",
        "60",
        "--difference",
        ".5",
        "--pilot",
        str(path),
    ]
    with pytest.raises(UsageError, match="preference, not survey"):
        CliRunner().invoke(cli, [*words, "--task", "survey"], catch_exceptions=False, standalone_mode=False)
    done = CliRunner().invoke(cli, [*words, "--task", "preference", "--format", "json"])
    assert json.loads(done.stdout)["task"] == "preference"
    with pytest.raises(DataError, match="second ratings"):
        story_variances([one for one, _ in itertools.groupby(votes, key=lambda one: one.item)][:0])
    with pytest.raises(UsageError, match="no z"):
        plan(3, 60, 0.5, task="survey", in_z=True)
    with pytest.raises(UsageError, match="no rank-sum test"):
        plan(3, 60, 0.5, task="survey", clusters="ranksum")


def _plain(one: Rating) -> dict[str, object]:
    names = ("item", "system", "rater", "value", "criterion", "meta")
    return {name: getattr(one, name) for name in names}

"""Raters as random: values of the textbook, and simulated studies of equal systems."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from part_kit import Later
from rating_kit import Ratings, analyse, campaign, from_columns, from_records, rank, run, write

from storymeter.arrays import FloatArray, IntArray
from storymeter.captions import Rating
from storymeter.human.analysis.preference import analyse_preferences
from storymeter.human.analysis.rater_effects import Cells
from storymeter.human.analysis.reliability import split_half

scipy_stats = Later("scipy.stats")


def balanced(raters: int, each: int, seed: int = 0) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Every rater rates `each` captions of both systems, all of different items."""
    random = np.random.default_rng(seed)
    rater = np.repeat(np.arange(raters), 2 * each)
    system = np.tile(np.repeat([0, 1], each), raters)
    return random.normal(size=len(rater)) + 0.3 * system, system, rater, np.arange(len(rater))


def test_equal_numbers_without_shared_items_give_the_paired_t_test() -> None:
    value, system, rater, item = balanced(7, 20)
    found = Cells.of(value, system, rater, item, 2).difference(0, 1)
    of = value.reshape(7, 2, 20).mean(axis=2)
    expected = scipy_stats.ttest_rel(of[:, 0], of[:, 1])
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.value == pytest.approx(float((of[:, 0] - of[:, 1]).mean()))
    low, high = expected.confidence_interval(0.95)
    assert found.interval() == pytest.approx((low, high))


def test_raters_of_one_system_each_give_welchs_test() -> None:
    random = np.random.default_rng(1)
    rater = np.repeat(np.arange(11), 10)
    system = (rater >= 5).astype(np.int64)
    value = random.normal(size=110) * (1 + system)
    found = Cells.of(value, system, rater, np.arange(110), 2).difference(0, 1)
    of = value.reshape(11, 10).mean(axis=1)
    assert found.p == pytest.approx(scipy_stats.ttest_ind(of[:5], of[5:], equal_var=False).pvalue, rel=1e-9)


def test_the_interval_of_a_system_is_that_of_its_raters() -> None:
    value, system, rater, item = balanced(6, 15)
    weight = np.where(system == 1, 1 / (system == 1).sum(), 0.0)
    found = Cells.of(value, system, rater, item, 2).system_mean(1, weight)
    of = value.reshape(6, 2, 15)[:, 1].mean(axis=1)
    assert found.value == pytest.approx(of.mean())
    assert found.error == pytest.approx(of.std(ddof=1) / math.sqrt(6))
    assert found.freedom == 5


def test_shared_items_widen_the_error() -> None:
    """All raters rate the same captions: what the captions have in common is no evidence."""
    random = np.random.default_rng(2)
    quality = random.normal(size=(2, 30))
    rater, system, item = (a.ravel() for a in np.meshgrid(range(10), range(2), range(30), indexing="ij"))
    value = quality[system, item] + 0.1 * random.normal(size=len(item))
    found = Cells.of(value, system, rater, item, 2).difference(0, 1)
    apart = scipy_stats.ttest_rel(*quality)
    assert found.error == pytest.approx(
        float((quality[0] - quality[1]).std(ddof=1)) / math.sqrt(30), rel=0.05
    )
    assert found.p == pytest.approx(apart.pvalue, abs=0.05)


def study(random: np.random.Generator, raters: int, deviation: float, *, systems: int = 2) -> Ratings:
    """Equal systems; 70 ratings of each rater; raters like systems differently."""
    rater = np.repeat(np.arange(raters), 70)
    system = random.integers(0, systems, len(rater))
    item = random.integers(0, 300, len(rater))
    value = (
        random.normal(0, deviation, (raters, systems))[rater, system]
        + random.normal(0, 0.43, (systems, 300))[system, item]
        + random.normal(0, 0.76, len(rater))
    )
    names = [f"s{k}" for k in system]
    return from_columns(
        {
            "item": [f"v{k}" for k in item],
            "system": names,
            "rater": [f"r{k}" for k in rater],
            "value": np.clip(60 + 25 * value, 0, 100),
            "position": np.arange(len(rater)),
        }
    )


def test_equal_systems_share_a_cluster_although_raters_differ_in_taste() -> None:
    random, apart = np.random.default_rng(5), {"raters": 0, "ranksum": 0}
    for _ in range(150):
        table = study(random, 8, 0.2)
        for by in apart:
            apart[by] += len(rank(table, by=by).clusters) > 1
    assert apart["ranksum"] > 0.12 * 150
    assert apart["raters"] <= 0.09 * 150


def test_intervals_hold_over_raters() -> None:
    """The mean of two equal systems is 0 in z."""
    random, inside, over_captions = np.random.default_rng(6), 0, 0
    for _ in range(120):
        table = study(random, 8, 0.3, systems=3)
        for by in ("raters", "ranksum"):
            one = next(s for s in rank(table, by=by).systems if s.name == "s0")
            assert one.interval is not None and one.interval[0] < one.z < one.interval[1]
            hit = one.interval[0] <= 0 <= one.interval[1]
            inside, over_captions = (
                (inside + hit, over_captions) if by == "raters" else (inside, over_captions + hit)
            )
    assert inside >= 0.9 * 120 > over_captions


def test_halves_of_equal_systems_do_not_agree() -> None:
    random = np.random.default_rng(7)
    found = [split_half(study(random, 12, 0.0, systems=6), splits=10, seed=k) for k in range(25)]
    assert abs(float(np.mean([one.z for one in found]))) < 0.15


def test_preferences_of_raters_who_lean() -> None:
    random, wrong, coin = np.random.default_rng(8), 0, 0
    for _ in range(100):
        lean = random.normal(0, 0.6, 5)
        records = [
            Rating(
                f"v{k}",
                "a",
                f"r{r}",
                float(np.clip(round(lean[r] + random.normal()), -2, 2)),
                criterion="preference",
                meta={"against": "b"},
            )
            for k in range(50)
            for r in random.choice(5, 2, replace=False).tolist()
        ]
        (result,) = analyse_preferences(records)
        wrong, coin = wrong + (result.p < 0.05), coin + (result.p_binomial < 0.05)
    assert coin > 20 and wrong <= 10


def test_both_kinds_of_clusters_are_shown(tmp_path: object) -> None:
    analysis = analyse(from_records(campaign()), splits=0)
    assert analysis.ranking.by == "raters" and analysis.other.by == "ranksum"
    papers = analyse(from_records(campaign()), splits=0, clusters="ranksum")
    assert papers.ranking.clusters == analysis.other.clusters
    assert np.array_equal(papers.ranking.p, rank(papers.used).p, equal_nan=True)


def test_few_raters_and_one_rater_are_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = write(tmp_path / "r.jsonl", campaign(raters=4))
    answer = msgspec.json.decode(run(file, "--accept", "all", "--format", "json").stdout)
    assert answer["clusters_by"] == "raters" and answer["raters_used"] == 4
    assert any("do not generalise to other raters" in note for note in answer["notes"])
    assert set(answer) >= {"clusters_raters", "clusters_ranksum"}
    single = write(tmp_path / "one.jsonl", campaign(raters=1))
    answer = msgspec.json.decode(run(single, "--accept", "all", "--format", "json").stdout)
    assert answer["clusters_by"] == "ranksum"
    assert any("this rater only" in note for note in answer["notes"])
    shown = run(file, "--accept", "all").output
    assert "cluster (rank-sum)" in shown and "trust the first" in shown
    page = tmp_path / "page.html"
    run(file, "--accept", "all", "--html", page)
    assert "cluster (rank-sum)" in page.read_text()

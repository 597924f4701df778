"""Would it come out the same again, what does it cost, and how many HITs does it take?"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rating_kit import analyse, campaign, from_records, run, write

from storymeter.captions import Rating
from storymeter.errors import DataError
from storymeter.human.analysis import plan, power, reliability


def test_two_raters_are_too_few_to_split() -> None:
    analysis = analyse(from_records(campaign(raters=2)), gates="control")
    assert (
        analysis.split_half is not None
        and analysis.split_half.interval is None
        and "four raters are needed" in analysis.split_half.reason
    )


def test_systems_that_tie_have_no_split_half() -> None:
    records = [msgspec.structs.replace(r, value=10.0 if r.kind == "degraded" else 90.0) for r in campaign()]
    found = analyse(from_records(records), gates="control").split_half
    assert found is not None and math.isnan(found.z) and "different scores" in found.reason


def test_replication_between_runs(tmp_path: Path) -> None:
    result = run(
        write(tmp_path / "a.jsonl", campaign(seed=1)),
        "--replicates",
        write(tmp_path / "b.jsonl", campaign(seed=2)),
    )
    assert "Replication over 4 systems: r = 0.99" in result.output
    third = write(tmp_path / "c.jsonl", [r for r in campaign(seed=3) if r.system != "worst"])
    answer = msgspec.json.decode(run(tmp_path / "a.jsonl", "--replicates", third, "--format", "json").stdout)
    assert (
        answer["replication"]["only_first"] == ["worst"]
        and answer["replication"]["z"] > 0.99
        and answer["cost"]["total"] == pytest.approx(6 * 0.99 * 1.2)
    )


def test_agreement_by_hand() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", the example with missing data
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    rows = [(unit, value) for line in table for unit, value in enumerate(line) if value is not None]
    units, values = zip(*rows, strict=True)
    assert reliability.krippendorff(values, units, "nominal")[0] == pytest.approx(0.743, abs=5e-4)
    assert reliability.krippendorff(values, units, "ordinal")[0] == pytest.approx(0.815, abs=5e-4)
    assert reliability.krippendorff(values, units, "interval")[0] == pytest.approx(0.849, abs=5e-4)
    assert math.isnan(reliability.krippendorff([1, 2], [0, 1])[0])


def test_icc_of_shrout_and_fleiss() -> None:
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    values, units = [v for row in ratings for v in row], [k for k, row in enumerate(ratings) for _ in row]
    assert reliability.icc(values, units) == pytest.approx(0.17, abs=5e-3)


def test_cost_of_the_paper() -> None:
    assert reliability.cost(93, 5).total == pytest.approx(110, abs=1)
    assert reliability.cost(93, 5).per_system == pytest.approx(22, abs=0.2)


def test_a_plan_asks_for_more_when_the_difference_is_smaller() -> None:
    small, large = (plan.plan(5, 1900, d, clusters="ranksum", simulations=200) for d in (0.1, 0.3))
    assert small.hits > 4 * large.hits
    assert large.power >= 0.8
    exact = power.power(large.ratings_per_system, 1900, 0.3, overlap=3, simulations=3000, seed=5)
    assert exact == pytest.approx(0.8, abs=0.07)
    with pytest.raises(DataError, match="reach a power of only"):
        plan.plan(2, 2, 0.01, clusters="ranksum", simulations=50)


def test_a_pilot_gives_back_the_variances_it_was_made_of() -> None:
    random = np.random.default_rng(0)
    quality = random.normal(0, 10, (2, 200))
    records = [
        Rating(
            f"v{i}",
            f"s{s}",
            f"r{k}",
            float(50 + quality[s, i] + random.normal(0, 20)),
            hit=f"r{k}",
            position=s * 200 + i,
        )
        for k in range(6)
        for s in range(2)
        for i in range(200)
    ]
    found = power.variances(from_records(records))
    assert found.between / found.within == pytest.approx(0.5, abs=0.05)
    assert found.sd == pytest.approx(math.hypot(10, 20), rel=0.05)


def test_a_pilot_counts_the_raters_who_pass() -> None:
    table = from_records(campaign(raters=12, bots=4, seed=1))
    passed, everybody = power.from_pilot(table), power.from_pilot(table, everybody=True)
    assert passed.accepted == pytest.approx(8 / 12) and passed.within < everybody.within
    untested = from_records([r for r in campaign() if r.kind == "system"])
    assert power.from_pilot(untested).accepted == 1.0
    with pytest.raises(DataError, match="None of the 6 raters"):
        power.from_pilot(
            from_records(
                [
                    msgspec.structs.replace(r, value=r.value if r.kind == "system" else 50.0)
                    for r in campaign()
                ]
            )
        )


def test_worker_tests_accept_bots_at_alpha_and_fewer_pairs_reject_more_honest_raters() -> None:
    rates = {(r.test, r.pairs): r for r in plan.worker_tests((5, 20), simulations=1000)}
    for rate in rates.values():
        assert rate.accepts["random"] < 0.08 and rate.accepts["constant"] == 0.0
    for test in ("t", "signed-rank", "mann-whitney"):
        assert rates[test, 20].rejects["average"] < rates[test, 5].rejects["average"]
    assert plan.worker_tests((5,), simulations=100) == plan.worker_tests((5,), simulations=100)


def test_the_smallest_difference_is_found_as_often_as_the_plan_says() -> None:
    """By simulated studies of this size, tested over raters."""
    from storymeter.human.analysis.rater_effects import Cells

    raters, each, captions = 20, 35, 2000
    smallest = power.smallest_difference(raters * each, captions, raters)
    random, found = np.random.default_rng(0), 0
    for _ in range(200):
        rater = np.repeat(np.arange(raters), 2 * each)
        system = np.tile(np.repeat([0, 1], each), raters)
        spread = np.hypot(power.BETWEEN, power.WITHIN)
        value = random.normal(0, power.DEVIATION, (raters, 2))[rater, system] + smallest * system
        value += random.normal(0, spread, len(rater))
        found += Cells.of(value, system, rater, np.arange(len(rater)), 2).difference(1, 0).p < 0.05
    assert found / 200 == pytest.approx(0.8, abs=0.08)
    assert math.isnan(power.smallest_difference(70, 100, 1))
    assert power.smallest_difference(700, 2000, 20) > power.smallest_difference(7000, 2000, 200)

"""From ratings to a ranking: caption means, systems, who beats whom, clusters; few ratings, ties, shared
captions.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from part_kit import Later
from rating_kit import analyse, campaign, from_records

from storymeter.captions import Rating
from storymeter.human.analysis.scores import beats, clusters, rank

scipy_stats = Later("scipy.stats")


def test_a_matrix_of_p_values_is_scipys() -> None:
    random = np.random.default_rng(3)
    systems = np.repeat([0, 1, 2, 3], [12, 20, 7, 30])
    values = random.integers(0, 9, len(systems)).astype(float)
    p = beats(values, systems, 4)
    for i in range(4):
        for j in range(4):
            if i != j:
                expected = scipy_stats.mannwhitneyu(
                    values[systems == i], values[systems == j], alternative="greater", method="asymptotic"
                ).pvalue
                assert p[i, j] == pytest.approx(expected, rel=1e-12)


def test_clusters_need_everything_above_to_beat_everything_below() -> None:
    wins = np.array([[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert clusters(list("abcd"), wins) == (("a",), ("b", "c"), ("d",))
    wins[1, 3] = False
    assert clusters(list("abcd"), wins) == (("a",), ("b", "c", "d"))


def test_the_order_of_the_file_changes_nothing() -> None:
    records = campaign()
    shuffled = [records[k] for k in np.random.default_rng(1).permutation(len(records))]
    one, other = analyse(from_records(records)), analyse(from_records(shuffled))
    assert [(s.name, round(s.z, 12), s.n) for s in one.ranking.systems] == [
        (s.name, round(s.z, 12), s.n) for s in other.ranking.systems
    ]
    assert [(w.id, w.flags, w.accepted) for w in one.quality.workers] == [
        (w.id, w.flags, w.accepted) for w in other.quality.workers
    ]


def test_a_system_rated_once_has_no_interval() -> None:
    records = [*campaign(), Rating("v0", "newcomer", "r0", 60.0, hit="h0", position=999)]
    analysis = analyse(from_records(records))
    newcomer = next(s for s in analysis.ranking.systems if s.name == "newcomer")
    assert newcomer.n == 1 and newcomer.interval is None
    assert any("newcomer" in note and "one caption" in note for note in analysis.notes)


def test_ties_everywhere_have_no_test() -> None:
    records = [
        Rating(f"v{i}", s, r, v, hit=r, position=k)
        for r in ("a", "b")
        for k, (i, s, v) in enumerate([(0, "x", 10.0), (0, "y", 10.0), (1, "x", 90.0), (1, "y", 90.0)])
    ]
    analysis = analyse(from_records(records), accept="all")
    assert analysis.ranking.clusters == (("x", "y"),)
    assert analysis.ranking.systems[0].z == analysis.ranking.systems[1].z == 0.0


def test_one_caption_of_two_systems_is_credited_to_both() -> None:
    records = [r for r in campaign() if r.kind == "system" and r.system == "best"]
    shared = [
        msgspec.structs.replace(r, system="best+twin", meta={"systems": ["best", "twin"]}) for r in records
    ]
    analysis = analyse(from_records(shared), accept="all", splits=0)
    assert [(s.name, s.n) for s in analysis.ranking.systems] == [
        ("best", len(records)),
        ("twin", len(records)),
    ]
    assert analysis.ranking.systems[0].z == analysis.ranking.systems[1].z
    listed = [msgspec.structs.replace(r, system=name) for r in records for name in ("best", "twin")]
    assert [(s.name, s.n) for s in rank(from_records(listed)).systems] == [
        ("best", len(records)),
        ("twin", len(records)),
    ]


def test_merging_repeats_changes_the_mean_of_means() -> None:
    records = [
        Rating("v", "s", "a", 0.0, position=0),
        Rating("v", "s", "a", 60.0, "repeat", position=1, pair="q"),
        Rating("v", "s", "b", 90.0, position=0),
        Rating("w", "s", "b", 10.0, position=1),
        Rating("w", "t", "a", 10.0, position=2),
    ]
    table = from_records(records)
    assert rank(table).systems[0].raw == pytest.approx((50 + 10) / 2) or rank(table).systems[
        1
    ].raw == pytest.approx((50 + 10) / 2)
    merged = {s.name: s.raw for s in rank(table, repeats="merge").systems}
    assert merged["s"] == pytest.approx(((30 + 90) / 2 + 10) / 2)

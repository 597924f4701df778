"""Who is believed, and why: the worker test, repeats, attention, flags."""

from __future__ import annotations

import dataclasses
import math

import msgspec
import numpy as np
import pytest
from rating_kit import REPEAT, Ratings, analyse, assess, campaign, from_columns, from_records

from storymeter.captions import Rating
from storymeter.errors import DataError
from storymeter.human.analysis.attention import consistency, control_pairs


def test_bots_are_rejected_and_the_order_recovered() -> None:
    # seed 1, because with seed 0 one of the four random bots passes by luck, as one in twenty should
    analysis = analyse(from_records(campaign(raters=12, bots=4, seed=1)))
    assert [w.id for w in analysis.quality.workers if not w.accepted] == ["r10", "r11", "r8", "r9"]
    assert [s.name for s in analysis.ranking.systems] == ["Human-b", "best", "middle", "worst"]
    assert analysis.ranking.clusters == (("Human-b",), ("best",), ("middle",), ("worst",))


def test_half_a_hit_leaves_controls_without_partner() -> None:
    records = [r for r in campaign() if not (r.rater == "r0" and r.kind == "degraded")]
    analysis = analyse(from_records(records))
    worker = next(w for w in analysis.quality.workers if w.id == "r0")
    assert not worker.accepted and worker.p is None and "0 complete control pairs" in worker.reason
    lone = [r for r in campaign() if not (r.rater == "r0" and r.kind == "human")]
    assert any("no partner" in note for note in analyse(from_records(lone)).notes)


def test_equal_scores_fail_and_are_flagged() -> None:
    records = campaign() + [
        msgspec.structs.replace(r, rater="stuck", value=50.0, hit="hs") for r in campaign(raters=1)
    ]
    analysis = analyse(from_records(records))
    worker = next(w for w in analysis.quality.workers if w.id == "stuck")
    assert not worker.accepted and {"constant", "streak", "human-below-90", "degraded-not-lower"} <= set(
        worker.flags
    )
    everyone = analyse(from_records(records), accept="all")
    assert any("all equal" in note for note in everyone.notes)
    assert all(not math.isnan(s.z) for s in everyone.ranking.systems)


def test_only_constant_raters_are_a_clear_message() -> None:
    records = [msgspec.structs.replace(r, value=50.0) for r in campaign()]
    with pytest.raises(DataError, match="None of the 6 raters passed"):
        analyse(from_records(records))
    with pytest.raises(DataError, match="No rating is left"):
        analyse(from_records(records), accept="all")


def test_repeats_are_tested_and_may_be_enforced() -> None:
    records = campaign()
    for k in range(10):
        first = next(r for r in records if r.rater == "r0" and r.item == f"v{k + 10}" and r.system == "best")
        records[records.index(first)] = msgspec.structs.replace(first, pair=f"q{k}")
        records.append(
            msgspec.structs.replace(
                first, kind="repeat", pair=f"q{k}", position=200 + k, value=max(0.0, first.value - 40 - k)
            )
        )
    table = from_records(records)
    worker = next(w for w in assess(table).workers if w.id == "r0")
    assert worker.accepted and "repeats-differ" in worker.flags and worker.repeats == 10
    assert not next(w for w in assess(table, enforce_repeats=True).workers if w.id == "r0").accepted


def test_repeats_that_are_no_more_alike_than_strangers_reject_where_they_are_asked() -> None:
    records, random = campaign(), np.random.default_rng(5)
    for rater in ("r0", "r1"):
        for k in range(10):
            first = next(
                r
                for r in records
                if r.rater == rater
                and r.item == f"v{k + 10}"
                and r.system == ("best", "middle", "worst")[k % 3]
            )
            records[records.index(first)] = msgspec.structs.replace(first, pair=f"q{k}")
            second = (
                float(random.integers(0, 101)) if rater == "r0" else first.value + float(random.normal(0, 8))
            )
            records.append(
                msgspec.structs.replace(first, kind="repeat", pair=f"q{k}", position=200 + k, value=second)
            )
    table = from_records(records)
    careless, careful, without = (
        next(w for w in assess(table, gates="repeats").workers if w.id == name) for name in ("r0", "r1", "r2")
    )
    assert not careless.accepted and "inconsistent" in careless.flags and "no closer than" in careless.reason
    assert careless.p is not None and careless.p < 0.05
    assert careful.accepted and careful.consistency_p is not None and careful.consistency_p < 0.01
    assert without.accepted and without.consistency_p is None  # no repeats: the gate is silent
    assert all(w.accepted for w in assess(table, gates="control").workers)
    assert all(w.accepted for w in assess(as_foreign(table)).workers)


def as_foreign(table: Ratings) -> Ratings:
    """The same ratings as if another tool had written them."""
    return dataclasses.replace(table, ours=False)


def test_consistency_has_the_level_that_it_promises() -> None:
    """Raters who answer at random pass the check of repeats at about the stated rate, whatever the shape of
    their scores.
    """
    random, raters = np.random.default_rng(0), 2000
    for draw in (
        lambda size: random.integers(0, 101, size),
        lambda size: random.choice([0, 100], size),
        lambda size: np.clip(random.normal(60, 12, size), 0, 100),
        lambda size: random.exponential(1, size),
    ):
        value = draw((raters, 100)).astype(float)
        columns = {
            "rater": np.repeat([f"w{k}" for k in range(raters)], 100).tolist(),
            "item": [str(k // 2) for k in range(100)] * raters,
            "system": ["s"] * 100 * raters,
            "value": value.ravel().tolist(),
            "kind": (["system", "repeat"] * 10 + ["system"] * 80) * raters,
            "pair": ([f"q{k // 2}" for k in range(20)] + [""] * 80) * raters,
            "position": list(range(100)) * raters,
        }
        table = from_columns(columns)
        p = consistency(table, control_pairs(table, REPEAT)[0])
        assert 0.02 < (p < 0.1).mean() < 0.13  # skewed or coarse scores: on the safe side


def crowd(shares: list[float], noise: float = 12.0, seed: int = 0, captions: int = 60) -> Ratings:
    """One rater per share of captions that are looked at; the other answers are drawn from the same scores,
    whatever the caption. Ten control pairs.
    """
    random = np.random.default_rng(seed)
    quality = random.normal(50, 20, captions)
    records = []
    for k, share in enumerate(shares):

        def score(truth: float, share: float = share) -> float:
            seen = truth if random.random() < share else random.choice(quality)
            return float(np.clip(random.normal(seen, noise), 0, 100))

        records += [
            Rating(f"v{c}", "s", f"r{k:03d}", score(quality[c]), hit="h", position=c) for c in range(captions)
        ]
        for c in range(10):
            records += [
                Rating(
                    f"v{c}",
                    "Human",
                    f"r{k:03d}",
                    score(truth),
                    kind,
                    hit="h",
                    pair=f"p{c}",
                    position=100 + 2 * c + place,
                )
                for place, (kind, truth) in enumerate((("human", 90.0), ("degraded", 30.0)))
            ]
    return from_records(records)


def test_who_looks_at_some_captions_only_stands_apart_from_the_others() -> None:
    table = crowd([1.0] * 12 + [0.3] * 4)
    workers, by_pairs = assess(table).workers, assess(table, gates="control").workers
    assert [w.accepted for w in workers] == [True] * 12 + [False] * 4
    assert any(w.accepted for w in by_pairs[12:])  # control pairs alone do not stop them all
    caught = next(
        w for w, before in zip(workers, by_pairs, strict=True) if before.accepted and not w.accepted
    )
    assert (
        "not significantly higher than half of the usual one" in caught.reason
        and "apart" in caught.flags
        and caught.agreement is not None
    )
    assert [w.accepted for w in assess(as_foreign(table)).workers] == [w.accepted for w in by_pairs]
    assert all(w.agreement is not None and w.agreement > 0.7 for w in workers[:12])


def test_the_less_a_rater_looks_the_less_it_helps() -> None:
    """p < .02 supposes normal scores and a share of exactly half; luck decides how many captions it really
    was, so about one in ten passes at half.
    """
    honest, passed = 24, {}
    for share in (0.3, 0.5, 1.0):
        p = [
            w.agreement_p
            for seed in range(6)
            for w in assess(crowd([1.0] * honest + [share] * 12, seed=seed)).workers[honest:]
        ]
        passed[share] = np.mean([v is not None and v < 0.02 for v in p])
    assert passed[0.3] < 0.03 and passed[0.5] < 0.2 and passed[1.0] > 0.98


def test_peers_are_silent_where_they_cannot_know() -> None:
    few = assess(crowd([1.0] * 2))
    assert all(w.agreement_p is None and w.accepted for w in few.workers) and few.usual is None
    at_odds = assess(crowd([1.0] * 10, noise=60, captions=20))
    assert all(w.agreement_p is None for w in at_odds.workers)
    for quality in (few, at_odds):
        assert "WARNING: agreement with the others could not be computed for" in quality.notes[0]
    assert not assess(crowd([1.0] * 10)).notes


def test_a_check_that_many_fail_decides_nothing() -> None:
    records = campaign(raters=4)
    random = np.random.default_rng(2)
    for k in range(4):
        for place in range(10):
            first = next(
                r
                for r in records
                if r.rater == f"r{k}" and r.item == f"v{place + 10}" and r.system == "middle"
            )
            records[records.index(first)] = msgspec.structs.replace(first, pair=f"q{place}")
            records.append(
                msgspec.structs.replace(
                    first,
                    kind="repeat",
                    pair=f"q{place}",
                    position=200 + place,
                    value=float(random.integers(0, 101)),
                )
            )
    table = from_records(records)
    lenient, strict = assess(table), assess(table, gates="repeats")
    assert sum(not w.accepted for w in strict.workers) > 1 and all(w.accepted for w in lenient.workers)
    assert "could not be computed" in lenient.notes[0] and "--gates repeats enforces it" in lenient.notes[1]

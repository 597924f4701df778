"""Paired tests and multiple comparisons against enumeration and against scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from part_kit import Later

from storymeter.errors import DataError
from storymeter.stats import holm, paired, paired_bootstraps, paired_permutations, resampling

stats = Later("scipy.stats")


def mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def paired_permutation(
    a: np.ndarray, b: np.ndarray, *, resamples: int = 100, seed: int = 0
) -> paired.PairedTest:
    return paired_permutations(a, b, [paired.Part(slice(None), mean)], resamples=resamples, seed=seed)[0]


def paired_bootstrap(
    a: np.ndarray, b: np.ndarray, *, resamples: int = 100, seed: int = 0
) -> paired.PairedTest:
    return paired_bootstraps(a, b, [paired.Part(slice(None), mean)], resamples=resamples, seed=seed)[0]


def rows(values: np.ndarray) -> np.ndarray:
    return np.column_stack([values, np.ones(len(values))])


def test_permutation_agrees_with_every_one_of_the_swaps() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(0.4, 1, 10), random.normal(0, 1, 10)
    observed = abs(np.mean(a - b))
    every = [
        abs(np.mean(np.where(swap, b - a, a - b))) >= observed - 1e-12
        for swap in itertools.product([0, 1], repeat=10)
    ]
    test = paired_permutation(rows(a), rows(b), resamples=20_000, seed=1)
    assert test.p == pytest.approx(np.mean(every), abs=0.012)
    assert test.difference == pytest.approx(np.mean(a) - np.mean(b))


def test_the_seed_alone_decides() -> None:
    random = np.random.default_rng(0)
    a, b = rows(random.normal(size=50)), rows(random.normal(size=50))
    first, again, other = (paired_permutation(a, b, resamples=500, seed=s).p for s in (1, 1, 2))
    assert first == again != other


def test_p_is_never_zero_and_equal_systems_get_one() -> None:
    a = rows(np.arange(30.0))
    assert paired_permutation(a + np.array([[100.0, 0]]), a, resamples=99).p == 1 / 100
    assert paired_permutation(a, a, resamples=99).p == 1.0
    assert paired_bootstrap(a, a, resamples=99).p == 1.0


def test_bootstrap_interval_is_near_the_t_interval() -> None:
    random = np.random.default_rng(5)
    a, b = random.normal(0.3, 1, 400), random.normal(0, 1, 400)
    test = paired_bootstrap(rows(a), rows(b), resamples=4000, seed=2)
    low, high = stats.t.interval(0.95, 399, loc=np.mean(a - b), scale=stats.sem(a - b))
    assert test.interval == pytest.approx((low, high), abs=0.01)
    assert test.p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.01)


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(DataError, match="same documents"):
        paired_permutation(np.ones((3, 2)), np.ones((4, 2)))
    with pytest.raises(DataError, match="at least two"):
        paired_bootstrap(np.ones((1, 2)), np.ones((1, 2)))


def test_win_tie_loss_counts() -> None:
    assert paired.win_tie_loss([0.1 + 0.2, 1, 5], [0.3, 0, 6]) == (1, 1, 1)


def test_benjamini_hochberg_is_scipys() -> None:
    p = np.random.default_rng(1).uniform(size=40) ** 3
    np.testing.assert_allclose(
        resampling.benjamini_hochberg(p), stats.false_discovery_control(p, method="bh"), rtol=1e-12
    )


def test_holm_by_hand_and_with_a_test_that_could_not_be_made() -> None:
    np.testing.assert_allclose(holm([0.01, np.nan, 0.02, 0.3]), [0.03, np.nan, 0.04, 0.3])
    assert holm([]).shape == (0,)
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]


def test_equal_means_of_heavy_tailed_and_skewed_differences_are_rejected_about_as_often_as_nominal() -> None:
    draw, part = np.random.default_rng(0), paired.Part(slice(None), mean)
    heavy, skewed, swaps = [], [], []
    for seed in range(250):
        a, b = (rows(np.exp(draw.normal(size=12))) for _ in range(2))
        heavy.append(paired_bootstraps(a, b, [part], resamples=500, seed=seed)[0].p)
        c, zero = rows(draw.exponential(size=12) - 1), rows(np.zeros(12))
        skewed.append(paired_bootstraps(c, zero, [part], resamples=500, seed=seed)[0].p)
        swaps.append(paired_permutations(c, zero, [part], resamples=None, seed=seed)[0].p)
    assert 0.02 < np.mean(np.less(heavy, 0.05)) < 0.065  # the symmetric bootstrap-t: .01
    assert np.mean(np.less(skewed, 0.05)) < 0.075 < np.mean(np.less(swaps, 0.05))
    assert np.all(np.greater_equal(skewed, swaps))

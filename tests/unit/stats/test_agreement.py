"""Williams, permutations, correlations and tie-aware accuracies: the oracles, and slow textbook versions."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from part_kit import Later

from storymeter.stats import correlation, dependent, pearson, ranks, ties, williams

scipy_stats = Later("scipy.stats")

WILLIAMS = [
    (0.65, 0.55, 0.30, 50, 0.8160781865467162, 0.20928617286753579),
    (0.9, 0.8, 0.7, 5, 0.4829804923590778, 0.33840461147876),
    (0.9, 0.8, 0.7, 20, 1.3723336198457738, 0.09389833942857091),
    (0.9, 0.8, 0.7, 100, 3.2605108997474495, 0.0007674239371438021),
    (0.99, 0.95, 0.96, 12, 2.9842124242331987, 0.007672164430471246),
]


@pytest.mark.parametrize(("r12", "r13", "r23", "n", "t", "p"), WILLIAMS)
def test_williams_table(r12: float, r13: float, r23: float, n: int, t: float, p: float) -> None:
    got = williams(r12, r13, r23, n)
    assert got == (pytest.approx(t, rel=1e-12), pytest.approx(p, rel=1e-12))


def test_williams_from_scores() -> None:
    gold, a, b = [1, 2, 3, 4, 5], [1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]
    p = williams(pearson(gold, a), pearson(gold, b), pearson(a, b), 5).p
    assert p == pytest.approx(0.01907368798284464, rel=1e-10)


@pytest.mark.parametrize("arguments", [(0.5, 0.4, 0.3, 3), (math.nan, 0.4, 0.3, 9), (0.5, 0.5, 1.0, 9)])
def test_williams_has_no_answer(arguments: tuple[float, float, float, int]) -> None:
    assert all(math.isnan(value) for value in williams(*arguments))


GOLD, METRIC = np.array([[1, 2, 3], [4, 5, 6]]), np.array([[2, 1, 4], [3, 3, 7]])


@pytest.mark.parametrize(
    ("name", "none", "by_system", "by_item"),
    [("pearson", 0.776, 0.760, 1.0), ("kendall_b", 0.552, 0.575, 1.0), ("kendall_c", 0.556, 0.611, 1.0)],
)
def test_groupings(name: str, none: float, by_system: float, by_item: float) -> None:
    gold, metric = GOLD.ravel(), METRIC.ravel()
    systems, items = np.repeat([0, 1], 3), np.tile([0, 1, 2], 2)
    assert correlation.COEFFICIENTS[name](gold, metric) == pytest.approx(none, abs=5e-4)
    assert correlation.grouped(correlation.COEFFICIENTS[name], gold, metric, systems).value == pytest.approx(
        by_system, abs=5e-4
    )
    assert correlation.grouped(correlation.COEFFICIENTS[name], gold, metric, items).value == pytest.approx(
        by_item, abs=5e-4
    )


def test_constant_groups_are_dropped_and_counted() -> None:
    result = correlation.grouped(pearson, [1, 2, 3, 4, 9], [1, 2, 5, 5, 7], [0, 0, 1, 1, 2])
    assert (result.value, result.dropped, result.groups.tolist()) == (1.0, 2, [0])
    nothing = correlation.grouped(pearson, [1, 1], [1, 2], [0, 0])
    assert math.isnan(nothing.value) and nothing.dropped == 1


def test_many_groups_at_once_are_one_at_a_time() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 40, 300)
    x, y = random.integers(0, 5, 300).astype(float), random.integers(0, 4, 300).astype(float)
    x[labels == 7] = 0.1 + 0.2
    for coefficient in (pearson, correlation.kendall_b):
        fast = correlation.grouped(coefficient, x, y, labels)
        slow = correlation.grouped(lambda a, b, c=coefficient: c(a, b), x, y, labels)
        np.testing.assert_allclose(fast.values, slow.values, atol=1e-12)
        assert (fast.dropped, fast.groups.tolist()) == (
            slow.dropped,
            slow.groups.tolist(),
        ) and fast.dropped > 0


def test_the_small_vectors_of_the_specification() -> None:
    x, y = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    assert correlation.kendall_b(x, y) == pytest.approx(0.316227766, abs=1e-9)
    assert correlation.kendall_c(x, y) == pytest.approx(0.32, abs=1e-12)
    assert ties.tie_accuracy(x, y) == 0.6
    assert ties.tie_accuracy(x, y, epsilon=2) == 0.4
    assert ties.tie_calibrated(x, y).accuracy == 0.7
    assert ties.kendall_like([10, 11, 100, 150], [2, 1, 4, 3]) == 3 / 5
    assert ties.kendall_like([10, 11, 100, 150], [2, 1, 4, 3], threshold=1) == pytest.approx(2 / 6)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=2, max_size=12))
def test_calibration_finds_the_best_epsilon_there_is(points: list[tuple[int, int]]) -> None:
    human, metric = zip(*points, strict=True)
    found = ties.tie_calibrated(human, metric)
    every = {
        epsilon: ties.tie_accuracy(human, metric, epsilon=epsilon)
        for epsilon in [0, *(abs(a - b) for a, b in itertools.combinations(metric, 2))]
    }
    assert found.accuracy == pytest.approx(max(every.values()))
    assert found.epsilon == min(e for e, accuracy in every.items() if accuracy == max(every.values()))
    assert ties.tie_accuracy(human, metric, epsilon=found.epsilon) == pytest.approx(found.accuracy)


def test_groups_limit_the_pairs() -> None:
    human, metric, items = [1, 2, 9, 8], [1, 2, 0, 5], [0, 0, 1, 1]
    assert ties.pairwise_accuracy(human, metric, items) == 0.5


def test_a_metric_tie_counts_against_it() -> None:
    assert ties.kendall_like([0, 100], [1, 1]) == -1.0
    assert math.isnan(ties.kendall_like([0, 1], [1, 2]))


def test_soft_pairwise_accuracy_of_perfect_and_reversed_metrics() -> None:
    random = np.random.default_rng(0)
    human = random.normal(size=(4, 60)) + np.arange(4)[:, None]
    assert ties.soft_pairwise_accuracy(human, human).value == 1.0
    assert ties.soft_pairwise_accuracy(human, -human).value < 0.05
    unsure = ties.soft_pairwise_accuracy(human, random.normal(size=(4, 60)))
    assert 0.3 < unsure.value < 0.7
    human[0, 1:] = np.nan
    assert ties.soft_pairwise_accuracy(human, human).dropped == 3


def test_soft_pairwise_accuracy_of_a_constant_does_not_depend_on_the_order_of_systems() -> None:
    random = np.random.default_rng(3)
    human = random.normal(size=(5, 40)) + 2 * np.arange(5)[:, None]
    constant = np.full(human.shape, 0.3)
    forwards, backwards = (
        ties.soft_pairwise_accuracy(human[order], constant) for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    )
    assert forwards.value == pytest.approx(backwards.value, abs=1e-12)
    assert 0.5 <= forwards.value < 0.55  # p is 1/2 for every pair, and people are sure


def test_soft_pairwise_accuracy_does_not_depend_on_order_or_scale() -> None:
    random = np.random.default_rng(4)
    human = np.round(random.normal(size=(5, 30)) + 0.3 * np.arange(5)[:, None], 1)
    metric = np.round(human + random.normal(size=human.shape), 1)
    human[1, 3] = metric[2, 7] = np.nan
    value = ties.soft_pairwise_accuracy(human, metric).value
    for _ in range(5):
        systems, items = random.permutation(5), random.permutation(30)
        h, m = (side[systems][:, items] for side in (human, metric))
        assert ties.soft_pairwise_accuracy(h, m).value == pytest.approx(value, abs=1e-12)
    assert ties.soft_pairwise_accuracy(human, 1e-15 * metric).value == pytest.approx(value, abs=1e-12)
    assert ties.soft_pairwise_accuracy(human * 1024, metric - 512).value == pytest.approx(value, abs=0.01)


def test_preference_accuracy_states_its_rule() -> None:
    human, metric = [2, -1, 0, 1, 1], [0.3, 0.1, 0.5, 0.0, 0.2]
    assert ties.preference_accuracy(human, metric) == (2.5 / 4, 4, 1)
    assert ties.preference_accuracy(human, metric, ties="wrong") == (0.5, 4, 1)
    assert ties.preference_accuracy(human, metric, ties="drop") == (2 / 3, 3, 1)
    assert math.isnan(ties.preference_accuracy([0, 0], [1, 2])[0])


def test_fast_permutation_is_the_slow_one() -> None:
    random = np.random.default_rng(4)
    human = random.normal(size=80)
    a, b = human + random.normal(size=80), human + 1.4 * random.normal(size=80)
    fast = dependent.permutation_pearson(human, a, b, resamples=700, seed=9)
    slow = dependent.permutation(pearson, human, a, b, resamples=700, seed=9)
    assert fast.p == slow.p
    assert fast.difference == pytest.approx(slow.difference, abs=1e-12)


def test_permutation_of_equal_metrics_is_one() -> None:
    human = np.arange(20.0)
    assert dependent.permutation_pearson(human, human**2, human**2, resamples=99).p == 1.0
    assert math.isnan(dependent.permutation_pearson(human, np.ones(20), human).p)


def test_permutation_of_ten_thousand_segments_is_quick() -> None:
    random = np.random.default_rng(1)
    human = random.normal(size=10_000)
    a, b = human + random.normal(size=10_000), human + 1.01 * random.normal(size=10_000)
    begin = time.process_time()
    dependent.permutation_pearson(human, a, b, resamples=10_000)
    assert time.process_time() - begin < 10


def test_permutation_of_groups() -> None:
    delta = np.array([0.2, 0.1, 0.3, -0.1, 0.2, 0.4])
    exact = np.mean(
        [np.mean(delta * s) >= delta.mean() - 1e-12 for s in itertools.product([1, -1], repeat=6)]
    )
    assert dependent.permutation_grouped(delta, np.zeros(6), resamples=20_000).p == pytest.approx(
        exact, abs=0.01
    )


def test_fisher_interval() -> None:
    assert correlation.fisher_interval(0.5, 28) == pytest.approx((0.1560, 0.7358), abs=5e-4)
    assert correlation.fisher_interval(0.5, 3) is None
    assert correlation.fisher_interval(math.nan, 30) is None
    wide, narrow = (
        correlation.fisher_interval(0.5, 28, kind="spearman"),
        correlation.fisher_interval(0.5, 28, kind="kendall_b"),
    )
    assert wide is not None and narrow is not None and wide[0] < 0.156 < narrow[0]


def test_rank_tests_for_many_groups_are_scipys() -> None:
    random = np.random.default_rng(7)
    groups = np.repeat(np.arange(6), 15)
    high, low = random.integers(0, 8, 90).astype(float), random.integers(0, 6, 90).astype(float)
    mw = ranks.rank_sum(high, low, groups, groups, 6)
    t = ranks.paired_t(high - low, groups, 6)
    for k in range(6):
        h, lo = high[groups == k], low[groups == k]
        assert mw[k] == pytest.approx(
            scipy_stats.mannwhitneyu(h, lo, alternative="greater", method="asymptotic").pvalue, rel=1e-12
        )
        assert t[k] == pytest.approx(scipy_stats.ttest_rel(h, lo, alternative="greater").pvalue, rel=1e-10)


def test_signed_rank_counts_all_signs_even_with_ties() -> None:
    d = np.array([3.0, -1, 2, 2, -2, 5, 0, 4, 1])
    kept = d[d != 0]
    ranked = scipy_stats.rankdata(np.abs(kept))
    observed = ranked[kept > 0].sum()
    every = np.mean(
        [
            ranked[np.array(s, dtype=bool)].sum() >= observed - 1e-9
            for s in itertools.product([0, 1], repeat=len(kept))
        ]
    )
    assert ranks.signed_rank(d, np.zeros(9, dtype=np.int64), 1)[0] == pytest.approx(every, rel=1e-12)
    plain = np.array([1.5, -2.5, 3.5, 4.5, -0.5, 6.5])
    assert ranks.signed_rank(plain, np.zeros(6, dtype=np.int64), 1)[0] == pytest.approx(
        scipy_stats.wilcoxon(plain, alternative="greater").pvalue
    )
    many = np.random.default_rng(2).normal(0.1, 1, 60)
    assert ranks.signed_rank(many, np.zeros(60, dtype=np.int64), 1)[0] == pytest.approx(
        scipy_stats.wilcoxon(many, alternative="greater", method="approx").pvalue, rel=1e-12
    )


def test_exact_limits_of_ten_pairs() -> None:
    group = np.zeros(10, dtype=np.int64)
    assert ranks.signed_rank(np.arange(1.0, 11), group, 1)[0] == 1 / 1024
    assert ranks.rank_sum(np.arange(11.0, 21), np.arange(10.0), group, group, 1)[0] == pytest.approx(
        9.133589555477501e-05, rel=1e-12
    )


def test_what_cannot_be_tested_is_nan() -> None:
    none, one = np.zeros(4, dtype=np.int64), np.zeros(1, dtype=np.int64)
    assert math.isnan(ranks.paired_t(np.zeros(4), none, 1)[0])
    assert math.isnan(ranks.paired_t(np.ones(1), one, 1)[0])
    assert math.isnan(ranks.signed_rank(np.zeros(4), none, 1)[0])
    assert math.isnan(ranks.rank_sum(np.ones(4), np.ones(4), none, none, 1)[0])
    assert ranks.paired_t(np.full(4, 5.0), none, 1)[0] == 1 / 16
    assert ranks.paired_t(np.full(4, -5.0), none, 1)[0] == 1.0


@pytest.mark.parametrize("levels", [3, 50, 1000])
def test_many_columns_at_once_are_one_at_a_time(levels: int) -> None:
    random = np.random.default_rng(levels)
    human, columns = random.integers(0, 5 if levels < 50 else 700, 300), random.integers(0, levels, (7, 300))
    fixed, _ = ranks.ranks_of(human.astype(float))
    slow = {
        "spearman": correlation.spearman,
        "kendall_b": correlation.kendall_b,
        "kendall_c": correlation.kendall_c,
        "accuracy_ties": lambda x, y: ties.tie_accuracy(y, x),
    }
    for name in ranks.RANK_STATISTICS:
        got = ranks.rank_statistic(name, fixed, columns.astype(np.int32), levels, threads=2)
        np.testing.assert_allclose(
            got, [slow[name](column, human) for column in columns], atol=1e-12, err_msg=name
        )
    constant = np.zeros((1, 300), dtype=np.int32)
    assert all(
        np.isnan(ranks.rank_statistic(name, fixed, constant, 1)).all() for name in ranks.RANK_STATISTICS
    )


@pytest.mark.parametrize("statistic", ["spearman", "kendall_b", "kendall_c", "accuracy_ties"])
def test_permutation_of_rank_statistics(statistic: str) -> None:
    random = np.random.default_rng(1)
    human = random.integers(0, 5, 60).astype(float)
    a, b = human + random.normal(0, 1, 60), human + random.normal(0, 1.6, 60)
    coefficient = correlation.COEFFICIENTS.get(statistic) or (lambda x, y: ties.tie_accuracy(y, x))
    fast, slow = (
        dependent.permutation_ranks(statistic, human, a, b, resamples=300, seed=3),
        dependent.permutation(coefficient, human, a, b, resamples=300, seed=3),
    )
    assert (
        fast.difference == pytest.approx(slow.difference, abs=1e-12) and fast.p == slow.p
    )  # the same swaps, counted in another way
    assert dependent.permutation_ranks(statistic, human, a, b, resamples=300, seed=3, threads=2) == fast
    doubled = [np.repeat(v, 2) for v in (human, a, b)]
    together = dependent.permutation_ranks(
        statistic, *doubled, units=np.repeat(np.arange(60), 2), resamples=300, seed=3
    )
    assert together.p == pytest.approx(fast.p, abs=0.03)  # two rows of one item change places as one
    assert math.isnan(dependent.permutation_ranks(statistic, human, np.ones(60), b).p)


def test_a_rank_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="range"):
        ranks.rank_statistic(
            "kendall_b", np.array([0, 1, 2], dtype=np.int32), np.array([[0, 1, 5]], dtype=np.int32), 3
        )


def test_draws_of_soft_pairwise_accuracy_lie_around_it() -> None:
    random = np.random.default_rng(0)
    human = random.normal(np.linspace(0, 0.4, 5)[:, None], 1, (5, 200))
    metric = human + random.normal(0, 1.5, human.shape)
    metric[2, 7] = np.nan
    value = ties.soft_pairwise_accuracy(human, metric, resamples=2000).value
    whole = ties.soft_pairwise_draws(human, metric, np.ones((1, 200)))
    assert whole[0] == pytest.approx(value, abs=0.01)  # the normal approximation stands for the permutation
    weights = np.stack([np.bincount(random.integers(0, 200, 200), minlength=200) for _ in range(300)]).astype(
        float
    )
    low, high = np.quantile(ties.soft_pairwise_draws(human, metric, weights), [0.025, 0.975])
    assert low < value < high <= 1
    same = ties.soft_pairwise_draws(human, metric, np.ones((1, 200)), np.zeros((1, 5), dtype=np.int64))
    assert np.isnan(same[0])  # a system is no pair with itself


def test_one_huge_value_makes_no_ties() -> None:
    """One caption with a perplexity of 1e12 made systems equal whose means differed by less than 10."""
    assert len(np.unique(ties.settled([25.0, 30.0, 35.0, 5e10]))) == 4
    draw = np.random.default_rng(0)
    human, metric = np.arange(5.0)[:, None] + draw.normal(size=(5, 20)), np.arange(5.0)[:, None] * np.ones(20)
    metric += draw.normal(size=(5, 20))
    plain = ties.soft_pairwise_accuracy(human[1:], metric[1:], resamples=200).value
    metric[0, 0] = 1e15
    spoilt = ties.soft_pairwise_accuracy(human, metric, resamples=200)
    first = [
        ties.soft_pairwise_accuracy(human[[0, k]], metric[[0, k]], resamples=200).value for k in range(1, 5)
    ]
    assert spoilt.value == pytest.approx((6 * plain + sum(first)) / 10)


@pytest.mark.parametrize("value", [0.5, 0.1, 0.7, 1 / 3])
def test_a_constant_is_tested_against_nobody(value: float) -> None:
    """The standard deviation of .7 is 1e-16, and its z-scores were noise that won at p = .0001."""
    random = np.random.default_rng(0)
    human = np.repeat(random.normal(size=60), 3)
    columns = {"constant": np.full(180, value), "a": human + random.normal(size=180), "b": -human}
    assert list(dependent.permutations_of_pairs(columns, human=human, resamples=50)) == [("a", "b")]
    assert math.isnan(dependent.permutation_pearson(human, columns["constant"], columns["a"], resamples=50).p)
    tables = [columns[name].reshape(6, 30) for name in ("a", "constant")]
    assert math.isnan(dependent.permutation_systems(human.reshape(6, 30), *tables, resamples=50).p)


def test_permutation_over_segments_is_two_sided() -> None:
    random, wrong = np.random.default_rng(1), 0
    for k in range(200):
        human = random.normal(size=40)
        a, b = (human + random.normal(size=40) for _ in range(2))
        forwards = dependent.permutation_pearson(human, a, b, resamples=199, seed=k, two_sided=True)
        backwards = dependent.permutation_pearson(human, b, a, resamples=199, seed=k, two_sided=True)
        assert forwards.p == backwards.p and forwards.difference == pytest.approx(-backwards.difference)
        wrong += forwards.p < 0.05
    assert wrong <= 18


def test_permutation_of_whole_systems() -> None:
    human = np.arange(9.0)[:, None] + np.zeros((9, 4))
    noise = np.random.default_rng(2).normal(size=(9, 4)) * 9
    same = dependent.permutation_systems(human, noise, noise, resamples=99)
    assert same.difference == pytest.approx(0) and same.p == 1.0
    better = dependent.permutation_systems(human, human, noise, resamples=999)
    assert better.difference > 0.3 and better.p < 0.1
    assert math.isnan(dependent.permutation_systems(human, human, 0 * noise).p)


def test_all_pairs_at_once_are_the_tests_of_each_pair() -> None:
    random = np.random.default_rng(4)
    human, units = random.normal(size=60), np.arange(60) // 2
    columns = {
        name: human * w + random.normal(size=60) for name, w in zip("abc", (0.5, 0.6, 0.1), strict=True)
    }
    given: Any = {"resamples": 199, "seed": 3}
    against = dependent.permutations_of_pairs(columns, human=human, units=units, **given)
    plain = dependent.permutations_of_pairs(columns, **given)
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        one = dependent.permutation_pearson(
            human, columns[a], columns[b], units=units, two_sided=True, **given
        )
        assert against[a, b] == (pytest.approx(one.difference), one.p)
        other = dependent.permutation_grouped(columns[a], columns[b], two_sided=True, **given)
        assert plain[a, b] == (pytest.approx(other.difference), other.p)
    constant = dependent.permutations_of_pairs({**columns, "d": np.ones(60)}, human=human, **given)
    assert set(constant) == set(against)  # nothing can be said of a constant


def test_a_weighted_sample_is_the_sample_written_out() -> None:
    random = np.random.default_rng(2)
    for levels in (4, 1000):
        x, y = random.normal(size=300).round(1), random.integers(0, levels, 300).astype(float)
        ranked, weights = (
            ranks.Ranked(x, y),
            np.bincount(random.integers(0, 300, 300), minlength=300).astype(float),
        )
        drawn = np.repeat(np.arange(300), weights.astype(int))
        assert ranked.spearman(weights) == pytest.approx(correlation.spearman(x[drawn], y[drawn]), abs=1e-12)
        got = ranked.kendall(weights)
        assert got["kendall_b"] == pytest.approx(
            scipy_stats.kendalltau(x[drawn], y[drawn]).statistic, abs=1e-12
        )
        assert got["kendall_c"] == pytest.approx(correlation.kendall_c(x[drawn], y[drawn]), abs=1e-12)
        assert got["accuracy_ties"] == pytest.approx(ties.tie_accuracy(y[drawn], x[drawn]), abs=1e-12)

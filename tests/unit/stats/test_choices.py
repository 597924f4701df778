"""Accuracy over pairs and the area under the ROC curve."""

from __future__ import annotations

import math

import numpy as np
import pytest

from storymeter.stats import ties


def test_auc_is_the_share_of_pairs_in_order() -> None:
    random = np.random.default_rng(1)
    label, value = random.random(60) < 0.4, random.integers(0, 8, 60).astype(float)
    pairs = [(p > n) + 0.5 * (p == n) for p in value[label] for n in value[~label]]
    assert ties.auc(label, value) == pytest.approx(np.mean(pairs), abs=1e-12)
    low, high = ties.auc_interval(label, value, np.arange(60) // 3, resamples=100) or (0, 0)
    assert 0 <= low < ties.auc(label, value) < high <= 1


def test_auc_of_one_class_is_no_number() -> None:
    assert math.isnan(ties.auc([True, True], [1.0, 2.0]))
    assert math.isnan(ties.auc([], []))
    assert ties.auc_interval([True], [1.0], ["a"]) is None


def test_ties_count_half_and_missing_values_are_left_out() -> None:
    found = ties.pair_accuracy([1, 2, 3, math.nan], [0, 2, 4, 1])
    assert found == (0.5, 3, 1)
    assert math.isnan(ties.pair_accuracy([], []).accuracy)


def test_the_interval_is_that_of_a_share() -> None:
    better = np.repeat([1.0, 0.0], [300, 100])
    low, high = ties.pair_accuracy_interval(better, 1 - better, resamples=2000) or (0, 0)
    half = 1.96 * math.sqrt(0.75 * 0.25 / 400)
    assert (low, high) == pytest.approx((0.75 - half, 0.75 + half), abs=0.008)

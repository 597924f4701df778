"""The interval of the difference between two metrics."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from part_kit import Later

from storymeter.meta.comparisons import compare, difference_interval
from storymeter.meta.scores import Scores

stats = Later("scipy.stats")

RANDOM = np.random.default_rng(3)
HUMAN = RANDOM.normal(size=120)
GOOD, FAIR = HUMAN + RANDOM.normal(size=120), HUMAN + 3 * RANDOM.normal(size=120)
ITEM = np.repeat(np.arange(40), 3)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b", "kendall_c"])
def test_it_is_the_bootstrap_by_hand(statistic: str) -> None:
    """Rows of drawn items, written out and correlated one draw at a time."""
    found = difference_interval(statistic, HUMAN, GOOD, FAIR, ITEM, resamples=200, seed=5)
    dice, drawn = np.random.default_rng(5), []
    measure = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall_b": stats.kendalltau,
        "kendall_c": partial(stats.kendalltau, variant="c"),
    }[statistic]
    for _ in range(200):
        rows = np.concatenate([np.flatnonzero(k == ITEM) for k in dice.integers(0, 40, 40)])
        drawn.append(measure(GOOD[rows], HUMAN[rows]).statistic - measure(FAIR[rows], HUMAN[rows]).statistic)
    tail = stats.norm.cdf(np.sqrt(40 / 39) * stats.t.ppf(0.025, 39))  # Hesterberg's expanded percentiles
    assert found == pytest.approx(tuple(np.quantile(drawn, [tail, 1 - tail])), abs=1e-9)


def test_where_there_is_none() -> None:
    again = {"resamples": 50, "seed": 0}
    assert difference_interval("pearson", HUMAN, GOOD, FAIR, ITEM, resamples=0, seed=0) is None
    assert difference_interval("accuracy_ties", HUMAN, GOOD, FAIR, ITEM, **again) is None
    assert difference_interval("pearson", HUMAN, GOOD, np.ones(120), ITEM, **again) is None
    assert difference_interval("pearson", HUMAN, GOOD, FAIR, np.zeros(120, dtype=int), **again) is None


def test_comparisons_carry_it() -> None:
    items = tuple(map(str, range(40)))
    system = np.tile(np.arange(3), 40)
    scores = Scores(("a", "b", "c"), items, system, ITEM, HUMAN, {"fair": FAIR, "good": GOOD}, {}, (), "")
    (one,) = compare(scores, "segment", resamples=100, draws=100)
    assert (one.better, one.worse) == ("good", "fair")
    assert one.interval is not None and 0 < one.interval[0] < one.r_better - one.r_worse < one.interval[1]
    (none,) = compare(scores, "segment", resamples=100)
    assert none.interval is None

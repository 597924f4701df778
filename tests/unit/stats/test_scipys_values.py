"""What is worked out without scipy.stats, whose import takes a second, has its values to the last bit."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from storymeter.stats import correlation, ranks


@pytest.mark.parametrize("levels", [2, 4, 1000])
def test_ranks_and_kendall(levels: int) -> None:
    from scipy import stats

    random = np.random.default_rng(levels)
    for size in range(3, 60):
        x, y = random.integers(0, levels, size).astype(float), random.normal(size=size).round(1)
        x[:2] = 0, 1  # both vary
        assert ranks.mean_ranks(x).tolist() == stats.rankdata(x).tolist()
        assert correlation.kendall_b(x, y) == stats.kendalltau(x, y, variant="b").statistic
        assert correlation.kendall_c(x, y) == stats.kendalltau(x, y, variant="c").statistic


def test_a_value_that_is_no_number_leaves_no_rank_and_no_tau() -> None:
    hole, whole = [1.0, float("nan"), 3.0], [1.0, 2.0, 3.0]
    assert np.isnan(ranks.mean_ranks(hole)).all() and len(ranks.mean_ranks([])) == 0
    for coefficient in (correlation.kendall_b, correlation.kendall_c, correlation.spearman):
        assert np.isnan(coefficient(hole, whole)) and np.isnan(coefficient(whole, hole))


def test_an_analysis_starts_without_scipy_stats() -> None:
    """In a process of its own: here other tests may have imported it."""
    code = (
        "import sys, storymeter.human.analysis.assessment, storymeter.human.analysis.survey\n"
        "import storymeter.meta.overall_ranking\n"
        "from storymeter.stats.correlation import fisher_interval, kendall_b, spearman\n"
        "kendall_b([1, 2, 3], [1, 3, 2]), spearman([1, 2, 3], [1, 3, 2]), fisher_interval(0.5, 20)\n"
        "print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

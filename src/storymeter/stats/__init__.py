"""Resampling, paired tests, correlations and multiple comparisons; knows nothing of captions.

Names are loaded on first use, so that a bootstrap does not wait for scipy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import late

if TYPE_CHECKING:
    from .correlation import fisher_interval as fisher_interval
    from .correlation import grouped as grouped
    from .correlation import kendall_b as kendall_b
    from .correlation import kendall_c as kendall_c
    from .correlation import pearson as pearson
    from .correlation import spearman as spearman
    from .dependent import permutation as permutation
    from .dependent import permutation_grouped as permutation_grouped
    from .dependent import permutation_pearson as permutation_pearson
    from .dependent import permutation_ranks as permutation_ranks
    from .dependent import williams as williams
    from .multiple import benjamini_hochberg as benjamini_hochberg
    from .multiple import holm as holm
    from .paired import paired_bootstrap as paired_bootstrap
    from .paired import paired_permutation as paired_permutation
    from .paired import win_tie_loss as win_tie_loss
    from .ranks import paired_t as paired_t
    from .ranks import rank_sum as rank_sum
    from .ranks import signed_rank as signed_rank
    from .resampling import bootstrap_interval as bootstrap_interval
    from .ties import kendall_like as kendall_like
    from .ties import pairwise_accuracy as pairwise_accuracy
    from .ties import preference_accuracy as preference_accuracy
    from .ties import soft_pairwise_accuracy as soft_pairwise_accuracy
    from .ties import tie_accuracy as tie_accuracy
    from .ties import tie_calibrated as tie_calibrated

#: a score beyond this is no measurement, and its powers would not fit into a number
LARGEST = 1e50

_LATE = {
    "benjamini_hochberg": "multiple",
    "bootstrap_interval": "resampling",
    "fisher_interval": "correlation",
    "grouped": "correlation",
    "holm": "multiple",
    "kendall_b": "correlation",
    "kendall_c": "correlation",
    "kendall_like": "ties",
    "paired_bootstrap": "paired",
    "paired_permutation": "paired",
    "paired_t": "ranks",
    "pairwise_accuracy": "ties",
    "pearson": "correlation",
    "permutation": "dependent",
    "permutation_grouped": "dependent",
    "permutation_pearson": "dependent",
    "permutation_ranks": "dependent",
    "preference_accuracy": "ties",
    "rank_sum": "ranks",
    "signed_rank": "ranks",
    "soft_pairwise_accuracy": "ties",
    "spearman": "correlation",
    "tie_accuracy": "ties",
    "tie_calibrated": "ties",
    "williams": "dependent",
    "win_tie_loss": "paired",
}

__getattr__, __dir__ = late(__name__, _LATE)

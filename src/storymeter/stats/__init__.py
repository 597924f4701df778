"""Resampling, paired tests, correlations and multiple comparisons; knows nothing of captions."""

from __future__ import annotations

#: a score beyond this is no measurement, and its powers would not fit into a number
LARGEST = 1e50

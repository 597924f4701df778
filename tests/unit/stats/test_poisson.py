"""Sums that do not depend on the cut, and resamples drawn from hashes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.arrays import FloatArray
from storymeter.stats import bootstrap_interval, paired, paired_bootstraps, paired_permutations, poisson

#: wide, but with no digit below the grid
NUMBERS = st.floats(-1e15, 1e15, allow_nan=False).map(lambda x: x if abs(x) > 2.0**-50 else 0.0)


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.data())
@settings(max_examples=60, deadline=None)
def test_sums_are_exact_in_every_cut_and_order(numbers: list[float], data: st.DataObject) -> None:
    """As exact as `math.fsum`, which is rounded once."""
    order = data.draw(st.permutations(range(len(numbers))))
    cut = data.draw(st.integers(1, len(numbers)))
    rows = np.array([numbers[k] for k in order])[:, None]
    parts = [
        poisson.weighted_sums(rows[k : k + cut], [np.ones((len(rows[k : k + cut]), 1))])
        for k in range(0, len(rows), cut)
    ]
    assert poisson.added(parts).values(1).tolist() in ([[math.fsum(numbers)]], [])
    assert any(numbers) or not poisson.added(parts).digits


def test_digits_make_the_number_again() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 3)) * [1e-3, 1.0, 1e9]
    places, digits = poisson.digits_of(rows)
    again = np.zeros_like(rows)
    for (column, j), digit in sorted(zip(places, digits.T, strict=True), key=lambda entry: entry[0][1]):
        again[:, column] += np.ldexp(digit, poisson.BITS * j)
        assert np.abs(digit).max() < 2**poisson.BITS
        assert j >= poisson.LOWEST
    assert (again == rows).all()


def test_weights_follow_poisson_and_swaps_are_fair() -> None:
    keys = poisson.document_keys(f"v{k}" for k in range(2000))
    weights, bits = poisson.poisson_weights(keys, 500, seed=3), poisson.swaps(keys, 500, seed=3)
    shares = [(weights == k).mean() for k in range(5)]
    assert shares == pytest.approx([math.exp(-1) / math.factorial(k) for k in range(5)], abs=0.002)
    assert weights.var() == pytest.approx(1.0, abs=0.01)
    assert bits.mean() == pytest.approx(0.5, abs=0.002)
    # neither documents nor resamples nor seeds go together
    others = [
        weights[:, 1:],
        np.roll(weights, 1, axis=0)[:, 1:],
        poisson.poisson_weights(keys, 500, seed=4)[:, 1:],
    ]
    for other in others[1:]:
        assert abs(np.corrcoef(weights[:, 1:].ravel(), other.ravel())[0, 1]) < 0.005
    assert abs(np.corrcoef(weights[:, :-1].ravel(), others[0].ravel())[0, 1]) < 0.005
    assert abs(np.corrcoef(weights.ravel(), bits.ravel())[0, 1]) < 0.005
    assert (poisson.spread(keys) < 0.25).mean() == pytest.approx(0.25, abs=0.04)


def test_a_document_has_its_weights_wherever_it_stands() -> None:
    ids = [f"v{k}" for k in range(300)]
    rows = np.random.default_rng(1).random((300, 4))
    whole = poisson.resampled(poisson.document_keys(ids), rows, 70, 9).values(4)
    cuts = [slice(200, 300), slice(0, 7), slice(7, 200)]
    parts = [poisson.resampled(poisson.document_keys(ids[cut]), rows[cut], 70, 9) for cut in cuts]
    assert poisson.added([*parts, poisson.ExactSums()]).values(4).tobytes() == whole.tobytes()
    assert whole.shape == (141, 4)


def ratio(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


SHIFTS, RESAMPLES = (0.0, 0.01, 0.03), 40_000


@pytest.fixture(scope="module")
def systems() -> list[tuple[FloatArray, poisson.ResampledSums]]:
    """Rows of a system better by each shift and of one that is not, 500 documents of unequal length, with
    their sums: the weights are drawn once for all of them.
    """
    draw = np.random.default_rng(2)
    lengths = draw.integers(1, 20, 500).astype(float)
    skill, luck, other = draw.random(500), draw.normal(0.0, 0.2, 500), draw.normal(0.0, 0.2, 500)
    shifted = [skill + luck + shift for shift in SHIFTS]
    rows = [np.column_stack([np.clip(each, 0, 1) * lengths, lengths]) for each in (*shifted, skill + other)]
    keys = poisson.document_keys(f"v{k}" for k in range(500))
    columns = poisson.resampled(keys, np.hstack(rows), RESAMPLES, 0).values(2 * len(rows))
    sums = (columns[:, k : k + 2] for k in range(0, 2 * len(rows), 2))
    return [
        (each, poisson.ResampledSums(one[0], one[1 : 1 + RESAMPLES], one[1 + RESAMPLES :], ""))
        for each, one in zip(rows, sums, strict=True)
    ]


@pytest.mark.parametrize("shift", SHIFTS)
def test_intervals_and_tests_agree_with_those_of_rows(
    shift: float, systems: list[tuple[FloatArray, poisson.ResampledSums]]
) -> None:
    """With so many resamples that chance stays below the bounds."""
    (a, ours), (b, theirs) = systems[SHIFTS.index(shift)], systems[-1]
    value: Callable[[FloatArray], FloatArray] = ratio
    usual = bootstrap_interval(a, value, resamples=RESAMPLES)
    interval = poisson.sums_interval(ours, value, 500)
    assert usual is not None
    assert interval is not None
    assert np.abs(np.subtract(interval, usual)).max() < 0.03 * (usual[1] - usual[0])
    permutation, bootstrap = poisson.paired_tests(ours, theirs, value, 500)
    parts = [paired.Part(slice(None), value)]
    (swapped,) = paired_permutations(a, b, parts, resamples=RESAMPLES, seed=0)
    (drawn,) = paired_bootstraps(a, b, parts, resamples=RESAMPLES, seed=0)
    assert permutation.p == pytest.approx(swapped.p, abs=0.015)
    assert bootstrap.p == pytest.approx(drawn.p, abs=0.015)

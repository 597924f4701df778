from __future__ import annotations

import doctest
from itertools import combinations, pairwise

import numpy as np
import pytest

from storymeter.dense import caption_pairs, caption_pairs as matching, tracks, tracks as iou_module

#: paper 000, Fig. 1: rows g1-g4, columns p1-p5
FIGURE_1 = np.array(
    [
        [0.7, 0.1, 0.4, 0.9, 0.1],
        [0.2, 0.3, 0.5, 0.4, 0.5],
        [0.4, 1.0, 0.3, 0.7, 0.8],
        [0.8, 0.7, 0.6, 1.0, 0.1],
    ]
)
#: paper 003, Tab. 1: rows g1-g3, columns p1-p4
POSTER = np.array([[0.7, 0.6, 0.0, 0.0], [0.0, 0.5, 0.6, 0.0], [0.0, 0.0, 0.1, 0.9]])


def brute_force(weights: np.ndarray) -> float:
    rows, columns = weights.shape
    best = 0.0
    for size in range(1, min(rows, columns) + 1):
        for r in combinations(range(rows), size):
            for c in combinations(range(columns), size):
                best = max(best, weights[list(r), list(c)].sum())
    return best


def test_paper_000_figure_4() -> None:
    expected = [
        [0, 0, 0, 0, 0, 0],
        [0, 0.7, 0.7, 0.7, 0.9, 0.9],
        [0, 0.7, 1.0, 1.2, 1.2, 1.4],
        [0, 0.7, 1.7, 1.7, 1.9, 2.0],
        [0, 0.8, 1.7, 2.3, 2.7, 2.7],
    ]
    np.testing.assert_allclose(caption_pairs.optimum_table(FIGURE_1), expected, atol=1e-12)
    optimum, pairs = caption_pairs.match(FIGURE_1)
    assert optimum == pytest.approx(2.7, abs=1e-12)
    assert pairs == [(0, 0), (2, 1), (3, 3)]


def test_paper_000_eleven_pairs() -> None:
    found = {(f"p{p + 1}", f"g{g + 1}") for g, p in caption_pairs.over_threshold(FIGURE_1, 0.5)}
    assert found == {
        ("p1", "g1"),
        ("p1", "g4"),
        ("p2", "g3"),
        ("p2", "g4"),
        ("p3", "g2"),
        ("p3", "g4"),
        ("p4", "g1"),
        ("p4", "g3"),
        ("p4", "g4"),
        ("p5", "g2"),
        ("p5", "g3"),
    }


def test_paper_000_section_4_1() -> None:
    """Three captions with IoU .9, .4, .6 and METEOR .6: at t = .9 the mean over three pairs is .2, and
    without p1 and p3 it is 0.
    """
    overlap, meteor = np.array([[0.9, 0.4, 0.6]]), 0.6
    assert [len(caption_pairs.over_threshold(overlap, t)) for t in (0.3, 0.5, 0.7, 0.9)] == [3, 2, 1, 1]
    assert len(caption_pairs.over_threshold(overlap, 0.9)) * meteor / 3 == pytest.approx(0.2)
    assert caption_pairs.over_threshold(overlap[:, 1:2], 0.9) == []


def test_paper_003_table_1() -> None:
    assert sorted(caption_pairs.over_threshold(POSTER, 0.5)) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3)]
    assert caption_pairs.match(POSTER)[1] == [(0, 0), (1, 2), (2, 3)]


@pytest.mark.parametrize("kind", ["continuous", "ties", "sparse"])
def test_equals_brute_force(kind: str) -> None:
    random = np.random.default_rng(7)
    for rows in range(1, 7):
        for columns in range(1, 7):
            for _ in range(8):
                weights = random.random((rows, columns))
                if kind == "ties":
                    weights = np.round(weights * 3) / 4
                elif kind == "sparse":
                    weights *= random.random((rows, columns)) < 0.4
                optimum, pairs = caption_pairs.match(weights)
                assert optimum == pytest.approx(brute_force(weights), abs=1e-12)
                assert sum(weights[p] for p in pairs) == pytest.approx(optimum, abs=1e-12)
                assert all(weights[p] > 0 for p in pairs)
                assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


def test_ten_thousand_by_ten_thousand() -> None:
    n = 10_000
    weights = np.zeros((n, n))
    weights[np.arange(n), np.arange(n)] = 1.0
    weights[0, n - 1] = 5.0
    optimum, pairs = caption_pairs.match(weights)
    assert optimum == n
    assert pairs == [(k, k) for k in range(n)]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_match(shape: tuple[int, int]) -> None:
    assert caption_pairs.match(np.zeros(shape)) == (0.0, [])


def test_iou_by_the_formula() -> None:
    np.testing.assert_allclose(
        tracks.iou([[0, 10]], [[0, 10], [5, 15], [10, 20], [12, 20], [2, 4]]), [[1, 1 / 3, 0, 0, 0.2]]
    )
    assert tracks.iou([[0, 10]], [[0, 10]], "eps")[0, 0] == 10 / (10 + 1e-8)
    assert tracks.iou([[9, 3]], [[9, 3]])[0, 0] == 0.0, "a reversed segment overlaps nothing, not even itself"


def test_docstrings() -> None:
    assert doctest.testmod(matching).failed == 0
    assert doctest.testmod(iou_module).failed == 0

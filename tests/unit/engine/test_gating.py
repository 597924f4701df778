"""The tests of `gate`: conditions, false alarms at the limit, and where they cannot be trusted."""

from __future__ import annotations

import itertools
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from storymeter.arrays import FloatArray
from storymeter.engine.gating import Checked, GateResult, below, condition, difference, swap_p
from storymeter.errors import UsageError
from storymeter.report import present
from storymeter.stats.paired import Part


def test_the_gate_says_where_its_test_cannot_be_trusted() -> None:
    plain = Checked("m < 0", "m", 1.0, 1.0, 0.0, (-1.0, 1.0), 0.0, 0.5, 0.5, 20, -1.0, False, 0.1, 20, 20)
    said = {
        "may fail too often": replace(plain, skewness=2.5),
        "may fail too seldom": replace(plain, skewness=-2.5),
        "Only 3 of 20 changed": replace(plain, changed=3),
    }
    for text, checked in said.items():
        assert text in present(GateResult("new", "old", [checked])).summary[0]
        assert not any(other in present(GateResult("new", "old", [plain])).summary[0] for other in said)
    over_seeds = replace(plain, skewness=0.0, units=0, changed=0)
    assert "Only" not in present(GateResult("new", "old", [over_seeds])).summary[0]


@pytest.mark.parametrize("text", ["soda_c", "soda_c < x", "< 3", "soda_c = 1"])
def test_conditions_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="fail-if"):
        condition(text)


def test_false_alarms_at_the_limit() -> None:
    draw = np.random.default_rng(0)
    for n in (12, 40):
        found = [lower(draw.standard_t(4, n), seed) < 0.05 for seed in range(300)]
        assert 0.02 < np.mean(found) < 0.085
    gains = [lower(np.exp(draw.normal(size=30)) - np.exp(0.5), seed) < 0.05 for seed in range(300)]
    assert np.mean(gains) < 0.11  # swaps alone: .14
    assert lower(np.full(5, -1.0), 0) == 1 / 32 and lower(np.full(5, 1.0), 0) == 1.0


def test_at_the_limit_0_the_gate_swaps_what_compare_swaps() -> None:
    """Also of metrics that are no mean: the one-sided p of the twelve documents' swaps, counted by hand."""
    draw = np.random.default_rng(4)
    rate = Part(slice(None), lambda sums: np.exp(sums[..., 0] / sums[..., 1]))
    for _ in range(20):
        a, b = (np.column_stack([draw.normal(size=9), draw.integers(1, 30, 9)]) for _ in range(2))
        swaps = [
            np.where(np.array(each)[:, None], [b, a], [a, b]) for each in itertools.product((0, 1), repeat=9)
        ]
        found = np.array([difference(each, rate) for each in swaps])
        p = float((found <= found[0] + 1e-9).mean())
        assert swap_p((a, b), rate, 0.0, 0, 1.0) == p
        assert below((a, b), rate, 0.0, 0) >= p
        assert swap_p((b, a), rate, 0.0, 0, -1.0) == p


def test_the_limit_moves_all_differences() -> None:
    draw = np.random.default_rng(6)
    values, mean = draw.normal(size=40), Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
    ones, zeros = np.ones(40), np.zeros(40)
    for limit in (-0.2, 0.3):
        moved = lower(values - limit, 3)
        assert moved == pytest.approx(
            below((np.column_stack([values, ones]), np.column_stack([zeros, ones])), mean, limit, 3),
            abs=1e-12,
        )


def test_what_has_no_value_is_no_loss() -> None:
    def rate(sums: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    ratio = Part(slice(None), rate)
    none, some = np.zeros((5, 2)), np.ones((5, 2))
    assert swap_p((none, some), ratio, 0.0, 0, 1.0) == below((none, some), ratio, 0.0, 0) == 1
    first, second = none.copy(), none.copy()
    first[0], second[1] = (0, 1), (1, 1)  # half of the swaps leave one of them without a value
    assert swap_p((first, second), ratio, 0.0, 0, 1.0) == 0.75


def lower(differences: FloatArray, seed: int) -> float:
    """The gate's p that documents with these differences have a mean below 0."""
    ones, mean = np.ones(len(differences)), Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
    rows = [np.column_stack([each, ones]) for each in (differences, 0 * differences)]
    return below(rows, mean, 0.0, seed)


def test_the_examples_call_the_command_as_it_is(examples: Path) -> None:
    for name in ("gate.yml", "pre-commit-config.yaml"):
        text = (examples / "ci" / name).read_text().replace("\n          ", " ")
        line = next(part for part in text.splitlines() if "storymeter gate" in part)
        words = shlex.split(line.partition("storymeter gate")[2])
        limits = [words[k + 1] for k, word in enumerate(words) if word == "--fail-if"]
        assert limits and all(condition(limit).limit < 0 for limit in limits)

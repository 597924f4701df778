"""A blend is fitted without the benchmark it is held against, and its weights are never negative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from storymeter.meta.blend import PARTS, LeftOut, Sample, leave_one_out, verdict
from storymeter.meta.scores import Judgement, tabulate


def sample(name: str, seed: int, good: tuple[str, ...] = ("sts", "facts")) -> Sample:
    """Two parts that see half of what people see each; one that sees the contrary; noise else."""
    random = np.random.default_rng(seed)
    halves = random.normal(size=(2, 120))
    human = halves.sum(axis=0)
    noise = {part: random.normal(size=120) for part in PARTS}
    values = {**noise, good[0]: halves[0], good[1]: halves[1], "bleu_4": -human}
    table = tabulate([Judgement("s", f"{k:03}", float(v)) for k, v in enumerate(human)])
    scaled = {part: (v - v.min()) / (v.max() - v.min()) for part, v in values.items()}
    return Sample(name, "pearson", replace(table, metrics=scaled))


SAMPLES = [sample(name, seed) for seed, name in enumerate("abcd")]


def test_the_two_good_halves_are_found_and_the_contrary_weighs_nothing() -> None:
    found = leave_one_out(SAMPLES, resamples=50, permutations=99)
    for one in found["ridge"]:
        assert one.weights["sts"] > 0.4 and one.weights["facts"] > 0.4
        assert "bleu_4" not in one.weights and all(weight > 0 for weight in one.weights.values())
        assert one.value > 0.95 > one.yardstick and one.p_yardstick < 0.05
        assert one.interval is not None and one.interval[0] < one.value < one.interval[1]
    assert verdict(found["chosen by the others"]) == (True, "")


def test_what_is_left_out_changes_no_weight() -> None:
    """The people of the left-out benchmark are turned round: weights and choice stay."""
    last = SAMPLES[-1]
    turned = replace(last, scores=replace(last.scores, human=-last.scores.human))
    before = leave_one_out(SAMPLES, resamples=0, permutations=10)
    after = leave_one_out([*SAMPLES[:-1], turned], resamples=0, permutations=10)
    for name in before:
        assert before[name][-1].weights == after[name][-1].weights
        assert before[name][-1].recipe == after[name][-1].recipe
        assert before[name][-1].value == pytest.approx(-after[name][-1].value)


def test_the_rule_names_what_fails() -> None:
    good = LeftOut("a", "pearson", "equal", {"sts": 1.0}, 0.6, None, 0.5, 0.01, "facts", 0.55, 0.01)
    assert verdict([good, good]) == (True, "")
    assert verdict([good, replace(good, p_yardstick=0.2)]) == (
        False,
        "it is significantly above sts on 1 benchmarks, not two",
    )
    below = replace(good, benchmark="b", value=0.4)
    assert verdict([good, good, below]) == (
        False,
        "it is not above sts on b; it is not above its best part on b (facts)",
    )

"""Statistics of `meta` know no names: systems and items may be renamed and rows shuffled; ranks do not
change under increasing maps of a metric, and no statistic under affine ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.meta.choices import choice_results
from storymeter.meta.comparisons import MetricComparison, compare
from storymeter.meta.records import Choice
from storymeter.meta.scores import Judgement, MetricValues, Scores, join_scores, tabulate
from storymeter.meta.statistics import segment_level, system_level

Rows = list[tuple[int, int, float, float | None]]
#: what only depends on the order of a metric's values
RANKED = ("spearman", "kendall_b", "kendall_c", "accuracy_ties", "auc", "kendall_like")


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """System, item, human score and metric score, with ties, missing captions and missing metric scores."""
    dice = random.Random(draw(st.integers(0, 2**32)))
    systems, items = draw(st.integers(1, 5)), draw(st.integers(2, 12))
    human = draw(st.sampled_from([(0.0, 1.0), (0.0, 25.0, 50.0, 75.0), tuple(range(101))]))
    metric = draw(
        st.sampled_from(
            [
                (0.5,),
                (0.7,),
                (0.0, 0.25, 1.0),
                tuple(k / 64 for k in range(64)),
                tuple(k / 10 for k in range(8)),
            ]
        )
    )
    return [
        (s, i, float(dice.choice(human)), dice.choice(metric) if dice.random() < 0.95 else None)
        for s in range(systems)
        for i in range(items)
        if dice.random() < 0.9
    ]


def scores_of(
    rows: Rows, name: Callable[[int], str], item: Callable[[int], str], of: Callable[[float], float]
) -> Scores | None:
    if not rows or all(m is None for *_, m in rows):
        return None
    table = tabulate([Judgement(name(s), item(i), h) for s, i, h, _ in rows], scale="raw")
    values = {(name(s), item(i)): of(m) for s, i, _, m in rows if m is not None}
    return join_scores(table, {"m": MetricValues(values)})


def statistics(scores: Scores | None) -> dict[str, float]:
    if scores is None:
        return {}
    return {
        **{f"segment {k}": v for k, v in segment_level(scores, "m", resamples=0).values.items()},
        **{f"system {k}": v for k, v in system_level(scores, "m", resamples=0).values.items()},
    }


def same(found: dict[str, float], wanted: dict[str, float]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=1e-9, nan_ok=True), name


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(0, 1000))
def test_names_and_orders_change_nothing(rows: Rows, seed: int) -> None:
    dice = random.Random(seed)
    plain = statistics(scores_of(rows, lambda s: f"s{s:02d}", lambda i: f"i{i:02d}", lambda m: m))
    names, items = (dice.sample(range(100, 1000), 20) for _ in range(2))
    shuffled = dice.sample(rows, len(rows))
    same(
        statistics(scores_of(shuffled, lambda s: f"{names[s]}", lambda i: f"{items[i]}", lambda m: m)), plain
    )
    same(statistics(scores_of(rows, lambda s: f"s{99 - s}", lambda i: f"i{99 - i}", lambda m: m)), plain)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_maps_of_a_metric(rows: Rows) -> None:
    def under(of: Callable[[float], float]) -> dict[str, float]:
        return statistics(scores_of(rows, lambda s: f"s{s:02d}", lambda i: f"i{i:02d}", of))

    plain = under(lambda m: m)
    for of in (lambda m: 8 * m - 4, lambda m: m / 1024 + 2.0, lambda m: 0.9 + 0.1 * m, lambda m: m / 3 - 0.7):
        mapped = under(of)
        same(
            {k: v for k, v in mapped.items() if "epsilon" not in k},
            {k: v for k, v in plain.items() if "epsilon" not in k},
        )
    ranked = [k for k in plain if k.split()[0] == "segment" and k.split()[1].startswith(RANKED)]
    mapped = under(lambda m: math.exp(m) ** 3)
    same({k: mapped[k] for k in ranked}, {k: plain[k] for k in ranked})


def compared(
    rows: Rows, level: str, name: Callable[[int], str], of: Callable[[float], float]
) -> MetricComparison:
    """The metric of the table against one of noise that goes with systems and items."""
    dice = {(s, i): random.Random(1000 * s + i).random() for s, i, _, _ in rows}
    table = tabulate([Judgement(name(s), f"i{i:02d}", h) for s, i, h, _ in rows], scale="raw")
    first = {(name(s), f"i{i:02d}"): of(m) for s, i, _, m in rows if m is not None}
    second = {(name(s), f"i{i:02d}"): dice[s, i] for s, i, _, m in rows if m is not None}
    known = {"m": MetricValues(first), "other": MetricValues(second)}
    (found,) = compare(join_scores(table, known), level, resamples=100)
    return found


@pytest.mark.parametrize("level", ["segment", "system"])
def test_tests_of_metrics_know_no_names_orders_or_affine_maps(level: str) -> None:
    """Of the same rows in another order every number is the same; with other names what is drawn by them
    (permutations) may differ by chance, and Williams' test, which draws nothing, may not."""
    dice = random.Random(7)
    rows: Rows = [(s, i, s + dice.gauss(0, 1), dice.random() + s / 4) for s in range(5) for i in range(8)]
    plain = compared(rows, level, lambda s: f"s{s}", lambda m: m)
    for other in (
        compared(dice.sample(rows, len(rows)), level, lambda s: f"s{s}", lambda m: m),
        compared(rows, level, lambda s: f"s{s}", lambda m: 8 * m - 4),
    ):
        assert (other.better, other.p) == (plain.better, pytest.approx(plain.p, abs=1e-9))
        assert (other.p_perm_systems, other.p_perm_both) == pytest.approx(
            (plain.p_perm_systems, plain.p_perm_both), nan_ok=True
        )
    turned = compared(rows, level, lambda s: f"s{9 - s}", lambda m: m)
    numbers = (plain.r_better, plain.r_worse, plain.r_between)
    assert (turned.r_better, turned.r_worse, turned.r_between) == pytest.approx(numbers)
    assert turned.p == pytest.approx(plain.p, abs=1e-9 if level == "system" else 0.15)


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 2), min_size=2, max_size=20), st.randoms()
)
@settings(max_examples=30, deadline=None)
def test_choices_know_no_names_orders_or_increasing_maps(
    pairs: list[tuple[float, float]], dice: random.Random
) -> None:
    def accuracies(
        name: Callable[[int], str], of: Callable[[float], float], order: list[int]
    ) -> dict[str, float]:
        values = {(side, name(k)): of(pairs[k][n]) for k in order for n, side in enumerate("ab")}
        listed = [Choice(f"a\t{name(k)}", f"b\t{name(k)}", f"kind {k % 2}") for k in order]
        found = choice_results(listed, {"m": MetricValues(values)}, resamples=0)
        return {one.category: one.accuracy for one in found}

    order = list(range(len(pairs)))
    plain = accuracies(str, lambda m: m, order)
    turned = accuracies(lambda k: f"{99 - k}", lambda m: math.log(m + 0.1), dice.sample(order, len(order)))
    assert turned == pytest.approx(plain)


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3])
def test_a_constant_is_constant_over_unequal_numbers_of_items(value: float) -> None:
    rows: Rows = [(s, i, 50.0 + s, value) for s in range(5) for i in range(3 + 2 * s)]
    scores = scores_of(rows, lambda s: f"s{s}", lambda i: f"i{i:02d}", lambda m: m)
    assert scores is not None
    found = system_level(scores, "m", resamples=50)
    assert math.isnan(found.values["pearson"])
    assert found.reasons["pearson"] == "the metric is constant"
    assert found.values["pairwise_accuracy"] == 0
    assert "pearson" not in found.intervals


def test_a_constant_metric_earns_nothing_by_names() -> None:
    dice = np.random.default_rng(0)
    rows = [(s, i, 50 + 10 * s + float(dice.normal()), 0.5) for s in range(5) for i in range(30)]
    for name in (lambda s: f"s{s}", lambda s: f"s{9 - s}"):
        found = statistics(scores_of(rows, name, lambda i: f"i{i:02d}", lambda m: m))
        assert found["system soft_pairwise_accuracy"] == pytest.approx(0.5, abs=0.01)

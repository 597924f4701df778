"""How well each metric agrees with people: every statistic with its interval, or the reason why there is
none.

Segment level (one point per human judgement): Pearson, Spearman, Kendall tau-b and tau-c over all points; the
same within items (systems of one item compared, then averaged) and within systems; accuracy over pairs with
ties, plain and tie-calibrated (within items where these have several systems); WMT's Kendall-like where the
human scale is raw. System level (one point per system): the four coefficients, pairwise accuracy, soft
pairwise accuracy.

Intervals: bootstrap over items (all rows of an item are drawn together, and the same items for every
system); at system level over systems and items (an interval over items alone holds for these systems only,
and is far too narrow for others), or over one of them where asked for; and Fisher's z for the plain
coefficients, the better one for few systems. Fisher's z takes points as independent: at segment level it is
given only where every item has one row.
Metrics for which lower is better are turned round first."""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray
from ..stats.correlation import COEFFICIENTS, fisher_interval, grouped, kendall_b, pairs_within, pearson
from ..stats.ranks import Ranked
from ..stats.resampling import (
    TAIL,
    bootstrap_interval,
    expanded_tail,
    mean_interval,
    percentiles,
    resample_counts,
)
from ..stats.ties import (
    auc,
    auc_interval,
    kendall_like,
    pairwise_accuracy,
    settled,
    settled_means,
    soft_pairwise_accuracy,
    soft_pairwise_draws,
    tie_calibrated,
)
from .scores import Scores

Unit = Literal["items", "systems", "both"]
Interval = tuple[float, float]
PLAIN = ("pearson", "spearman", "kendall_b", "kendall_c")
THRESHOLD = 25.0


@dataclass(frozen=True, slots=True)
class MetricResult:
    metric: str
    n: int
    dropped: int
    values: dict[str, float]
    intervals: dict[str, Interval] = field(default_factory=dict)
    #: why a value is not a number
    reasons: dict[str, str] = field(default_factory=dict)
    signature: str = ""
    higher_is_better: bool = True


def segment_level(scores: Scores, metric: str, *, resamples: int = 500, seed: int = 0) -> MetricResult:
    use, direction = scores.rows_of(metric), scores.sign(metric)
    x, y, item, system = (
        direction * scores.metrics[metric][use],
        scores.human[use],
        scores.item[use],
        scores.system[use],
    )
    out = MetricResult(
        metric, len(x), int((~use).sum()), {}, {}, {}, scores.signatures.get(metric, ""), direction > 0
    )
    _plain(out, x, y, independent=len(np.unique(item)) == len(item))
    out.values["accuracy_ties"] = Ranked(x, y).kendall(np.ones(len(x)))["accuracy_ties"]
    if resamples:
        _bootstrap_points(out, x, y, item, resamples, seed)
    if set(np.unique(y).tolist()) == {0.0, 1.0}:  # people said right or wrong
        out.values["auc"] = auc(y == 1.0, x)
        if (found := auc_interval(y == 1.0, x, item, resamples=resamples, seed=seed)) is not None:
            out.intervals["auc"] = found
    _within(out, x, y, item, system, scores, resamples, seed)
    return out


def _plain(out: MetricResult, x: FloatArray, y: FloatArray, *, independent: bool = True) -> None:
    for name in PLAIN:
        value = out.values[name] = COEFFICIENTS[name](x, y)
        if independent and (interval := fisher_interval(value, len(x), kind=name)) is not None:
            out.intervals[f"{name}_fisher"] = interval
        if math.isnan(value):
            out.reasons[name] = (
                "fewer than two points"
                if len(x) < 2
                else "the metric is constant"
                if (x == x[0]).all()
                else "the human scores are constant"
            )


def _bootstrap_points(
    out: MetricResult, x: FloatArray, y: FloatArray, unit: IntArray, resamples: int, seed: int
) -> None:
    """Rows of one item are drawn together."""
    code = np.unique(unit, return_inverse=True)[1].reshape(-1)
    n = int(code.max(initial=-1)) + 1
    if n < 2 or "pearson" in out.reasons:
        return
    sums = np.stack([np.bincount(code, weights=w) for w in _moments(x, y).T], axis=1).astype(float)
    interval = bootstrap_interval(sums, _pearson_of_sums, resamples=resamples, seed=seed)
    if interval is not None and not any(map(math.isnan, interval)):
        out.intervals["pearson"] = interval
    ranked, random = Ranked(x, y), np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {}
    for _ in range(resamples):
        weights = np.bincount(random.integers(0, n, n), minlength=n).astype(float)[code]
        for name, value in {"spearman": ranked.spearman(weights), **ranked.kendall(weights)}.items():
            drawn.setdefault(name, []).append(value)
    for name, values in drawn.items():
        _keep(out, name, np.array(values))


def _moments(x: FloatArray, y: FloatArray) -> FloatArray:
    """(rows, 6): what `_pearson_of_sums` needs the sums of."""
    a, b = x - x.mean(), y - y.mean()
    return np.stack([np.ones(len(a)), a, b, a * a, b * b, a * b], axis=1)


def _pearson_of_sums(sums: FloatArray) -> FloatArray:
    n, a, b, aa, bb, ab = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        var_a, var_b = aa / n - (a / n) ** 2, bb / n - (b / n) ** 2
        varies = (var_a > 1e-12 * aa / n) & (var_b > 1e-12 * bb / n)  # less is the rounding of a constant
        return np.where(varies, (ab / n - a * b / n**2) / np.sqrt(var_a * var_b), np.nan)


def _keep(out: MetricResult, name: str, drawn: FloatArray, tail: float = TAIL) -> None:
    known = drawn[~np.isnan(drawn)]
    if len(known) >= 0.9 * len(drawn) and len(known) > 1:
        out.intervals[name] = percentiles(known, tail)


def several_systems(system: IntArray, item: IntArray) -> bool:
    """Whether items have captions of several systems, so that pairs within an item can be formed."""
    return len(np.unique(system)) > 1 and len(np.unique(np.stack([system, item]), axis=1).T) > len(
        np.unique(item)
    )


def _within(
    out: MetricResult,
    x: FloatArray,
    y: FloatArray,
    item: IntArray,
    system: IntArray,
    scores: Scores,
    resamples: int,
    seed: int,
) -> None:
    several = several_systems(system, item)
    if several:
        for kind, labels in (("item", item), ("system", system)):
            for name, coefficient in (("pearson", pearson), ("kendall_b", kendall_b)):
                result = grouped(coefficient, x, y, labels)
                key = f"{name}_by_{kind}"
                out.values[key] = result.value
                out.values[f"{key}_groups"], out.values[f"{key}_dropped"] = len(result.values), result.dropped
                if math.isnan(result.value):
                    out.reasons[key] = f"every {kind} has one row only, or a constant side"
                if kind == "item" and resamples:
                    interval = mean_interval(result.values, resamples=resamples, seed=seed)
                    if interval is not None:
                        out.intervals[key] = interval
        if resamples:
            _bootstrap_by_system(out, x, y, item, system, resamples, seed)
    calibrated = tie_calibrated(y, x, item if several else None, seed=seed)
    out.values["accuracy_calibrated"], out.values["epsilon"] = calibrated.accuracy, calibrated.epsilon
    if several:  # pairs within items are additive over items, so they can be drawn
        for key, epsilon, threshold in (
            ("accuracy_ties", 0.0, 0.0),
            ("accuracy_calibrated", calibrated.epsilon, 0.0),
            ("kendall_like", 0.0, THRESHOLD),
        ):
            if key != "kendall_like" or scores.scale == "raw":
                _pairs(out, key, x, y, item, epsilon, threshold, resamples, seed)
    elif scores.scale == "raw":
        out.values["kendall_like"] = kendall_like(y, x, threshold=THRESHOLD, seed=seed)
    if "kendall_like" in out.values and math.isnan(out.values["kendall_like"]):
        out.reasons["kendall_like"] = f"no pair differs by {THRESHOLD:g} points"


def _bootstrap_by_system(
    out: MetricResult,
    x: FloatArray,
    y: FloatArray,
    item: IntArray,
    system: IntArray,
    resamples: int,
    seed: int,
) -> None:
    """Items are drawn, the same for all systems; each system is correlated over its rows of them, and the
    mean is over the systems that vary.
    """
    code = np.unique(item, return_inverse=True)[1].reshape(-1)
    n = int(code.max(initial=-1)) + 1
    if n < 2:
        return
    parts = [np.flatnonzero(system == k) for k in np.unique(system)]
    prepared = [(code[part], _moments(x[part], y[part]), Ranked(x[part], y[part])) for part in parts]
    drawn: dict[str, list[FloatArray]] = {"pearson_by_system": [], "kendall_b_by_system": []}
    for counts in resample_counts(n, resamples, seed):
        pearsons, taus = [], []
        for codes, moments, ranked in prepared:
            weights = counts[:, codes]
            pearsons.append(_pearson_of_sums(weights @ moments))
            taus.append([ranked.kendall(w)["kendall_b"] if w.any() else math.nan for w in weights])
        for found, values in zip(drawn.values(), map(np.array, (pearsons, taus)), strict=True):
            known = ~np.isnan(values)
            with np.errstate(invalid="ignore"):
                found.append(np.where(known, values, 0).sum(axis=0) / known.sum(axis=0))
    for key, blocks in drawn.items():
        _keep(out, key, np.concatenate(blocks), expanded_tail(n))


def pair_sums(
    x: FloatArray, y: FloatArray, item: IntArray, *, epsilon: float = 0.0, threshold: float = 0.0
) -> FloatArray:
    """(items, 2): what the pairs of each item gain, and how many they are. A pair gains 1 where metric and
    people agree, and otherwise nothing (-1 with a threshold)."""
    _, code, sizes = np.unique(item, return_inverse=True, return_counts=True)
    left, right, owner = pairs_within(code.reshape(-1), sizes)
    human, metric = y[left] - y[right], x[left] - x[right]
    far = np.abs(human) >= threshold
    right = np.sign(human) == np.where(np.abs(metric) <= epsilon, 0.0, np.sign(metric))
    gain = np.where(right, 1.0, -1.0 if threshold else 0.0)
    n = int(owner.max(initial=0)) + 1
    return np.stack(
        [np.bincount(owner[far], weights=gain[far], minlength=n), np.bincount(owner[far], minlength=n)],
        axis=1,
    ).astype(float)


def _pairs(
    out: MetricResult,
    key: str,
    x: FloatArray,
    y: FloatArray,
    item: IntArray,
    epsilon: float,
    threshold: float,
    resamples: int,
    seed: int,
) -> None:
    sums = pair_sums(x, y, item, epsilon=epsilon, threshold=threshold)
    sums = sums[sums[:, 1] > 0]

    def share(total: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total[..., 0] / total[..., 1])

    out.values[key] = float(share(sums.sum(axis=0))) if len(sums) else math.nan
    interval = bootstrap_interval(sums, share, resamples=resamples, seed=seed) if resamples else None
    if interval is not None:
        out.intervals[key] = interval


def system_level(
    scores: Scores,
    metric: str,
    *,
    resamples: int = 500,
    seed: int = 0,
    unit: Unit = "both",
) -> MetricResult:
    use, direction = scores.rows_of(metric), scores.sign(metric)
    human, values = (
        np.where(use, scores.human, np.nan),
        np.where(use, direction * scores.metrics[metric], np.nan),
    )
    y, x = scores.by_system(human), direction * scores.own(metric, use)
    there = ~np.isnan(x) & ~np.isnan(y)
    out = MetricResult(
        metric,
        int(there.sum()),
        int((~use).sum()),
        {},
        {},
        {},
        scores.signatures.get(metric, ""),
        direction > 0,
    )
    _plain(out, x[there], y[there])
    out.values["pairwise_accuracy"] = pairwise_accuracy(y[there], x[there])
    if out.n < 2:
        out.reasons["pairwise_accuracy"] = out.reasons["soft_pairwise_accuracy"] = "fewer than two systems"
        out.values["soft_pairwise_accuracy"] = math.nan
        return out
    soft = soft_pairwise_accuracy(
        scores.matrix(human)[there], scores.matrix(values)[there], resamples=1000, seed=seed
    )
    out.values["soft_pairwise_accuracy"] = soft.value
    if math.isnan(soft.value):
        out.reasons["soft_pairwise_accuracy"] = "no two systems share two items"
    if resamples:
        count, h, v = _cells(scores, human, values, there)
        weights, chosen = _draws(count, resamples, seed, unit)
        size = weights @ count
        y, x = settled_means(weights, h, size), settled_means(weights, v, size)
        if metric in scores.additive:
            x = direction * _own_by_draw(scores, metric, use, there, weights)
        drawn = np.broadcast_to(np.arange(out.n), y.shape) if chosen is None else chosen
        _bootstrap_systems(out, y, x, drawn)
        if not math.isnan(soft.value):
            _keep(
                out,
                "soft_pairwise_accuracy",
                soft_pairwise_draws(
                    scores.matrix(human)[there], scores.matrix(values)[there], weights, chosen
                ),
            )
    return out


def _cells(
    scores: Scores, human: FloatArray, values: FloatArray, there: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(items, systems): how many rows, and the sums of their human and metric scores."""
    shape = (len(scores.items), len(scores.systems))
    known = ~np.isnan(values) & ~np.isnan(human)
    cell = scores.item[known] * shape[1] + scores.system[known]
    count, h, v = (
        np.bincount(cell, weights=w, minlength=shape[0] * shape[1]).astype(float).reshape(shape)[:, there]
        for w in (np.ones(int(known.sum())), human[known], values[known])
    )
    return count, h, v


def _draws(count: FloatArray, resamples: int, seed: int, unit: Unit) -> tuple[FloatArray, IntArray | None]:
    """(resamples, items): how often each item is drawn; and the systems of each resample, where they are
    drawn.
    """
    random = np.random.default_rng(seed)
    items = np.flatnonzero(count.sum(axis=1))
    weights = np.zeros((resamples, len(count)))
    weights[:, items] = 1
    if unit != "systems":
        for k in range(resamples):
            weights[k, items] = np.bincount(random.integers(0, len(items), len(items)), minlength=len(items))
    return weights, (
        random.integers(0, count.shape[1], (resamples, count.shape[1])) if unit != "items" else None
    )


def _own_by_draw(
    scores: Scores, metric: str, use: NDArray[np.bool_], there: NDArray[np.bool_], weights: FloatArray
) -> FloatArray:
    """(resamples, systems): a metric's own values of the systems in every resample of items."""
    known = scores.additive[metric]
    cells = np.zeros((len(scores.items), len(scores.systems), known.rows.shape[1]))
    np.add.at(cells, (scores.item[use], scores.system[use]), known.rows[use])
    cells = cells[:, there]
    sums = (weights @ cells.reshape(len(cells), -1)).reshape(len(weights), *cells.shape[1:])
    return settled(known.combine(sums))


def _bootstrap_systems(out: MetricResult, y: FloatArray, x: FloatArray, drawn: IntArray) -> None:
    """y, x: the values of each system by resample; drawn: which systems each resample consists of. Accuracies
    are over pairs of different systems: one that is drawn twice is no pair with itself.
    """
    values: dict[str, list[float]] = {}
    left, right = np.triu_indices(drawn.shape[1], 1)
    for metric, human, chosen in zip(x, y, drawn, strict=True):
        a, b = metric[chosen], human[chosen]
        known = ~np.isnan(a) & ~np.isnan(b)
        for name, coefficient in COEFFICIENTS.items():
            values.setdefault(name, []).append(coefficient(a[known], b[known]))
        apart = (chosen[left] != chosen[right]) & known[left] & known[right]
        agreed = np.sign(a[left] - a[right])[apart] == np.sign(b[left] - b[right])[apart]
        values.setdefault("pairwise_accuracy", []).append(float(agreed.mean()) if len(agreed) else math.nan)
    for name, found in values.items():
        _keep(out, name, np.array(found))

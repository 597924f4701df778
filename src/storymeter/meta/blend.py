"""One overall score for captions out of several measures: does it agree with people on benchmarks that it was
not fitted on?

Each benchmark is left out in turn. The weights of a recipe are fitted on the others, every benchmark weighing
alike; all weights are at least 0 and may be 0. The recipe itself is chosen by the others, too: the one whose
blend has the largest mean agreement on them. Recipes:

    equal            mean of the standardised sts and facts, nothing fitted
    ridge            w >= 0 that minimises |z(human) - sum of w z(part)|^2 + 0.1 |w|^2 over all parts
    ridge of ranks   the same with ranks in place of values
    product          sts times facts, both cut to 0..1, nothing fitted
    powers           product of sts^a facts^b bertscore^c, a, b, c out of 0, 1/2, 1, 3/2

z and ranks are taken within a benchmark. Agreement is the statistic of the benchmark's published figures. A
blend deserves to be used if it is nowhere below `sts`, ahead of it on at least two benchmarks after Holm's
correction, and nowhere below its best part."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..stats.correlation import COEFFICIENTS
from ..stats.multiple import holm
from ..stats.ranks import mean_ranks
from .comparisons import compare
from .scores import Scores
from .statistics import segment_level

BENCHMARKS = ("trecvid-2016-multiple", "trecvid-2017-multiple", "flickr8k-expert", "factvc-activitynet")
PARTS = ("sts", "facts", "bertscore", "meteor", "cider", "rouge_l", "bleu_4", "spice(engine=rules)", "wmd")
#: what every blend is held against, and the name under which it stands beside its parts
YARDSTICK, BLEND = "sts", "blend"
_PENALTY, _POWERS, _POWERED = 0.1, (0.0, 0.5, 1.0, 1.5), PARTS[:3]
Weights = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One benchmark: people beside all parts."""

    name: str
    statistic: str
    scores: Scores

    def agreement(self, values: FloatArray) -> float:
        return float(COEFFICIENTS[self.statistic](values, self.scores.human))


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    parts: tuple[str, ...]
    fit: Callable[[Sequence[Sample]], Weights]
    blend: Callable[[Mapping[str, FloatArray], Weights], FloatArray]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a blend, fitted on the others, says of one benchmark; p one-sided, in the direction found."""

    benchmark: str
    statistic: str
    recipe: str
    weights: Mapping[str, float]
    value: float
    interval: tuple[float, float] | None
    yardstick: float
    p_yardstick: float
    best_part: str
    best: float
    p_best: float


def standard(values: FloatArray) -> FloatArray:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-12))


def ranked(values: FloatArray) -> FloatArray:
    return standard(mean_ranks(values))


def _cut(values: FloatArray) -> FloatArray:
    return np.clip(values, 1e-6, 1.0)


def _ridge(scaled: Callable[[FloatArray], FloatArray]) -> Callable[[Sequence[Sample]], Weights]:
    def fit(samples: Sequence[Sample]) -> Weights:
        from scipy.optimize import nnls

        rows, human = [], []
        for sample in samples:
            share = 1 / np.sqrt(len(sample.scores))
            rows.append(np.stack([scaled(sample.scores.metrics[part]) for part in PARTS], axis=1) * share)
            human.append(standard(sample.scores.human) * share)
        penalty = np.sqrt(_PENALTY) * np.eye(len(PARTS))
        found, _ = nnls(np.vstack([*rows, penalty]), np.concatenate([*human, np.zeros(len(PARTS))]))
        return tuple(found.tolist())

    return fit


def _sum(
    parts: Sequence[str], scaled: Callable[[FloatArray], FloatArray]
) -> Callable[[Mapping[str, FloatArray], Weights], FloatArray]:
    def blend(values: Mapping[str, FloatArray], weights: Weights) -> FloatArray:
        scaled_parts = [w * scaled(values[part]) for part, w in zip(parts, weights, strict=True) if w]
        return np.asarray(np.sum(scaled_parts, axis=0))

    return blend


def _product(parts: Sequence[str]) -> Callable[[Mapping[str, FloatArray], Weights], FloatArray]:
    def blend(values: Mapping[str, FloatArray], weights: Weights) -> FloatArray:
        powers = [_cut(values[part]) ** w for part, w in zip(parts, weights, strict=True)]
        return np.asarray(np.prod(powers, axis=0))

    return blend


def _powers(samples: Sequence[Sample]) -> Weights:
    choices = [w for w in itertools.product(_POWERS, repeat=len(_POWERED)) if any(w)]
    blend = _product(_POWERED)
    return max(
        choices, key=lambda w: float(np.mean([s.agreement(blend(s.scores.metrics, w)) for s in samples]))
    )


def _fixed(*weights: float) -> Callable[[Sequence[Sample]], Weights]:
    return lambda samples: weights


RECIPES = (
    Recipe("equal", PARTS[:2], _fixed(0.5, 0.5), _sum(PARTS[:2], standard)),
    Recipe("ridge", PARTS, _ridge(standard), _sum(PARTS, standard)),
    Recipe("ridge of ranks", PARTS, _ridge(ranked), _sum(PARTS, ranked)),
    Recipe("product", PARTS[:2], _fixed(1.0, 1.0), _product(PARTS[:2])),
    Recipe("powers", _POWERED, _powers, _product(_POWERED)),
)


def leave_one_out(
    samples: Sequence[Sample], *, resamples: int = 300, permutations: int = 1000, seed: int = 0
) -> dict[str, list[LeftOut]]:
    """Per recipe, and for `chosen by the others`, what it says of each benchmark when that is left out."""
    out: dict[str, list[LeftOut]] = {recipe.name: [] for recipe in RECIPES}
    chosen: list[LeftOut] = []
    for sample in samples:
        others = [other for other in samples if other is not sample]
        agreement = {}
        for recipe in RECIPES:
            weights = recipe.fit(others)
            agreement[recipe.name] = float(
                np.mean([other.agreement(recipe.blend(other.scores.metrics, weights)) for other in others])
            )
            values = recipe.blend(sample.scores.metrics, weights)
            out[recipe.name].append(
                _held_against(sample, recipe, weights, values, resamples, permutations, seed)
            )
        best = max(agreement, key=lambda name: agreement[name])
        chosen.append(out[best][-1])
    out["chosen by the others"] = chosen
    return {name: _corrected(found) for name, found in out.items()}


def _held_against(
    sample: Sample,
    recipe: Recipe,
    weights: Weights,
    values: FloatArray,
    resamples: int,
    permutations: int,
    seed: int,
) -> LeftOut:
    single = {part: sample.agreement(sample.scores.metrics[part]) for part in PARTS}
    best = max(single, key=lambda part: single[part])
    parts = {part: sample.scores.metrics[part] for part in {YARDSTICK, best}}
    beside = replace(sample.scores, metrics={BLEND: values, **parts}, lower_is_better=frozenset())
    result = segment_level(beside, BLEND, resamples=resamples, seed=seed)
    options: dict[str, Any] = {"statistic": sample.statistic, "resamples": permutations, "seed": seed}
    tests = compare(beside, "segment", against=BLEND, **options)
    p = {test.better if test.worse == BLEND else test.worse: test.p for test in tests}
    shown = {part: w for part, w in zip(recipe.parts, weights, strict=True) if w > 0}
    return LeftOut(
        sample.name,
        sample.statistic,
        recipe.name,
        shown,
        sample.agreement(values),
        result.intervals.get(sample.statistic),
        single[YARDSTICK],
        p[YARDSTICK],
        best,
        single[best],
        p[best],
    )


def _corrected(found: list[LeftOut]) -> list[LeftOut]:
    """Holm's correction over the benchmarks, for both comparisons."""
    first, second = holm([f.p_yardstick for f in found]), holm([f.p_best for f in found])
    return [
        replace(f, p_yardstick=float(a), p_best=float(b))
        for f, a, b in zip(found, first, second, strict=True)
    ]


def verdict(found: Sequence[LeftOut]) -> tuple[bool, str]:
    """Whether the blend deserves to be used, by the rule at the top, and the reason."""
    below = [f.benchmark for f in found if f.value <= f.yardstick]
    ahead = [f for f in found if f.value > f.yardstick and f.p_yardstick < 0.05]
    worse = [f"{f.benchmark} ({f.best_part})" for f in found if f.value <= f.best]
    faults = []
    if below:
        faults.append(f"it is not above {YARDSTICK} on {', '.join(below)}")
    if len(ahead) < 2:
        faults.append(f"it is significantly above {YARDSTICK} on {len(ahead)} benchmarks, not two")
    if worse:
        faults.append(f"it is not above its best part on {', '.join(worse)}")
    return not faults, "; ".join(faults)

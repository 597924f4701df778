"""How often the 95 % intervals of `storymeter human rank` cover the true strengths.

python bench/pairwise_coverage.py [SIMULATIONS]

Votes are drawn from Davidson's model with ties. `independent`: all votes alike. `raters`: each rater has an
own liking of each system (sd 0.5), drawn anew in each simulation. `items`: each item favours systems (sd
0.5). With such likings the strengths that are covered are those of the model fitted to very many raters and
items, which are nearer to 0 than the mean likings."""

from __future__ import annotations

import sys
import time

import numpy as np

from storymeter.captions import Rating
from storymeter.human.analysis.pairwise import _fitted, fit

TRUE = np.array([0.8, 0.3, 0.0, -0.3, -0.8])
NAMES = [f"s{k}" for k in range(len(TRUE))]
TIE = 0.0


def draw(rng: np.random.Generator, raters: int, items: int, rater_sd: float, item_sd: float) -> list[Rating]:
    """Every rater compares two systems, drawn at random, on every item."""
    of_rater = rng.normal(0, rater_sd, (raters, len(TRUE)))
    of_item = rng.normal(0, item_sd, (items, len(TRUE)))
    rater, item = (grid.ravel() for grid in np.meshgrid(range(raters), range(items), indexing="ij"))
    a = rng.integers(0, len(TRUE), len(rater))
    b = (a + rng.integers(1, len(TRUE), len(rater))) % len(TRUE)
    left, right = (TRUE[k] + of_rater[rater, k] + of_item[item, k] for k in (a, b))
    odds = np.exp([left, TIE + (left + right) / 2, right])
    limits = np.cumsum(odds / odds.sum(axis=0), axis=0)
    value = (rng.random(len(rater)) > limits[:2]).sum(axis=0) - 1.0
    return [
        Rating(f"v{i}", NAMES[one], f"r{r}", v, meta={"against": NAMES[other]})
        for r, i, one, other, v in zip(*map(np.ndarray.tolist, (rater, item, a, b, value)), strict=True)
    ]


def population(rater_sd: float, item_sd: float) -> dict[str, float]:
    """The strengths that the model has with very many raters and items: of the mean probabilities of each
    pair."""
    rng = np.random.default_rng(9)
    first, second, sign, weight = [], [], [], []
    for a in range(len(TRUE)):
        for b in range(a):
            noise = rng.normal(0, np.hypot(rater_sd, item_sd), (2, 1_000_000))
            left, right = TRUE[a] + noise[0], TRUE[b] + noise[1]
            odds = np.exp([left, TIE + (left + right) / 2, right])
            first += [a] * 3
            second += [b] * 3
            sign += [-1, 0, 1]
            weight += (odds / odds.sum(axis=0)).mean(axis=1).tolist()
    theta = _fitted(*map(np.array, (first, second, sign, weight)), len(TRUE))
    return dict(zip(NAMES, theta.tolist(), strict=False))


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print("votes        raters  items  coverage %  mean width")
    for name, raters, items, rater_sd, item_sd in (
        ("independent", 20, 30, 0.0, 0.0),
        ("independent", 60, 10, 0.0, 0.0),
        ("raters", 20, 30, 0.5, 0.0),
        ("items", 20, 30, 0.0, 0.5),
        ("both", 30, 30, 0.5, 0.5),
    ):
        begin = time.perf_counter()
        rng = np.random.default_rng(1)
        truth = population(rater_sd, item_sd)
        covered = widths = total = 0.0
        for _ in range(simulations):
            for one in fit(draw(rng, raters, items, rater_sd, item_sd)).systems:
                if one.interval is not None:
                    covered += one.interval[0] <= truth[one.name] <= one.interval[1]
                    widths += one.interval[1] - one.interval[0]
                    total += 1
        print(
            f"{name:12} {raters:6} {items:6}  {100 * covered / total:10.1f}  {widths / total:10.3f}"
            f"   ({time.perf_counter() - begin:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()

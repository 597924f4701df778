"""How often the 95 % intervals of a survey (means of marks, shares of votes) cover the true values.

python bench/survey_coverage.py [SIMULATIONS]

Each rater marks the stories of three systems on so many of the sequences, 1 to 5, and votes for the best. A
mark is the system's quality, what the rater thinks of the system (sd 0.3) and in general (0.4), how good the
story is (0.6), and noise (0.7), rounded. True values: those of very many raters and sequences."""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np
from numpy.typing import NDArray

from storymeter.captions import Rating
from storymeter.human.analysis.survey import analyse_survey

SYSTEMS = {"even": (3.1, 3.0, 2.9), "apart": (4.4, 3.0, 2.0)}
NAMES = ("a", "b", "c")


def draw(
    rng: np.random.Generator, quality: NDArray[np.float64], raters: int, sequences: int, share: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Sequences and raters of each sitting, their marks of the three stories, and the story voted for."""
    likes = rng.normal(0, 0.3, (raters, 3)) + rng.normal(0, 0.4, (raters, 1))
    stories = rng.normal(0, 0.6, (sequences, 3))
    pairs = [(s, r) for r in range(raters) for s in rng.choice(sequences, share, replace=False)]
    item, rater = np.array(pairs).T
    level = quality + likes[rater] + stories[item] + rng.normal(0, 0.7, (len(pairs), 3))
    return item, rater, np.clip(np.round(level), 1, 5), level.argmax(axis=1)


def records(*sitting: NDArray[np.generic]) -> list[Rating]:
    out = []
    for item, rater, marks, chosen in zip(*(column.tolist() for column in sitting), strict=True):
        for k, name in enumerate(NAMES):
            out += [
                Rating(f"s{item}", name, f"r{rater}", marks[k], criterion="grounded"),
                Rating(f"s{item}", name, f"r{rater}", float(chosen == k), criterion="vote"),
            ]
    return out


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print("systems  raters  sequences  mean: coverage %  width  vote share: coverage %  width")
    for (name, levels), (raters, sequences, share) in itertools.product(
        SYSTEMS.items(), ((6, 20, 10), (12, 20, 8), (30, 40, 8))
    ):
        begin, rng, quality = time.perf_counter(), np.random.default_rng(1), np.array(levels)
        _, _, marks, chosen = draw(np.random.default_rng(2), quality, 40_000, 40_000, 20)
        truth = dict(zip(NAMES, marks.mean(axis=0).tolist(), strict=True))
        shares = dict(zip(NAMES, (np.bincount(chosen, minlength=3) / len(chosen)).tolist(), strict=True))
        covered, widths, total = np.zeros(2), np.zeros(2), np.zeros(2)
        for _ in range(simulations):
            found = analyse_survey(records(*draw(rng, quality, raters, sequences, share)))
            for k, (intervals, true) in enumerate(
                (({m.system: m.interval for m in found.means}, truth), (found.vote_intervals, shares))
            ):
                for system, interval in intervals.items():
                    if interval is not None:
                        covered[k] += interval[0] <= true[system] <= interval[1]
                        widths[k] += interval[1] - interval[0]
                        total[k] += 1
        shown = [f"{100 * covered[k] / total[k]:16.1f} {widths[k] / total[k]:7.2f}" for k in (0, 1)]
        seconds = time.perf_counter() - begin
        print(f"{name:7} {raters:7} {sequences:10} {shown[0]} {shown[1]}   ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main()

"""A million ratings by 5,000 raters over 50 systems: worker tests, z-scores, matrix of p-values, clusters,
from memory and from the files of an export; and permutation tests of two metrics with 10,000 resamples on
10,000 segments. The targets are 10 s each; the peer is scipy, called rater by rater and pair by pair."""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

import human_kit
import numpy as np
from scipy import stats as scipy_stats

from storymeter.captions import Rating
from storymeter.human.analysis.assessment import analyse
from storymeter.human.analysis.attention import control_pairs
from storymeter.human.campaign.export import to_csv, to_jsonl
from storymeter.human.ratings import DEGRADED, from_columns
from storymeter.human.sources import read
from storymeter.stats.dependent import permutation_pearson, permutation_ranks


def records(columns: dict[str, list[object]]) -> Iterator[Rating]:
    names = list(columns)
    for k, row in enumerate(zip(*columns.values(), strict=True)):
        yield Rating(
            **dict(zip(names, row, strict=True)),
            seconds=6.5,
            time="2026-01-01T00:00:00.000+00:00",
            meta={"assignment": k // 100, "state": "done"},
        )


def main() -> None:
    columns = human_kit.rating_columns(1_000_000)
    begin, cpu = time.perf_counter(), time.process_time()
    ratings = from_columns(columns)
    analysis = analyse(ratings, splits=0)
    ours = time.perf_counter() - begin
    print(
        f"analysis of {len(ratings):,} ratings, {len(analysis.quality.workers):,} raters,"
        f" {len(analysis.ranking.systems)} systems: {ours:.2f} s ({time.process_time() - cpu:.2f} s of CPU)"
    )

    with tempfile.TemporaryDirectory() as place:
        for ending, text in (("jsonl", to_jsonl), ("csv", to_csv)):
            path = Path(place) / f"ratings.{ending}"
            path.write_text(text(records(columns)), encoding="utf-8")
            begin, cpu = time.perf_counter(), time.process_time()
            analyse(read(path), splits=0)
            print(
                f"the same from a file ({ending}, {path.stat().st_size / 1e6:.0f} MB), reading included:"
                f" {time.perf_counter() - begin:.2f} s ({time.process_time() - cpu:.2f} s of CPU)"
            )

    pairs, _ = control_pairs(ratings, DEGRADED)
    begin = time.perf_counter()
    for rater in range(0, len(ratings.rater), 20):
        mine = pairs.rater == rater
        scipy_stats.ttest_rel(pairs.first[mine], pairs.second[mine], alternative="greater")
    tests = 20 * (time.perf_counter() - begin)
    captions = analysis.captions
    names = np.unique(captions.system)
    values = [captions.z[captions.system == k] for k in names]
    begin = time.perf_counter()
    for a, b in itertools.pairwise(values[:21]):
        scipy_stats.mannwhitneyu(a, b, alternative="greater", method="asymptotic")
    matrix = len(names) * (len(names) - 1) / 20 * (time.perf_counter() - begin)
    print(
        "scipy, rater by rater and pair by pair (from a twentieth of the raters and 20 pairs):"
        f" {tests + matrix:.1f} s for the two tests alone; ratio {(tests + matrix) / ours:.1f}"
    )

    random = np.random.default_rng(1)
    human = random.normal(size=10_000)
    a, b = human + random.normal(size=10_000), human + 1.02 * random.normal(size=10_000)
    begin = time.perf_counter()
    p = permutation_pearson(human, a, b, resamples=10_000).p
    ours = time.perf_counter() - begin
    begin = time.perf_counter()
    swaps = np.random.default_rng(0).integers(0, 2, (50, 10_000)).astype(bool)
    for swap in swaps:
        x, y = np.where(swap, b, a), np.where(swap, a, b)
        np.corrcoef(human, x)[0, 1] - np.corrcoef(human, y)[0, 1]
    loops = 200 * (time.perf_counter() - begin)
    print(
        f"permutation test, 10,000 resamples of 10,000 segments: {ours:.2f} s (p = {p:.4f}); numpy in a loop:"
        f" about {loops:.1f} s; ratio {loops / ours:.1f}"
    )
    for statistic, peer in (
        ("spearman", lambda u, v: scipy_stats.spearmanr(u, v).statistic),
        ("kendall_b", lambda u, v: scipy_stats.kendalltau(u, v).statistic),
    ):
        begin = time.perf_counter()
        p = permutation_ranks(statistic, human, a, b, resamples=10_000, threads=2).p
        ours = time.perf_counter() - begin
        begin = time.perf_counter()
        for swap in swaps[:10]:
            peer(np.where(swap, b, a), human), peer(np.where(swap, a, b), human)
        loops = 1000 * (time.perf_counter() - begin)
        print(
            f"the same for {statistic}: {ours:.2f} s (p = {p:.4f}); scipy in a loop: about {loops:.1f} s;"
            f" ratio {loops / ours:.1f}"
        )


if __name__ == "__main__":
    main()

"""Do intervals and p-values of the Poisson bootstrap, drawn from hashes, agree with those of resampled rows?

    python bench/poisson.py [--resamples 100000]

BMT's captions of ActivityNet's validation set, and six copies in which a share of the videos is damaged (a
typing error, a synonym, a caption dropped, two captions swapped …): 21 pairs of systems, from the same to
clearly apart. Wants both ends of each interval within 3 % of its width, and each paired p-value, of the
bootstrap and of the permutation test, within .01; says so and exits 1 if not. As many resamples are needed to
see it: with 1,000 the ends of two draws of one method differ by 3 % of the width themselves.

Reads bmt_val_1.json, val_1.json and val_2.json from STORYMETER_DATA/anet (default ../shared/data).
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from functools import partial
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np

import storymeter
from storymeter.captions import Corpus
from storymeter.engine import Run
from storymeter.metrics import Metric
from storymeter.stats import paired_permutations
from storymeter.stats.paired import Part, random_swaps
from storymeter.stats.poisson import ResampledSums, document_keys, paired_tests, resampled
from storymeter.stats.resampling import resample_counts
from storymeter.stress import Scene, transformation

METRICS = ("soda_c(scorer=rouge_l)", "bleu_4", "cider")
DAMAGES = ("typo(rate=0.2)", "synonym(rate=0.3)", "drop", "swap", "truncate(keep=0.8)", "merge")
WIDTH, P = 0.03, 0.01


def damaged(corpus: Corpus, how: str, run: Run, share: float) -> Corpus:
    """The corpus with some of its documents changed, drawn by the name of the damage."""
    changed = transformation(how)(corpus, Scene.of(run))
    draw = random.Random(how)
    documents = [b if draw.random() < share else a for a, b in zip(corpus, changed, strict=True)]
    return msgspec.structs.replace(corpus, documents=tuple(documents), name=how)


def from_hashes(ids: tuple[str, ...], rows: np.ndarray, resamples: int) -> ResampledSums:
    values = resampled(document_keys(ids), rows, resamples, 0).values(rows.shape[1])
    return ResampledSums(values[0], values[1 : 1 + resamples], values[1 + resamples :], "")


def from_generator(rows: list[np.ndarray], resamples: int) -> list[ResampledSums]:
    """The resamples that `score` and `compare` draw where there are rows, for all systems in one pass."""
    every, width = np.hstack(rows), rows[0].shape[1]
    drawn = np.vstack([counts @ every for counts in resample_counts(len(every), resamples, 1)])
    swapped = np.vstack([bits @ every for bits in random_swaps(len(every), resamples, 1)])
    parts = [slice(k * width, (k + 1) * width) for k in range(len(rows))]
    return [
        ResampledSums(each.sum(axis=0), drawn[:, part], swapped[:, part], "")
        for each, part in zip(rows, parts, strict=True)
    ]


def value(metric: Metric, of: np.ndarray) -> np.ndarray:
    return metric.combine(of)["value"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resamples", type=int, default=100_000)
    resamples = parser.parse_args().resamples
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("STORYMETER_DATA", default)) / "anet"
    run = Run([storymeter.read(folder / f"val_{k}.json") for k in (1, 2)])
    base = storymeter.read(folder / "bmt_val_1.json")
    systems = [base, *(damaged(base, how, run, 0.15) for how in DAMAGES)]
    results = run.score(systems, METRICS, 0)
    ids = results.systems[0].scores[0].ids
    rows = [np.hstack([s.rows for s in system.scores if s.rows is not None]) for system in results.systems]
    hashed = [from_hashes(ids, each, resamples) for each in rows]
    usual = from_generator(rows, resamples)
    widths = np.cumsum([0, *(len(metric.columns) for metric in results.metrics)]).tolist()
    worst = {"interval": 0.0, "difference": 0.0, "bootstrap p": 0.0, "permutation p": 0.0}
    for m, metric in enumerate(results.metrics):
        part = Part(slice(widths[m], widths[m + 1]), partial(value, metric))
        for own, known in zip(hashed, usual, strict=True):
            distance = apart(own.interval(part.value), known.interval(part.value))
            worst["interval"] = max(worst["interval"], distance)
        for i, j in combinations(range(len(systems)), 2):
            ours = paired_tests(hashed[i], hashed[j], part.value, len(ids))
            theirs = paired_tests(usual[i], usual[j], part.value, len(ids))
            worst["difference"] = max(worst["difference"], apart(ours[1].interval, theirs[1].interval))
            worst["permutation p"] = max(worst["permutation p"], abs(ours[0].p - theirs[0].p))
            worst["bootstrap p"] = max(worst["bootstrap p"], abs(ours[1].p - theirs[1].p))
            print(
                f"{metric.name:24} {systems[i].name:>18} - {systems[j].name:18} permutation p"
                f" {theirs[0].p:.4f} {ours[0].p:.4f}   bootstrap p {theirs[1].p:.4f} {ours[1].p:.4f}",
                flush=True,
            )
            if (m, i, j) == (0, 0, 1):  # the first of the two is what `compare` says of rows
                of_rows = paired_permutations(rows[i], rows[j], [part], resamples=resamples, seed=1)[0]
                assert of_rows.p == theirs[0].p
    for what, distance in worst.items():
        limit = P if what.endswith("p") else WIDTH
        print(f"{what}: at most {distance:.4f} apart (wanted: {limit})")
    good = all(distance <= (P if what.endswith("p") else WIDTH) for what, distance in worst.items())
    print("as wanted" if good else "NOT as wanted")
    return 0 if good else 1


def apart(a: tuple[float, float] | None, b: tuple[float, float] | None) -> float:
    """The largest distance of two ends, in widths of the interval."""
    if a is None or b is None:
        return float("inf")
    return float(np.abs(np.subtract(a, b)).max() / (b[1] - b[0]))


if __name__ == "__main__":
    sys.exit(main())

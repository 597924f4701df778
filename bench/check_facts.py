"""How well does a layer of `facts` agree with people? python bench/check_facts.py DATA [LAYER.safetensors]

Without a file: the packaged layer. Prints Pearson's r with the scores of FactVC's paragraphs and its 95 %
interval, the AUC per content word against the people's brackets, and the share of minimal pairs in order, by
kind and in the mean: for a layer that `bench/train_facts.py` made, beside docs/models/facts.md."""

from __future__ import annotations

import sys
from pathlib import Path

from storymeter.engine import Run
from storymeter.meta.benchmarks import load
from storymeter.meta.choices import choice_results
from storymeter.meta.records import benchmark_scores
from storymeter.meta.scores import values_of
from storymeter.meta.statistics import segment_level
from storymeter.meta.words import word_auc, word_measures
from storymeter.pairs import facts_reading


def main(data: Path) -> None:
    print(facts_reading.label())
    factvc = load("factvc-activitynet", data)
    scores, _ = benchmark_scores(factvc, ["facts"], Run())
    found = segment_level(scores, "facts", resamples=500)
    low, high = found.intervals["pearson"]
    print(
        f"FactVC, {found.n:,} paragraphs: r {found.values['pearson']:.4f} [{low:.3f}, {high:.3f}]", flush=True
    )
    (words,) = word_auc(factvc.words, word_measures(["facts"]))
    low, high = words.interval or (float("nan"), float("nan"))
    print(f"content words: AUC {words.auc:.4f} [{low:.3f}, {high:.3f}]", flush=True)
    pairs = load("wrong-detail", data)
    values, _ = values_of(pairs.task, ["facts"], Run())
    for one in choice_results(pairs.choices, values, resamples=0):
        print(f"{one.category:10s} {100 * one.accuracy:5.1f} % of {one.pairs:,} pairs")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        facts_reading.WEIGHTS = Path(sys.argv[2])
    main(Path(sys.argv[1]))

"""How long a reward takes in a training step, beside the usual Python implementation in the same run.

    python bench/rewards.py [--steps 20]

A step of self-critical training: 50 videos with 5 references, 6 samples each. `usual` is pycocoevalcap's
scorer. For CIDEr it is given the document frequencies of the corpus once (as the forks for training do), so
that only the scoring of the step is timed, not the counting that ours does in `fit`. Times are of the
processor: a loaded machine changes them little."""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable

import numpy as np
from pycocoevalcap.bleu.bleu_scorer import BleuScorer
from pycocoevalcap.cider.cider_scorer import CiderScorer

from storymeter.rewards import Bleu, CiderD

VIDEOS, REFERENCES, BATCH, SAMPLES = 5_000, 5, 50, 6


def corpus(draw: random.Random) -> dict[int, list[str]]:
    """Words as frequent as in text: the k-th has a share of about 1/k."""
    words = [f"w{k}" for k in range(9_000)]
    share = [1 / (k + 3) for k in range(len(words))]
    lines = (" ".join(draw.choices(words, share, k=draw.randint(8, 16))) for _ in iter(int, 1))
    return {i: [next(lines) for _ in range(REFERENCES)] for i in range(VIDEOS)}


def usual_cider(references: dict[int, list[str]]) -> Callable[[list[str], list[list[str]]], np.ndarray]:
    whole = CiderScorer(n=4, sigma=6.0)
    for group in references.values():
        whole += (group[0], group)
    whole.compute_doc_freq()

    class Fitted(CiderScorer):
        def compute_doc_freq(self) -> None:
            self.document_frequency = whole.document_frequency
            self.crefs_of_step, self.crefs = self.crefs, Counted(self.crefs)

    class Counted(list):
        """The references of the step; as many as were fitted, where the scorer asks for their number."""

        def __len__(self) -> int:
            return len(references)

    def score(samples: list[str], groups: list[list[str]]) -> np.ndarray:
        scorer = Fitted(n=4, sigma=6.0)
        for sample, group in zip(samples, groups, strict=True):
            scorer += (sample, group)
        scorer.compute_doc_freq()
        return np.array(scorer.compute_cider())

    return score


def usual_bleu(samples: list[str], groups: list[list[str]]) -> np.ndarray:
    scorer = BleuScorer(n=4)
    for sample, group in zip(samples, groups, strict=True):
        scorer += (sample, group)
    return np.array(scorer.compute_score(option="closest", verbose=0)[1][3])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    steps = parser.parse_args().steps
    draw = random.Random(1)
    references = corpus(draw)
    begin = time.process_time()
    rewards = {"CIDEr-D": CiderD.fit(references), "BLEU-4": Bleu.fit(references)}
    print(f"fitted on {VIDEOS:,} videos in {time.process_time() - begin:.2f} s (both)")
    usual = {"CIDEr-D": usual_cider(references), "BLEU-4": usual_bleu}
    best = {name: [math.inf, math.inf] for name in rewards}
    for _ in range(steps):
        ids = draw.sample(range(VIDEOS), BATCH)
        samples = [
            [
                " ".join(w for w in draw.choice(references[i]).split() if draw.random() < 0.8)
                for _ in range(SAMPLES)
            ]
            for i in ids
        ]
        flat = [sample for group in samples for sample in group]
        groups = [references[i] for i in ids for _ in range(SAMPLES)]
        for name, reward in rewards.items():
            start = time.process_time()
            ours = reward(samples, ids=ids)
            middle = time.process_time()
            theirs = usual[name](flat, groups)
            end = time.process_time()
            best[name] = [min(best[name][0], middle - start), min(best[name][1], end - middle)]
            np.testing.assert_allclose(ours.ravel(), theirs, rtol=0, atol=1e-9)
    captions = BATCH * SAMPLES
    print(f"best of {steps} steps of {captions} samples with {REFERENCES} references each; equal to 1e-9")
    for name, (ours_s, theirs_s) in best.items():
        print(
            f"{name:8}  ours {1e6 * ours_s / captions:7.2f} us a caption   usual"
            f" {1e6 * theirs_s / captions:8.1f} us   {theirs_s / ours_s:6.0f} times"
        )


if __name__ == "__main__":
    main()

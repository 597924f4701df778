"""How long a reward takes in a training step, beside the usual Python implementation in the same run.

    python bench/rewards.py [--steps 20]

A step of self-critical training: 50 videos with 5 references, 6 samples each. `usual` is pycocoevalcap's
scorer. For CIDEr it is given the document frequencies of the corpus once (as the forks for training do), so
that only the scoring of the step is timed, not the counting that ours does in `fit`. Times are of the
processor: a loaded machine changes them little.

Then rewards of timed captions as trainers call them, in batches of 64 answers: 8 videos with 8 answers each,
texts that are read, references that come with the batch. The target for SODA c is .6 ms an answer."""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable

import numpy as np
from pycocoevalcap.bleu.bleu_scorer import BleuScorer
from pycocoevalcap.cider.cider_scorer import CiderScorer

from storymeter.rewards import AnetReward, Bleu, CiderD, SodaReward

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
    timed(draw, steps, [text for group in references.values() for text in group])


def timed(draw: random.Random, steps: int, texts: list[str]) -> None:
    """Answers of four events against as many; every step brings other videos and other answers."""

    def events() -> list[dict[str, object]]:
        cuts = sorted(draw.sample(range(1, 1000), 8))
        return [
            {"start": a / 10, "end": b / 10, "caption": draw.choice(texts)}
            for a, b in zip(cuts[::2], cuts[1::2], strict=True)
        ]

    def answer(truth: list[dict[str, object]]) -> str:
        lines = []
        for event in truth:
            kept = [word for word in str(event["caption"]).split() if draw.random() < 0.8]
            kept += draw.choice(texts).split()[:2]
            lines.append(f"{event['start']:.1f} - {event['end']:.1f}: {' '.join(kept)}")
        return "\n".join(lines)

    for reward in (SodaReward(), AnetReward()):
        best = math.inf
        for _ in range(steps):
            truth = [events() for _ in range(8)]
            answers = [answer(each) for each in truth for _ in range(8)]
            start = time.process_time()
            values = reward(
                prompts=None, completions=answers, references=[each for each in truth for _ in range(8)]
            )
            best = min(best, time.process_time() - start)
            assert min(values) > 0
        print(f"{reward.__name__:10}  {1e3 * best / len(answers):.3f} ms an answer, best of {steps} batches")


if __name__ == "__main__":
    main()

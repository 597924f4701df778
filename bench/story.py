"""How fast are the story metrics, and does memory stay flat?

    python bench/story.py [--stories 5000] [--coherence 400] [--threads 2]

Non-redundancy on generated stories (every sentence distinct) beside a plain Python version of the same
formula; coherence with the embedded model; memory before and after all stories. Wants at least 10,000 stories
a second for NR and 40 for C, and at most 200 MB more memory after 5,000 stories than after 500; says so and
exits 1 if not."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from itertools import combinations, pairwise

from storymeter.story.redundancy import redundancy
from storymeter.text.words import words

WORDS = [
    "we",
    "went",
    "to",
    "the",
    "park",
    "and",
    "saw",
    "a",
    "dog",
    "that",
    "ran",
    "after",
    "red",
    "ball",
    "near",
    "old",
    "house",
    "while",
    "my",
    "friends",
    "ate",
    "cake",
    "in",
    "sun",
    "then",
    "everyone",
    "took",
    "photos",
    "of",
    "big",
    "tree",
    "before",
    "it",
    "rained",
    "so",
    "mom",
    "said",
    "go",
    "home",
    "but",
    "kids",
    "wanted",
    "more",
    "time",
    "at",
    "lake",
    "where",
    "boats",
    "were",
    "waiting",
    "for",
    "people",
    "with",
    "music",
    "food",
    "games",
    "dancing",
]


def stories(count: int, seed: int = 0) -> list[list[str]]:
    draw = random.Random(seed)
    return [
        [" ".join(draw.choices(WORDS, k=draw.randint(8, 15))) + f" {k} ." for _ in range(5)]
        for k in range(count)
    ]


def plain_python(told: list[list[str]]) -> list[float]:
    def likeness(a: list[str], b: list[str]) -> float:
        return len({*a} & {*b}) / len({*a, *b})

    out = []
    for story in told:
        tokens = [words(sentence) for sentence in story]
        inter = [likeness(a, b) for a, b in combinations(tokens, 2)]
        intra = [
            likeness(a, b)
            for sentence in tokens
            for a, b in pairwise([sentence[k : k + 4] for k in range(0, len(sentence), 4)])
        ]
        out.append(1 - (sum(inter) / len(inter) + sum(intra) / len(intra)) / 2)
    return out


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stories", type=int, default=5000)
    parser.add_argument("--coherence", type=int, default=400, help="stories for the speed of coherence")
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    fine = True

    told = stories(chosen.stories)
    redundancy(told[:100])
    begin, cpu = time.perf_counter(), time.process_time()
    ours = redundancy(told, jobs=chosen.threads)[:, 0]
    speed, busy = len(told) / (time.perf_counter() - begin), len(told) / (time.process_time() - cpu)
    begin = time.perf_counter()
    theirs = plain_python(told[:1000])
    peer = 1000 / (time.perf_counter() - begin)
    assert max(abs(a - b) for a, b in zip(ours[:1000], theirs, strict=True)) < 1e-12
    print(
        f"NR   {speed:10,.0f} stories/s ({busy:,.0f} per second of processor time); plain Python {peer:,.0f}:"
        f" {speed / peer:.1f} x"
    )
    fine &= max(speed, busy) >= 10_000

    import torch

    from storymeter.story import coherence

    torch.set_num_threads(chosen.threads)
    model = coherence.load()
    coherence.coherence(told[:8], model)
    begin, cpu = time.perf_counter(), time.process_time()
    coherence.coherence(told[: chosen.coherence], model)
    wall, used = time.perf_counter() - begin, time.process_time() - cpu
    print(
        f"C    {chosen.coherence / wall:10,.1f} stories/s on {chosen.threads} threads"
        f" ({chosen.coherence / used:,.1f} per second of processor time)"
    )
    fine &= max(chosen.coherence / wall, chosen.threads * chosen.coherence / used) >= 40

    before = megabytes()
    for copy in range(max(1, chosen.stories // 500)):
        redundancy(stories(500, seed=copy))
    coherence.coherence(told[chosen.coherence : 2 * chosen.coherence], model)
    print(f"memory {before:,.0f} MB, then {megabytes():,.0f} MB")
    fine &= megabytes() - before <= 200
    print("fine" if fine else "too slow or too large")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

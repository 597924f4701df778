"""How fast a big submission becomes a Corpus, against the decoder alone, in one run.

    python bench/read.py [--captions 1100000]

Target: at most 4 times the time of `msgspec.json.decode`, peak memory under 2 GB. Each of the two runs in a
process of its own (so that its memory is its own) and takes the best of three, the file already in the page
cache."""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = [
    "a",
    "man",
    "woman",
    "dog",
    "child",
    "is",
    "are",
    "seen",
    "standing",
    "walking",
    "in",
    "front",
    "of",
    "the",
    "camera",
    "while",
    "another",
    "person",
    "holds",
    "ball",
    "and",
    "then",
    "begins",
    "to",
]


def generate(path: Path, captions: int) -> None:
    """A submission with four captions per video, sentences of 5 to 16 words."""
    generator = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write('{"version": "VERSION 1.0", "results": {')
        for video in range(captions // 4):
            events, at = [], 0.0
            for _ in range(4):
                start, at = at, round(at + generator.uniform(1, 40), 2)
                sentence = " ".join(generator.choices(WORDS, k=generator.randint(5, 16)))
                events.append(f'{{"sentence": "{sentence}.", "timestamp": [{start}, {at}]}}')
            file.write(f'{", " if video else ""}"v_{video:011d}": [{", ".join(events)}]')
        file.write('}, "external_data": {"used": false, "details": ""}}')


def measure(job: str, path: str) -> None:
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        if job == "decode":
            import msgspec

            value = msgspec.json.decode(Path(path).read_bytes())
        else:
            import storymeter

            value = storymeter.read(path)
        best = min(best, time.perf_counter() - begin)
        del value
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(best, peak / (2**30 if sys.platform == "darwin" else 2**20))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", type=int, default=1_100_000)
    parser.add_argument("--job", choices=("decode", "read"), help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        measure(options.job, options.path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.json"
        generate(path, options.captions)
        print(f"{options.captions:,} captions, {path.stat().st_size / 1e6:.0f} MB")
        seconds = {}
        for job in ("decode", "read"):
            out = subprocess.run(
                [sys.executable, __file__, "--job", job, "--path", str(path)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            seconds[job], memory = (float(word) for word in out.split())
            name = "msgspec.json.decode" if job == "decode" else "storymeter.read"
            print(f"{name:<20} {seconds[job]:6.2f} s   peak {memory:.2f} GB")
        print(
            f"ratio {seconds['read'] / seconds['decode']:.2f} (at most 4), peak memory {memory:.2f} GB"
            " (under 2)"
        )


if __name__ == "__main__":
    main()

"""How fast a big submission becomes a Corpus: the decoder alone, ours before and ours now, in one run.

    python bench/read.py [--captions 1100000] [--before HEAD~1] [--rounds 3]

Goal: at most 1.5 times the time of `msgspec.json.decode`, peak memory under 2 GB. Each side runs in a process
of its own (so that its memory is its own), they take turns, and the best processor time of all rounds counts;
the file is already in the page cache. The commit `--before` is built beside the present one. msgspec runs
with Python's garbage collector on, as for anyone who calls it; ours, before and now, pauses the collector
while it reads. Without the collector on either side msgspec is about three times as fast as ours."""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from before import built, python

WORDS = (
    "a man woman dog child is are seen standing walking in front of the camera while another person"
    " holds ball and then begins to"
)


def generate(path: Path, captions: int) -> None:
    """A submission with four captions per video, sentences of 5 to 16 words."""
    generator, words = random.Random(1), WORDS.split()
    with path.open("w", encoding="utf-8") as file:
        file.write('{"version": "VERSION 1.0", "results": {')
        for video in range(captions // 4):
            events, at = [], 0.0
            for _ in range(4):
                start, at = at, round(at + generator.uniform(1, 40), 2)
                sentence = " ".join(generator.choices(words, k=generator.randint(5, 16)))
                events.append(f'{{"sentence": "{sentence}.", "timestamp": [{start}, {at}]}}')
            file.write(f'{", " if video else ""}"v_{video:011d}": [{", ".join(events)}]')
        file.write('}, "external_data": {"used": false, "details": ""}}')


def measure(job: str, path: str) -> None:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        if job == "msgspec":
            import msgspec

            value = msgspec.json.decode(Path(path).read_bytes())
        else:
            import storymeter

            value = storymeter.read(path)
        best = min(best, time.process_time() - begin)
        del value
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(best, peak / (2**30 if sys.platform == "darwin" else 2**20))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", type=int, default=1_100_000)
    parser.add_argument("--before", default="HEAD~1", metavar="REVISION", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        measure(options.job, options.path)
        return
    sides = {"msgspec": python(None), "before": python(built(options.before)), "now": python(None)}
    best = {side: (float("inf"), 0.0) for side in sides}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.json"
        generate(path, options.captions)
        print(f"{options.captions:,} captions, {path.stat().st_size / 1e6:.0f} MB;", end=" ")
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; before is {options.before}")
        for _ in range(options.rounds):
            for side, (command, environment) in sides.items():
                environment = {
                    **environment,
                    "PYTHONPATH": os.pathsep.join([environment["PYTHONPATH"], str(Path(__file__).parent)]),
                }
                asked = [*command, __file__, "--job", side, "--path", str(path)]
                done = subprocess.run(asked, env=environment, check=True, capture_output=True, text=True)
                seconds, memory = (float(word) for word in done.stdout.split())
                best[side] = min(best[side], (seconds, memory))
    for side, (seconds, memory) in best.items():
        name = "msgspec.json.decode" if side == "msgspec" else f"storymeter.read {side}"
        times = seconds / best["msgspec"][0]
        print(f"{name:<24} {seconds:6.2f} s   {times:5.2f} times msgspec   peak {memory:.2f} GB")
    print("go for 1.50 times msgspec, under 2 GB")


if __name__ == "__main__":
    main()

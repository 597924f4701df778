"""What a metric costs: processor time of `storymeter score` on ActivityNet's validation set, whole processes.

    python bench/cost.py [--metrics "soda_c;anet(scorer=meteor);meteor;cider;sts;facts"] [--rounds 3]

Scores the second annotator's captions against the first one's (4,917 videos in the two files together), once
for each metric with a warm cache and without intervals, and prints processor seconds (user and system, best
of `--rounds`: a busy machine only ever makes it more) and captions per second of processor time.
Reads anet/val_1.json and val_2.json of STORYMETER_DATA (default ../shared/data)."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

DATA = Path(os.environ.get("STORYMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def seconds(metric: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = [str(DATA / "anet" / f"val_{k}.json") for k in (2, 1)]
    command = ["score", files[0], "-r", files[1], "-m", metric, "--resamples", "0", "--jobs", "1"]
    subprocess.run([sys.executable, "-m", "storymeter", *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--metrics", default="soda_c;anet(scorer=meteor);meteor;cider;sts;facts")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with (DATA / "anet" / "val_2.json").open(encoding="utf-8") as file:
        captions = sum(len(video["sentences"]) for video in json.load(file).values())
    print(f"{captions:,} captions")
    for metric in given.metrics.split(";"):
        best = min(seconds(metric) for _ in range(given.rounds))
        print(f"{metric:<22} {best:8.1f} s of processor time {captions / best:10,.0f} captions/s", flush=True)


if __name__ == "__main__":
    main()

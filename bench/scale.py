"""What does a corpus in shards cost, and does its size change anything but the time?

    python bench/scale.py [--millions 1,5,20] [--workers 2] [--metrics soda_c,anet,bleu_4,cider]

Generates captions in Parquet shards (words drawn by Zipf's law from a vocabulary of 20,000, five captions a
video, a reference for each; seeded, file by file), scores them through `storymeter score … --cluster local
--save FOLDER` with intervals, and samples the memory of the driver and of every worker (proportional set
size, so that shared pages count once). Wants: driver and each worker under 2 GB, processor time linear in
captions (at most 1.15 times as much per caption for the last size as for the first), the numbers of the
one-machine path on a subset to 1e-12, and the same bytes for 1, 2 and 4 workers and for 7 and 64 shards. Says
so and exits 1 if not.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

import storymeter

GIGABYTES, GROWTH = 2.0, 1.15
#: captions of a video, videos of a file, distinct words
CAPTIONS, VIDEOS, WORDS = 5, 50_000, 20_000


def generate(folder: Path, captions: int) -> None:
    """One file of candidates and one of references per 250,000 captions."""
    ranks = 1.0 / np.arange(1, WORDS + 1)
    ends = np.cumsum(ranks / ranks.sum())
    syllables = [
        "ba",
        "co",
        "du",
        "fe",
        "gi",
        "ka",
        "lo",
        "mu",
        "ne",
        "pi",
        "ra",
        "so",
        "tu",
        "ve",
        "wi",
        "zo",
    ]
    words = np.array(
        [
            "".join(syllables[(k * 7919 >> 4 * i) % 16] for i in range(2 + k % 3)) + str(k % 7)
            for k in range(WORDS)
        ]
    )
    for side in ("candidates", "references"):
        (folder / side).mkdir(parents=True, exist_ok=True)
    videos = captions // CAPTIONS
    for number, begin in enumerate(range(0, videos, VIDEOS)):
        count = min(VIDEOS, videos - begin)
        draw = np.random.default_rng(number)
        truth = _texts(draw, words, ends, count * CAPTIONS)
        for side in ("candidates", "references"):
            texts = truth
            if side == "candidates":  # half of the words of every caption are others
                texts = [_changed(draw, text, words, ends) for text in truth]
            starts = np.sort(draw.uniform(0, 100, (count, CAPTIONS)), axis=1).ravel()
            table = pyarrow.table(
                {
                    "video": np.repeat([f"v{begin + k}" for k in range(count)], CAPTIONS),
                    "start": starts,
                    "end": starts + draw.uniform(5, 40, len(starts)),
                    "text": texts,
                }
            )
            parquet.write_table(table, folder / side / f"{number:05d}.parquet", row_group_size=100_000)


def _texts(draw: np.random.Generator, words: np.ndarray, ends: np.ndarray, count: int) -> list[str]:
    lengths = draw.integers(6, 15, count)
    drawn = words[np.searchsorted(ends, draw.random(int(lengths.sum())))].tolist()
    at = np.r_[0, np.cumsum(lengths)].tolist()
    return [" ".join(drawn[a:b]) for a, b in itertools.pairwise(at)]


def _changed(draw: np.random.Generator, text: str, words: np.ndarray, ends: np.ndarray) -> str:
    old = text.split()
    keep = draw.random(len(old)) < 0.5
    new = words[np.searchsorted(ends, draw.random(len(old)))]
    return " ".join(a if k else b for a, b, k in zip(old, new, keep, strict=True))


class Memory(threading.Thread):
    """The largest proportional set size of each kind of process below this one, sampled."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.peaks, self.over = (
            root,
            {"driver": 0.0, "worker": 0.0, "other": 0.0},
            threading.Event(),
        )
        self.processor: dict[int, float] = {}

    def run(self) -> None:
        while not self.over.wait(0.5):
            for pid in _family(self.root):
                try:
                    title = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
                    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                used = (
                    next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
                    / 1e6
                )
                kind = "driver" if pid == self.root else "worker" if title.startswith("ray::") else "other"
                self.peaks[kind] = max(self.peaks[kind], used)
                self.processor[pid] = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def _family(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def score(data: Path, saved: Path, metrics: str, workers: int, *more: str) -> tuple[float, Memory, str]:
    """Seconds, memory and processor time, and the JSON."""
    shutil.rmtree(saved, ignore_errors=True)
    command = [
        sys.executable, "-m", "storymeter", "score", str(data / "candidates" / "*.parquet"),
        "-r", str(data / "references" / "*.parquet"), "-m", metrics, "--cluster", "local",
        "--jobs", str(workers), "--save", str(saved), "--format", "json", *more,
    ]  # fmt: skip
    begin = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        memory = Memory(process.pid)
        memory.start()
        out, err = process.communicate()
        memory.over.set()
        memory.join()
    if process.returncode:
        sys.exit(err.decode())
    return time.monotonic() - begin, memory, out.decode()


def subset(folder: Path, metrics: str) -> bool:
    """30,000 captions: one machine, then every cut and every number of workers."""
    data = folder / "subset"
    generate(data, 30_000)
    corpora = [storymeter.read(data / side / "00000.parquet") for side in ("candidates", "references")]
    here = storymeter.evaluate(
        candidates=corpora[0], references=corpora[1], metrics=metrics.split(","), resamples=0, jobs=2
    )
    good, written = True, set()
    for workers, shards in ((1, 7), (2, 7), (4, 7), (2, 64)):
        _, _, text = score(data, folder / "run", metrics, workers, "--shards", str(shards))
        written.add(hashlib.sha256((folder / "run" / "run.smr").read_bytes()).hexdigest())
        for ours, theirs in zip(
            json.loads(text)["systems"][0]["scores"], here.systems[0].scores, strict=True
        ):
            apart = abs(ours["value"] - theirs.value)
            good &= apart <= 1e-12
            print(f"  {workers} workers, {shards} shards: {theirs.metric} differs by {apart:.1e}", flush=True)
    print(f"  {len(written)} different saved runs (wanted: 1)")
    return good and len(written) == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", default="1,5,20")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--metrics", default="soda_c,anet,bleu_4,cider")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--no-subset", action="store_true")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="storymeter-scale-"))
    good = options.no_subset or subset(folder, options.metrics)
    costs: list[tuple[float, float]] = []
    for millions in map(float, options.millions.split(",")):
        data = folder / f"{millions:g}m"
        if not data.is_dir():
            generate(data, round(millions * 1e6))
        seconds, memory, text = score(data, folder / "run", options.metrics, options.workers)
        processor = sum(memory.processor.values())
        costs.append((millions, processor))
        peaks = ", ".join(f"{kind} {peak:.2f} GB" for kind, peak in memory.peaks.items())
        print(f"{millions:g} million captions: {seconds:,.0f} s, processor {processor:,.0f} s; {peaks}")
        for entry in json.loads(text)["systems"][0]["scores"]:
            print(f"  {entry['metric']} {entry['value']:.6f} {entry['interval']}", flush=True)
        good &= max(memory.peaks["driver"], memory.peaks["worker"]) < GIGABYTES
    if len(costs) > 1:
        growth = (costs[-1][1] / costs[0][1]) / (costs[-1][0] / costs[0][0])
        print(
            f"{costs[-1][0] / costs[0][0]:g} times the captions: {growth:.2f} times the time of each"
            f" (wanted: {GROWTH})"
        )
        good &= growth <= GROWTH
    print("as wanted" if good else "NOT as wanted")
    if options.folder is None:
        shutil.rmtree(folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

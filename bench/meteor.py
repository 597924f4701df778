"""METEOR: the original (through pycocoevalcap) and ours in one run, on the same pairs of captions.

    python bench/meteor.py [--pairs 20000] [--jar-pairs 4000] [--rounds 6] [--repeat 2]

Prints pairs per second and ratios for a list of unrelated pairs and for blocks of 40 x 40 captions, the time
from process start to first score with a warm cache, resident memory, and time and size of the first
compilation. The two sides take turns and run equally often, and the best run counts for each, because a busy
machine only ever makes a run slower. Captions come from ActivityNet (`STORYMETER_DATA`, default
../shared/data) or, where that is absent, are made up."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from storymeter.pairs import Meteor, meteor_tables

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 40


def captions(seed: int) -> tuple[list[str], list[str]]:
    """Candidates and references: tokenised captions of the same videos, in the order of the videos."""
    folder = Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data")) / "anet"
    if folder.is_dir():
        from storymeter.text.tokens import tokenize

        theirs = json.loads((folder / "val_1.json").read_text(encoding="utf-8"))
        mine = json.loads((folder / "bmt_val_1.json").read_text(encoding="utf-8"))["results"]
        both = [v for v in theirs if v in mine]
        return (
            tokenize([c["sentence"] for v in both for c in mine[v]], "ptb"),
            tokenize([s for v in both for s in theirs[v]["sentences"]], "ptb"),
        )
    random.seed(seed)
    who = [
        "a man",
        "two women",
        "the dog",
        "a group of people",
        "someone",
        "the little girl",
        "several children",
    ]
    does = [
        "is walking",
        "plays the guitar",
        "runs quickly",
        "are talking",
        "cuts the vegetables",
        "jumps over a fence",
        "swims",
    ]
    where = [
        "in the park",
        "down the street",
        "near a large house",
        "on the beach",
        "while people watch",
        "and then smiles",
    ]
    made = [
        f"{random.choice(who)} {random.choice(does)} {random.choice(where)} {random.choice(where)}"
        for _ in range(40_000)
    ]
    return made[:20_000], made[20_000:]


def best(action: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def start_up() -> tuple[float, float]:
    """Seconds from process start to first score, and of that Python's own with numpy; best of ten, taking
    turns.
    """
    score = (
        "from storymeter.pairs import Meteor; Meteor().pairs(candidates=['a man walks'], references=[['a man"
        " is walking']])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    seconds: dict[str, list[float]] = {score: [], "import numpy": []}
    for _ in range(10):
        for code, times in seconds.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append(time.perf_counter() - begin)
    return min(seconds[score]), min(seconds["import numpy"])


def memory() -> float:
    """Peak resident MB of a fresh process that scores 20,000 pairs."""
    code = (
        "import resource, sys\nfrom storymeter.pairs import Meteor\nlines = sys.stdin.read().split('\\n');"
        " half = len(lines) // 2\nMeteor().pairs(candidates=lines[:half], references=[[r] for r in"
        " lines[half:2 * half]], jobs=2)\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    mine, theirs = captions(0)
    text = "\n".join(
        [*(mine[k % len(mine)] for k in range(20_000)), *(theirs[k % len(theirs)] for k in range(20_000))]
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return float(
        subprocess.run(
            [sys.executable, "-c", code],
            input=text,
            text=True,
            capture_output=True,
            check=True,
            env=environment,
        ).stdout
    )


def compilation() -> tuple[float, float]:
    """Seconds and MB of the first compilation, in an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        code = "from storymeter.pairs import meteor_tables; meteor_tables.load()"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), meteor_tables.CACHE: folder}
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - begin, sum(f.stat().st_size for f in Path(folder).iterdir()) / 2**20


def line(what: str, value: float, unit: str, goal: str = "") -> None:
    print(f"{what:<58}{value:>12,.2f} {unit:<10}{goal}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument(
        "--jar-pairs", type=int, default=4_000, help="pairs that the original scores per round"
    )
    parser.add_argument("--repeat", type=int, default=2, help="runs of each side per round")
    parser.add_argument("--rounds", type=int, default=6, help="rounds in which the two sides take turns")
    options = parser.parse_args()

    mine, theirs = captions(0)
    order = np.random.default_rng(0)
    left, right = order.integers(0, len(mine), options.pairs), order.integers(0, len(theirs), options.pairs)
    candidates, references = [mine[k] for k in left], [[theirs[k]] for k in right]
    starts = order.integers(0, min(len(mine), len(theirs)) - BLOCK, 25)
    blocks = [(mine[k : k + BLOCK], theirs[k : k + BLOCK]) for k in starts]
    meteor = Meteor()

    def ours(jobs: int) -> Callable[[], object]:
        return lambda: meteor.pairs(candidates=candidates, references=references, jobs=jobs)

    rows, columns = (side.ravel() for side in np.indices((BLOCK, BLOCK)))
    all_blocks = {
        "candidates": [c for side, _ in blocks for c in side],
        "references": [r for _, side in blocks for r in side],
        "candidate_index": np.concatenate([k * BLOCK + rows for k in range(len(blocks))]),
        "reference_index": np.concatenate([k * BLOCK + columns for k in range(len(blocks))]),
    }

    def ours_in_blocks(jobs: int) -> Callable[[], object]:
        return lambda: meteor.score_indexed(
            **all_blocks, jobs=jobs
        )  # all videos in one call, as SODA does it

    def ours_by_matrix(jobs: int) -> Callable[[], object]:
        return lambda: [meteor.matrix(candidates=c, references=r, jobs=jobs) for c, r in blocks]

    from pycocoevalcap.meteor.meteor import Meteor as Original

    begin = time.perf_counter()
    original = Original()
    original.compute_score({0: ["a man is walking"]}, {0: ["a man walks"]})
    jar_start = time.perf_counter() - begin
    jar_list = (
        {k: references[k] for k in range(options.jar_pairs)},
        {k: [candidates[k]] for k in range(options.jar_pairs)},
    )
    c, r = blocks[0]
    cells = [(a, b) for a in c for b in r]
    jar_block = ({k: [b] for k, (_, b) in enumerate(cells)}, {k: [a] for k, (a, _) in enumerate(cells)})

    fast: dict[str, float] = {}
    for _ in range(options.rounds):
        for name, action, count in [
            ("jar list", lambda: original.compute_score(*jar_list), options.jar_pairs),
            ("list 1", ours(1), options.pairs),
            ("list 2", ours(2), options.pairs),
            ("jar blocks", lambda: original.compute_score(*jar_block), len(cells)),
            ("blocks 1", ours_in_blocks(1), BLOCK * BLOCK * len(blocks)),
            ("blocks 2", ours_in_blocks(2), BLOCK * BLOCK * len(blocks)),
            ("one block a call 1", ours_by_matrix(1), BLOCK * BLOCK * len(blocks)),
            ("one block a call 2", ours_by_matrix(2), BLOCK * BLOCK * len(blocks)),
        ]:
            fast[name] = max(fast.get(name, 0.0), count / best(action, options.repeat))
    theirs_list = original.compute_score(*jar_list)[1]
    original.meteor_p.kill()
    if (
        theirs_list
        != meteor.pairs(
            candidates=candidates[: options.jar_pairs], references=references[: options.jar_pairs]
        ).tolist()
    ):
        sys.exit("The two sides disagree: nothing is worth measuring.")

    print(
        f"list of {options.pairs:,} pairs; blocks of {BLOCK} x {BLOCK}; {os.cpu_count()} cores, load"
        f" {os.getloadavg()[0]:.1f}\n"
    )
    for kind, goals in [("list", ("at least 50", "at least 100")), ("blocks", ("", "at least 300"))]:
        line(f"{kind}: the original", fast[f"jar {kind}"], "pairs/s")
        for jobs, goal in zip((1, 2), goals, strict=True):
            line(f"{kind}: ours, {jobs} thread{'s' * (jobs > 1)}", fast[f"{kind} {jobs}"], "pairs/s")
            line("    ratio", fast[f"{kind} {jobs}"] / fast[f"jar {kind}"], "times", goal)
        line("    two threads against one", fast[f"{kind} 2"] / fast[f"{kind} 1"], "times", "at least 1.7")
    for jobs in (
        1,
        2,
    ):  # 2 ms of work each time: starting threads and indexing the references on both weigh more
        line(
            f"one block a call: ours, {jobs} thread{'s' * (jobs > 1)}",
            fast[f"one block a call {jobs}"],
            "pairs/s",
        )
    for factor in (4, 16):
        some = options.pairs // factor
        part = best(
            lambda n=some: meteor.pairs(candidates=candidates[:n], references=references[:n]),
            options.rounds * options.repeat,
        )  # type: ignore[misc]
        line(
            f"linear: pairs/s with a {factor}th of the list, against all",
            some / part / fast["list 1"],
            "times",
            "about 1",
        )
    warm, python = start_up()
    line("process start to first score, warm cache", warm, "s", "at most 0.2")
    line("    of that, Python and numpy", python, "s")
    line("    the original (in a running Python)", jar_start, "s")
    line("peak resident memory, 20,000 pairs", memory(), "MB", "under 200")
    seconds, size = compilation()
    line("first compilation of the tables", seconds, "s", "under 20")
    line("size of the table", size, "MB", "under 80")


if __name__ == "__main__":
    main()

"""METEOR: the original (through pycocoevalcap), ours and ours before, in one run, on the same captions.

    python bench/meteor.py [--before HEAD~1] [--rounds 6] [--pairs 20000] [--jar-pairs 4000]
    perf record -F 2000 python bench/meteor.py --profile own|random|blocks; perf report --no-children

Three kinds of pairs: captions beside their own references, as users have them (`meteor_20k.jsonl.xz` of
STORYMETER_GOLDEN, default ../shared/golden; left out where that is absent), captions paired at random, and
blocks of 40 x 40 captions, all in one call and one block a call. Prints pairs per second and ratios, the time
from process start to first score with a warm cache, resident memory, and time and size of the first
compilation. The commit `--before` is built beside the present one; all sides take turns, and the best run
counts for each, because a busy machine only ever makes a run slower. Captions come from ActivityNet
(`STORYMETER_DATA`, default ../shared/data) or are made up."""

from __future__ import annotations

import argparse
import json
import lzma
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from before import built, python

from storymeter.pairs import Meteor

ROOT = Path(__file__).resolve().parents[1]
BLOCK, BLOCKS = 40, 25
#: times the original with two threads that we go for
GOALS = {"own": 150, "random": 100, "blocks": 600}


def captions(seed: int) -> tuple[list[str], list[str]]:
    """Candidates and references: tokenised captions of the same videos, in the order of the videos."""
    folder = Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data")) / "anet"
    if folder.is_dir():
        from storymeter.text import tokenize

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
    return min(timeit.repeat(action, "gc.enable()", repeat=repeat, number=1))


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
    from storymeter.cache import CACHE  # which the commit before may not have

    with tempfile.TemporaryDirectory() as folder:
        code = "from storymeter.pairs import meteor; meteor.load()"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), CACHE: folder}
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - begin, sum(f.stat().st_size for f in Path(folder).iterdir()) / 2**20


def line(what: str, value: float, unit: str, goal: str = "") -> None:
    print(f"{what:<58}{value:>12,.2f} {unit:<10}{goal}", flush=True)


Texts = tuple[list[str], list[str]]


def own_references() -> Texts | None:
    file = (
        Path(os.environ.get("STORYMETER_GOLDEN", ROOT.parent / "shared" / "golden")) / "meteor_20k.jsonl.xz"
    )
    if not file.is_file():
        return None
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["hyp"] for row in rows], [row["refs"][0] for row in rows]


def inputs(pairs: int) -> dict[str, Any]:
    """Lists of pairs by kind, and the blocks."""
    mine, theirs = captions(0)
    order = np.random.default_rng(0)
    left, right = order.integers(0, len(mine), pairs), order.integers(0, len(theirs), pairs)
    lists = {"own": own_references(), "random": ([mine[k] for k in left], [theirs[k] for k in right])}
    starts = order.integers(0, min(len(mine), len(theirs)) - BLOCK, BLOCKS)
    return {
        "lists": {kind: texts for kind, texts in lists.items() if texts},
        "blocks": [(mine[k : k + BLOCK], theirs[k : k + BLOCK]) for k in starts],
    }


def _call_all(actions: list[Callable[[], object]]) -> None:
    for action in actions:
        action()


def rates(data: dict[str, Any], repeat: int) -> dict[str, float]:
    """Pairs per second of the METEOR that this process imports."""
    meteor, blocks = Meteor(), data["blocks"]
    rows, columns = (side.ravel() for side in np.indices((BLOCK, BLOCK)))
    together = {
        "candidates": [c for side, _ in blocks for c in side],
        "references": [r for _, side in blocks for r in side],
        "candidate_index": np.concatenate([k * BLOCK + rows for k in range(len(blocks))]),
        "reference_index": np.concatenate([k * BLOCK + columns for k in range(len(blocks))]),
    }
    out = {}
    for jobs in (1, 2):
        for kind, (candidates, references) in data["lists"].items():
            several = [[r] for r in references]
            action = partial(meteor.pairs, candidates=candidates, references=several, jobs=jobs)
            out[f"{kind} {jobs}"] = len(candidates) / best(action, repeat)
        cells = BLOCK * BLOCK * len(blocks)
        out[f"blocks {jobs}"] = cells / best(
            partial(meteor.open().score_indexed, **together, jobs=jobs), repeat
        )
        each = [partial(meteor.matrix, candidates=c, references=r, jobs=jobs) for c, r in blocks]
        out[f"one block a call {jobs}"] = cells / best(partial(_call_all, each), repeat)
    return out


def profile(kind: str, pairs: int, rounds: int = 40) -> None:
    """One kind of pairs again and again on one thread, and nothing else: for a profiler."""
    data = inputs(pairs)
    actions: list[Callable[[], object]]
    if kind == "blocks":
        actions = [partial(Meteor().matrix, candidates=c, references=r) for c, r in data["blocks"]]
        count = BLOCK * BLOCK * len(actions)
    else:
        candidates, references = data["lists"][kind]
        several = [[r] for r in references]
        actions, count = [partial(Meteor().pairs, candidates=candidates, references=several)], len(several)
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        _call_all(actions)
        times.append(time.process_time() - begin)
    line(f"{kind}: processor time of a pair, best of {rounds}", 1e9 * min(times) / count, "ns")


class Original:
    """The jar, fed as pycocoevalcap does it."""

    def __init__(self, data: dict[str, Any], pairs: int) -> None:
        from pycocoevalcap.meteor.meteor import Meteor as Jar

        begin = time.perf_counter()
        self._jar = Jar()
        self._jar.compute_score({0: ["a man is walking"]}, {0: ["a man walks"]})
        self.start = time.perf_counter() - begin
        c, r = data["blocks"][0]
        self._texts = {kind: (a[:pairs], b[:pairs]) for kind, (a, b) in data["lists"].items()}
        self._texts["blocks"] = [a for a in c for _ in r], [b for _ in c for b in r]

    def rates(self, repeat: int) -> dict[str, float]:
        out = {}
        for kind, (candidates, references) in self._texts.items():
            arguments = (
                {k: [text] for k, text in enumerate(references)},
                {k: [text] for k, text in enumerate(candidates)},
            )
            out[kind] = len(candidates) / best(partial(self._jar.compute_score, *arguments), repeat)
            scores = self._jar.compute_score(*arguments)[1]
            if Meteor().pairs(candidates=candidates, references=[[r] for r in references]).tolist() != scores:
                sys.exit("The two sides disagree: nothing is worth measuring.")
        return out

    def close(self) -> None:
        self._jar.meteor_p.kill()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", default="HEAD~1", metavar="REVISION", help="the commit to compare with")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument(
        "--jar-pairs", type=int, default=4_000, help="pairs that the original scores per round"
    )
    parser.add_argument("--repeat", type=int, default=2, help="runs of each side per round")
    parser.add_argument("--rounds", type=int, default=6, help="rounds in which the sides take turns")
    parser.add_argument("--profile", choices=("own", "random", "blocks"), help="score these and no more")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(rates(pickle.loads(options.job.read_bytes()), options.repeat)))
        return
    if options.profile:
        profile(options.profile, options.pairs)
        return
    compare(options)
    cold_and_warm()


def compare(options: argparse.Namespace) -> None:
    data = inputs(options.pairs)
    original = Original(data, options.jar_pairs)
    sides = {"before": python(built(options.before)), "now": python(None)}
    fast: dict[str, dict[str, float]] = {"original": {}, "before": {}, "now": {}}
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "inputs"
        job.write_bytes(pickle.dumps(data))
        for _ in range(options.rounds):
            found = {"original": original.rates(options.repeat)}
            for side, (command, environment) in sides.items():
                arguments = [*command, __file__, "--job", str(job), "--repeat", str(options.repeat)]
                run = subprocess.run(arguments, env=environment, check=True, capture_output=True, text=True)
                found[side] = json.loads(run.stdout)
            for side, values in found.items():
                fast[side] = {what: max(value, fast[side].get(what, 0.0)) for what, value in values.items()}
    original.close()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; before is {options.before}\n")
    print(
        f"{'pairs per second':<22}"
        + "".join(f"{title:>14}" for title in (*fast, "now/before", "now/original"))
    )
    for what, now in fast["now"].items():
        kind, before = what.rsplit(" ", 1)[0], fast["before"][what]
        jar = fast["original"].get(kind, fast["original"]["blocks"])
        goal = f"  go for {GOALS[kind]}" if what.endswith("2") and kind in GOALS else ""
        speeds = "".join(f"{value:>14,.0f}" for value in (jar, before, now))
        print(f"{what:<22}{speeds}{now / before:>14.2f}{now / jar:>14.0f}{goal}")
    for kind in dict.fromkeys(what.rsplit(" ", 1)[0] for what in fast["now"]):
        line(f"{kind}: two threads against one", fast["now"][f"{kind} 2"] / fast["now"][f"{kind} 1"], "times")
    line("the original starts in (in a running Python)", original.start, "s")


def cold_and_warm() -> None:
    warm, bare = start_up()
    line("process start to first score, warm cache", warm, "s", "go for 0.12")
    line("    of that, Python and numpy", bare, "s")
    line("peak resident memory, 20,000 pairs", memory(), "MB", "under 200")
    seconds, size = compilation()
    line("first compilation of the tables", seconds, "s", "under 20")
    line("size of the table", size, "MB", "under 80")


if __name__ == "__main__":
    main()
